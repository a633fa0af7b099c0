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
