import { describe, expect, it } from "vitest";
import { difference, hasProblem, problemOf, rowsOf, textOf } from "./addresses";

describe("addresses of a listener", () => {
    it.each([
        ["", []],
        ["0.0.0.0:514", [{ host: "0.0.0.0", port: "514" }]],
        ["127.0.0.1:514, [::]:6514", [{ host: "127.0.0.1", port: "514" }, { host: "::", port: "6514" }]],
        [":", [{ host: "", port: "" }]],
        ["fw01", [{ host: "fw01", port: "" }]],
    ])("%j is read row by row", (text, rows) => expect(rowsOf(text)).toEqual(rows));

    it("are written as they are read, however unfinished", () => {
        for (const text of ["", ":", "0.0.0.0:514,:", "[2001:db8::1]:514,0.0.0.0:1"]) expect(textOf(rowsOf(text))).toBe(text);
        expect(textOf([{ host: "1.2.3.4,5.6.7.8", port: "5,14" }])).toBe("1.2.3.45.6.7.8:514");
    });

    it.each([
        ["fw01:514", "address"],
        [":514", "address"],
        ["0.0.0.0:", "port"],
        ["0.0.0.0:65536", "port"],
        ["0.0.0.0:5x", "port"],
        ["0.0.0.0:514,0.0.0.0:0514", "twice"],
        ["[::]:0", null],
    ])("%s: %s", (text, problem) => {
        const rows = rowsOf(text);
        expect(rows.map((row) => problemOf(row, rows))[0]).toBe(problem);
        expect(hasProblem(text)).toBe(problem !== null);
    });

    it("are four at most", () => {
        const text = [1, 2, 3, 4].map((i) => `127.0.0.${i}:514`).join(",");
        expect(hasProblem(text)).toBe(false);
        expect(hasProblem(`${text},127.0.0.5:514`)).toBe(true);
    });

    it("differ by what is opened and what is closed", () => {
        expect(difference("0.0.0.0:514, 127.0.0.1:1", "127.0.0.1:1,[::]:514")).toEqual({ opened: ["[::]:514"], closed: ["0.0.0.0:514"] });
    });
});
