/* The graphs of a benchmark, and their points from the samples of a run.  Pure. */
import type { SampleColumn, SampleRow } from "../api/benchReport";
import type { GraphSpec } from "./catalog";
import { MAX_OF, type Values, type Window } from "./window";

export const BENCH_GRAPHS: GraphSpec[] = [
    {
        id: "bench-rate",
        title: "bench.graph.rate",
        unit: "rate",
        floor: 1,
        lines: [
            { column: "offered", word: "bench.graph.offered", color: (c) => c.limit, isDashed: true },
            { column: "sent", word: "bench.graph.sent", color: (c) => c.lines[0] },
            { column: "stored", word: "bench.graph.stored", color: (c) => c.lines[4], isDashed: true },
        ],
    },
    {
        id: "bench-lost",
        title: "bench.graph.lost",
        unit: "rate",
        isStacked: true,
        floor: 1,
        lines: [
            { column: "kernel", word: "bench.stage.kernel", color: (c) => c.lost },
            { column: "refused", word: "bench.stage.refused", color: (c) => c.lines[1] },
            { column: "errors", word: "bench.stage.errors", color: (c) => c.lines[3] },
        ],
    },
    {
        id: "bench-cpu",
        title: "graph.cpu",
        unit: "percent",
        floor: 10,
        lines: [
            { column: "cpu_syslog", word: "graph.syslog", color: (c) => c.syslog },
            { column: "cpu_database", word: "graph.database", color: (c) => c.db, isDashed: true },
            { column: "cpu_generator", word: "bench.graph.generator", color: (c) => c.lines[0] },
        ],
    },
    {
        id: "bench-delay",
        title: "bench.graph.delay",
        unit: "ms",
        floor: 1,
        lines: [
            { column: "p50", word: "bench.graph.p50", color: (c) => c.lines[2] },
            { column: "p99", word: "bench.graph.p99", color: (c) => c.lines[1], isDashed: true },
        ],
    },
    {
        id: "bench-load",
        title: "bench.graph.load",
        unit: "load",
        floor: 1,
        lines: [
            { column: "load1", word: "bench.graph.load1", color: (c) => c.lines[2] },
            { column: "load5", word: "bench.graph.load5", color: (c) => c.lines[0], isDashed: true },
        ],
    },
];

/** As many points as a graph has pixels for; longer runs have means and highest values of several seconds. */
export const BENCH_POINTS = 720;
const SECOND_MS = 1000;
/** A trial's last sample can tell of a few milliseconds, of which a rate says nothing. */
const LEAST_S = 0.5;
/** Between two trials whose beginnings are not known yet. */
const PAUSE_MS = 2000;

/** Totals of a trial, shown as a rate. */
const COUNTED: Record<string, SampleColumn> = {
    offered: "scheduled",
    sent: "sent",
    stored: "stored",
    kernel: "kernel_dropped",
    refused: "refused",
    errors: "send_errors",
};

/** Measured values, and what they are multiplied with. */
const MEASURED: Record<string, [SampleColumn, number]> = {
    cpu_syslog: ["cpu_syslog", 1],
    cpu_database: ["cpu_database", 1],
    cpu_generator: ["cpu_generator", 1],
    p50: ["latency_p50_us", 1 / 1000],
    p99: ["latency_p99_us", 1 / 1000],
    load1: ["load1", 1],
    load5: ["load5", 1],
};

const NAMES = [...Object.keys(COUNTED), ...Object.keys(MEASURED)];

type Point = Record<string, number | null>;

/** What grew from one look to the next; null where either is not known.  The first of a trial begins at zero. */
function grown(row: SampleRow, before: SampleRow | null, column: SampleColumn): number | null {
    const now = row[column];
    const then = before ? before[column] : 0;
    const seconds = row.at_s - (before?.at_s ?? 0);
    return now == null || then == null || seconds <= 0 ? null : Math.max(0, (now - then) / seconds);
}

function pointOf(row: SampleRow, before: SampleRow | null): Point {
    const point: Point = {};
    for (const [name, column] of Object.entries(COUNTED)) point[name] = grown(row, before, column);
    for (const [name, [column, factor]] of Object.entries(MEASURED)) {
        const value = row[column];
        point[name] = value == null ? null : value * factor;
    }
    return point;
}

function meanOf(values: readonly (number | null | undefined)[]): number | null {
    const known = values.filter((v): v is number => v != null);
    return known.length > 0 ? known.reduce((sum, v) => sum + v, 0) / known.length : null;
}

function maxOf(values: readonly (number | null | undefined)[]): number | null {
    return values.reduce<number | null>((max, v) => (v != null && (max === null || v > max) ? v : max), null);
}

/**
 * `starts`: when a trial began, ms since the epoch, where it is known; others follow the one before.
 * Lines do not cross from one trial to the next.
 */
export function benchWindow(rows: readonly SampleRow[], starts: ReadonlyMap<number, number>, beganMs: number): Window {
    const per = Math.max(1, Math.ceil(rows.length / BENCH_POINTS));
    const stepMs = per * SECOND_MS;
    const at: number[] = [];
    const columns: Record<string, Values> = {};
    for (const name of NAMES) {
        columns[name] = [];
        columns[name + MAX_OF] = [];
    }
    const put = (ms: number, points: readonly Point[]) => {
        at.push(ms);
        for (const name of NAMES) {
            columns[name]?.push(meanOf(points.map((p) => p[name])));
            columns[name + MAX_OF]?.push(maxOf(points.map((p) => p[name])));
        }
    };
    let before: SampleRow | null = null;
    let base = beganMs;
    let held: Point[] = [];
    let heldAt = 0;
    let end = beganMs;
    const close = () => {
        if (held.length > 0) put(heldAt, held);
        held = [];
    };
    for (const row of rows) {
        if (before?.trial === row.trial && row.at_s - before.at_s < LEAST_S) continue;
        if (before === null || row.trial !== before.trial) {
            close();
            const isFirst = before === null;
            if (!isFirst) put(end + 1, []);
            base = Math.max(starts.get(row.trial) ?? (isFirst ? beganMs : end + PAUSE_MS), isFirst ? 0 : end + 2);
            before = null;
        }
        // a sample tells of the second before it
        const ms = Math.max(base + row.at_s * SECOND_MS - SECOND_MS, (at.at(-1) ?? 0) + 1);
        if (held.length === 0) heldAt = ms;
        held.push(pointOf(row, before));
        if (held.length === per) close();
        end = base + row.at_s * SECOND_MS;
        before = row;
    }
    close();
    return { stepMs, at, columns };
}
