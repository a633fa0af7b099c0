/* Sentences about deletions and previews, in the reader's language.  Pure. */
import type { Deletion, Preview, Retention, SourceGroup } from "../../api/retention";
import type { Key, Translate } from "../../i18n";
import { formatDays } from "../../utils/days";
import { formatBytes, formatShort, type Language } from "../../utils/format";
import { SEVERITIES } from "../../utils/severity";

export interface Reader {
    t: Translate;
    lang: Language;
    /** The box's day: years are named where they differ from its. */
    today: string;
    /** A group is worth naming once there is more than one. */
    hasGroups: boolean;
}

export function countWords(messages: number, bytes: number): { messages: string; bytes: string } {
    return { messages: formatShort(messages), bytes: formatBytes(bytes) };
}

/** "3–5 November of group debug, 12.1 M messages, 301 MB". */
export function deletionText(d: Deletion, { t, lang, today, hasGroups }: Reader): string {
    const values = { days: formatDays(d.from_day, d.to_day, lang, today), ...countWords(d.messages, d.bytes) };
    return hasGroups ? t("del.rowGroup", { ...values, group: d.group }) : t("del.row", values);
}

const NAMED = 2;

/** A few are named, the rest counted and summed. */
export function deletionsText(deletions: readonly Deletion[], reader: Reader): string {
    const { t } = reader;
    const named = deletions.slice(0, NAMED).map((d) => deletionText(d, reader));
    if (deletions.length > NAMED) named.push(t("del.andMore", { n: deletions.length - NAMED }));
    return named.join(t(reader.lang === "ja" ? "word.comma" : "word.semicolon"));
}

/** Messages and bytes of what came today and would go with it. */
function openSum(p: Preview): { messages: number; bytes: number } {
    return p.open.reduce((sum, o) => ({ messages: sum.messages + o.messages, bytes: sum.bytes + o.bytes }), { messages: 0, bytes: 0 });
}

/** "what came today of group debug up to now: 20 k messages, 1.2 MB", for each of a few groups, or of all in one. */
function openTexts(p: Preview, { t, hasGroups }: Reader): string[] {
    const sum = openSum(p);
    if (p.open.length > NAMED) return [t("del.openGroups", { n: p.open.length, ...countWords(sum.messages, sum.bytes) })];
    return p.open.map((o) => {
        const values = countWords(o.messages, o.bytes);
        return hasGroups ? t("del.openGroup", { ...values, group: o.group }) : t("del.openRow", values);
    });
}

/** All that would go: whole days, and of today what is there by now. */
function removedText(p: Preview, reader: Reader): string {
    const { t } = reader;
    const days = p.deletions.length > 0 ? [deletionsText(p.deletions, reader)] : [];
    const today = openTexts(p, reader);
    const last = today.length - 1;
    if (days.length + last > 0) today[last] = t("del.andOpen", { what: today[last] ?? "" });
    return [...days, ...today].join(t(reader.lang === "ja" ? "word.comma" : "word.semicolon"));
}

/** What carrying it out destroys, in one sum; null: nothing. */
export function destroyedText(p: Preview, t: Translate): string | null {
    const today = openSum(p);
    const words = countWords(p.messages + today.messages, p.bytes + today.bytes);
    if (today.messages === 0) return p.messages > 0 ? t("rule.what", words) : null;
    return t(p.messages > 0 ? "rule.whatWithToday" : "rule.whatToday", words);
}

/** "debug and info": what is refused from a severity on. */
export function severitiesFrom(from: string, t: Translate): string {
    const first = SEVERITIES.findIndex((s) => s === from);
    const names = first < 0 ? [from] : SEVERITIES.slice(first).reverse();
    if (names.length < 2) return names.join("");
    return names.slice(0, -1).join(t("word.comma")) + t("word.and") + String(names.at(-1));
}

export function previewText(p: Preview, reader: Reader): string {
    const { t } = reader;
    const parts: string[] = [];
    if (p.deletions.length > 0 || p.open.length > 0) parts.push(t("would.remove", { what: removedText(p, reader) }));
    if (p.shed_from) parts.push(t("would.refuse", { severities: severitiesFrom(p.shed_from, t) }));
    if (p.held_bytes > 0) parts.push(t("would.held", { bytes: formatBytes(p.held_bytes) }));
    return parts.length > 0 ? parts.join(t("word.semicolon")) : t("would.nothing");
}

const REASON: Record<string, Key> = {
    keep_days: "reason.keep_days",
    quota: "reason.quota",
    trim: "reason.trim",
    borrow: "reason.borrow",
    guard: "reason.guard",
    request: "reason.request",
};

export function reasonText(reason: string, t: Translate): string {
    const key = REASON[reason];
    return key ? t(key) : reason;
}

/** "account:admin" → "admin"; tokens and daemons as they are. */
export function actorText(actor: string): string {
    return actor.replace(/^account:/, "");
}

export function keepText(group: SourceGroup, t: Translate): string {
    if (group.keep_days === null) return t("groups.keepAsBox");
    return group.keep_days === 0 ? t("groups.keepEver") : t("groups.keepDays", { n: group.keep_days });
}

export function isEmpty(r: Retention): boolean {
    return r.months.every((m) => m.messages === 0);
}
