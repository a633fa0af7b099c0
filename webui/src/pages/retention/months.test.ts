import { describe, expect, it } from "vitest";
import { EXAMPLE } from "./example";
import { monthBars, storageParts, topOf } from "./months";

describe("the bars of the months", () => {
    it("go from the oldest to this month, and a month without logs is a place without a bar", () => {
        const bars = monthBars(EXAMPLE);
        expect(bars.map((b) => [b.month, b.bytes])).toEqual([
            ["2026-08", 150],
            ["2026-09", 0],
            ["2026-10", 190],
            ["2026-11", 120],
        ]);
        expect(bars.filter((b) => b.forecast).map((b) => b.month)).toEqual(["2026-11"]);
    });

    it("show no forecast while nothing is known", () => {
        const bars = monthBars({ ...EXAMPLE, forecast: { ...EXAMPLE.forecast, basis: "none" } });
        expect(bars.at(-1)?.forecast).toBeNull();
    });

    it("hold the budget and every month, but an uncertain forecast does not squeeze them", () => {
        const bars = monthBars(EXAMPLE);
        expect(topOf(bars, 200)).toBeGreaterThan(200);
        const wild = monthBars({ ...EXAMPLE, forecast: { ...EXAMPLE.forecast, high_bytes: 1e9 } });
        expect(topOf(wild, 200)).toBeLessThan(500);
        expect(topOf([], 0)).toBe(1);
    });

    it("are at most ten years, however wrong an old month is", () => {
        const old = { ...EXAMPLE, months: [...EXAMPLE.months, { month: "1970-01", bytes: 1, messages: 1, raw_bytes: 1, days: 1, by_group: [] }] };
        expect(monthBars(old).length).toBe(120);
    });
});

describe("the parts of the storage", () => {
    const sum = (parts: { bytes: number }[]) => parts.reduce((a, p) => a + p.bytes, 0);
    const of = (r: typeof EXAMPLE) => Object.fromEntries(storageParts(r).map((p) => [p.part, p.bytes]));

    it("add up to the capacity", () => {
        expect(of(EXAMPLE)).toEqual({ month: 120, older: 340, database: 40, wal: 40, foreign: 160, free: 300 });
        expect(sum(storageParts(EXAMPLE))).toBe(EXAMPLE.capacity_bytes);
    });

    it("show what benchmarks left apart from the months and from the rest of the database", () => {
        const measured = { ...EXAMPLE, benchmark: { messages: 7, bytes: 25 } };
        expect(of(measured)).toEqual({ month: 120, older: 340, benchmark: 25, database: 15, wal: 40, foreign: 160, free: 300 });
        expect(sum(storageParts(measured))).toBe(EXAMPLE.capacity_bytes);
    });

    it("know no other files where the settings limit the capacity", () => {
        const limited = { ...EXAMPLE, capacity_bytes: 700, capacity_is_limited: true };
        expect(of(limited)).toEqual({ month: 120, older: 340, database: 40, wal: 40, free: 160 });
    });

    it("are never negative when more than the capacity is used", () => {
        const over = { ...EXAMPLE, capacity_bytes: 400, capacity_is_limited: true };
        expect(storageParts(over).every((p) => p.bytes > 0)).toBe(true);
        expect(sum(storageParts(over))).toBe(540);
    });
});
