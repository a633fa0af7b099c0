import { describe, expect, it } from "vitest";
import { addOlder, mergeNewest, ROWS_SHOWN, type Page, type Row } from "./newest";

/** Ids from…to, newest first. */
const page = (from: number, to: number, next: string | null): Page<Row> => ({
    entries: Array.from({ length: from - to + 1 }, (_, i) => ({ id: String(from - i) })),
    next,
});
const ids = (shown: Page<Row>) => shown.entries.map((e) => Number(e.id));

describe("a list that grows at its top", () => {
    it("puts new ones at the top, each once, and keeps what was fetched later", () => {
        const first = mergeNewest(null, page(10, 8, "8"));
        const more = addOlder(first, page(8, 5, "5"));
        expect(ids(more)).toEqual([10, 9, 8, 7, 6, 5]);
        const live = mergeNewest(more, page(11, 9, "9"));
        expect(ids(live)).toEqual([11, 10, 9, 8, 7, 6, 5]);
        expect(live.next).toBe("5");
    });

    it("stays the same object while nothing is new, so that nothing is drawn", () => {
        const first = mergeNewest(null, page(10, 8, "8"));
        expect(mergeNewest(first, page(10, 8, "8"))).toBe(first);
    });

    it("starts anew when more happened than a page holds", () => {
        const first = mergeNewest(null, page(10, 8, "8"));
        expect(ids(mergeNewest(first, page(30, 28, "28")))).toEqual([30, 29, 28]);
    });

    it("forgets what is gone once everything fits into a page", () => {
        const first = mergeNewest(null, page(10, 8, null));
        expect(ids(mergeNewest(first, page(10, 9, null)))).toEqual([10, 9]);
    });

    it("orders by number, not by letters", () => {
        const first = mergeNewest(null, page(9, 7, "7"));
        expect(ids(mergeNewest(first, page(10, 8, "8")))).toEqual([10, 9, 8, 7]);
    });

    it("never holds more than its limit", () => {
        const full = addOlder(mergeNewest(null, page(5000, 4001, "4001")), page(4000, 2001, "2001"));
        expect(full.entries.length).toBe(ROWS_SHOWN);
        expect(mergeNewest(full, page(5002, 4990, "4990")).entries.length).toBe(ROWS_SHOWN);
    });
});
