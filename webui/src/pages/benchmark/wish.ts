/* What a run is asked to do: options of a profile, checked, and what that costs.  Pure. */
import type { Profile, ProfileOption, TargetName } from "../../api/bench";

export const OPTIONS = ["time", "rates", "size", "runs"] as const;
export type OptionName = (typeof OPTIONS)[number];

/** Texts as typed; "" is the profile's own. */
export type Wish = { target: TargetName } & Partial<Record<OptionName, string>>;

const BOUNDS: Record<OptionName, [number, number]> = {
    time: [1, 86_400],
    rates: [1, 10_000_000],
    size: [64, 8192],
    runs: [1, 20],
};
const RATES_MAX = 16;

export function optionOf(profile: Profile, name: string): ProfileOption | null {
    const found = profile.options.find((o) => (typeof o === "string" ? o : o.name) === name);
    return found === undefined ? null : typeof found === "string" ? { name: found } : found;
}

export function boundsOf(profile: Profile, name: OptionName): [number, number] {
    const option = optionOf(profile, name);
    const [min, max] = BOUNDS[name];
    return [option?.min ?? min, option?.max ?? max];
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
        return optionOf(profile, name) !== null && text !== "" && numbersOf(text, boundsOf(profile, name), name === "rates" ? RATES_MAX : 1) === null;
    });
}

/** What POST /bench/runs takes: only what differs from the profile. */
export function optionsOf(profile: Profile, wish: Wish): Record<string, number | number[]> {
    const out: Record<string, number | number[]> = {};
    for (const name of OPTIONS) {
        const text = typed(wish, name);
        if (text === "" || optionOf(profile, name) === null) continue;
        const numbers = numbersOf(text, boundsOf(profile, name), RATES_MAX);
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
    const value = optionOf(profile, name)?.default;
    return value == null ? null : numbersOf(String(value), [0, Infinity], RATES_MAX);
}

/** The profile's figures, in proportion to what was typed. */
export function costOf(profile: Profile, wish: Wish): Cost {
    const chosen = optionsOf(profile, wish);
    let duration = profile.duration_s ?? 0;
    let messages = profile.messages ?? 0;
    let { bytes } = profile.estimate;
    let isOfDefaults = false;
    const scale = (name: OptionName, measure: (n: number[]) => number, isTime: boolean, isMessages: boolean) => {
        const value = chosen[name];
        if (value === undefined) return;
        const before = usual(profile, name);
        const factor = before ? measure([value].flat()) / measure(before) : NaN;
        if (!Number.isFinite(factor)) {
            isOfDefaults = true;
            return;
        }
        if (isTime) duration *= factor;
        if (isMessages) messages *= factor;
        bytes *= factor;
    };
    const first = (n: number[]) => n[0] ?? NaN;
    const sum = (n: number[]) => n.reduce((all, one) => all + one, 0);
    scale("time", first, true, true);
    scale("runs", first, true, true);
    scale("size", first, false, false);
    scale("rates", sum, false, true);
    const usualRates = usual(profile, "rates");
    if (Array.isArray(chosen.rates) && usualRates) duration *= chosen.rates.length / usualRates.length;
    return { duration_s: duration, messages, bytes, isOfDefaults };
}
