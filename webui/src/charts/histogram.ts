/* Messages over time, bars stacked by severity, the gravest at the bottom where it is seen first. */
import uPlot from "uplot";
import type { Histogram } from "../api/types";
import { formatShort } from "../utils/format";
import { stack } from "./stack";
import { CHART_FONT, threeTicks, timeLabels, type ChartColors } from "./theme";

/** uPlot draws the first series first, so the highest sums come first. */
export function histogramSeries(histogram: Histogram): uPlot.AlignedData {
    const at = histogram.buckets.map((b) => (Date.parse(b.at) + histogram.bucket_us / 2000) / 1000);
    const rows = stack([0, 1, 2, 3, 4, 5, 6, 7].map((s) => histogram.buckets.map((b) => b.by_severity[s] ?? 0)));
    return [at, ...rows.reverse()] as uPlot.AlignedData;
}

export function histogramOptions(
    colors: ChartColors,
    range: { from: number; to: number },
    onZoom: (fromMs: number, toMs: number) => void,
): Omit<uPlot.Options, "width" | "height"> {
    const axis = { stroke: colors.text, font: CHART_FONT, ticks: { show: false }, grid: { stroke: colors.grid, width: 1 } };
    const bars = uPlot.paths.bars?.({ size: [0.86, 24], gap: 0, radius: 0 });
    return {
        legend: { show: false },
        padding: [6, 8, 0, 0],
        cursor: { y: false, drag: { x: true, y: false, setScale: false }, points: { show: false } },
        scales: {
            x: { time: true, range: [range.from / 1000, range.to / 1000] },
            y: { range: (_u, _min, max) => [0, threeTicks(max, true).at(-1) ?? 1] },
        },
        axes: [
            { ...axis, size: 24, grid: { show: false }, space: 80, values: (_u, ticks, _axis, _space, step) => timeLabels(ticks, step) },
            {
                ...axis,
                size: 48,
                splits: (_u, _axis, _min, max) => threeTicks(max, true),
                values: (_u, ticks) => ticks.map((n) => formatShort(n)),
            },
        ],
        series: [
            {},
            ...[7, 6, 5, 4, 3, 2, 1, 0].map((severity) => ({
                label: String(severity),
                fill: colors.severities[severity],
                stroke: colors.severities[severity],
                width: 0,
                ...(bars ? { paths: bars } : {}),
                points: { show: false },
            })),
        ],
        hooks: {
            setSelect: [
                (u) => {
                    if (u.select.width < 4) return;
                    const from = u.posToVal(u.select.left, "x") * 1000;
                    const to = u.posToVal(u.select.left + u.select.width, "x") * 1000;
                    u.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
                    onZoom(Math.floor(from), Math.ceil(to));
                },
            ],
        },
    };
}

export function histogramTotal(histogram: Histogram): number {
    return histogram.buckets.reduce((sum, b) => sum + b.count, 0);
}
