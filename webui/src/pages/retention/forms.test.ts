import { describe, expect, it } from "vitest";
import settings from "../../../../firmware/config/settings.def?raw";
import { changesOf, countChanges, draftOf, LIMITS, takeBack, wrongFields } from "./draft";
import { EXAMPLE } from "./example";
import { groupDraftOf, isMember, readGroup } from "./groupDraft";
import { pick, sumOf } from "./pick";
import { rounded, stepOf, STEPS, valueAt } from "./slider";

describe("the form of the rule", () => {
    const now = draftOf(EXAMPLE);

    it("sends what differs, and nothing else", () => {
        expect(changesOf(now, EXAMPLE)).toEqual({});
        const draft = { ...now, share: " 15 ", policy: "shed" as const, capacity: "0.5" };
        expect(countChanges(draft, EXAMPLE)).toBe(3);
        expect(changesOf(draft, EXAMPLE)).toEqual({ month_share_percent: 15, over_budget: "shed", capacity_bytes: 500_000_000 });
    });

    it("takes a change back to what was there, a limit that was none too", () => {
        const change = { month_share_percent: 15, capacity_bytes: 5 };
        expect(takeBack(change, EXAMPLE)).toEqual({ month_share_percent: 20, capacity_bytes: 0 });
        expect(takeBack(change, { ...EXAMPLE, capacity_is_limited: true })).toEqual({ month_share_percent: 20, capacity_bytes: 1000 });
    });

    it.each([
        ["share", "0"],
        ["share", "91"],
        ["share", "1.5"],
        ["share", ""],
        ["keep", "-1"],
        ["keep", "36601"],
        ["high", "29"],
        ["high", "x"],
        ["capacity", "1e3"],
    ])("%s cannot be “%s”", (field, text) => expect(wrongFields({ ...now, [field]: text })).toEqual([field]));

    it("has the limits of the box", () => {
        const of = (name: string) => new RegExp(`"${name}", SETTING_LIVE, \\d+, (\\d+), (\\d+)`).exec(settings)?.slice(1).map(Number);
        expect(of("retention.month_share_percent")).toEqual([LIMITS.share.min, LIMITS.share.max]);
        expect(of("retention.keep_days")).toEqual([LIMITS.keep.min, LIMITS.keep.max]);
        expect(of("storage.high_water_percent")).toEqual([LIMITS.high.min, LIMITS.high.max]);
        expect(Math.floor((of("storage.capacity_bytes")?.[1] ?? 0) / 1e9)).toBe(LIMITS.capacity.max);
    });
});

describe("the form of a source group", () => {
    it.each([
        ["192.0.2.7", true],
        ["192.0.2.0/24", true],
        ["2001:db8::/32", true],
        ["::1", true],
        ["::ffff:192.0.2.1", true],
        ["192.0.2.256", false],
        ["192.0.2", false],
        ["010.0.0.1", false],
        ["192.0.2.0/33", false],
        ["2001:db8::/129", false],
        ["2001:db8:::1", false],
        ["192.0.2.0/24/1", false],
        ["fw01", false],
        ["192.0.2.0/", false],
    ])("%s is a member: %s", (text, is) => expect(isMember(text)).toBe(is));

    it("says which line is wrong, and leaves empty ones out", () => {
        const draft = { ...groupDraftOf(null), name: "edge", members: "192.0.2.7\n\nfw01\n" };
        expect(readGroup(draft).problems).toEqual([{ field: "members", line: 3, text: "fw01" }]);
        expect(readGroup({ ...draft, members: " 192.0.2.7 \n\n" }).wish).toEqual({
            name: "edge",
            quota_percent: null,
            keep_days: null,
            members: ["192.0.2.7"],
        });
    });

    it("tells “for ever” from “as the box”", () => {
        const draft = { ...groupDraftOf(null), name: "edge" };
        expect(readGroup({ ...draft, keep: "0" }).wish.keep_days).toBe(0);
        expect(readGroup({ ...draft, keep: "" }).wish.keep_days).toBeNull();
        const wrong = readGroup({ name: "", quota: "0", keep: "1.5", members: "" }).problems.map((p) => p.field);
        expect(wrong).toEqual(["name", "quota", "keep"]);
    });
});

describe("choosing days", () => {
    it("takes one, then a range in either direction, then begins anew", () => {
        const one = pick(null, "2026-11-05");
        expect(one).toEqual({ anchor: "2026-11-05", from: "2026-11-05", to: "2026-11-05" });
        const range = pick(one, "2026-11-03");
        expect(range).toMatchObject({ from: "2026-11-03", to: "2026-11-05" });
        expect(pick(range, "2026-11-09")).toMatchObject({ from: "2026-11-09", to: "2026-11-09" });
        expect(pick(one, "2026-11-05")).toBeNull();
    });

    it("sums what they hold, of all groups or of one", () => {
        const day = (d: string) => ({
            day: d,
            bytes: 10,
            messages: 3,
            raw_bytes: 40,
            is_held: false,
            is_open: false,
            groups: [{ group: "debug", bytes: 4, messages: 1, raw_bytes: 9 }],
        });
        const days = ["2026-11-02", "2026-11-03", "2026-11-04"].map(day);
        const picked = { anchor: "", from: "2026-11-03", to: "2026-11-09" };
        expect(sumOf(days, picked, null)).toEqual({ messages: 6, bytes: 20 });
        expect(sumOf(days, picked, "debug")).toEqual({ messages: 2, bytes: 8 });
        expect(sumOf(days, picked, "edge")).toEqual({ messages: 0, bytes: 0 });
    });
});

describe("a slider", () => {
    it("reaches both ends and comes back to where it was", () => {
        expect(valueAt(0, 0.1, 100)).toBeCloseTo(0.1);
        expect(valueAt(STEPS, 0.1, 100)).toBeCloseTo(100);
        for (const step of [0, 1, 77, 199, STEPS]) expect(stepOf(valueAt(step, 20, 8000), 20, 8000)).toBe(step);
        expect(stepOf(1e9, 20, 8000)).toBe(STEPS);
        expect(rounded(1234.5)).toBe(1200);
    });
});
