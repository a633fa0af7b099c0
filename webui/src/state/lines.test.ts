import { describe, expect, it } from "vitest";
import type { LogEntry, LogPage } from "../api/types";
import { addPage, isFull, LINES_MAX, loadsOn, moveSelection, NO_LINES } from "./logLines";
import { NO_TAIL, TAIL_BURST, TAIL_ROWS, tailReducer } from "./tail";

const entry = (id: number) => ({ id: String(id) }) as LogEntry;
const many = (from: number, n: number) => Array.from({ length: n }, (_, i) => entry(from + i));
const page = (entries: LogEntry[], next: string | null, complete = true): LogPage => ({
    entries,
    next,
    complete,
    scan: { blocks_in_range: 10, blocks_read: 6, messages_examined: 100, elapsed_us: 5 },
});

describe("the lines of a search", () => {
    it("grow page by page, none twice", () => {
        const lines = addPage(addPage(NO_LINES, page(many(0, 3), "2")), page(many(2, 3), null));
        expect(lines.entries.map((e) => e.id)).toEqual(["0", "1", "2", "3", "4"]);
        expect(lines.scan).toEqual({ blocks_in_range: 10, blocks_read: 10, messages_examined: 200, elapsed_us: 10 });
        expect(loadsOn(lines)).toBe(false);
    });

    it("stop at the limit", () => {
        const lines = addPage(NO_LINES, page(many(0, LINES_MAX + 5), "x"));
        expect(lines.entries).toHaveLength(LINES_MAX);
        expect(isFull(lines)).toBe(true);
        expect(loadsOn(lines)).toBe(false);
    });

    it("do not go on by themselves when time ran out", () => {
        expect(loadsOn(addPage(NO_LINES, page(many(0, 3), "2", false)))).toBe(false);
        expect(loadsOn(addPage(NO_LINES, page(many(0, 3), "2")))).toBe(true);
    });

    it("are walked through with the keys", () => {
        const rows = many(0, 3);
        expect(moveSelection(rows, null, 1)).toBe("0");
        expect(moveSelection(rows, "0", 1)).toBe("1");
        expect(moveSelection(rows, "2", 1)).toBe("2");
        expect(moveSelection(rows, "0", -1)).toBe("0");
        expect(moveSelection([], "0", 1)).toBeNull();
    });
});

describe("live mode", () => {
    it("shows the newest first and counts what it leaves out", () => {
        let tail = tailReducer(NO_TAIL, { type: "arrived", entries: many(0, TAIL_BURST + 7), left: 3 });
        expect(tail.rows).toHaveLength(TAIL_BURST);
        expect(tail.rows[0]?.id).toBe("0");
        expect(tail.skipped).toBe(10);
        tail = tailReducer(tail, { type: "arrived", entries: [entry(9999)], left: 0 });
        expect(tail.rows[0]?.id).toBe("9999");
    });

    it("keeps a fixed number of rows", () => {
        let tail = NO_TAIL;
        for (let i = 0; i < 20; i++) tail = tailReducer(tail, { type: "arrived", entries: many(i * 100, 100), left: 0 });
        expect(tail.rows).toHaveLength(TAIL_ROWS);
        expect(tail.skipped).toBe(0);
    });

    it("shows nothing new while paused, and says how much there is", () => {
        let tail = tailReducer(NO_TAIL, { type: "pause" });
        for (let i = 0; i < 6; i++) tail = tailReducer(tail, { type: "arrived", entries: many(i * 100, 100), left: 1 });
        expect(tail.rows).toHaveLength(0);
        expect(tail.waitingCount).toBe(606);
        tail = tailReducer(tail, { type: "resume" });
        expect(tail.rows).toHaveLength(TAIL_ROWS);
        expect(tail.skipped).toBe(106);
        expect(tail.isPaused).toBe(false);
    });

    it("takes an entry once, also when the stream was opened again", () => {
        const once = tailReducer(NO_TAIL, { type: "arrived", entries: [entry(1)], left: 0 });
        expect(tailReducer(once, { type: "arrived", entries: [entry(1)], left: 0 }).rows).toHaveLength(1);
    });
});
