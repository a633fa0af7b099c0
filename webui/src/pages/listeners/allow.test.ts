import { describe, expect, it } from "vitest";
import type { AllowEntry } from "../../api/listeners";
import { allowProblems, entriesOf, letsIn, openListeners, shutOut, suggestions, type Heard } from "./allow";
import { limitProblems, limitRows } from "./limits";

const row = (network: string, listener: AllowEntry["listener"] = null): AllowEntry => ({ network, listener, note: "" });
const heard: Heard[] = [
    { source: "192.0.2.1", listener: "udp" },
    { source: "192.0.2.2", listener: "tcp" },
    { source: "2001:db8::7", listener: "tls" },
];

describe("the allow-list", () => {
    it("lets everybody in by a listener that no row is about", () => {
        expect(shutOut(heard, [], [row("203.0.113.0/24", "udp")])).toEqual([heard[0]]);
        expect(shutOut(heard, [], [row("203.0.113.0/24")])).toEqual(heard);
        expect(shutOut(heard, [], [row("192.0.2.0/24"), row("::/0", "tls")])).toEqual([]);
        expect(openListeners([row("10.0.0.0/8", "udp")])).toEqual(["tcp", "tls"]);
        expect(openListeners([row("10.0.0.0/8")])).toEqual([]);
    });

    it("shuts out nobody who is shut out already", () => {
        const before = [row("203.0.113.0/24", "udp")];
        expect(shutOut(heard, before, before)).toEqual([]);
        expect(letsIn(before, { source: "192.0.2.1", listener: "udp" })).toBe(false);
        expect(letsIn(before, { source: "192.0.2.1", listener: "tcp" })).toBe(true);
    });

    it("leaves rows that cannot be read out of account", () => {
        expect(shutOut(heard, [], [row("fw01")])).toEqual([]);
        expect(allowProblems([row("fw01"), row("10.0.0.0/8"), row("10.1.2.3/8"), row("10.0.0.0/8", "tcp")])).toEqual(["network", null, "twice", null]);
    });

    it("proposes the usual networks of those heard that it has not yet", () => {
        expect(suggestions(heard, [])).toEqual([
            { network: "192.0.2.0/24", senders: 2 },
            { network: "2001:db8::/64", senders: 1 },
        ]);
        expect(suggestions(heard, [row("192.0.0.0/16")]).map((s) => s.network)).toEqual(["2001:db8::/64"]);
        // a row of one listener is not enough for all
        expect(suggestions(heard, [row("192.0.2.0/24", "udp")])).toHaveLength(2);
    });

    it("is sent in one form", () => {
        expect(entriesOf([{ network: " 192.0.2.9/24 ", listener: "udp", note: " office " }])).toEqual([{ network: "192.0.2.0/24", listener: "udp", note: "office" }]);
    });
});

describe("limits of networks", () => {
    const limit = (network: string, rate = "10", burst = "20") => ({ network, rate, burst });
    it("are checked as the box checks them", () => {
        expect(
            limitProblems([limit("x"), limit("10.0.0.1"), limit("10.0.0.1/32"), limit("::/0", "-1"), limit("::1", "10000001"), limit("::2", "0", "0"), limit("::3", "0", "1")]),
        ).toEqual(["network", null, "twice", "rate", "rate", "burst", null]);
    });

    it("are sent as numbers", () => expect(limitRows([limit("10.0.0.9/8")])).toEqual([{ network: "10.0.0.0/8", rate: 10, burst: 20 }]));
});
