import { describe, expect, it } from "vitest";
import type { Setting } from "../api/types";
import { chooseLanguage, chooseTheme } from "./prefs";
import { change, changes, check, groupSettings, problems } from "./settingsDraft";

const setting = (over: Partial<Setting>): Setting => ({
    name: "store.flush_ms",
    type: "int",
    scope: "live",
    value: 1000,
    default: 1000,
    min: 10,
    max: 60_000,
    unit: "ms",
    help_en: "",
    help_ja: "",
    choices: [],
    changed_at: null,
    changed_by: null,
    ...over,
});
const flush = setting({});
const name = setting({ name: "box.name", type: "string", value: "azekura", default: "azekura", min: 1, max: 64 });

describe("the settings form", () => {
    it("knows what was changed and what was changed back", () => {
        const draft = change({}, flush, "500");
        expect(draft).toEqual({ "store.flush_ms": "500" });
        expect(change(draft, flush, "1000")).toEqual({});
    });

    it.each([
        ["500", null],
        ["9", "out_of_range"],
        ["60001", "out_of_range"],
        ["ten", "not_number"],
        ["1.5", "not_number"],
        ["", "not_number"],
    ])("a number: %s → %s", (text, kind) => expect(check(flush, text)?.kind ?? null).toBe(kind));

    it("counts the bytes of a name, not its letters", () => {
        expect(check(name, "校倉")).toBeNull();
        expect(check(name, "")?.kind).toBe("length");
        expect(check(name, "倉".repeat(22))).toEqual({ kind: "length", bytes: 66, min: 1, max: 64 });
    });

    it("sends numbers as numbers and only what was changed", () => {
        const draft = { "store.flush_ms": "500" };
        expect(changes([flush, name], draft)).toEqual({ "store.flush_ms": 500 });
        expect(problems([flush, name], { "store.flush_ms": "5" })).toHaveProperty(["store.flush_ms"]);
    });

    it("puts settings of the file last", () => {
        const file = setting({ name: "web.root", scope: "file", type: "string" });
        const odd = setting({ name: "new.thing" });
        expect(groupSettings([file, odd, flush, name]).map((g) => g.group)).toEqual(["box", "store", "other", "files"]);
    });
});

describe("a reader's preferences", () => {
    it.each([
        [null, ["ja-JP", "en"], "ja"],
        [null, ["fr", "ja"], "ja"],
        [null, ["fr"], "en"],
        ["en", ["ja"], "en"],
        ["xx", ["ja"], "ja"],
    ] as const)("stored %s, browser %j → %s", (stored, tags, wanted) => expect(chooseLanguage(stored, tags)).toBe(wanted));

    it("follow the system without a theme", () => {
        expect(chooseTheme(null)).toBe("auto");
        expect(chooseTheme("dark")).toBe("dark");
        expect(chooseTheme("pink")).toBe("auto");
    });
});
