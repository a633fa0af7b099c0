/* How long a certificate is good for.  Pure. */

export interface Expiry {
    /** Of its life, what has passed; 0 to 1. */
    share: number;
    /** Whole days; negative: it has expired. */
    daysLeft: number;
    state: "good" | "soon" | "urgent" | "expired" | "not_yet";
    tone: "good" | "warn" | "bad";
}

const DAY_MS = 86_400_000;
/** When the box tells of it as an event, first and last but one. */
const SOON_DAYS = 30;
const URGENT_DAYS = 7;

export function expiryOf({ not_before, not_after }: { not_before: string; not_after: string }, nowMs: number): Expiry {
    const from = Date.parse(not_before);
    const to = Date.parse(not_after);
    const share = Math.min(1, Math.max(0, (nowMs - from) / Math.max(1, to - from)));
    const daysLeft = Math.floor((to - nowMs) / DAY_MS);
    if (nowMs >= to) return { share, daysLeft, state: "expired", tone: "bad" };
    if (nowMs < from) return { share, daysLeft, state: "not_yet", tone: "warn" };
    if (daysLeft < URGENT_DAYS) return { share, daysLeft, state: "urgent", tone: "bad" };
    if (daysLeft < SOON_DAYS) return { share, daysLeft, state: "soon", tone: "warn" };
    return { share, daysLeft, state: "good", tone: "good" };
}
