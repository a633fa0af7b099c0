import { beforeAll, describe, expect, it } from "vitest";
import { translator } from "../../i18n";
import { addWords } from "../../i18n/dictionary";
import { benchmark } from "../../i18n/words/benchmark";
import { benchReport } from "../../i18n/words/benchReport";
import { LOSSY, TRIAL } from "./example";
import { cpuText, delayText, foundOf, isGood, known, lengthText, neckText, outcome, percentText, rateText, said, shareText, targetText, trialName } from "./texts";

beforeAll(() => {
    addWords(benchmark);
    addWords(benchReport);
});

describe("the share that arrived", () => {
    it.each([
        [300_000, 300_000, "100 %"],
        [1_197_348, 1_200_000, "99.78 % (−2,652)"],
        [71_999_784, 72_000_000, "99.9997 % (−216)"],
        [71_999_999, 72_000_000, "99.999999 % (−1)"],
        [0, 10, "0.00 % (−10)"],
        [11, 10, "110.00 % (+1)"],
        [null, 10, "–"],
        [10, null, "–"],
        [0, 0, "–"],
    ])("%s of %s is %s", (found, sent, text) => {
        expect(shareText(found, sent)).toBe(text);
    });

    it.each([
        [100, "100"],
        [99.779, "99.78"],
        [99.9997, "99.9997"],
        [99.99999, "99.99999"],
        [50.04, "50"],
        [0.22, "0.22"],
        [0.000333, "0.000333"],
        [0, "0"],
    ])("%s percent of a stage is %s", (percent, text) => {
        expect(percentText(percent)).toBe(text);
    });

    it("goes by what came back one by one, else by what a search finds, else by the store's count", () => {
        expect(foundOf(LOSSY)).toBe(1_197_348);
        expect(foundOf({ ...LOSSY, sequence: null, stages: { ...LOSSY.stages, visible: 7 } })).toBe(7);
        expect(foundOf({ ...LOSSY, sequence: null, stages: { ...LOSSY.stages, visible: null, stored: 8 } })).toBe(8);
    });
});

describe("figures", () => {
    it("say nothing where nothing was measured, and never zero", () => {
        expect(known(null)).toBe("–");
        expect(known(0)).toBe("0");
        expect(cpuText(null)).toBe("–");
        expect(cpuText({ mean: null, max: 3 })).toBe("–");
        expect(delayText(null)).toBe("–");
    });

    it("of processor and delay stand side by side", () => {
        expect(cpuText(TRIAL.cpu.syslog)).toBe("6.2 / 8.1");
        expect(cpuText({ mean: 97.4, max: 141.2 })).toBe("97 / 141");
        expect(delayText(TRIAL.latency_us)).toBe("620 ms / 1.18 s / 1.40 s");
    });

    it.each([
        [0, "0 s", "0 秒"],
        [60, "60 s", "60 秒"],
        [99.6, "2 min", "2 分"],
        [260, "4 min", "4 分"],
        [5940, "99 min", "99 分"],
        [7200, "2 h", "2 時間"],
        [15_300, "4 h 15 min", "4 時間 15 分"],
    ])("%s seconds are a length of %s", (seconds, en, ja) => {
        expect(lengthText(seconds, translator("en"))).toBe(en);
        expect(lengthText(seconds, translator("ja"))).toBe(ja);
    });
});

describe("what became of a run", () => {
    it("is its verdict only when it is complete", () => {
        expect(outcome("complete", "pass")).toEqual({ word: "bench.pass", tone: "good" });
        expect(outcome("complete", null).word).toBe("bench.noVerdict");
        expect(outcome("incomplete", "pass")).toEqual({ word: "bench.incomplete", tone: "warn" });
        expect(outcome("running", "none").word).toBe("bench.running");
    });

    it("is an answer for the top of the page only when it is valid and complete", () => {
        const answer = { en: "38,000", ja: "38,000" };
        expect(isGood({ state: "complete", verdict: "pass", answer })).toBe(true);
        expect(isGood({ state: "complete", verdict: "fail", answer })).toBe(true);
        expect(isGood({ state: "complete", verdict: "invalid", answer })).toBe(false);
        expect(isGood({ state: "incomplete", verdict: "pass", answer })).toBe(false);
        expect(isGood({ state: "complete", verdict: "pass", answer: null })).toBe(false);
    });

    it("is said in the reader's language, or in the one there is", () => {
        expect(said({ en: "yes", ja: "はい" }, "ja")).toBe("はい");
        expect(said("yes", "ja")).toBe("yes");
        expect(said(null, "en")).toBe("");
    });
});

describe("names", () => {
    const t = translator("en");

    it.each(["__proto__", "constructor", "toString", "syslog-ng:maxperf"])("%s, which the page has no word for, is said as it is", (name) => {
        expect([neckText(name, t), targetText(name, t)]).toEqual([name, name]);
    });

    it("of a test are in the reader's language, else its number", () => {
        expect(trialName({ number: 3, name: { en: "20,000 msg/s by UDP", ja: "UDP 毎秒 20,000 件" } }, "ja")).toBe("UDP 毎秒 20,000 件");
        expect(trialName({ number: 3, name: null }, "en")).toBe("#3");
    });

    it("of a rate say when none was asked for", () => {
        expect([20_000, 0, null].map((rate) => rateText(rate, t))).toEqual(["20,000", "max", "–"]);
    });
});
