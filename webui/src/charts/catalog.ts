/* The graphs of the dashboard: what each shows, under which words, in which unit. */
import type { Key } from "../i18n/dictionary";
import { formatBytes, formatRate, formatShort } from "../utils/format";
import type { ChartColors } from "./theme";

export interface LineSpec {
    /** Column of the window. */
    column: string;
    word: Key;
    color: (colors: ChartColors) => string;
    isDashed?: boolean;
    isFilled?: boolean;
    isOver?: boolean;
    /** A bound: maximum and mean of it say nothing. */
    isLimit?: boolean;
    /** Only where it is ever above zero. */
    isRare?: boolean;
    /** In the table only: a sum of the others. */
    isHidden?: boolean;
}

export type Unit = "rate" | "percent" | "load" | "bytes" | "bytes_s" | "ms" | "count";

export interface GraphSpec {
    id: string;
    title: Key;
    unit: Unit;
    lines: LineSpec[];
    isStacked?: boolean;
    /** Percent of a whole: the axis ends at 100. */
    isShare?: boolean;
    /** The axis reaches at least so high. */
    floor: number;
}

const fixed = (digits: number) => (n: number) => n.toFixed(digits);

export const FORMAT: Record<Unit, (n: number) => string> = {
    rate: formatRate,
    percent: (n) => `${n < 99.95 ? n.toFixed(1) : n.toFixed(0)} %`,
    load: fixed(2),
    bytes: formatBytes,
    bytes_s: (n) => `${formatBytes(n)}/s`,
    ms: (n) => (n < 1000 ? `${n.toFixed(n < 10 ? 2 : 1)} ms` : `${(n / 1000).toFixed(2)} s`),
    count: formatRate,
};

/** Shorter, for the axis: whole numbers have no digits after the point. */
export const TICK: Record<Unit, (n: number) => string> = {
    ...FORMAT,
    rate: (n) => (n >= 10 ? formatShort(n) : formatRate(n)),
    percent: (n) => `${n} %`,
    load: (n) => String(n),
    ms: (n) => (n < 1000 ? `${n} ms` : `${n / 1000} s`),
    count: (n) => (n >= 10 ? formatShort(n) : formatRate(n)),
};

const nth = (i: 0 | 1 | 2 | 3 | 4 | 5) => (c: ChartColors) => c.lines[i];
const limit = (column: string, word: Key): LineSpec => ({ column, word, color: (c) => c.limit, isDashed: true, isLimit: true });

export const RATE: GraphSpec = {
    id: "rate",
    title: "graph.rate",
    unit: "rate",
    isStacked: true,
    floor: 1,
    lines: [
        { column: "udp", word: "listener.udp", color: (c) => c.listeners.udp },
        { column: "tcp", word: "listener.tcp", color: (c) => c.listeners.tcp },
        { column: "tls", word: "listener.tls", color: (c) => c.listeners.tls },
        { column: "total", word: "dash.total", color: (c) => c.limit, isHidden: true },
        { column: "lost", word: "graph.lost", color: (c) => c.lost, isOver: true, isRare: true },
    ],
};

export const FULL_LOAD = "full_load";

/** The load test's graphs, beside the rate. */
export const MAIN: GraphSpec[] = [
    {
        id: "cpu",
        title: "graph.cpu",
        unit: "percent",
        floor: 10,
        lines: [
            { column: "cpu_syslog", word: "graph.syslog", color: (c) => c.syslog },
            { column: "cpu_database", word: "graph.database", color: (c) => c.db, isDashed: true },
        ],
    },
    {
        id: "load",
        title: "graph.load",
        unit: "load",
        floor: 1,
        lines: [{ column: "load5", word: "graph.load5", color: nth(0), isFilled: true }, limit(FULL_LOAD, "graph.fullLoad")],
    },
    {
        id: "month",
        title: "graph.month",
        unit: "bytes",
        floor: 1000,
        lines: [{ column: "month_bytes", word: "graph.used", color: nth(3), isFilled: true }, limit("budget_bytes", "graph.budget")],
    },
];

const two = (id: string, title: Key, unit: Unit, floor: number, a: [string, Key], b: [string, Key]): GraphSpec => ({
    id,
    title,
    unit,
    floor,
    lines: [
        { column: a[0], word: a[1], color: nth(0) },
        { column: b[0], word: b[1], color: nth(1), isDashed: true },
    ],
});

const one = (id: string, title: Key, unit: Unit, floor: number, column: string, word: Key): GraphSpec => ({
    id,
    title,
    unit,
    floor,
    lines: [{ column, word, color: nth(0), isFilled: true }],
});

/** Folded until somebody asks. */
export const FURTHER: GraphSpec[] = [
    {
        id: "states",
        title: "graph.states",
        unit: "percent",
        isStacked: true,
        isShare: true,
        floor: 100,
        lines: [
            { column: "cpu_user", word: "graph.user", color: nth(0) },
            { column: "cpu_system", word: "graph.system", color: nth(3) },
            { column: "cpu_iowait", word: "graph.iowait", color: nth(1) },
            { column: "cpu_irq", word: "graph.irq", color: nth(2) },
            { column: "cpu_steal", word: "graph.steal", color: nth(5) },
        ],
    },
    two("others", "graph.others", "percent", 10, ["cpu_web", "graph.web"], ["cpu_keeper", "graph.keeper"]),
    {
        id: "memory",
        title: "graph.memory",
        unit: "bytes",
        floor: 1000,
        lines: [
            { column: "memory_used_bytes", word: "graph.used", color: nth(0), isFilled: true },
            { column: "memory_cached_bytes", word: "graph.cached", color: nth(2), isDashed: true },
            { column: "swap_used_bytes", word: "graph.swap", color: nth(5) },
            limit("memory_total_bytes", "graph.total"),
        ],
    },
    {
        id: "storage",
        title: "graph.storage",
        unit: "bytes",
        floor: 1000,
        lines: [{ column: "used_bytes", word: "graph.used", color: nth(3), isFilled: true }, limit("capacity_bytes", "graph.capacity")],
    },
    two("disk", "graph.disk", "bytes_s", 1000, ["disk_read_bytes_s", "graph.read"], ["disk_write_bytes_s", "graph.written"]),
    two("iops", "graph.iops", "count", 1, ["disk_reads_s", "graph.read"], ["disk_writes_s", "graph.written"]),
    one("busy", "graph.busy", "percent", 10, "disk_busy_percent", "graph.busyLine"),
    one("latency", "graph.latency", "ms", 1, "disk_latency_ms", "graph.latencyLine"),
    two("network", "graph.network", "bytes_s", 1000, ["net_receive_bytes_s", "graph.in"], ["net_send_bytes_s", "graph.out"]),
    two("packets", "graph.packets", "count", 1, ["net_receive_packets_s", "graph.in"], ["net_send_packets_s", "graph.out"]),
    two("faults", "graph.faults", "count", 1, ["net_errors_s", "graph.errors"], ["net_drops_s", "graph.drops"]),
    one("commits", "graph.commits", "count", 1, "pg_commits_s", "graph.commitsLine"),
    one("wal", "graph.wal", "bytes_s", 1000, "pg_wal_bytes_s", "graph.written"),
    { ...one("hits", "graph.hits", "percent", 100, "pg_cache_hit_percent", "graph.hitsLine"), isShare: true },
    one("connections", "graph.connections", "count", 1, "pg_connections", "graph.connectionsLine"),
];

/** The metrics of GET /load that graphs show. */
export function metricsOf(specs: readonly GraphSpec[]): string[] {
    return [...new Set(specs.flatMap((spec) => spec.lines.map((line) => line.column)))].filter((name) => name !== FULL_LOAD);
}
