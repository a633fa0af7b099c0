import { describe, expect, it } from "vitest";
import { addDays, addMonths, dayAt, daysBetween, dayStart, formatDays, formatMonth, isMonth, monthDays, weekday } from "./days";

describe("days of the box", () => {
    it("are counted over ends of months and leap years", () => {
        expect(addDays("2026-11-30", 1)).toBe("2026-12-01");
        expect(addDays("2028-03-01", -1)).toBe("2028-02-29");
        expect(daysBetween("2026-11-03", "2026-11-05")).toBe(3);
        expect(addMonths("2026-11", 2)).toBe("2027-01");
        expect(addMonths("2026-01", -13)).toBe("2024-12");
        expect(monthDays("2028-02").length).toBe(29);
        expect(weekday("2026-11-30")).toBe(0);
    });

    it.each([
        ["2026-11", true],
        ["2026-13", false],
        ["0000-01", false],
        ["2026-11-01", false],
        ["", false],
    ])("%s is a month: %s", (month, is) => expect(isMonth(month)).toBe(is));

    it.each([
        ["2026-11-03", "2026-11-03", "3 November", "11 月 3 日"],
        ["2026-11-03", "2026-11-05", "3–5 November", "11 月 3 日〜5 日"],
        ["2026-10-28", "2026-11-03", "28 October – 3 November", "10 月 28 日〜11 月 3 日"],
        ["2025-12-03", "2025-12-05", "3–5 December 2025", "2025 年 12 月 3 日〜5 日"],
        ["2025-10-03", "2025-12-05", "3 October – 5 December 2025", "2025 年 10 月 3 日〜12 月 5 日"],
        ["2025-12-30", "2026-01-02", "30 December 2025 – 2 January 2026", "2025 年 12 月 30 日〜2026 年 1 月 2 日"],
    ])("%s to %s is written as a person would", (from, to, en, ja) => {
        expect(formatDays(from, to, "en", "2026-11-30")).toBe(en);
        expect(formatDays(from, to, "ja", "2026-11-30")).toBe(ja);
    });

    it("names a month", () => {
        expect(formatMonth("2026-11", "en")).toBe("November 2026");
        expect(formatMonth("2026-11", "ja")).toBe("2026 年 11 月");
    });
});

describe("a day of the box as a span of time", () => {
    it.each([
        ["2026-11-03", "Asia/Tokyo", "2026-11-02T15:00:00.000Z"],
        ["2026-11-03", "America/Los_Angeles", "2026-11-03T08:00:00.000Z"],
        // the clocks go forward at two, and back at two
        ["2026-03-09", "America/Los_Angeles", "2026-03-09T07:00:00.000Z"],
        ["2026-11-01", "America/Los_Angeles", "2026-11-01T07:00:00.000Z"],
        // Samoa is a day ahead of its longitude
        ["2026-11-03", "Pacific/Apia", "2026-11-02T11:00:00.000Z"],
        ["2026-11-03", "Nowhere/Unknown", "2026-11-03T00:00:00.000Z"],
    ])("%s in %s begins at %s", (day, zone, at) => {
        expect(dayStart(day, zone).toISOString()).toBe(at);
        expect(dayAt(at, zone)).toBe(day);
        expect(dayAt(Date.parse(at) - 1, zone)).toBe(addDays(day, -1));
    });
});
