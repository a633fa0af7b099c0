import { describe, expect, it } from "vitest";
import type { SourceHealth } from "../../api/sources";
import { clockState, formatShares, offText, shareText, signsOf, suggestion } from "./health";

const H = 3_600_000_000;
const MIN = 60_000_000;

const health = (change: Partial<SourceHealth> = {}): SourceHealth => ({
    since: "2026-03-01T00:00:00Z",
    formats: { rfc3164: 1000 },
    truncated: 0,
    invalid_utf8: 0,
    no_pri: 0,
    bad_time: 0,
    skewed: 0,
    decoded: 0,
    undecodable: 0,
    skew_us: null,
    charset_guess: null,
    last_raw_at: null,
    ...change,
});
const words = (change: Partial<SourceHealth>, charset: string | null = null) => signsOf(health(change), charset).map((s) => s.word);

describe("the health of a source", () => {
    it("takes a clock that is off by about half hours for a wrong zone, and any other for a wrong clock", () => {
        const cases: [number | null, string][] = [
            [null, "unknown"],
            [0, "right"],
            [-5 * MIN, "right"],
            [9 * H, "zone"],
            [-9 * H + 2 * MIN, "zone"],
            [5.5 * H - 40_000_000, "zone"],
            [9 * H + 10 * MIN, "wrong"],
            [6 * MIN, "wrong"],
            [30 * MIN + 1, "zone"],
            [24 * H, "wrong"],
            [-56 * 365 * 24 * H, "wrong"],
        ];
        for (const [skew, state] of cases) expect(clockState(skew), String(skew)).toBe(state);
    });

    it("says how far a clock is off in two units at most", () => {
        expect([0, 12_000_000, -9 * H, 9 * H + 29 * MIN, 26 * H, 48 * H].map(offText)).toEqual(["0 s", "12 s", "9 h", "9 h 29 min", "1 d 2 h", "2 d"]);
    });

    it("has no sign when all is well, and one for each thing that is a hundredth or more", () => {
        expect(words({ invalid_utf8: 9, bad_time: 9, formats: { rfc3164: 991, raw: 9 } })).toEqual([]);
        expect(words({ invalid_utf8: 10 })).toEqual(["src.sign.notUtf8"]);
        expect(words({ bad_time: 500, truncated: 10, formats: { rfc3164: 900, raw: 100 }, skew_us: -9 * H })).toEqual([
            "src.sign.behind",
            "src.sign.raw",
            "src.sign.badTime",
            "src.sign.truncated",
        ]);
        expect(words({ undecodable: 20 })).toEqual([]);
        expect(words({ undecodable: 20 }, "EUC-JP")).toEqual(["src.sign.undecodable"]);
        expect(words({ formats: {} })).toEqual([]);
    });

    it("never calls something nothing, nor nearly all all", () => {
        expect([shareText(0, 10), shareText(1, 100_000), shareText(99_999, 100_000), shareText(997, 1000), shareText(10, 10), shareText(1, 8)]).toEqual([
            "0 %",
            "<0.1 %",
            ">99.9 %",
            "99.7 %",
            "100 %",
            "13 %",
        ]);
    });

    it("shows the largest forms and the rest as one, and all when only one more would be left", () => {
        const { rows, others } = formatShares({ a: 1, b: 5, c: 2, d: 3, e: 4, f: 0 }, 4);
        expect(rows.map((r) => r.name)).toEqual(["b", "e", "d", "c", "a"]);
        expect(others).toBeNull();
        const more = formatShares({ a: 1, b: 5, c: 2, d: 3, e: 4, f: 6 }, 4);
        expect(more.rows.map((r) => r.name)).toEqual(["f", "b", "e", "d"]);
        expect(more.others).toEqual({ name: "", n: 3, share: 3 / 21 });
    });

    it("proposes a character set that is likely and not set already", () => {
        const guess = { name: "Shift_JIS", percent: 97 };
        expect(suggestion(health({ charset_guess: guess }), null)).toEqual(guess);
        expect(suggestion(health({ charset_guess: guess }), "Shift_JIS")).toBeNull();
        expect(suggestion(health({ charset_guess: { name: "EUC-KR", percent: 40 } }), null)).toBeNull();
    });
});
