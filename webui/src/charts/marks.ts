/* Events in the graphs: marks on the time axis, those that would lie upon each other taken together. */
import type uPlot from "uplot";
import type { BoxEvent } from "../api/events";
import type { Span } from "../state/timeRange";
import { SEVERITIES } from "../utils/severity";
import type { ChartColors } from "./theme";

export interface Mark {
    /** Of the newest of its events, ms since the epoch. */
    at: number;
    /** Oldest first. */
    events: BoxEvent[];
    /** The gravest, 0 to 7. */
    severity: number;
}

/** As many marks as can be told apart with a finger or the Tab key. */
export const MARKS_MAX = 48;

/** Of a severity that the console does not know: as an information. */
export function severityOf(event: BoxEvent): number {
    const i = SEVERITIES.findIndex((name) => name === event.severity);
    return i < 0 ? 6 : i;
}

export function marksOf(events: readonly BoxEvent[], span: Span): Mark[] {
    const marks = new Map<number, Mark>();
    const sorted = events.map((event) => ({ event, at: Date.parse(event.at) })).sort((a, b) => a.at - b.at);
    for (const { event, at } of sorted) {
        if (!(at >= span.from && at <= span.to)) continue;
        const place = Math.floor(((at - span.from) / (span.to - span.from)) * MARKS_MAX);
        const mark = marks.get(place) ?? { at, events: [], severity: 7 };
        mark.at = at;
        mark.events.push(event);
        mark.severity = Math.min(mark.severity, severityOf(event));
        marks.set(place, mark);
    }
    return [...marks.values()];
}

/** "bad", "warn" or "info": the colour of a mark. */
export function tone(severity: number): "bad" | "warn" | "info" {
    return severity <= 3 ? "bad" : severity === 4 ? "warn" : "info";
}

export function paintMarks(u: uPlot, marks: readonly Mark[], colors: ChartColors): void {
    const { ctx, bbox } = u;
    ctx.save();
    ctx.lineWidth = devicePixelRatio;
    ctx.setLineDash([2 * devicePixelRatio, 3 * devicePixelRatio]);
    for (const mark of marks) {
        const x = Math.round(u.valToPos(mark.at / 1000, "x", true)) + 0.5;
        if (x < bbox.left || x > bbox.left + bbox.width) continue;
        ctx.strokeStyle = colors.marks[tone(mark.severity)];
        ctx.beginPath();
        ctx.moveTo(x, bbox.top);
        ctx.lineTo(x, bbox.top + bbox.height);
        ctx.stroke();
    }
    ctx.restore();
}
