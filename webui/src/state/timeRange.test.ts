import { describe, expect, it } from "vitest";
import { absoluteRange, fromInput, isPreset, readRange, resolveRange, toInput, widen, writeRange } from "./timeRange";

const NOW = Date.parse("2026-11-30T10:00:00Z");
const read = (text: string) => readRange(new URLSearchParams(text));

describe("the range in the URL", () => {
    it.each([
        ["", "-1h", ""],
        ["from=-15m", "-15m", ""],
        ["from=-90d", "-90d", ""],
        ["from=2026-11-30T09:00:00Z&to=2026-11-30T09:30:00Z", "2026-11-30T09:00:00Z", "2026-11-30T09:30:00Z"],
        ["from=nonsense", "-1h", ""],
        ["from=2026-11-30T09:30:00Z&to=2026-11-30T09:00:00Z", "-1h", ""],
        ["from=-99999999999h", "-1h", ""],
        ["from=0001-01-01T00:00:00Z", "-1h", ""],
        ["from=%2B020000-01-01T00:00:00Z", "-1h", ""],
    ])("%s is %s to %s", (text, from, to) => expect(read(text)).toEqual({ from, to }));

    it("comes back as it was written", () => {
        for (const range of [{ from: "-6h", to: "" }, absoluteRange(NOW - 1000, NOW)]) {
            expect(readRange(writeRange(new URLSearchParams("q=a"), range))).toEqual(range);
        }
        expect(writeRange(new URLSearchParams("q=a&from=-6h"), { from: "-1h", to: "" }).toString()).toBe("q=a");
    });

    it("keeps an hour in the URL of a page whose usual range is a day", () => {
        const usual = { from: "-24h", to: "" };
        const params = writeRange(new URLSearchParams(), { from: "-1h", to: "" }, usual);
        expect(readRange(params, usual)).toEqual({ from: "-1h", to: "" });
    });
});

describe("a range at a moment", () => {
    it("goes back from now", () => expect(resolveRange({ from: "-15m", to: "" }, NOW)).toEqual({ from: NOW - 900_000, to: NOW }));

    it("has a length even when it begins after now", () => {
        const later = "2200-01-01T00:00:00Z";
        expect(resolveRange({ from: later, to: "" }, NOW)).toEqual({ from: Date.parse(later), to: Date.parse(later) + 1000 });
    });

    it("begins in 1970 at the earliest, as the box wants it", () => {
        expect(resolveRange({ from: "-999999d", to: "" }, NOW).from).toBe(0);
        expect(widen(absoluteRange(1000, NOW), NOW)).toEqual(absoluteRange(0, NOW));
    });

    it("is a preset or not", () => {
        expect(isPreset({ from: "-1h", to: "" })).toBe(true);
        expect(isPreset({ from: "-730d", to: "" })).toBe(true);
        expect(isPreset({ from: "-3d", to: "" })).toBe(false);
        expect(isPreset(absoluteRange(NOW - 1, NOW))).toBe(false);
    });

    it("widens to the next longer one", () => {
        expect(widen({ from: "-1h", to: "" }, NOW)).toEqual({ from: "-6h", to: "" });
        expect(widen(absoluteRange(NOW - 7_200_000, NOW - 3_600_000), NOW)).toEqual({ from: "-6h", to: "" });
        const old = widen({ from: "-30d", to: "" }, NOW);
        expect(resolveRange(old, NOW).from).toBeLessThan(NOW - 30 * 86_400_000);
    });

    it("survives an input field", () => {
        expect(fromInput(toInput(NOW))).toBe(NOW);
        expect(fromInput("")).toBeNull();
    });
});
