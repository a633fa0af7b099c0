/* The way of a message through the receiver, as numbers to draw.  Pure. */
import type { Detail, StageDetail } from "../../api/receiver";

export type Tone = "good" | "warn" | "bad";
export type StageName = StageDetail["name"];

export interface Fill {
    used: number;
    limit: number;
    /** 0 to 1; a limit of nothing is none. */
    share: number;
    tone: Tone;
}

const WARN_SHARE = 0.5;
const BAD_SHARE = 0.9;

/** `isUsual`: being full is how it works, as of a block that is filled and then closed. */
export function fillOf(used: number, limit: number, isUsual = false): Fill {
    const share = limit > 0 ? Math.min(1, used / limit) : 0;
    const tone = isUsual || share < WARN_SHARE ? "good" : share < BAD_SHARE ? "warn" : "bad";
    return { used, limit, share, tone };
}

export type WayState = "unknown" | "away" | "silent" | "full" | "filling" | "draining" | "slow" | "good";

export const WAY_TONE: Record<WayState, Tone> = {
    unknown: "warn",
    away: "warn",
    silent: "bad",
    full: "bad",
    filling: "warn",
    draining: "warn",
    slow: "warn",
    good: "good",
};

/** A report comes once a second. */
export const SILENT_US = 10_000_000;

export function stageOf(detail: Detail, name: StageName): StageDetail {
    return detail.stages.find((s) => s.name === name) ?? { name, units: 0, messages: 0, bytes: 0, limit_bytes: 0 };
}

/** What is worst on the way; never "good" while something is not known. */
export function wayState(detail: Detail | null, ageUs: number | null, isDatabaseAway: boolean): WayState {
    if (isDatabaseAway) return "away";
    if (!detail || ageUs === null) return "unknown";
    if (ageUs > SILENT_US) return "silent";
    if (detail.spool.state !== "idle") return detail.spool.state;
    const write = stageOf(detail, "write");
    const pack = stageOf(detail, "pack");
    const isFilling = [write, pack].some((s) => fillOf(s.bytes, s.limit_bytes).tone !== "good");
    return isFilling || fillOf(detail.journal.used, detail.journal.bytes).tone !== "good" ? "slow" : "good";
}

/** What is above nothing, the most first. */
export function counted<Name extends string>(counts: Partial<Record<Name, number>>): { name: Name; n: number }[] {
    return (Object.entries(counts) as [Name, number][])
        .filter(([, n]) => n > 0)
        .map(([name, n]) => ({ name, n }))
        .sort((a, b) => b.n - a.n);
}
