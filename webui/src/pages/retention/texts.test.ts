import { describe, expect, it } from "vitest";
import type { Deletion, Preview } from "../../api/retention";
import { translator } from "../../i18n";
import { addWords } from "../../i18n/dictionary";
import { retention } from "../../i18n/words/retention";
import { rule } from "../../i18n/words/rule";
import { previewText, severitiesFrom, type Reader } from "./texts";

addWords(retention);
addWords(rule);

const en: Reader = { t: translator("en"), lang: "en", today: "2026-11-30", hasGroups: true };
const ja: Reader = { ...en, t: translator("ja"), lang: "ja" };
const gone = (from: string, to: string): Deletion => ({
    from_day: from,
    to_day: to,
    group: "debug",
    reason: "trim",
    messages: 12_100_000,
    raw_bytes: 1e9,
    bytes: 301_000_000,
});
const preview = (over: Partial<Preview>): Preview => ({
    policy: "trim",
    deletions: [],
    messages: 0,
    raw_bytes: 0,
    bytes: 0,
    shed_from: null,
    held_bytes: 0,
    ...over,
});

describe("what a policy would do", () => {
    it("is said with days, group, messages and bytes", () => {
        const p = preview({ deletions: [gone("2026-11-03", "2026-11-05")] });
        expect(previewText(p, en)).toBe("would remove 3–5 November of group debug, 12.1 M messages, 301 MB");
        expect(previewText(p, { ...en, hasGroups: false })).toBe("would remove 3–5 November, 12.1 M messages, 301 MB");
        expect(previewText(p, ja)).toBe("グループ「debug」の 11 月 3 日〜5 日、12.1 M 件、301 MB を削除します");
    });

    it("names two and counts the others", () => {
        const p = preview({ deletions: [1, 2, 3, 4].map((d) => gone(`2026-11-0${d}`, `2026-11-0${d}`)) });
        expect(previewText(p, en)).toMatch(/^would remove 1 November .*; 2 November .*; and 2 more$/);
    });

    it("says what is refused and what is held", () => {
        expect(previewText(preview({ shed_from: "info" }), en)).toBe("would refuse debug and info");
        expect(previewText(preview({ shed_from: "notice", held_bytes: 5e6 }), en)).toBe(
            "would refuse debug, info and notice; 5.0 MB more ought to go but are held",
        );
        expect(previewText(preview({}), en)).toBe("would change nothing now");
    });

    it("leaves a severity of a newer box as it is", () => expect(severitiesFrom("trace", en.t)).toBe("trace"));
});
