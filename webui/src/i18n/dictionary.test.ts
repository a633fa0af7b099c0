import { describe, expect, it } from "vitest";
import { addWords, dictionary } from "./dictionary";
import { fill } from "./translate";
import { benchmark } from "./words/benchmark";
import { benchReport } from "./words/benchReport";
import { certificates } from "./words/certificates";
import { connections } from "./words/connections";
import { events } from "./words/events";
import { listeners } from "./words/listeners";
import { receiver } from "./words/receiver";
import { retention } from "./words/retention";
import { rule } from "./words/rule";
import { senders } from "./words/senders";
import { sourceList } from "./words/sourceList";
import { sources } from "./words/sources";
import { sourceSettings } from "./words/sourceSettings";

for (const words of [benchmark, benchReport, certificates, connections, events, listeners, receiver, retention, rule, senders, sources, sourceList, sourceSettings]) addWords(words);

/** Path → text of every source file but the words themselves and the tests. */
const files: Record<string, string> = import.meta.glob(["../**/*.ts", "../**/*.tsx", "!../i18n/**", "!../**/*.test.ts", "!../**/*.d.ts"], {
    query: "?raw",
    import: "default",
    eager: true,
});

const entries = Object.entries(dictionary) as [string, readonly [string, string]][];
const placeholders = (text: string) => [...new Set([...text.matchAll(/\{(\w+)/g)].map((m) => m[1]))].sort();

/** Names and short codes that are the same in both languages. */
const SAME = new Set(["fig.of", "fig.about", "word.comma", "word.semicolon", "logs.comma", "line.null", "line.id", "logs.exportCsv", "guide.cisco", "guide.fortigate", "settings.range", "listener.udp", "listener.tcp", "listener.tls", "graph.csv", "graph.png", "graph.wal", "dash.month", "head.monthShort", "bench.hoursAnd", "bench.col.syslog", "bench.neck.cpu", "bench.machine.cpu", "allowed.who"]);

describe("the dictionary", () => {
    it("says everything in both languages", () => {
        for (const [key, [en, ja]] of entries) {
            expect(en.trim() || SAME.has(key), `${key} in English`).toBeTruthy();
            expect(ja.trim(), `${key} in Japanese`).not.toBe("");
            if (SAME.has(key) || key.startsWith("head.language")) continue;
            expect(/[\u3040-\u30ff\u4e00-\u9fff\uff00-\uffef]/.test(ja) || ja === "JSON Lines", `${key} in Japanese: ${ja}`).toBe(true);
        }
    });

    it("fills the same places in both languages", () => {
        for (const [key, [en, ja]] of entries) expect(placeholders(ja), key).toEqual(placeholders(en));
    });

    it("holds no word that no component uses", () => {
        const code = Object.values(files).join("\n");
        expect(Object.keys(files).length).toBeGreaterThan(30);
        const unused = entries.map(([key]) => key).filter((key) => !code.includes(`"${key}"`));
        expect(unused).toEqual([]);
    });

    it("has no exclamation marks and no half-width commas between Japanese", () => {
        for (const [key, [en, ja]] of entries) {
            expect(en, key).not.toMatch(/!/);
            expect(ja, key).not.toMatch(/[!！]|[\u3040-\u30ff\u4e00-\u9fff][,:;](?!\/)/);
        }
    });
});

describe("filling in", () => {
    it("puts values in their places and chooses by number", () => {
        expect(fill("{n} {n|source|sources}", { n: 1 })).toBe("1 source");
        expect(fill("{n} {n|source|sources}", { n: "1,204" })).toBe("1,204 sources");
        expect(fill("{a} and {b}", { a: "x" })).toBe("x and {b}");
        expect(fill("as it is: {a}", { a: "{b}", b: "no" })).toBe("as it is: {b}");
    });
});
