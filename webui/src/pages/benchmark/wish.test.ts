import { describe, expect, it } from "vitest";
import type { Profile } from "../../api/bench";
import { costOf, numbersOf, optionsOf, wrongOptions, type Wish } from "./wish";

const LADDER: Profile = {
    name: "ladder",
    title: { en: "Ladder", ja: "段階" },
    what: { en: "", ja: "" },
    duration_s: 280,
    messages: 3_000_000,
    bytes: 66_000_000,
    targets: ["box", "azekura"],
    options: ["time", "rates", "size", "transport"],
    defaults: { time: "60", rates: "5000 10000 15000 20000" },
    estimate: { bytes: 66_000_000, free_bytes: 9e9, fits: true },
};
const box = (wish: Partial<Wish> = {}): Wish => ({ target: "box", ...wish });

describe("numbers as typed", () => {
    it.each([
        ["5000", [5000]],
        [" 5000, 10000 ", [5000, 10_000]],
        ["5000 10000", [5000, 10_000]],
        ["5000、10000", [5000, 10_000]],
        ["", null],
        ["5k", null],
        ["-5", null],
        ["0", null],
        ["20001", null],
        ["1 2 3 4", null],
        ["99999999999999999999", null],
    ])("%j are %j", (text, numbers) => {
        expect(numbersOf(text, [1, 20_000], 3)).toEqual(numbers);
    });
});

describe("a wish", () => {
    it("names the transport as a word, and only where the profile has a choice", () => {
        expect(optionsOf(LADDER, box({ transport: "tcp" }))).toEqual({ transport: "tcp" });
        expect(optionsOf(LADDER, box({ transport: "" }))).toEqual({});
        expect(optionsOf({ ...LADDER, options: ["time"] }, box({ transport: "tcp" }))).toEqual({});
    });

    it("asks only for what differs from the profile and for what the profile knows", () => {
        expect(optionsOf(LADDER, box())).toEqual({});
        expect(optionsOf(LADDER, box({ time: "10", rates: "500 1000", size: "", runs: "3" }))).toEqual({ time: 10, rates: [500, 1000] });
    });

    it("is told what of it cannot be understood", () => {
        expect(wrongOptions(LADDER, box({ time: "86401", rates: "a", size: "100" }))).toEqual(["time", "rates"]);
        expect(wrongOptions(LADDER, box({ time: "3600", rates: "1", size: "63" }))).toEqual(["size"]);
        expect(wrongOptions(LADDER, box({ time: "3 4" }))).toEqual(["time"]);
        expect(wrongOptions(LADDER, box({ runs: "nonsense" }))).toEqual([]);
    });

    it("costs in proportion to what was typed", () => {
        expect(costOf(LADDER, box())).toEqual({ duration_s: 280, messages: 3_000_000, bytes: 66_000_000, isOfDefaults: false });
        expect(costOf(LADDER, box({ time: "3600" }))).toEqual({ duration_s: 14_440, messages: 180_000_000, bytes: 3_960_000_000, isOfDefaults: false });
        expect(costOf(LADDER, box({ rates: "20000 5000" }))).toEqual({ duration_s: 140, messages: 1_500_000, bytes: 33_000_000, isOfDefaults: false });
    });

    it("takes the time of a profile of which only the whole is known in proportion", () => {
        const knee = { ...LADDER, options: ["time"], defaults: { time: "60" } };
        expect(costOf(knee, box({ time: "120" })).duration_s).toBe(560);
    });

    it("says so where the profile does not tell what its figures rest on", () => {
        expect(costOf(LADDER, box({ size: "200" })).isOfDefaults).toBe(true);
        expect(costOf({ ...LADDER, defaults: {} }, box({ time: "3600" }))).toMatchObject({ duration_s: 280, isOfDefaults: true });
    });
});
