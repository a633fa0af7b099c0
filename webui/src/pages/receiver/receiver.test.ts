import { describe, expect, it } from "vitest";
import type { Detail, ReceiverState } from "../../api/receiver";
import failures from "../../../../firmware/net/tls_failure.c?raw";
import connectionsCard from "./Connections.tsx?raw";
import { gapsBySource } from "./gaps";
import { addSample, rateOf, sampleOf, type Sample } from "./rates";
import { minutesOf } from "./useReceiver";
import type { Rates } from "../../api/types";
import { counted, fillOf, wayState } from "./stages";

const sample = (atMs: number, messages: number, run = "a"): Sample => ({ run, atMs, of: { udp: { messages, bytes: messages * 100 } } });

describe("rates", () => {
    it("are the difference of two reports of one run", () => {
        let samples: Sample[] = [];
        for (const [at, n] of [[0, 0], [1000, 500], [2000, 1000]] as const) samples = addSample(samples, sample(at, n));
        expect(rateOf(samples, "udp")).toEqual({ messages: 500, bytes: 50_000 });
        expect(rateOf(samples, "tcp")).toBeNull();
        expect(rateOf(samples.slice(0, 1), "udp")).toBeNull();
    });

    it("begin anew with another run, and keep ten seconds", () => {
        const one = addSample([], sample(0, 1000));
        expect(addSample(one, sample(1000, 0, "b"))).toHaveLength(1);
        expect(addSample(one, sample(10_001, 0))).toHaveLength(1);
        // the same report, asked for twice
        expect(addSample(one, sample(20, 1000))).toHaveLength(1);
        expect(addSample(one, null)).toEqual(one);
    });

    it("are of the moment the report was made", () => {
        const state = { status: { run: "a" }, detail: { listeners: [{ name: "udp", received: 5, bytes: 6 }] }, age_us: 400_000 } as unknown as ReceiverState;
        expect(sampleOf(state, 1000)).toEqual({ run: "a", atMs: 600, of: { udp: { messages: 5, bytes: 6 } } });
        expect(sampleOf({ ...state, detail: null }, 1000)).toBeNull();
    });
});

describe("the last hour", () => {
    it("begins with the first minute that was measured, and has gaps as gaps", () => {
        const point = (udp: number, is_gap: boolean) => ({ udp, is_gap });
        const rates = { step_us: 60_000_000, points: [point(0, true), point(120, false), point(0, true), point(0, false)] } as unknown as Rates;
        expect(minutesOf(rates, "udp")).toEqual([2, null, 0]);
        expect(minutesOf({ ...rates, points: rates.points.slice(0, 1) }, "udp")).toEqual([]);
    });
});

function detail(change: { spool?: Detail["spool"]["state"]; write?: number; journal?: number } = {}): Detail {
    const stage = (name: "open" | "pack" | "write" | "spool", bytes: number) => ({ name, units: 0, messages: 0, bytes, limit_bytes: 100 });
    return {
        stages: [stage("open", 100), stage("pack", 0), stage("write", change.write ?? 0), stage("spool", 0)],
        journal: { bytes: 100, used: change.journal ?? 0 },
        spool: { state: change.spool ?? "idle", bytes: 0, max_bytes: 100, units: 0, messages: 0, oldest_at: null, torn: 0, aside: 0 },
    } as unknown as Detail;
}

describe("the way of a message", () => {
    it.each([
        [detail(), 1000, false, "good"],
        [detail(), 1000, true, "away"],
        [detail(), 11_000_000, false, "silent"],
        [detail({ spool: "full", write: 99 }), 1000, false, "full"],
        [detail({ spool: "draining" }), 1000, false, "draining"],
        [detail({ write: 51 }), 1000, false, "slow"],
        [detail({ journal: 51 }), 1000, false, "slow"],
        [null, 1000, false, "unknown"],
        [detail(), null, false, "unknown"],
    ] as const)("is judged by what is worst (%#)", (of, age, away, state) => expect(wayState(of, age, away)).toBe(state));

    it("warns of what is half full, and of a block that fills up not at all", () => {
        expect([fillOf(49, 100), fillOf(50, 100), fillOf(90, 100), fillOf(100, 100, true), fillOf(5, 0)].map((f) => f.tone)).toEqual(["good", "warn", "bad", "good", "good"]);
        expect(fillOf(500, 100).share).toBe(1);
    });
});

describe("what is counted", () => {
    it("is shown from the most on, without nothing", () => expect(counted({ a: 1, b: 0, c: 3 }).map((c) => c.name)).toEqual(["c", "a"]));

    it("has a word for each failure of a handshake that the receiver knows", () => {
        const names = [...failures.matchAll(/\[TLS_FAIL_\w+\] = \{"(\w+)"/g)].map((m) => m[1]);
        expect(names.length).toBeGreaterThanOrEqual(12);
        for (const name of names) expect(connectionsCard, name).toMatch(new RegExp(`^    ${name}: \\{ word`, "m"));
    });
});

describe("gaps", () => {
    it("lead to half a step around the last one of each sender", () => {
        const sum = { listener: "udp" as const, source: "192.0.2.1", missing: 3, repeated: 0 };
        const row = (at: string) => ({ ...sum, at });
        const gaps = { from: "", to: "", step_us: 60_000_000 as const, rows: [row("2026-03-10T12:07:00Z"), row("2026-03-10T12:01:00Z")], totals: [sum, { ...sum, source: "192.0.2.2" }], complete: true };
        const [first, second] = gapsBySource(gaps);
        expect(first).toMatchObject({ at: "2026-03-10T12:07:00Z", from: "2026-03-10T12:06:30.000Z", to: "2026-03-10T12:08:30.000Z" });
        expect(second).toMatchObject({ source: "192.0.2.2", at: null, from: null, to: null });
    });
});
