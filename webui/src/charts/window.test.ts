import { describe, expect, it } from "vitest";
import type { Load, Rates } from "../api/types";
import { makeFeed } from "../state/useWindow";
import { alignSpan, rateStep } from "./rate";
import { lastKnown, loadWindow, mergeWindow, POINTS_MAX, rateWindow, summary, withLost, type Values, type Window } from "./window";

const T0 = Date.parse("2026-11-30T10:00:00Z");
const at = (s: number) => new Date(T0 + s * 1000).toISOString();
const window = (fromS: number, values: Values, stepS = 5): Window => ({
    stepMs: stepS * 1000,
    at: values.map((_, i) => T0 + (fromS + i * stepS) * 1000),
    columns: { a: values },
});
const seconds = (w: Window) => w.at.map((ms) => (ms - T0) / 1000);

describe("the receive rate", () => {
    const point = (s: number, udp: number, isGap: boolean) => ({ at: at(s), udp, tcp: 0, tls: 0, total: udp, refused: 0, kernel_dropped: 0, is_gap: isGap });
    const rates: Rates = {
        from: at(0),
        to: at(240),
        step_us: 60_000_000,
        basis: "ledger",
        points: [point(0, 600, false), point(60, 0, false), point(120, 0, true), point(180, 0, true)],
        complete: true,
    };

    it("is zero where nobody sent, and not known where the box was off", () => {
        const { columns } = rateWindow(rates, T0 + 240_000);
        expect(columns["udp"]).toEqual([10, 0, null, null]);
        expect(columns["total"]).toEqual([10, 0, null, null]);
        expect(columns["lost"]).toEqual([0, 0, null, null]);
    });

    it("has its mean over the time the box ran", () => {
        const { columns } = rateWindow(rates, T0 + 240_000);
        expect(summary(columns["udp"] ?? [])).toEqual({ max: 10, mean: 5 });
    });
});

describe("merging an answer into what a graph holds", () => {
    it.each<[string, Window | null, Window, number, number[], Values]>([
        ["the first is taken as it is", null, window(0, [1, 2]), 0, [0, 5], [1, 2]],
        ["what follows is appended", window(0, [1, 2]), window(10, [3]), 0, [0, 5, 10], [1, 2, 3]],
        ["what is there again is replaced", window(0, [1, 2]), window(5, [9, 3]), 0, [0, 5, 10], [1, 9, 3]],
        ["what is older than the range is dropped", window(0, [1, 2, 3]), window(15, [4]), 10, [10, 15], [3, 4]],
        ["the step in which the range begins stays", window(0, [1, 2, 3]), window(15, [4]), 7, [5, 10, 15], [2, 3, 4]],
        ["a hole becomes a gap", window(0, [1, 2]), window(30, [3]), 0, [0, 5, 10, 30], [1, 2, null, 3]],
        ["nothing known stays nothing known", window(0, [1]), window(5, [null, 2]), 0, [0, 5, 10], [1, null, 2]],
        ["another step is another graph", window(0, [1, 2]), window(60, [7], 60), 0, [60], [7]],
        ["an empty answer changes nothing but the beginning", window(0, [1, 2]), window(0, []), 5, [5], [2]],
        ["all of it may be too old", window(0, [1, 2]), window(10, [3]), 100, [], []],
    ])("%s", (_, old, answer, keepFromS, times, values) => {
        const merged = mergeWindow(old, answer, T0 + keepFromS * 1000);
        expect(seconds(merged)).toEqual(times);
        expect(merged.columns["a"]).toEqual(values);
    });

    it("fills a line that was not there before with gaps", () => {
        const merged = mergeWindow(window(0, [1]), { ...window(5, [2]), columns: { a: [2], b: [3] } }, T0);
        expect(merged.columns).toEqual({ a: [1, 2], b: [null, 3] });
    });

    it("never holds more than a graph's most, whatever the box answers", () => {
        const merged = mergeWindow(window(0, Array<number>(2000).fill(1)), window(10_000, Array<number>(2000).fill(2)), 0);
        expect(merged.at).toHaveLength(POINTS_MAX);
        expect(merged.columns["a"]).toHaveLength(POINTS_MAX);
        expect(merged.columns["a"]?.at(-1)).toBe(2);
    });
});

/** A box that has a value for every step of its past. */
function box(stepS: number) {
    const asked: number[] = [];
    return {
        asked,
        load: (span: { from: number; to: number }): Promise<Window> => {
            const ms = stepS * 1000;
            const first = Math.floor(span.from / ms);
            const n = Math.ceil(span.to / ms) - first;
            asked.push(n);
            const times = Array.from({ length: n }, (_, i) => (first + i) * ms);
            return Promise.resolve({ stepMs: ms, at: times, columns: { a: times.map((t) => t / ms), b: times.map(() => null) } });
        },
    };
}

describe("a page left open", () => {
    it("for a week holds as many points as in its first minute, and asks for the end only", async () => {
        const { asked, load } = box(5);
        let now = T0;
        const feed = makeFeed({ from: "-15m", to: "" }, load, () => now);
        const signal = new AbortController().signal;
        const first = (await feed.next(signal)).window.at.length;
        let most = 0;
        let uneven = 0;
        for (; now < T0 + 7 * 86_400_000; now += 5000) {
            const { window: held, from, to } = await feed.next(signal);
            most = Math.max(most, held.at.length);
            if (to - from !== 900_000 || held.at.length !== held.columns["a"]?.length) uneven++;
        }
        expect(uneven).toBe(0);
        expect(first).toBeGreaterThanOrEqual(180);
        expect(most).toBeLessThanOrEqual(first + 2);
        expect(asked.length).toBeGreaterThan(120_000);
        // a whole range every ten minutes, else the end of it
        expect(asked.filter((n) => n > 10).length).toBeLessThanOrEqual(7 * 144 + 2);
    });

    it("catches up after it was hidden for longer than its range", async () => {
        const { load } = box(5);
        let now = T0;
        const feed = makeFeed({ from: "-15m", to: "" }, load, () => now);
        const signal = new AbortController().signal;
        await feed.next(signal);
        now += 86_400_000;
        const { window: held, from } = await feed.next(signal);
        expect(held.at[0]).toBeGreaterThan(from - 5000);
        expect(held.columns["a"]?.every((v, i) => v === (held.at[i] ?? 0) / 5000)).toBe(true);
    });

    it("begins anew when the clock of the box was set back", async () => {
        const { load } = box(60);
        let now = T0;
        const feed = makeFeed({ from: "-1h", to: "" }, load, () => now);
        const signal = new AbortController().signal;
        await feed.next(signal);
        now -= 86_400_000;
        const { window: held, to } = await feed.next(signal);
        expect(held.at.at(-1)).toBeLessThanOrEqual(to);
        expect(held.at.length).toBeLessThanOrEqual(61);
    });
});

describe("answers of the box", () => {
    it("rates are messages a second, without the step that is not over, and with what was lost", () => {
        const point = (s: number, udp: number, tcp: number) => ({ at: at(s), udp, tcp, tls: 0, total: udp + tcp, refused: s === 60 ? 30 : 0, kernel_dropped: s === 60 ? 90 : 0 });
        const rates = { from: at(0), to: at(180), step_us: 60_000_000, points: [point(0, 600, 60), point(60, 1200, 0), point(120, 30, 0)] } as unknown as Rates;
        const { columns, at: times } = rateWindow(rates, T0 + 150_000);
        expect(times).toEqual([T0, T0 + 60_000]);
        expect(columns).toEqual({ udp: [10, 20], tcp: [1, 0], tls: [0, 0], total: [11, 20], lost: [0, 2] });
    });

    it("short steps have the losses of their minutes", () => {
        const minutes = { step_us: 60_000_000, points: [{ at: at(0), refused: 60, kernel_dropped: 0 }, { at: at(60), refused: 0, kernel_dropped: 30 }] } as unknown as Rates;
        expect(withLost(window(50, [1, 1, 1, 1]), minutes).columns["lost"]).toEqual([1, 1, 0.5, 0.5]);
        expect(withLost(window(115, [1, 1]), minutes).columns["lost"]).toEqual([0.5, null]);
    });

    it("load has a mean and a maximum a step, and gaps", () => {
        const load: Load = { from: at(0), to: at(10), step_us: 5_000_000, n: 2, hardware_threads: 2, series: [{ name: "load5", unit: "processes", mean: [0.5, null], max: [0.7, null] }] };
        expect(loadWindow(load)).toEqual({ stepMs: 5000, at: [T0, T0 + 5000], columns: { load5: [0.5, null], "load5 max": [0.7, null] } });
    });

    it("the newest value is one of the last points, for the very last may have none yet", () => {
        expect(lastKnown([1, 2, null], 3)).toBe(2);
        expect(lastKnown([1, null, null, null], 3)).toBeNull();
        expect(lastKnown([], 3)).toBeNull();
    });

    it("maximum and mean are of what is known", () => {
        expect(summary([1, null, 3], [2, null, 9])).toEqual({ max: 9, mean: 2 });
        expect(summary([null])).toEqual({ max: null, mean: null });
    });
});

describe("the steps of the rate", () => {
    const MIN = 60_000;
    const DAY = 86_400_000;
    it.each([
        ["15 minutes", 15 * MIN, 0, 5],
        ["an hour", 60 * MIN, 0, 60],
        ["a day", DAY, 0, 120],
        ["a week", 7 * DAY, 0, 900],
        ["30 days", 30 * DAY, 0, 3600],
        ["two years", 730 * DAY, 0, 86_400],
        ["an hour, a month ago", 60 * MIN, 30 * DAY, 3600],
    ])("%s", (_, length, ago, step) => {
        const now = T0;
        expect(rateStep({ from: now - ago - length, to: now - ago }, now)).toBe(step);
        expect(length / 1000 / step).toBeLessThanOrEqual(POINTS_MAX / 2);
    });

    it("begin at whole steps", () => expect(alignSpan({ from: T0 + 61_000, to: T0 + 70_000 }, 60)).toEqual({ from: T0 + 60_000, to: T0 + 70_000 }));

    it("begin with the reader's day where they are days", () => {
        const { from } = alignSpan({ from: T0, to: T0 + 1 }, 86_400);
        expect(new Date(from).getHours() + new Date(from).getMinutes()).toBe(0);
        expect(T0 - from).toBeLessThan(86_400_000);
    });
});
