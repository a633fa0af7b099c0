import { describe, expect, it } from "vitest";
import type { PreviewExample, SourceSetting } from "../../api/sources";
import { differences, segments } from "./diff";
import { draftOf, effectsOf, EMPTY, networkChoices, networkOf, problemsOf, rowInForce, wishOf } from "./draft";
import { readList, readView, writeList } from "./view";

const row = (network: string, change: Partial<SourceSetting> = {}): SourceSetting => ({
    network,
    name: "",
    zone: null,
    charset: null,
    framing: null,
    source_group: null,
    note: "",
    changed_at: "2026-03-10T12:00:00Z",
    changed_by: "account:admin",
    sources: 1,
    ...change,
});

describe("what is said of sources", () => {
    it("is decided by the longest network that contains an address, by either family", () => {
        const rows = [row("0.0.0.0/0"), row("192.0.2.0/24"), row("192.0.2.7/32"), row("2001:db8::/32")];
        expect(rowInForce(rows, "192.0.2.7")?.network).toBe("192.0.2.7/32");
        expect(rowInForce(rows, "192.0.2.8")?.network).toBe("192.0.2.0/24");
        expect(rowInForce(rows, "198.51.100.1")?.network).toBe("0.0.0.0/0");
        expect(rowInForce(rows, "2001:db8::1")?.network).toBe("2001:db8::/32");
        expect(rowInForce(rows.slice(1), "198.51.100.1")).toBeNull();
    });

    it("offers the row that decides, the address and the network about it, each once", () => {
        expect(networkChoices("192.0.2.7", null)).toEqual(["192.0.2.7", "192.0.2.0/24"]);
        expect(networkChoices("192.0.2.7", row("192.0.2.0/24"))).toEqual(["192.0.2.0/24", "192.0.2.7"]);
        expect(networkChoices("2001:db8::1", row("2001:db8::/32"))).toEqual(["2001:db8::/32", "2001:db8::1", "2001:db8::/64"]);
    });

    it("is sent as it was read when nothing was typed, and empty fields say nothing", () => {
        const full = row("192.0.2.0/24", { name: "Osaka", zone: "Asia/Tokyo", framing: "counted", source_group: { id: 3, name: "fw" } });
        expect(wishOf(draftOf(full))).toEqual({ name: "Osaka", zone: "Asia/Tokyo", charset: null, framing: "counted", source_group: 3, note: "" });
        expect(wishOf(EMPTY)).toEqual({ name: "", zone: null, charset: null, framing: null, source_group: null, note: "" });
    });

    it("is checked before it is sent", () => {
        const rows = [row("192.0.2.0/24")];
        const zones = ["Asia/Tokyo"];
        const problems = (network: string, zone: string, isNew = true) => problemsOf({ ...EMPTY, network, zone }, isNew, rows, zones);
        expect(problems("fw01", "")).toEqual(["network"]);
        expect(problems("192.0.2.9/24", "")).toEqual(["twice"]);
        expect(problems("192.0.2.0/24", "", false)).toEqual([]);
        expect(problems("192.0.2.9", "Tokyo")).toEqual(["zone"]);
        expect(problems("192.0.2.9", " Asia/Tokyo ")).toEqual([]);
        expect(problemsOf({ ...EMPTY, network: "192.0.2.9", zone: "Mars/Base" }, true, rows, undefined)).toEqual([]);
        expect(networkOf("192.0.2.9/32")).toBe("192.0.2.9");
    });

    it("tells what saving does only of what differs", () => {
        expect(effectsOf(null, { ...EMPTY, name: "x" })).toEqual([]);
        expect(effectsOf(null, { ...EMPTY, charset: "EUC-JP", group: "2" })).toEqual(["src.does.reading", "src.does.group"]);
        expect(effectsOf({ ...EMPTY, zone: "Asia/Tokyo", framing: "auto" }, { ...EMPTY, zone: "Asia/Tokyo " })).toEqual(["src.does.framing"]);
    });
});

describe("a preview", () => {
    it("marks what differs and no more, and cuts no character in two", () => {
        expect(segments("user \ufffd\ufffd failed", "user 認証 failed")).toEqual([
            { text: "user ", isDifferent: false },
            { text: "\ufffd\ufffd", isDifferent: true },
            { text: " failed", isDifferent: false },
        ]);
        expect(segments("aa", "aaa")).toEqual([{ text: "aa", isDifferent: false }]);
        expect(segments("aaa", "aa")).toEqual([{ text: "aa", isDifferent: false }, { text: "a", isDifferent: true }]);
        expect(segments("𠮷", "𠮶")).toEqual([{ text: "𠮷", isDifferent: true }]);
        expect(segments("", "x")).toEqual([]);
    });

    it("lists the fields that differ, marks among them", () => {
        const entry = { message: "?", reported_at: null, hostname: "h", severity: 5, facility: 1, format: "raw" } as unknown as PreviewExample["before"];
        const example: PreviewExample = {
            id: "1",
            received_at: "2026-03-10T12:00:00Z",
            before: entry,
            before_marks: ["invalid_utf8", "no_pri"],
            after: { ...entry, message: "障害", reported_at: "2026-03-10T12:00:00Z" },
            after_marks: ["decoded", "no_pri"],
        };
        expect(differences(example)).toEqual([
            { field: "message", before: "?", after: "障害" },
            { field: "reported_at", before: "", after: "2026-03-10T12:00:00Z" },
            { field: "marks", before: "invalid_utf8, no_pri", after: "decoded, no_pri" },
        ]);
    });
});

describe("the address of a view", () => {
    const view = (query: string) => readView(new URLSearchParams(query));
    it("leads links from before there were tabs to the rates", () => {
        expect(["", "by=hostname", "order=last_heard", "filter=fw", "tab=rates", "tab=settings", "tab=nonsense", "tab=source", "tab=source&source=192.0.2.1"].map(view)).toEqual([
            "sources",
            "rates",
            "rates",
            "rates",
            "rates",
            "settings",
            "sources",
            "sources",
            "source",
        ]);
    });

    it("holds filter and order, the usual left out, and survives what it cannot read", () => {
        const list = { order: "name", only: "unhealthy", filter: "fw 1" } as const;
        expect(readList(new URLSearchParams(writeList(list)))).toEqual(list);
        expect(writeList(readList(new URLSearchParams("sort=x&only=y")))).toEqual({});
    });
});
