import { describe, expect, it } from "vitest";
import { steady } from "../pages/benchmark/example";
import { BENCH_GRAPHS, BENCH_POINTS, benchWindow } from "./benchmark";
import { kneeData } from "./knee";

const BEGAN = Date.UTC(2026, 10, 30, 6, 40);

describe("the points of a run", () => {
    it("are rates of the totals, each at the second it tells of", () => {
        const { at, stepMs, columns } = benchWindow(steady(1, 3, 1000, 4), new Map([[1, BEGAN + 5000]]), BEGAN);
        expect(stepMs).toBe(1000);
        expect(at).toEqual([BEGAN + 5000, BEGAN + 6000, BEGAN + 7000]);
        expect(columns.offered).toEqual([1000, 1000, 1000]);
        expect(columns.stored).toEqual([996, 996, 996]);
        expect(columns.kernel).toEqual([4, 4, 4]);
        expect(columns.p99).toEqual([null, 1180, 1180]);
        expect(columns.cpu_syslog).toEqual([1, 2, 3]);
    });

    it("begin anew with each trial, with a gap between", () => {
        const rows = [...steady(1, 2, 1000), ...steady(2, 2, 500)];
        const { at, columns } = benchWindow(rows, new Map([[2, BEGAN + 60_000]]), BEGAN);
        expect(columns.sent).toEqual([1000, 1000, null, 500, 500]);
        expect(at).toEqual([BEGAN, BEGAN + 1000, BEGAN + 2001, BEGAN + 60_000, BEGAN + 61_000]);
    });

    it("of a trial whose beginning is not known follow the one before", () => {
        const { at } = benchWindow([...steady(1, 2, 10), ...steady(2, 1, 10)], new Map(), BEGAN);
        expect(at.at(-1)).toBe(BEGAN + 4000);
    });

    it("rise in time, whatever the beginnings say", () => {
        const { at } = benchWindow([...steady(1, 5, 10), ...steady(2, 5, 10)], new Map([[2, BEGAN - 9000]]), BEGAN);
        expect(at.every((ms, i) => i === 0 || ms > (at[i - 1] ?? 0))).toBe(true);
    });

    it("of hours are no more than a graph has pixels for, with the highest values kept", () => {
        const window = benchWindow(steady(1, 14_400, 1000), new Map(), BEGAN);
        expect(window.at.length).toBe(BENCH_POINTS);
        expect(window.stepMs).toBe(20_000);
        expect(window.columns.cpu_syslog?.[0]).toBe(10.5);
        expect(window.columns["cpu_syslog max"]?.[0]).toBe(20);
    });

    it("of a last moment shorter than half a second are none", () => {
        const rows = [...steady(1, 2, 1000), { ...steady(1, 3, 1000)[2], trial: 1, at_s: 2.05 }, ...steady(2, 1, 10)];
        expect(benchWindow(rows, new Map(), BEGAN).columns.sent).toEqual([1000, 1000, null, 10]);
    });

    it("are not invented where a total is unknown", () => {
        const rows = steady(1, 3, 1000).map((row, i) => (i === 1 ? { ...row, stored: null } : row));
        expect(benchWindow(rows, new Map(), BEGAN).columns.stored).toEqual([1000, null, null]);
    });

    it("have every column that a graph shows", () => {
        const { columns } = benchWindow([], new Map(), BEGAN);
        for (const spec of BENCH_GRAPHS) for (const line of spec.lines) expect(columns[line.column], line.column).toEqual([]);
    });
});

describe("the curve of the knee", () => {
    const knee = { target: "azekura", transport: "udp", size: 100, lossless: 20_000, tolerant: null, sentence: null };

    it("rises in rate and shows the worst of each", () => {
        const points = [
            { rate: 40_000, loss_percent: 2, trial: 1 },
            { rate: 20_000, loss_percent: 0, trial: 2 },
            { rate: 40_000, loss_percent: 3, trial: 3 },
            { rate: 30_000, loss_percent: null, trial: 4 },
        ];
        expect(kneeData({ ...knee, points })).toEqual([
            [20_000, 30_000, 40_000],
            [0, null, 3],
        ]);
        expect(kneeData({ ...knee, points: [] })).toEqual([[], []]);
    });
});
