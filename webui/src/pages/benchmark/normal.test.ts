import { describe, expect, it } from "vitest";
import { TRIAL } from "./example";
import { normalReport } from "./normal";

const EMPTY = normalReport({});
const BARE = normalReport({ trials: [{}], knees: [{}], peers: [{}], targets: [{}] });
/** One of each kind, none of which any member of these may be. */
const WRONG: [string, unknown][] = [
    ["a flag", true],
    ["an empty list", []],
    ["a list of lists", [[1]]],
    ["a function's name", Symbol.iterator],
];

describe("a report with members of another kind", () => {
    it.each(WRONG)("reads %s as absent, wherever it stands", (_name, wrong) => {
        const all = (like: object) => Object.fromEntries(Object.keys(like).map((name) => [name, wrong]));
        const known = { ...all(EMPTY), trials: [all(TRIAL)] };
        const read = normalReport(known);
        expect({ ...read, trials: [] }).toEqual(EMPTY);
        expect({ ...read.trials[0], is_valid: true }).toEqual(BARE.trials[0]);
    });

    it("keeps names in both languages, and what is neither is no name", () => {
        const names = [{ en: "a", ja: "b" }, "a", { en: 1 }, 7].map((name) => ({ number: 1, name }));
        expect(normalReport({ trials: names }).trials.map((trial) => trial.name)).toEqual([{ en: "a", ja: "b" }, "a", { en: null, ja: null }, null]);
        expect(normalReport({ peers: [{ name: { en: "a", ja: "b" } }] }).peers[0]?.name).toEqual({ en: "a", ja: "b" });
    });

    it("drops points of a search that have no rate", () => {
        expect(normalReport({ knees: [{ points: [{ rate: "5000" }, { rate: 5000, loss_percent: "x" }, null] }] }).knees[0]?.points).toEqual([{ rate: 5000, loss_percent: null, trial: 0 }]);
    });

    it("keeps what a trial has", () => {
        expect(normalReport({ trials: [TRIAL] }).trials[0]).toEqual(TRIAL);
    });
});
