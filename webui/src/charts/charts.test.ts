import { describe, expect, it } from "vitest";
import type { Histogram } from "../api/types";
import { rateOf } from "../state/live";
import { histogramSeries, histogramTotal } from "./histogram";
import { stack } from "./stack";
import { threeTicks, timeLabels } from "./theme";

const T0 = Date.parse("2026-11-30T10:00:00Z");
const at = (s: number) => new Date(T0 + s * 1000).toISOString();

describe("stacking", () => {
    it("adds up from the bottom and keeps gaps", () => {
        expect(stack([[1, null, 3], [10, null, 0]])).toEqual([[1, null, 3], [11, null, 3]]);
    });
});

describe("the histogram", () => {
    it("stacks the gravest at the bottom", () => {
        const histogram = { bucket_us: 1_000_000, buckets: [{ at: at(0), count: 6, by_severity: [1, 2, 3, 0, 0, 0, 0, 0] }] } as unknown as Histogram;
        const series = histogramSeries(histogram);
        expect(series[8]).toEqual([1]);
        expect(series[7]).toEqual([3]);
        expect(series[1]).toEqual([6]);
        expect(histogramTotal(histogram)).toBe(6);
    });
});

describe("axes", () => {
    it.each([0, 1, 7, 15_351, 999_999])("has at most three lines above zero for %s", (max) => {
        const ticks = threeTicks(max);
        expect(ticks[0]).toBe(0);
        expect(ticks.length).toBeLessThanOrEqual(4);
        expect(ticks.at(-1)).toBeGreaterThanOrEqual(max);
        const whole = threeTicks(max, true);
        expect(whole.length).toBeLessThanOrEqual(4);
        expect(whole.every((n) => Number.isInteger(n))).toBe(true);
        expect(whole.at(-1)).toBeGreaterThanOrEqual(max);
    });

    it("labels long ranges by day", () => expect(timeLabels([T0 / 1000], 86_400)).toEqual(["11-30"]));
});

describe("the rate in the header", () => {
    it("is the difference of two reports of one run", () => {
        expect(rateOf([{ run: "a", arrived: 100, atMs: 0 }])).toBeNull();
        expect(rateOf([{ run: "a", arrived: 100, atMs: 0 }, { run: "a", arrived: 300, atMs: 2000 }])).toBe(100);
        expect(rateOf([{ run: "a", arrived: 900, atMs: 0 }, { run: "b", arrived: 3, atMs: 2000 }])).toBeNull();
    });
});
