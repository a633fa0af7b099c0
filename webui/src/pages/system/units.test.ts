import { describe, expect, it } from "vitest";
import settings from "../../../../firmware/config/settings.def?raw";
import { unitText } from "./units";

describe("the units of settings", () => {
    it("all have words", () => {
        // … least, most, "unit", "help in English", "日本語の説明")
        const units = new Set([...settings.matchAll(/^(?:STRING|INT)\(.*,\s*"([^"]*)",\s*"(?:[^"\\]|\\.)*",\s*"(?:[^"\\]|\\.)*"\)/gm)].map((m) => m[1] ?? ""));
        units.delete("");
        // the same in both languages
        units.delete("%");
        expect(units.size).toBeGreaterThan(3);
        for (const unit of units) expect(unitText(unit, (key) => `<${key}>`), unit).toBe(`<unit.${unit}>`);
    });
});
