/* Live mode: the newest lines, a fixed number of them, and an honest count of what was left out.  Pure. */
import type { LogEntry } from "../api/types";

/** Rows shown. */
export const TAIL_ROWS = 500;
/** New rows at one repaint (four a second): more cannot be read, and would hold up the page. */
export const TAIL_BURST = 100;

export interface Tail {
    /** Newest first. */
    rows: LogEntry[];
    skipped: number;
    /** The box left out lines before they came here; nobody counted them. */
    isMore: boolean;
    isPaused: boolean;
    /** Arrived while paused; the newest TAIL_ROWS of them are kept. */
    waiting: LogEntry[];
    waitingCount: number;
}

export type TailAction = { type: "arrived"; entries: LogEntry[]; left: number; isMore?: boolean } | { type: "pause" } | { type: "resume" } | { type: "clear" };

export const NO_TAIL: Tail = { rows: [], skipped: 0, isMore: false, isPaused: false, waiting: [], waitingCount: 0 };

function unseen(rows: readonly LogEntry[], entries: readonly LogEntry[]): LogEntry[] {
    const seen = new Set(rows.map((e) => e.id));
    return entries.filter((e) => !seen.has(e.id));
}

/** `entries` newest first; `left`: lines already left out by the buffer in front of this. */
export function tailReducer(before: Tail, action: TailAction): Tail {
    const tail = action.type === "arrived" && action.isMore ? { ...before, isMore: true } : before;
    switch (action.type) {
        case "clear":
            return { ...NO_TAIL, isPaused: tail.isPaused };
        case "pause":
            return { ...tail, isPaused: true };
        case "resume": {
            const rows = [...tail.waiting, ...tail.rows].slice(0, TAIL_ROWS);
            const skipped = tail.skipped + tail.waitingCount - tail.waiting.length;
            return { ...tail, rows, skipped, isPaused: false, waiting: [], waitingCount: 0 };
        }
        case "arrived": {
            if (tail.isPaused) {
                const fresh = unseen(tail.waiting, action.entries);
                return {
                    ...tail,
                    waiting: [...fresh, ...tail.waiting].slice(0, TAIL_ROWS),
                    waitingCount: tail.waitingCount + fresh.length + action.left,
                };
            }
            const fresh = unseen(tail.rows, action.entries);
            const shown = fresh.slice(0, TAIL_BURST);
            return {
                ...tail,
                rows: [...shown, ...tail.rows].slice(0, TAIL_ROWS),
                skipped: tail.skipped + action.left + fresh.length - shown.length,
            };
        }
    }
}
