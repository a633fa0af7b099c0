/* What a run is asked to do: options of a profile, checked, and what that costs.  Pure. */
import type { Profile, TargetName } from "../../api/bench";

export const OPTIONS = ["time", "rates", "size", "runs", "connections"] as const;
export type OptionName = (typeof OPTIONS)[number];

/** The ways every box listens; others are for the command line. */
export const TRANSPORTS = ["udp", "tcp"] as const;
export type Transport = (typeof TRANSPORTS)[number];

/** Texts as typed; "" is the profile's own. */
export type Wish = { target: TargetName; transport?: Transport | "" } & Partial<Record<OptionName, string>>;

/** The command line has these limits; those of a profile can be narrower, and the box says so. */
export const BOUNDS: Record<OptionName, [number, number]> = {
    time: [1, 86_400],
    rates: [1, 10_000_000],
    size: [64, 8192],
    runs: [1, 20],
    connections: [1, 16_384],
};
const RATES_MAX = 16;

export function hasOption(profile: Profile, name: OptionName | "transport"): boolean {
    return profile.options.includes(name);
}

/** "60", "5000 10000"; "" where the profile does not say. */
export function usualOf(profile: Profile, name: OptionName | "transport"): string {
    return profile.defaults?.[name] ?? "";
}

/** "5000, 10000" → [5000, 10000]; null when it is not a list of numbers within the bounds. */
export function numbersOf(text: string, [min, max]: [number, number], most: number): number[] | null {
    const parts = text
        .replace(/、/g, ",")
        .split(/[\s,]+/)
        .filter(Boolean);
    const numbers = parts.map((part) => (/^\d{1,9}$/.test(part) ? Number(part) : NaN));
    return parts.length >= 1 && parts.length <= most && numbers.every((n) => n >= min && n <= max) ? numbers : null;
}

function typed(wish: Wish, name: OptionName): string {
    return (wish[name] ?? "").trim();
}

/** Names of the options that cannot be understood. */
export function wrongOptions(profile: Profile, wish: Wish): OptionName[] {
    return OPTIONS.filter((name) => {
        const text = typed(wish, name);
        return hasOption(profile, name) && text !== "" && numbersOf(text, BOUNDS[name], name === "rates" ? RATES_MAX : 1) === null;
    });
}

/** What POST /bench/runs takes: only what differs from the profile. */
export function optionsOf(profile: Profile, wish: Wish): Record<string, number | number[] | string> {
    return { ...numbersOfWish(profile, wish), ...(wish.transport && hasOption(profile, "transport") ? { transport: wish.transport } : {}) };
}

function numbersOfWish(profile: Profile, wish: Wish): Record<string, number | number[]> {
    const out: Record<string, number | number[]> = {};
    for (const name of OPTIONS) {
        const text = typed(wish, name);
        if (text === "" || !hasOption(profile, name)) continue;
        const numbers = numbersOf(text, BOUNDS[name], RATES_MAX);
        if (numbers) out[name] = name === "rates" ? numbers : (numbers[0] ?? 0);
    }
    return out;
}

export interface Cost {
    duration_s: number;
    messages: number;
    bytes: number;
    /** Of what was typed nothing is in these figures: the profile's own do not say enough. */
    isOfDefaults: boolean;
}

function usual(profile: Profile, name: OptionName): number[] | null {
    return numbersOf(usualOf(profile, name).replace(/s$/, ""), [0, Infinity], RATES_MAX);
}

const first = (n: readonly number[]) => n[0] ?? NaN;
const sum = (n: readonly number[]) => n.reduce((all, one) => all + one, 0);

/** So much more of it than the profile has: 1 where nothing is asked for, NaN where the profile does not say. */
function factorOf(profile: Profile, value: number | number[] | undefined, name: OptionName, measure: (n: readonly number[]) => number): number {
    if (value === undefined) return 1;
    const before = usual(profile, name);
    return before ? measure([value].flat()) / measure(before) : NaN;
}

/** Each step takes its time and what comes before and after it, whatever its time is. */
function durationOf(profile: Profile, chosen: Record<string, number | number[]>, factor: { time: number; runs: number }): number {
    const duration = profile.duration_s ?? 0;
    const time = first(usual(profile, "time") ?? []);
    const steps = (usual(profile, "rates") ?? []).length * first(usual(profile, "runs") ?? [1]);
    const around = (duration - steps * time) / steps;
    const more = Array.isArray(chosen.rates) ? chosen.rates.length / (usual(profile, "rates") ?? chosen.rates).length : 1;
    if (steps > 0 && around >= 0) return steps * more * factor.runs * (time * factor.time + around);
    return duration * more * factor.runs * factor.time;
}

/** The profile's figures, in proportion to what was typed. */
export function costOf(profile: Profile, wish: Wish): Cost {
    const chosen = numbersOfWish(profile, wish);
    const of = (name: OptionName, measure: (n: readonly number[]) => number) => factorOf(profile, chosen[name], name, measure);
    const all = { time: of("time", first), runs: of("runs", first), size: of("size", first), rates: of("rates", sum) };
    const told = (n: number) => (Number.isFinite(n) ? n : 1);
    const [time, runs, size, rates] = [told(all.time), told(all.runs), told(all.size), told(all.rates)];
    return {
        duration_s: durationOf(profile, chosen, { time, runs }),
        messages: (profile.messages ?? 0) * time * runs * rates,
        bytes: profile.estimate.bytes * time * runs * rates * size,
        isOfDefaults: !Object.values(all).every(Number.isFinite),
    };
}
