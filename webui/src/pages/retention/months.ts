/* The bars of the months and the parts of the storage.  Pure. */
import type { Month, Retention } from "../../api/retention";
import { addMonths } from "../../utils/days";

export interface MonthBar {
    month: string;
    data: Month | null;
    bytes: number;
    forecast: { bytes: number; low: number; high: number } | null;
}

/** So many bars at most: ten years. */
const BARS = 120;

/** Oldest first, without gaps: a month in which the box was off is a place without a bar. */
export function monthBars(r: Retention): MonthBar[] {
    const of = new Map(r.months.map((m) => [m.month, m]));
    const oldest = r.months.reduce((a, m) => (m.month < a ? m.month : a), r.month);
    const out: MonthBar[] = [];
    for (let month = r.month; month >= oldest && out.length < BARS; month = addMonths(month, -1)) {
        const data = of.get(month) ?? null;
        const { basis, bytes, low_bytes, high_bytes } = r.forecast;
        const isNow = month === r.month && basis !== "none";
        out.push({
            month,
            data,
            bytes: month === r.month ? r.month_bytes : (data?.bytes ?? 0),
            forecast: isNow ? { bytes, low: low_bytes, high: high_bytes } : null,
        });
    }
    return out.reverse();
}

/** The value at the top of the bars: all of them and the budget are within, and no forecast squeezes the rest. */
export function topOf(bars: readonly MonthBar[], budget: number): number {
    const used = Math.max(budget, ...bars.map((b) => b.bytes));
    const high = Math.max(0, ...bars.map((b) => b.forecast?.high ?? 0));
    return Math.max(used, Math.min(high, used * 2)) * 1.06 || 1;
}

export type Part = "month" | "older" | "benchmark" | "database" | "wal" | "spool" | "foreign" | "free";

/** What the capacity is used for; the parts add up to it, unless more than it is used. */
export function storageParts(r: Retention): { part: Part; bytes: number }[] {
    const logs = r.months.reduce((sum, m) => sum + m.bytes, 0);
    const month = r.month_bytes;
    const older = Math.max(0, logs - month);
    const benchmark = r.benchmark.bytes;
    const database = Math.max(0, r.used.database_bytes - month - older - benchmark);
    const room = Math.max(0, r.capacity_bytes - r.used.total_bytes);
    const free = r.capacity_is_limited ? room : Math.min(room, r.file_system.free_bytes);
    const parts: { part: Part; bytes: number }[] = [
        { part: "month", bytes: month },
        { part: "older", bytes: older },
        { part: "benchmark", bytes: benchmark },
        { part: "database", bytes: database },
        { part: "wal", bytes: r.used.wal_bytes },
        { part: "spool", bytes: r.used.spool_bytes },
        { part: "foreign", bytes: Math.max(0, room - free) },
        { part: "free", bytes: free },
    ];
    return parts.filter((p) => p.bytes > 0);
}
