import { describe, expect, it } from "vitest";
import type { BoxEvent } from "../api/events";
import type { Retention } from "../api/retention";
import { sharesOf } from "../state/month";
import { FORMAT, FURTHER, FULL_LOAD, MAIN, metricsOf, RATE, type GraphSpec } from "./catalog";
import { graphCsv, graphText, tableColumns } from "./export";
import { drawn, graphData, lonely, type GraphShape } from "./graph";
import { MARKS_MAX, marksOf } from "./marks";
import type { Window } from "./window";

const T0 = Date.parse("2026-11-30T10:00:00Z");
const shapeOf = (spec: GraphSpec): GraphShape => ({
    isStacked: spec.isStacked ?? false,
    floor: 1,
    tick: String,
    lines: spec.lines.filter((l) => !l.isHidden).map((l) => ({ column: l.column, color: l.column, ...(l.isOver ? { isOver: true } : {}) })),
});

describe("what is drawn", () => {
    it("stacks listeners, the highest sum first, and lays what was lost over it", () => {
        const window: Window = { stepMs: 10_000, at: [T0], columns: { udp: [10], tcp: [5], tls: [1], total: [16], lost: [3] } };
        expect(drawn(shapeOf(RATE)).map((l) => l.column)).toEqual(["tls", "tcp", "udp", "lost"]);
        expect(graphData(shapeOf(RATE), window)).toEqual([[T0 / 1000 + 5], [16], [15], [10], [3]]);
    });

    it("draws means, then maxima, in the middle of their steps; what is missing is a gap", () => {
        const [cpu] = MAIN;
        if (!cpu) throw new Error("no graph");
        const window: Window = { stepMs: 2000, at: [T0, T0 + 2000], columns: { cpu_syslog: [1, null], "cpu_syslog max": [2, null] } };
        expect(graphData(shapeOf(cpu), window)).toEqual([[T0 / 1000 + 1, T0 / 1000 + 3], [1, null], [null, null], [2, null], [null, null]]);
    });

    it("shows a point between two gaps as a point", () => expect(lonely([1, null, 2, 3, null, 4])).toEqual([0, 5]));

    it("asks for each metric once, and not for what it knows itself", () => {
        for (const specs of [MAIN, FURTHER]) {
            const metrics = metricsOf(specs);
            expect(new Set(metrics).size).toBe(metrics.length);
            expect(metrics).not.toContain(FULL_LOAD);
        }
        expect(metricsOf(MAIN)).toEqual(["cpu_syslog", "cpu_database", "load5", "month_bytes", "budget_bytes"]);
    });
});

describe("the points as text", () => {
    const window: Window = { stepMs: 5000, at: [T0, T0 + 5000], columns: { load5: [0.5, null], "load5 max": [0.7, null], full_load: [2, 2] } };
    const lines = MAIN.find((spec) => spec.id === "load")?.lines ?? [];

    it("are CSV with the API's names and nothing where nothing is known", () => {
        expect(graphCsv(window, lines)).toBe("time,load5,load5_max,full_load\r\n2026-11-30T10:00:00.000Z,0.5,0.7,2\r\n2026-11-30T10:00:05.000Z,,,2\r\n");
    });

    it("have tabs for a spreadsheet", () => {
        expect(graphText(window, ["a", "b", "c", "d"], tableColumns(lines, window)).split("\n")[1]).toBe("2026-11-30T10:00:00.000Z\t0.5\t0.7\t2");
    });

    it("have units", () => {
        expect(FORMAT.percent(12.34)).toBe("12.3 %");
        expect(FORMAT.percent(123.4)).toBe("123 %");
        expect(FORMAT.bytes_s(1_500_000)).toBe("1.5 MB/s");
        expect(FORMAT.load(1.234)).toBe("1.23");
    });
});

describe("events in the graphs", () => {
    const event = (s: number, severity: BoxEvent["severity"] = "info"): BoxEvent => ({ id: String(s), at: new Date(T0 + s * 1000).toISOString(), severity, kind: "", text_en: "", text_ja: "", params: {} });
    const span = { from: T0, to: T0 + 4800_000 };

    it("that would lie upon each other become one mark of the gravest", () => {
        const marks = marksOf([event(60, "err"), event(20), event(4000), event(9999), event(-1)], span);
        expect(marks.map((m) => [m.events.map((e) => e.id), m.severity])).toEqual([[["20", "60"], 3], [["4000"], 6]]);
    });

    it("are never more marks than can be told apart", () => {
        const many = Array.from({ length: 4800 }, (_, i) => event(i));
        expect(marksOf(many, span).length).toBeLessThanOrEqual(MARKS_MAX);
    });
});

describe("the month in the header", () => {
    const month = (used: number, forecast: Partial<Retention["forecast"]>, state = "ok") =>
        ({ capacity_bytes: 1000, month_share_percent: 20, month_bytes: used, state, forecast: { basis: "days_seen", bytes: 0, low_bytes: 0, high_bytes: 0, reached_on: null, ...forecast } }) as unknown as Retention;

    it("is percent of the capacity, and its end no more certain than the box is", () => {
        expect(sharesOf(month(112, { bytes: 140, low_bytes: 138, high_bytes: 142 }))).toEqual({ used: "11.2", budget: "20", end: "14", tone: "good" });
        expect(sharesOf(month(112, { bytes: 140, low_bytes: 120, high_bytes: 161 }, "watch"))).toMatchObject({ end: "12–16", tone: "warn" });
        expect(sharesOf(month(200, { basis: "none" }, "over"))).toEqual({ used: "20", budget: "20", end: null, tone: "bad" });
    });
});
