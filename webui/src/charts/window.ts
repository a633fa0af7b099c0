/* What a graph holds: points of one step, and no more of them than its range has.  A view that goes on by
 * itself asks for its end only; what it gets replaces or follows what is there, and what has become older
 * than the range is dropped, so that a page left open for a week holds as much as in its first minute. */
import type { Load, Rates } from "../api/types";

export type Values = (number | null)[];

/** Pure data: a merge makes a new one. */
export interface Window {
    stepMs: number;
    /** Beginning of each point's step, ms since the epoch, rising. */
    at: number[];
    /** Name → a value a point; null: not known. */
    columns: Record<string, Values>;
}

/** Whatever the box answers, a graph holds no more. */
export const POINTS_MAX = 2500;

export const MAX_OF = " max";

/** Columns "name" (mean) and "name max". */
export function loadWindow(load: Load): Window {
    const from = Date.parse(load.from);
    const stepMs = load.step_us / 1000;
    const columns: Record<string, Values> = {};
    for (const { name, mean, max } of load.series) {
        columns[name] = mean;
        columns[name + MAX_OF] = max;
    }
    return { stepMs, at: Array.from({ length: load.n }, (_, i) => from + i * stepMs), columns };
}

type RatePoint = Rates["points"][number];

/** Refused and dropped by the kernel; null where steps are shorter than the minutes in which it is counted, and
 * where the box was off. */
export function lostIn({ refused, kernel_dropped: dropped, is_gap: isGap }: RatePoint): number | null {
    return isGap || (refused === null && dropped === null) ? null : (refused ?? 0) + (dropped ?? 0);
}

/** Messages a second, nothing where the box was off; the last step may not be over yet and is left out. */
export function rateWindow(rates: Rates, nowMs: number): Window {
    const stepMs = rates.step_us / 1000;
    const points = rates.points.filter((p) => Date.parse(p.at) + stepMs <= nowMs);
    const per = (count: (p: RatePoint) => number | null) =>
        points.map((p) => {
            const n = count(p);
            return n === null || p.is_gap ? null : (n * 1000) / stepMs;
        });
    return {
        stepMs,
        at: points.map((p) => Date.parse(p.at)),
        columns: {
            udp: per((p) => p.udp),
            tcp: per((p) => p.tcp),
            tls: per((p) => p.tls),
            total: per((p) => p.total),
            lost: per(lostIn),
        },
    };
}

/** The losses of whole minutes in a window of shorter steps. */
export function withLost(window: Window, minutes: Rates): Window {
    const stepMs = minutes.step_us / 1000;
    const lost = new Map(minutes.points.map((p) => [Date.parse(p.at), lostIn(p)]));
    const at = (ms: number) => {
        const n = lost.get(Math.floor(ms / stepMs) * stepMs);
        return n == null ? null : (n * 1000) / stepMs;
    };
    return { ...window, columns: { ...window.columns, lost: window.at.map(at) } };
}

/** Steps without a point become one point without values: a line must not cross them. */
function withGap(old: Window, i: number, next: number): boolean {
    const last = old.at[i];
    return last !== undefined && next - last > old.stepMs * 1.5;
}

/** `old` with `answer` in it, from `keepFromMs` on. */
export function mergeWindow(old: Window | null, answer: Window, keepFromMs: number): Window {
    const first = answer.at[0];
    const same = old !== null && old.stepMs === answer.stepMs ? old : null;
    const begin = same ? same.at.findIndex((at) => at > keepFromMs - answer.stepMs) : -1;
    const end = same && begin >= 0 ? same.at.findIndex((at, i) => i >= begin && first !== undefined && at >= first) : -1;
    const head = same && begin >= 0 ? { from: begin, to: end < 0 ? same.at.length : end } : { from: 0, to: 0 };
    const skip = answer.at.findIndex((at) => at > keepFromMs - answer.stepMs);
    const tail = skip < 0 ? [] : answer.at.slice(skip);
    const gap = same !== null && head.to > head.from && tail[0] !== undefined && withGap(same, head.to - 1, tail[0]);
    const between = gap && same ? [(same.at[head.to - 1] ?? 0) + same.stepMs] : [];
    const at = [...(same ? same.at.slice(head.from, head.to) : []), ...between, ...tail].slice(-POINTS_MAX);
    const columns: Record<string, Values> = {};
    for (const name of Object.keys(answer.columns)) {
        const before = same?.columns[name]?.slice(head.from, head.to) ?? new Array<null>(head.to - head.from).fill(null);
        const after = skip < 0 ? [] : (answer.columns[name] ?? []).slice(skip);
        columns[name] = [...before, ...between.map(() => null), ...after].slice(-POINTS_MAX);
    }
    return { stepMs: answer.stepMs, at, columns };
}

/** The newest known value among the last `within` points: the very last step may have none yet. */
export function lastKnown(values: Values, within: number): number | null {
    for (let i = values.length - 1; i >= 0 && i >= values.length - within; i--) {
        const value = values[i];
        if (value != null) return value;
    }
    return null;
}

export interface Summary {
    /** null: nothing known. */
    max: number | null;
    mean: number | null;
}

/** Of what is known: the highest of `peaks`, the mean of `means`. */
export function summary(means: Values, peaks: Values = means): Summary {
    let max: number | null = null;
    let sum = 0;
    let n = 0;
    for (const v of peaks) if (v !== null && (max === null || v > max)) max = v;
    for (const v of means) {
        if (v === null) continue;
        sum += v;
        n++;
    }
    return { max, mean: n > 0 ? sum / n : null };
}
