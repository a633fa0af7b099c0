/* Choosing days: one click a day, a second one a range, a third begins anew.  Pure. */
import type { Day } from "../../api/retention";

export interface Picked {
    anchor: string;
    from: string;
    to: string;
}

export function pick(old: Picked | null, day: string): Picked | null {
    if (old && old.from === old.to) {
        if (day === old.anchor) return null;
        return { anchor: old.anchor, from: day < old.anchor ? day : old.anchor, to: day < old.anchor ? old.anchor : day };
    }
    return { anchor: day, from: day, to: day };
}

/** What the chosen days hold, of one group or (null) of all. */
export function sumOf(days: readonly Day[], { from, to }: Picked, group: string | null): { messages: number; bytes: number } {
    let messages = 0;
    let bytes = 0;
    for (const day of days) {
        if (day.day < from || day.day > to) continue;
        const part = group === null ? day : day.groups.find((g) => g.group === group);
        messages += part?.messages ?? 0;
        bytes += part?.bytes ?? 0;
    }
    return { messages, bytes };
}
