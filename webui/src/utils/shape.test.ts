import { describe, expect, it } from "vitest";
import { flag, listOf, maybe, moment, number, objectOf, oneOf, or, recordOf, text, type Shape } from "./shape";

describe("a member of the wrong kind is as one that is absent", () => {
    it.each<[string, Shape<unknown>, unknown, unknown]>([
        ["a number", number, 0, 0],
        ["a number in a text", number, "7", null],
        ["an infinite number", number, Infinity, null],
        ["a text", text, "", ""],
        ["an object for a text", text, { en: "x" }, null],
        ["a flag", flag, false, false],
        ["a number for a flag", flag, 1, null],
        ["a time", moment, "2026-11-30T15:40:00+09:00", "2026-11-30T15:40:00+09:00"],
        ["what is no time", moment, "<script>", null],
        ["nothing, where there is a usual value", or(number, 3), null, 3],
        ["a word that is not known", oneOf(["a", "b"], "b"), "c", "b"],
        ["a word", oneOf(["a", "b"], "b"), "a", "a"],
        ["a list with a text among its numbers", listOf(number), [1, "x", 2], [1, 2]],
        ["an object for a list", listOf(number), { length: 3 }, []],
        ["a record", recordOf(number), { a: 1, b: "x" }, { a: 1, b: null }],
        ["a list for a record", recordOf(number), [1], {}],
        ["an object", objectOf<{ n: number | null }>({ n: number }), { n: 1, other: 2 }, { n: 1 }],
        ["nothing for an object", objectOf<{ n: number | null }>({ n: number }), null, { n: null }],
        ["nothing for an object that may be absent", maybe(objectOf<{ n: number | null }>({ n: number })), 5, null],
    ])("%s", (_name, shape, raw, expected) => {
        expect(shape(raw)).toEqual(expected);
    });
});
