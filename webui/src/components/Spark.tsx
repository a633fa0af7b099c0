const WIDTH = 72;
const HEIGHT = 20;

/** A line of the last values, as tall as its greatest; a gap where one is null.  What it shows stands beside it as a
 * figure: a picture says nothing to a screen reader. */
export function Spark({ values, class: className }: { values: readonly (number | null)[]; class?: string | undefined }) {
    if (values.length < 2) return null;
    const max = Math.max(...values.map((v) => v ?? 0), 1);
    const x = (i: number) => ((i / (values.length - 1)) * WIDTH).toFixed(1);
    const runs: string[][] = [[]];
    for (const [i, value] of values.entries()) {
        if (value === null) runs.push([]);
        else runs.at(-1)?.push(`${x(i)},${(HEIGHT - 1 - (value / max) * (HEIGHT - 2)).toFixed(1)}`);
    }
    const drawn = runs.filter((points) => points.length > 1);
    const left = (points: string[]) => points[0]?.split(",")[0];
    const right = (points: string[]) => points.at(-1)?.split(",")[0];
    return (
        <svg class={className} viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" aria-hidden="true">
            {drawn.map((points) => (
                <g key={points[0]}>
                    <polygon points={`${left(points)},${HEIGHT} ${points.join(" ")} ${right(points)},${HEIGHT}`} />
                    <polyline points={points.join(" ")} />
                </g>
            ))}
        </svg>
    );
}
