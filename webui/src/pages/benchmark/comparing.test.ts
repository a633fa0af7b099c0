import { beforeAll, describe, expect, it } from "vitest";
import type { Comparison } from "../../api/bench";
import { translator } from "../../i18n";
import { addWords } from "../../i18n/dictionary";
import { benchmark } from "../../i18n/words/benchmark";
import { benchReport } from "../../i18n/words/benchReport";
import { figureText, sideWarnings, titlesOf } from "./comparing";

beforeAll(() => {
    addWords(benchmark);
    addWords(benchReport);
});

const reader = { t: translator("en"), lang: "en" as const, mayRun: true, mayDelete: true, version: "0.1.0" };
const of = (a: object, b: object, warnings: Comparison["warnings"] = []): Comparison => ({ a, b, rows: [], answer: null, warnings });

describe("figures of a comparison", () => {
    it.each([
        [null, "%", "–"],
        [20_000, "messages/s", "20,000 msg/s"],
        [0.4219, "%", "0.4219 %"],
        [1180.2, "ms", "1,180 ms"],
        [21.96, "bytes", "21.96 bytes"],
        [21_000_000, "bytes", "21.0 MB"],
        [2.34567, "", "2.346"],
    ])("%s in %j is %s", (n, unit, text) => {
        expect(figureText(n, unit, reader.t)).toBe(text);
    });
});

describe("the titles of two runs", () => {
    it("are one where they are the same", () => {
        const ladder = { title: { en: "Ladder", ja: "ラダー" } };
        expect(titlesOf(of(ladder, ladder), reader)).toBe("Ladder");
        expect(titlesOf(of(ladder, { title: { en: "Knee", ja: "限界" } }), { ...reader, lang: "ja" })).toBe("ラダー · 限界");
        expect(titlesOf(of({}, {}), reader)).toBe("");
    });
});

describe("two runs that are hard to compare", () => {
    it("are told by the comparison in the reader's language", () => {
        const warnings = [{ en: "Other machine.", ja: "別の機器です。" }];
        expect(sideWarnings(of({}, {}, warnings), reader)).toEqual(["Other machine."]);
        expect(sideWarnings(of({}, {}, warnings), { ...reader, lang: "ja" })).toEqual(["別の機器です。"]);
    });

    it("are told by machine and version where it is silent", () => {
        const first = { version: "0.1.0", machine: { name: "a", cpu: "x" } };
        expect(sideWarnings(of(first, { version: "0.2.0", machine: "b" }), reader)).toEqual([
            "The runs come from different machines: a, x and b.",
            "The versions differ: 0.1.0 and 0.2.0. That may be just what you want to see.",
        ]);
        expect(sideWarnings(of(first, first), reader)).toEqual([]);
        expect(sideWarnings(of({}, first), reader)).toEqual([]);
    });
});
