/* A graph over time: lines or a stack of areas, zero based, at most three lines of the grid, gaps as gaps.
 * What changes with every update (points, range, marks, line of the limit) is not in here, so that a graph
 * is made once and then only painted. */
import uPlot from "uplot";
import { stack } from "./stack";
import { CHART_FONT, threeTicks, timeLabels, type ChartColors } from "./theme";
import { MAX_OF, summary, type Values, type Window } from "./window";

export interface GraphLine {
    /** Column of the window. */
    column: string;
    color: string;
    isDashed?: boolean;
    isFilled?: boolean;
    /** In a stack: bars of their own, drawn over it. */
    isOver?: boolean;
    /** A bound has no band up to its highest value. */
    isLimit?: boolean;
}

export interface GraphShape {
    lines: GraphLine[];
    /** Each lies on the one before; the first at the bottom. */
    isStacked: boolean;
    /** The axis reaches at least so high. */
    floor: number;
    /** What a share of a whole cannot exceed. */
    isShare?: boolean;
    tick: (n: number) => string;
}

/** All graphs of a page share cursor and left and right edge. */
const SYNC = "dashboard";
export const AXIS_PX = 60;
export const RIGHT_PX = 12;

/** In the order of drawing: uPlot draws the first series first, so of a stack the highest sums come first. */
export function drawn(shape: GraphShape): GraphLine[] {
    if (!shape.isStacked) return shape.lines;
    return [...shape.lines.filter((l) => !l.isOver).reverse(), ...shape.lines.filter((l) => l.isOver)];
}

const column = (window: Window, name: string): Values => window.columns[name] ?? window.at.map(() => null);

/** Times in the middle of their steps, then the lines, then (of lines) their highest values. */
export function graphData(shape: GraphShape, window: Window): uPlot.AlignedData {
    const at = window.at.map((ms) => (ms + window.stepMs / 2) / 1000);
    const rows = (lines: GraphLine[], of = "") => lines.map((line) => column(window, line.column + of));
    if (!shape.isStacked) return [at, ...rows(shape.lines), ...shape.lines.map((line) => column(window, line.isLimit ? "" : line.column + MAX_OF))];
    return [at, ...stack(rows(shape.lines.filter((l) => !l.isOver))).reverse(), ...rows(shape.lines.filter((l) => l.isOver))];
}

/** Points with nothing on either side: no line shows them, so they are drawn as points. */
export function lonely(values: ArrayLike<number | null | undefined>): number[] {
    const out: number[] = [];
    for (let i = 0; i < values.length; i++) {
        if (values[i] != null && values[i - 1] == null && values[i + 1] == null) out.push(i);
    }
    return out;
}

const bars = uPlot.paths.bars?.({ size: [1, 12, 2], gap: 0 });

function lineSeries(line: GraphLine, isInStack: boolean): uPlot.Series {
    const isStacked = isInStack && !line.isOver;
    return {
        stroke: line.color,
        width: isStacked ? 1 : 1.5,
        ...(line.isDashed ? { dash: [6, 4] } : {}),
        ...(isStacked ? { fill: line.color } : line.isFilled ? { fill: `${line.color}2e` } : {}),
        ...(line.isOver && bars ? { paths: bars, width: 0, fill: line.color } : {}),
        points: { show: !line.isOver, size: 4, fill: line.color, filter: (u, i) => lonely(u.data[i] ?? []) },
    };
}

export function graphOptions(shape: GraphShape, colors: ChartColors, onZoom: (fromMs: number, toMs: number) => void, onBack: () => void): Omit<uPlot.Options, "width" | "height"> {
    const axis = { stroke: colors.text, font: CHART_FONT, ticks: { show: false }, grid: { stroke: colors.grid, width: 1 } };
    const ticks = (max: number | null) => (shape.isShare && !((max ?? 0) > 100.5) ? [0, 50, 100] : threeTicks(Math.max(max ?? 0, shape.floor)));
    const lines = drawn(shape);
    const isMove = (type: string) => type === "mousemove" || type === "mouseleave";
    return {
        legend: { show: false },
        padding: [8, RIGHT_PX, 0, 0],
        cursor: {
            y: false,
            drag: { x: true, y: false, setScale: false },
            sync: { key: SYNC, setSeries: false, scales: ["x", null], filters: { pub: isMove, sub: isMove } },
            points: { show: !shape.isStacked, size: 5 },
            bind: { dblclick: () => () => (onBack(), null) },
        },
        scales: { y: { range: (_u, _min, max) => [0, ticks(max).at(-1) ?? 1] } },
        axes: [
            { ...axis, size: 24, grid: { show: false }, space: 80, values: (_u, shown, _axis, _space, step) => timeLabels(shown, step) },
            { ...axis, size: AXIS_PX, splits: (_u, _axis, _min, max) => ticks(max), values: (_u, shown) => shown.map(shape.tick) },
        ],
        series: [
            {},
            ...lines.map((line) => lineSeries(line, shape.isStacked)),
            ...(shape.isStacked ? [] : lines.map(() => ({ width: 0, stroke: "transparent", points: { show: false } }))),
        ],
        // between mean and maximum of each step
        ...(shape.isStacked ? {} : { bands: lines.map((line, i) => ({ series: [lines.length + 1 + i, i + 1] as [number, number], fill: `${line.color}33` })) }),
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

/** Maximum and mean of a column, the maximum of every step counted. */
export function lineSummary(window: Window, name: string) {
    return summary(column(window, name), window.columns[name + MAX_OF]);
}
