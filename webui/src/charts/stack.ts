/* Stacking: each series lies on the one below.  Pure. */

/** Rows of equal length → running sums, the first at the bottom; null (a gap) stays a gap. */
export function stack(series: (number | null)[][]): (number | null)[][] {
    const sums: (number | null)[] = [];
    return series.map((row) =>
        row.map((value, i) => {
            if (value === null) return null;
            const sum = (sums[i] ?? 0) + value;
            sums[i] = sum;
            return sum;
        }),
    );
}

export function maxAndMean(values: (number | null)[]): { max: number; mean: number } {
    const known = values.filter((v): v is number => v !== null);
    if (known.length === 0) return { max: 0, mean: 0 };
    return { max: Math.max(...known), mean: known.reduce((a, b) => a + b, 0) / known.length };
}
