/* Where two readings of a message differ.  Pure. */
import type { PreviewExample } from "../../api/sources";

export interface Segment {
    text: string;
    isDifferent: boolean;
}

/** What both begin with, what differs, what both end with.  Surrogates are not cut. */
export function segments(text: string, other: string): Segment[] {
    const a = [...text];
    const b = [...other];
    let head = 0;
    while (head < a.length && head < b.length && a[head] === b[head]) head++;
    let tail = 0;
    while (tail < a.length - head && tail < b.length - head && a[a.length - 1 - tail] === b[b.length - 1 - tail]) tail++;
    const parts = [
        { text: a.slice(0, head).join(""), isDifferent: false },
        { text: a.slice(head, a.length - tail).join(""), isDifferent: true },
        { text: a.slice(a.length - tail).join(""), isDifferent: false },
    ];
    return parts.filter((part) => part.text !== "");
}

export const DIFFERING = ["message", "reported_at", "hostname", "app_name", "procid", "msgid", "structured_data", "severity", "facility", "format"] as const;
export type Differing = (typeof DIFFERING)[number] | "marks";

export interface Difference {
    field: Differing;
    before: string;
    after: string;
}

function textOf(value: string | number | null): string {
    return value === null ? "" : String(value);
}

/** The fields of an example that would read otherwise, the message first. */
export function differences({ before, after, before_marks, after_marks }: PreviewExample): Difference[] {
    const out: Difference[] = [];
    for (const field of DIFFERING) {
        if (before[field] !== after[field]) out.push({ field, before: textOf(before[field]), after: textOf(after[field]) });
    }
    const marks = { before: before_marks.join(", "), after: after_marks.join(", ") };
    if (marks.before !== marks.after) out.push({ field: "marks", ...marks });
    return out;
}
