import { describe, expect, it } from "vitest";
import { translator } from "../i18n";
import { daysText, formatPercent } from "./figures";

describe("days of history", () => {
    it.each([
        [143.9, "143 days"],
        [1, "1 day"],
        [0.57, "less than a day"],
        [0, "0 days"],
        [4000, "10 years"],
        [1_650_574, "more than 100 years"],
    ])("%s are said as %s", (n, text) => expect(daysText(n, translator("en"))).toBe(text));
});

describe("percent", () => {
    it.each([
        [0, "0"],
        [0.042, "<0.1"],
        [0.4, "0.4"],
        [13, "13"],
        [11.23, "11.2"],
        [143.2, "143"],
        [12345, "12,345"],
    ])("%s is %s", (n, text) => expect(formatPercent(n)).toBe(text));
});
