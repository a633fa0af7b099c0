import { describe, expect, it } from "vitest";
import type { LogEntry } from "../api/types";
import { NO_TAIL, tailReducer, type Tail } from "./tail";

const entries = (n: number) => Array.from({ length: n }, (_, i) => ({ id: `e${n - i}` }) as LogEntry);
const arrive = (tail: Tail, list: LogEntry[], left = 0, isMore = false) => tailReducer(tail, { type: "arrived", entries: list, left, isMore });

describe("live mode on a busy box", () => {
    it("remembers that the box left lines out, and its numbers stay numbers", () => {
        let tail = arrive(NO_TAIL, [], 0, true);
        expect([tail.isMore, tail.skipped]).toEqual([true, 0]);
        tail = tailReducer(tail, { type: "pause" });
        tail = arrive(tail, entries(4), 2, true);
        expect([tail.waitingCount, tail.skipped]).toEqual([6, 0]);
        tail = tailReducer(tail, { type: "resume" });
        expect([tail.isMore, tail.skipped, tail.rows.length, tail.waitingCount]).toEqual([true, 2, 4, 0]);
        expect(tailReducer(tail, { type: "clear" })).toEqual(NO_TAIL);
    });
});
