/* Names of what can be chosen.  Pure. */
import type { SourceSettings } from "../../api/sources";
import type { Key } from "../../i18n";
import type { Language } from "../../utils/format";
import type { Differing } from "./diff";

const FRAMING: Record<string, Key> = { auto: "src.framing.auto", counted: "src.framing.counted", delimited: "src.framing.delimited" };

export function framingWord(framing: string): Key {
    return FRAMING[framing] ?? "src.framing.auto";
}

export function charsetLabel(charsets: SourceSettings["charsets"], name: string, lang: Language): string {
    const found = charsets.find((c) => c.name === name);
    return found ? (lang === "ja" ? found.label_ja : found.label_en) : name;
}

export const FIELD: Record<Differing, Key> = {
    message: "src.field.message",
    reported_at: "src.field.reported",
    hostname: "col.hostname",
    app_name: "col.app_name",
    procid: "src.field.procid",
    msgid: "src.field.msgid",
    structured_data: "src.field.sd",
    severity: "col.severity",
    facility: "src.field.facility",
    format: "src.col.formats",
    marks: "src.field.marks",
};
