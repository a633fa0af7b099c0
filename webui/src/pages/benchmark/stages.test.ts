import { describe, expect, it } from "vitest";
import { LOSSY, TRIAL } from "./example";
import { normalReport } from "./normal";
import { barsOf, waterfall, worstTrial } from "./stages";

describe("where messages went", () => {
    it("names no place of loss where nothing was lost", () => {
        expect(waterfall(TRIAL).map((s) => s.word)).toEqual([
            "bench.stage.scheduled",
            "bench.stage.sent",
            "bench.stage.received",
            "bench.stage.stored",
            "bench.stage.visible",
            "bench.stage.found",
        ]);
    });

    it("puts every loss between the stages it lies between, with its reasons, the most frequent first", () => {
        const steps = waterfall(LOSSY);
        expect(steps.map((s) => [s.word, s.count])).toEqual([
            ["bench.stage.scheduled", 1_200_000],
            ["bench.stage.sent", 1_200_000],
            ["bench.stage.kernel", 2640],
            ["bench.stage.received", 1_197_360],
            ["bench.stage.refused", 12],
            ["bench.stage.stored", 1_197_348],
            ["bench.stage.visible", 1_197_348],
            ["bench.stage.found", 1_197_348],
        ]);
        expect(steps[4]?.reasons).toEqual([
            ["oversize", 10],
            ["rate_limit", 2],
        ]);
    });

    it("counts what was sent late among what was sent, and what was never sent as lost before it", () => {
        const steps = waterfall({ ...TRIAL, stages: { ...TRIAL.stages, sent: 299_000, send_errors: 400, late: 70 } });
        expect(steps.slice(1, 4).map((s) => [s.word, s.count])).toEqual([
            ["bench.stage.errors", 400],
            ["bench.stage.unsent", 600],
            ["bench.stage.sent", 299_000],
        ]);
        expect(steps[3]?.late).toBe(70);
    });

    it("shows what nobody can account for, however small", () => {
        const steps = waterfall({ ...TRIAL, stages: { ...TRIAL.stages, unaccounted: -1 } });
        expect(steps.at(-1)).toMatchObject({ word: "bench.stage.unaccounted", count: -1 });
    });

    it("draws a loss at the end of what was left before it", () => {
        const steps = waterfall(LOSSY);
        const bars = barsOf(steps);
        const of = (word: string) => bars[steps.findIndex((s) => s.word === word)];
        expect(of("bench.stage.sent")).toEqual({ from: 0, width: 100 });
        expect(of("bench.stage.kernel")?.from).toBeCloseTo(99.78);
        expect(of("bench.stage.kernel")?.width).toBeCloseTo(0.22);
        expect(of("bench.stage.refused")?.from).toBeCloseTo(99.779);
        expect(of("bench.stage.stored")?.width).toBeCloseTo(99.779);
        expect(barsOf([{ word: "bench.stage.sent", count: null, isLoss: false }])).toEqual([{ from: 0, width: 0 }]);
    });

    it("opens at the trial that lost most, at the last where none lost any", () => {
        expect(worstTrial([TRIAL, LOSSY, { ...TRIAL, number: 3 }])?.number).toBe(2);
        expect(worstTrial([TRIAL, { ...TRIAL, number: 3 }])?.number).toBe(3);
        expect(worstTrial([])).toBeNull();
    });
});

describe("a report of which half is missing", () => {
    it("is read as one in which that was not measured", () => {
        const bare = { id: "x", profile: "ladder", title: { en: "", ja: "" }, state: "incomplete", started_at: "2026-11-30T06:40:00Z", schema_version: 1 };
        const report = normalReport({ ...bare, trials: [{ number: 1, run: 1, name: "a", stages: { sent: 5 } }], knees: null } as never);
        expect(report).toMatchObject({ targets: [], knees: [], peers: [], verdict: "none" });
        expect(report.trials[0]).toMatchObject({ stages: { sent: 5, received: null, reasons: {} }, sequence: null, load_average: {}, is_valid: true });
        expect(waterfall(report.trials[0] ?? TRIAL).length).toBe(5);
    });
});
