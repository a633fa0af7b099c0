/* Gaps by source, each with the last step in which there was one.  Pure. */
import type { Gaps, GapSum } from "../../api/receiver";

export interface SourceGaps extends GapSum {
    /** The latest step with a gap; null: it is not among the rows. */
    at: string | null;
    /** Around it. */
    from: string | null;
    to: string | null;
}

/** The last gap of each source, and half a step around it: there its logs tell what was before and after. */
export function gapsBySource({ totals, rows, step_us }: Gaps): SourceGaps[] {
    const latest = new Map<string, string>();
    for (const row of rows) {
        const key = `${row.listener} ${row.source}`;
        if (!latest.has(key)) latest.set(key, row.at);
    }
    const stepMs = step_us / 1000;
    return totals.map((sum) => {
        const at = latest.get(`${sum.listener} ${sum.source}`);
        const ms = at === undefined ? null : Date.parse(at);
        const iso = (t: number) => new Date(t).toISOString();
        return { ...sum, at: at ?? null, from: ms === null ? null : iso(ms - stepMs / 2), to: ms === null ? null : iso(ms + stepMs * 1.5) };
    });
}
