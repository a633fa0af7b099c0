/* Loss against rate: where the curve leaves zero is the answer.  Pure. */
import type uPlot from "uplot";
import type { Knee } from "../api/benchReport";
import { formatShort } from "../utils/format";
import { CHART_FONT, threeTicks, type ChartColors } from "./theme";

/** Rates rising; of trials at the same rate the worst. */
export function kneeData(knee: Knee): [number[], (number | null)[]] {
    const worst = new Map<number, number | null>();
    for (const { rate, loss_percent: loss } of knee.points) {
        const known = worst.get(rate);
        worst.set(rate, known == null ? loss : Math.max(known, loss ?? 0));
    }
    const rates = [...worst.keys()].sort((a, b) => a - b);
    return [rates, rates.map((rate) => worst.get(rate) ?? null)];
}

const percent = (n: number) => `${Number(n.toPrecision(3))} %`;

export function kneeOptions(knee: Knee, colors: ChartColors): Omit<uPlot.Options, "width" | "height"> {
    const axis = { stroke: colors.text, font: CHART_FONT, ticks: { show: false }, grid: { stroke: colors.grid, width: 1 } };
    const top = Math.max(0, ...knee.points.map((p) => p.rate));
    const most = (max: number) => threeTicks(Math.max(max, 0.01) * 100).map((n) => n / 100);
    return {
        legend: { show: false },
        padding: [8, 16, 0, 0],
        cursor: { y: false, drag: { x: false, y: false, setScale: false }, points: { size: 6 } },
        scales: { x: { time: false, range: [0, top * 1.05 || 1] }, y: { range: (_u, _min, max) => [0, most(max).at(-1) ?? 1] } },
        axes: [
            { ...axis, size: 24, grid: { show: false }, space: 60, values: (_u, shown) => shown.map((n) => formatShort(n)) },
            { ...axis, size: 60, splits: (_u, _axis, _min, max) => most(max), values: (_u, shown) => shown.map(percent) },
        ],
        series: [{}, { stroke: colors.lost, width: 1.5, points: { show: true, size: 6, fill: colors.lost } }],
        hooks: {
            draw: [
                (u) => {
                    if (knee.lossless === null) return;
                    const x = Math.round(u.valToPos(knee.lossless, "x", true)) + 0.5;
                    const { ctx, bbox } = u;
                    ctx.save();
                    ctx.strokeStyle = colors.limit;
                    ctx.lineWidth = devicePixelRatio;
                    ctx.setLineDash([4 * devicePixelRatio, 3 * devicePixelRatio]);
                    ctx.beginPath();
                    ctx.moveTo(x, bbox.top);
                    ctx.lineTo(x, bbox.top + bbox.height);
                    ctx.stroke();
                    ctx.restore();
                },
            ],
        },
    };
}
