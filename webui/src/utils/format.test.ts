import { describe, expect, it } from "vitest";
import { formatAgo, formatBytes, formatCount, formatDate, formatElapsed, formatRate, formatShort, formatSpan, formatTimes, microseconds } from "./format";

describe("a day in words", () => {
    const now = new Date(2026, 10, 30);
    it.each([
        ["2026-11-03", "en", "3 November"],
        ["2026-11-03", "ja", "11月3日"],
        ["2025-07-10", "en", "10 July 2025"],
        ["2025-07-10", "ja", "2025年7月10日"],
    ] as const)("%s in %s", (day, language, text) => expect(formatDate(day, language, now)).toBe(text));
});

describe("numbers", () => {
    it.each([
        [0, "0"],
        [12431, "12,431"],
        [999.6, "1,000"],
    ])("count %s is %s", (n, text) => expect(formatCount(n)).toBe(text));

    it.each([
        [0, "0"],
        [0.01, "<0.1"],
        [0.34, "0.3"],
        [9.96, "10"],
        [12430.7, "12,431"],
    ])("rate %s is %s", (n, text) => expect(formatRate(n)).toBe(text));

    it.each([
        [0, "0 B"],
        [999, "999 B"],
        [1500, "1.5 kB"],
        [301_234_567, "301 MB"],
        [5_000_000_000, "5.0 GB"],
    ])("%s bytes are %s", (n, text) => expect(formatBytes(n)).toBe(text));

    it.each([
        [30_000, "30 k"],
        [12_100_000, "12.1 M"],
        [9999, "9,999"],
    ])("%s is %s in a narrow place", (n, text) => expect(formatShort(n)).toBe(text));
});

describe("times", () => {
    it.each([
        [900, "900 µs"],
        [1234, "1.2 ms"],
        [181_234, "181 ms"],
        [2_500_000, "2.50 s"],
    ])("%s µs took %s", (us, text) => expect(formatElapsed(us)).toBe(text));

    it.each([
        [1, "0.001 s"],
        [1234, "1.23 s"],
        [-200_000, "3 min 20 s"],
        [90_000_000, "1 d 1 h"],
        [86_400_000, "1 d"],
    ])("a span of %s ms is %s", (ms, text) => expect(formatSpan(ms)).toBe(text));

    it("keeps the microseconds that Date cuts off", () => {
        expect(microseconds("2026-11-30T10:41:07.123456Z")).toBe(123_456);
        expect(microseconds("2026-11-30T10:41:07.5+09:00")).toBe(500_000);
        expect(microseconds("2026-11-30T10:41:07Z")).toBe(0);
    });

    it("names the day of an end only where it is another", () => {
        const day = new Date(2026, 10, 30, 10, 0, 0);
        expect(formatTimes(day, new Date(2026, 10, 30, 10, 5, 0))).toBe("2026-11-30 10:00:00 – 10:05:00");
        expect(formatTimes(day, new Date(2026, 11, 1, 10, 5, 0))).toBe("2026-11-30 10:00:00 – 2026-12-01 10:05:00");
    });

    it("tells how long ago in both languages", () => {
        const now = Date.parse("2026-11-30T10:00:00Z");
        expect(formatAgo("2026-11-30T09:57:00Z", now, "en")).toBe("3 minutes ago");
        expect(formatAgo("2026-11-30T09:57:00Z", now, "ja")).toMatch(/3 ?分前/);
        expect(formatAgo("2026-11-30T10:00:00Z", now, "en")).toBe("now");
    });
});
