import { describe, expect, it } from "vitest";
import type { Deletion, Preview } from "../../api/retention";
import { translator } from "../../i18n";
import { addWords } from "../../i18n/dictionary";
import { retention } from "../../i18n/words/retention";
import { rule } from "../../i18n/words/rule";
import { destroyedText, previewText, severitiesFrom, type Reader } from "./texts";

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
const today = (group: string): Preview["open"][number] => ({ group, reason: "quota", messages: 20_000, raw_bytes: 5e6, bytes: 1_200_000 });
const preview = (over: Partial<Preview>): Preview => ({
    policy: "trim",
    deletions: [],
    open: [],
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

    it("says what came today and would go with it", () => {
        const p = preview({ open: [today("debug")] });
        expect(previewText(p, en)).toBe("would remove what came today of group debug up to now: 20 k messages, 1.2 MB");
        expect(previewText(p, { ...en, hasGroups: false })).toBe("would remove what came today up to now: 20 k messages, 1.2 MB");
        expect(previewText(p, ja)).toBe("グループ「debug」に今日これまでに届いた 20 k 件、1.2 MB を削除します");
        const both = preview({ deletions: [gone("2026-11-03", "2026-11-05")], open: [today("debug")] });
        expect(previewText(both, en)).toBe(
            "would remove 3–5 November of group debug, 12.1 M messages, 301 MB; and what came today of group debug up to now: 20 k messages, 1.2 MB",
        );
        expect(previewText(both, ja)).toBe(
            "グループ「debug」の 11 月 3 日〜5 日、12.1 M 件、301 MB、およびグループ「debug」に今日これまでに届いた 20 k 件、1.2 MB を削除します",
        );
        expect(previewText(preview({ open: ["a", "b"].map(today) }), en)).toMatch(/of group a up to now: .*; and what came today of group b up to now: /);
        const many = preview({ open: ["a", "b", "c"].map(today) });
        expect(previewText(many, en)).toBe("would remove what came today of 3 groups up to now: 60 k messages, 3.6 MB");
        expect(previewText(many, ja)).toBe("3 グループに今日これまでに届いた 60 k 件、3.6 MB を削除します");
    });

    it("is summed with what came today before it is saved", () => {
        const days = { deletions: [gone("2026-11-03", "2026-11-05")], messages: 40_000, bytes: 2_000_000 };
        expect(destroyedText(preview({}), en.t)).toBeNull();
        expect(destroyedText(preview({ shed_from: "info", held_bytes: 5 }), en.t)).toBeNull();
        expect(destroyedText(preview(days), en.t)).toBe("40 k messages, 2.0 MB");
        expect(destroyedText(preview({ open: [today("debug")] }), en.t)).toBe("what came today up to now: 20 k messages, 1.2 MB");
        expect(destroyedText(preview({ open: [today("debug")] }), ja.t)).toBe("今日これまでに届いた 20 k 件（1.2 MB）");
        const both = preview({ ...days, open: [today("debug")] });
        expect(destroyedText(both, en.t)).toBe("60 k messages, 3.2 MB, with what came today up to now");
        expect(destroyedText(both, ja.t)).toBe("今日これまでに届いた分を含む 60 k 件（3.2 MB）");
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
