import { describe, expect, it } from "vitest";
import { markMatches } from "./match";

const shown = (text: string, wanted: string[], free = false) =>
    markMatches(text, wanted, free)
        .map((p) => (p.isMatch ? `[${p.text}]` : p.text))
        .join("");

describe("marking matches", () => {
    it.each([
        ["Link DOWN on port 7", ["down", "7"], "Link [DOWN] on port [7]"],
        ["failed to fail", ["fail"], "failed to [fail]"],
        ["99% or 100%", ["100%"], "99% or [100%]"],
        ["無応答です", ["応答"], "無[応答]です"],
        ["a link down", ["link down", "down"], "a [link down]"],
        ["nothing", [], "nothing"],
        ["", ["x"], ""],
    ])("%s for %j", (text, wanted, marked) => expect(shown(text, wanted)).toBe(marked));

    it("finds inside words when asked to", () => expect(shown("failed", ["fail"], true)).toBe("[fail]ed"));

    it("loses no character", () => {
        const text = "<script>alert('a')</script> İstanbul";
        expect(
            markMatches(text, ["script", "a"])
                .map((p) => p.text)
                .join(""),
        ).toBe(text);
    });

    it("stops marking in a line that matches everywhere", () => {
        expect(markMatches("a ".repeat(5000), ["a"]).length).toBeLessThan(500);
    });
});
