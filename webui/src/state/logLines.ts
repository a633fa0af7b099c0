/* The lines of one search, page by page.  Pure. */
import type { LogEntry, LogPage, Scan } from "../api/types";

/** Rows kept in the page: beyond it the reader goes on from the oldest. */
export const LINES_MAX = 2000;

export interface Lines {
    entries: LogEntry[];
    next: string | null;
    /** False: the last request ran out of time; `next` goes on. */
    complete: boolean;
    scan: Scan;
    pages: number;
}

export const NO_LINES: Lines = {
    entries: [],
    next: null,
    complete: true,
    scan: { blocks_in_range: 0, blocks_read: 0, messages_examined: 0, elapsed_us: 0 },
    pages: 0,
};

export function addPage(lines: Lines, page: LogPage): Lines {
    const seen = new Set(lines.entries.map((e) => e.id));
    const { scan } = lines;
    return {
        entries: [...lines.entries, ...page.entries.filter((e) => !seen.has(e.id))].slice(0, LINES_MAX),
        next: page.next,
        complete: page.complete,
        scan: {
            // Blocks of the range are the same for each page; those read add up, but never beyond the range.
            blocks_in_range: Math.max(scan.blocks_in_range, page.scan.blocks_in_range),
            blocks_read: Math.min(
                scan.blocks_read + page.scan.blocks_read,
                Math.max(scan.blocks_in_range, page.scan.blocks_in_range),
            ),
            messages_examined: scan.messages_examined + page.scan.messages_examined,
            elapsed_us: scan.elapsed_us + page.scan.elapsed_us,
        },
        pages: lines.pages + 1,
    };
}

export function isFull(lines: Lines): boolean {
    return lines.entries.length >= LINES_MAX && lines.next !== null;
}

/** Whether scrolling to the end may load on by itself: not after a search that ran out of time. */
export function loadsOn(lines: Lines): boolean {
    return lines.next !== null && lines.complete && !isFull(lines);
}

/** The selected line after moving by `by`; null only without lines. */
export function moveSelection(entries: readonly LogEntry[], selected: string | null, by: number): string | null {
    if (entries.length === 0) return null;
    const at = entries.findIndex((e) => e.id === selected);
    const to = at < 0 ? (by > 0 ? 0 : entries.length - 1) : Math.min(Math.max(at + by, 0), entries.length - 1);
    return entries[to]?.id ?? null;
}
