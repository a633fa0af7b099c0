/* Limits by network as a form: text as typed.  Pure. */
import type { LimitRow } from "../../api/listeners";
import { readNetwork } from "../../utils/cidr";
import { canonical } from "./allow";

export interface LimitDraft {
    network: string;
    rate: string;
    burst: string;
}

/** The same limits as the box checks. */
export const RATE = { min: 0, max: 10_000_000 } as const;
export const BURST = { min: 1, max: 100_000_000 } as const;

export type LimitProblem = "network" | "twice" | "rate" | "burst";

export function limitDraft({ network, rate, burst }: LimitRow): LimitDraft {
    return { network, rate: String(rate), burst: String(burst) };
}

function isWithin(text: string, { min, max }: { min: number; max: number }): boolean {
    return /^\d{1,9}$/.test(text.trim()) && Number(text) >= min && Number(text) <= max;
}

export function limitProblems(rows: readonly LimitDraft[]): (LimitProblem | null)[] {
    const seen = new Set<string>();
    return rows.map(({ network, rate, burst }) => {
        if (!readNetwork(network)) return "network";
        if (seen.has(canonical(network))) return "twice";
        seen.add(canonical(network));
        if (!isWithin(rate, RATE)) return "rate";
        return isWithin(burst, BURST) ? null : "burst";
    });
}

export function limitRows(rows: readonly LimitDraft[]): LimitRow[] {
    return rows.map(({ network, rate, burst }) => ({ network: canonical(network), rate: Number(rate), burst: Number(burst) }));
}
