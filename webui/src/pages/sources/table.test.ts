import { describe, expect, it } from "vitest";
import type { RateRow } from "../../api/ratesBy";
import { changeText, isSilent, logsOfRow, nextOrder, readField, readOrder, writeOrder } from "./table";

const NOW = Date.parse("2026-11-30T12:00:00Z");
const row = (value: string | null, last: string | null): RateRow => ({
    value,
    is_others: false,
    now: 0,
    minute: 0,
    hour: 0,
    day: 0,
    month: 0,
    bytes_day: 0,
    bytes_month: 0,
    disk_month: 0,
    budget_percent: null,
    change_percent: null,
    first_heard: last,
    last_heard: last,
});

describe("the receive-rate tables", () => {
    it("turns the order at the second click and keeps it in the URL", () => {
        const first = nextOrder({ column: "day", descending: true }, "last_heard");
        expect(first).toEqual({ column: "last_heard", descending: true });
        expect(nextOrder(first, "last_heard").descending).toBe(false);
        expect(nextOrder(first, "value").descending).toBe(false);
        expect(readOrder(new URLSearchParams({ order: writeOrder(first) }))).toEqual(first);
        expect(writeOrder({ column: "day", descending: true })).toBe("");
    });

    it("makes no dead end of a link it cannot read", () => {
        expect(readOrder(new URLSearchParams("order=nonsense"))).toEqual({ column: "day", descending: true });
        expect(readField(new URLSearchParams("by=nonsense"))).toBe("source");
        expect(readField(new URLSearchParams("by=app_name"))).toBe("app_name");
    });

    it("calls a sender silent after an hour, but no severity, and not what never had a name", () => {
        expect(isSilent(row("192.0.2.1", "2026-11-30T10:59:00Z"), "source", NOW)).toBe(true);
        expect(isSilent(row("192.0.2.1", "2026-11-30T11:01:00Z"), "source", NOW)).toBe(false);
        expect(isSilent(row("emerg", "2026-11-01T00:00:00Z"), "severity", NOW)).toBe(false);
        expect(isSilent(row(null, "2026-11-01T00:00:00Z"), "hostname", NOW)).toBe(false);
        expect(isSilent(row("fw01", null), "hostname", NOW)).toBe(false);
    });

    it("leads to the logs of a row, where there are some", () => {
        expect(logsOfRow(row("fw01", "2026-11-30T11:59:00Z"), "hostname", NOW)).toBe("/logs?q=hostname%3Afw01&from=-24h");
        expect(logsOfRow(row("fw01", "2026-11-20T12:00:00Z"), "hostname", NOW)).toBe(
            "/logs?q=hostname%3Afw01&from=2026-11-20T11%3A00%3A00.000Z&to=2026-11-20T12%3A01%3A00.000Z",
        );
        expect(logsOfRow(row("a b", "2026-11-30T11:59:00Z"), "app_name", NOW)).toContain("app_name%3A%22a+b%22");
        expect(logsOfRow(row(null, "2026-11-30T11:59:00Z"), "hostname", NOW)).toBeNull();
    });

    it.each([
        [12.34, "+12 %"],
        [-3.21, "−3.2 %"],
        [0.01, "±0 %"],
        [12345, "+12,345 %"],
    ])("a change of %s is written %s", (n, text) => expect(changeText(n)).toBe(text));
});
