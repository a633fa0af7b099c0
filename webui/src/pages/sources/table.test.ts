import { describe, expect, it } from "vitest";
import type { Source } from "../../api/types";
import { arrange, nextOrder, readOrder, writeOrder } from "./table";

const source = (address: string, messages = 0): Source => ({
    source: address,
    messages,
    bytes: 0,
    first_heard: "2026-11-30T10:00:00Z",
    last_heard: "2026-11-30T10:00:00Z",
    range: { arrived: 0, stored: 0, refused: 0, bytes: 0 },
});
const names = (rows: Source[]) => rows.map((s) => s.source);

describe("the table of sources", () => {
    const rows = [source("192.0.2.10", 5), source("192.0.2.9", 7), source("2001:db8::1", 1), source("2001:db8::", 2)];

    it("sorts addresses as numbers, IPv4 first", () => {
        expect(names(arrange(rows, "", { column: "source", descending: false }))).toEqual(["192.0.2.9", "192.0.2.10", "2001:db8::", "2001:db8::1"]);
    });

    it("sorts by count and filters", () => {
        expect(names(arrange(rows, "192.", { column: "messages", descending: true }))).toEqual(["192.0.2.9", "192.0.2.10"]);
        expect(arrange(rows, "nowhere", { column: "messages", descending: true })).toEqual([]);
    });

    it("turns the order at the second click and keeps it in the URL", () => {
        const first = nextOrder({ column: "range", descending: true }, "last_heard");
        expect(first).toEqual({ column: "last_heard", descending: true });
        expect(nextOrder(first, "last_heard").descending).toBe(false);
        expect(readOrder(new URLSearchParams({ order: writeOrder(first) }))).toEqual(first);
        expect(readOrder(new URLSearchParams("order=nonsense"))).toEqual({ column: "range", descending: true });
    });
});
