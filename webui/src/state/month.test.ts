import { describe, expect, it } from "vitest";
import { EXAMPLE } from "../pages/retention/example";
import { formatPercent, percentOf } from "../utils/figures";
import { sharesOf } from "./month";

describe("the month in header and dashboard", () => {
    it("is the figure of the page Retention, however small", () => {
        for (const bytes of [0, 49_152, EXAMPLE.month_bytes]) {
            const r = { ...EXAMPLE, month_bytes: bytes };
            expect(sharesOf(r).used).toBe(formatPercent(percentOf(bytes, r.capacity_bytes)));
        }
        expect(sharesOf({ ...EXAMPLE, capacity_bytes: 270e9, month_bytes: 49_152 }).used).toBe("<0.1");
    });
});
