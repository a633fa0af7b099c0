/* Receive rate, stacked by listener. */
import type uPlot from "uplot";
import { LISTENERS, type ListenerName, type Rates } from "../api/types";
import { formatRate, formatShort, formatTime } from "../utils/format";
import { stack } from "./stack";
import { CHART_FONT, threeTicks, timeLabels, type ChartColors } from "./theme";

export interface RateData {
    /** Seconds since the epoch. */
    at: number[];
    /** Messages a second. */
    by: Record<ListenerName, (number | null)[]>;
    total: (number | null)[];
}

/** Steps of a whole range such that the chart has 60 to 120 points, from the ledger where it can be. */
export function stepFor(spanMs: number): number {
    const steps = [5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10_800, 21_600, 43_200, 86_400];
    const wanted = spanMs / 1000 / 120;
    return steps.find((s) => s >= wanted) ?? 86_400;
}

/** The API counts messages a step; the last step may not be over yet and is left out. */
export function rateData(rates: Rates, nowMs: number): RateData {
    const stepS = rates.step_us / 1e6;
    const points = rates.points.filter((p) => Date.parse(p.at) + stepS * 1000 <= nowMs);
    const per = (pick: (p: Rates["points"][number]) => number) => points.map((p) => pick(p) / stepS);
    return {
        at: points.map((p) => Date.parse(p.at) / 1000),
        by: { udp: per((p) => p.udp), tcp: per((p) => p.tcp), tls: per((p) => p.tls) },
        total: per((p) => p.total),
    };
}

/** UDP lies lowest and TLS on top; the highest sum is drawn first. */
export function rateSeries(data: RateData): uPlot.AlignedData {
    const rows = stack(LISTENERS.map((name) => data.by[name]));
    return [data.at, ...rows.reverse()] as uPlot.AlignedData;
}

export function rateOptions(colors: ChartColors, range: { from: number; to: number }): Omit<uPlot.Options, "width" | "height"> {
    const axis = { stroke: colors.text, font: CHART_FONT, ticks: { show: false }, grid: { stroke: colors.grid, width: 1 } };
    return {
        legend: { show: false },
        padding: [8, 12, 0, 0],
        cursor: { y: false, drag: { x: true, y: false, setScale: false } },
        scales: {
            x: { time: true, range: [range.from / 1000, range.to / 1000] },
            y: { range: (_u, _min, max) => [0, threeTicks(max).at(-1) ?? 1] },
        },
        axes: [
            { ...axis, size: 28, grid: { show: false }, space: 80, values: (_u, ticks, _axis, _space, step) => timeLabels(ticks, step) },
            {
                ...axis,
                size: 52,
                splits: (_u, _axis, _min, max) => threeTicks(max),
                values: (_u, ticks) => ticks.map((n) => (n >= 10 ? formatShort(n) : formatRate(n))),
            },
        ],
        series: [
            {},
            ...[...LISTENERS].reverse().map((name) => ({
                label: name,
                stroke: colors.listeners[name],
                fill: colors.listeners[name],
                width: 1,
                points: { show: false },
            })),
        ],
    };
}

/** What stands under the cursor, in words. */
export function rateAt(data: RateData, i: number): { time: string; values: [ListenerName, string][] } | null {
    const at = data.at[i];
    if (at === undefined) return null;
    return {
        time: formatTime(new Date(at * 1000)),
        values: LISTENERS.map((name) => [name, formatRate(data.by[name][i] ?? 0)]),
    };
}
