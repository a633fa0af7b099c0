import { describe, expect, it } from "vitest";
import type { Retention } from "../../api/retention";
import type { Receiver, Source } from "../../api/types";
import { fellSilent, problemsOf, type Facts } from "./problems";

const NOW = Date.parse("2026-11-30T12:00:00Z");
const HOUR = 3_600_000;
const DAY = 24 * HOUR;

const receiver = { age_us: 500_000, queued: 0 } as Receiver;
const month = {
    state: "ok",
    keep_days: 0,
    file_system: { total_bytes: 100e9, free_bytes: 50e9 },
    groups: [{ name: "default", shed_from: null }],
    history: { fits_high: 200 },
    clock: { is_doubted: false },
} as Retention;

/** Heard `messages` times over `days`, the last time `quietMs` ago. */
function source(messages: number, days: number, quietMs: number): Source {
    const last = NOW - quietMs;
    return { messages, last_heard: new Date(last).toISOString(), first_heard: new Date(last - days * DAY).toISOString() } as Source;
}

const well: Facts = { receiver, rate: 100, lost: { refused: 0, dropped: 0 }, month, sources: [source(100_000, 10, 1000)], nowMs: NOW };

describe("what is wrong", () => {
    it("is nothing on a box that is well", () => {
        expect(problemsOf(well)).toEqual([]);
    });

    it.each<[string, Partial<Facts>, string[]]>([
        ["a receiver that never reported", { receiver: null }, ["dash.noReceiver"]],
        ["a receiver that reports no more", { receiver: { ...receiver, age_us: 11_000_000 } }, ["health.receiver"]],
        ["a queue of many seconds", { receiver: { ...receiver, queued: 1001 } }, ["health.queue"]],
        ["no queue where so many come in five seconds", { receiver: { ...receiver, queued: 1001 }, rate: 1000 }, []],
        ["loss before refusal", { lost: { refused: 3, dropped: 1 } }, ["health.dropped", "health.refused"]],
        ["a doubted clock", { month: { ...month, clock: { ...month.clock, is_doubted: true } } }, ["health.clock"]],
        ["a disk that is nearly full", { month: { ...month, file_system: { total_bytes: 100e9, free_bytes: 255e6 } } }, ["health.disk"]],
        ["no full disk where the file system is small", { month: { ...month, file_system: { total_bytes: 1e9, free_bytes: 31e6 } } }, []],
        ["a group whose messages are refused", { month: { ...month, groups: [{ ...month.groups[0], shed_from: "debug" }] } as Retention }, ["health.shed"]],
        ["a month over its budget", { month: { ...month, state: "over" } }, ["health.over"]],
        ["a month that will be", { month: { ...month, state: "over_forecast" } }, ["health.forecast"]],
        ["a month that comes near", { month: { ...month, state: "watch" } }, ["health.watch"]],
        ["fewer days than are to be kept", { month: { ...month, keep_days: 365 } }, ["health.keep"]],
        ["not while nobody knows how many fit", { month: { ...month, keep_days: 365, history: { ...month.history, fits_high: null } } }, []],
        ["a source that fell silent", { sources: [source(100_000, 10, 2 * HOUR)] }, ["health.silent"]],
        ["the gravest first", { lost: { refused: 1, dropped: 0 }, month: { ...month, state: "over" } }, ["health.over", "health.refused"]],
    ])("%s", (_, facts, words) => {
        expect(problemsOf({ ...well, ...facts }).map((p) => p.word)).toEqual(words);
    });
});

describe("a source fell silent", () => {
    it.each<[string, Source, boolean]>([
        ["that talks all the time and has not for two hours", source(100_000, 10, 2 * HOUR), true],
        ["not within the hour", source(100_000, 10, HOUR - 1000), false],
        ["not when it reports a few times a day", source(40, 10, 12 * HOUR), false],
        ["when it reported a few times a day and has not for a month's half", source(400, 100, 20 * DAY), true],
        ["not when hardly anything was ever heard", source(3, 1, 20 * DAY), false],
        ["not when it has been away for long", source(100_000, 10, 31 * DAY), false],
    ])("%s", (_, s, expected) => {
        expect(fellSilent(s, NOW)).toBe(expected);
    });
});
