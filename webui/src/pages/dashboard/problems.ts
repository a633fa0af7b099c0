/* What an administrator should know before anything else, from what the console asks for anyway.  Pure. */
import type { Retention } from "../../api/retention";
import type { Receiver, Source } from "../../api/types";
import type { Key } from "../../i18n";
import { REPORT_STALE_US } from "../../state/live";

export interface Facts {
    receiver: Receiver | null;
    /** Messages a second. */
    rate: number | null;
    /** Of 24 hours. */
    lost: { refused: number; dropped: number };
    month: Retention;
    /** Those unheard for longest first. */
    sources: readonly Source[];
    nowMs: number;
}

export interface Problem {
    tone: "bad" | "warn";
    word: Key;
    values?: Record<string, number | string>;
    /** Where more is said about it. */
    href: string;
}

/** More than this many seconds' messages in memory is worth a word. */
const QUEUE_S = 5;
const QUEUE_MIN = 1000;
const HOUR_MS = 3_600_000;
/** Who was not heard for so long was taken away, and is no news. */
const GONE_MS = 30 * 24 * HOUR_MS;
/** So many times the usual time between two messages is a silence. */
const UNUSUAL = 60;
const FEW_MESSAGES = 10;
const MANY_SILENT = 200;
/** Free space at which the box itself takes to emergency measures. */
const FREE_SHARE = 0.03;
const FREE_BYTES = 256_000_000;

export function isQueueing(receiver: Receiver, rate: number | null): boolean {
    return receiver.queued > Math.max((rate ?? 0) * QUEUE_S, QUEUE_MIN);
}

/** Unheard for an hour, and for much longer than usual: a device that reports once a day is not missed at noon. */
export function fellSilent(source: Source, nowMs: number): boolean {
    const last = Date.parse(source.last_heard);
    const quiet = nowMs - last;
    const usual = (last - Date.parse(source.first_heard)) / Math.max(1, source.messages - 1);
    return source.messages >= FEW_MESSAGES && quiet > Math.max(HOUR_MS, UNUSUAL * usual) && quiet < GONE_MS;
}

function ofReception({ receiver, rate, lost }: Facts): Problem[] {
    const out: Problem[] = [];
    if (!receiver) out.push({ tone: "bad", word: "dash.noReceiver", href: "/receiver" });
    else if (receiver.age_us >= REPORT_STALE_US) out.push({ tone: "bad", word: "health.receiver", href: "/receiver" });
    else if (isQueueing(receiver, rate)) out.push({ tone: "warn", word: "health.queue", values: { n: receiver.queued }, href: "/receiver" });
    if (lost.dropped > 0) out.push({ tone: "bad", word: "health.dropped", values: { n: lost.dropped }, href: "/receiver?from=-24h" });
    if (lost.refused > 0) out.push({ tone: "warn", word: "health.refused", values: { n: lost.refused }, href: "/receiver?from=-24h" });
    return out;
}

function ofStorage({ month }: Facts): Problem[] {
    const out: Problem[] = [];
    const { total_bytes: total, free_bytes: free } = month.file_system;
    if (free < Math.min(total * FREE_SHARE, FREE_BYTES)) out.push({ tone: "bad", word: "health.disk", values: { bytes: free }, href: "/retention" });
    for (const group of month.groups) {
        if (group.shed_from) out.push({ tone: "bad", word: "health.shed", values: { group: group.name, severity: group.shed_from }, href: "/retention" });
    }
    if (month.state === "over") out.push({ tone: "bad", word: "health.over", href: "/retention" });
    else if (month.state === "over_forecast") out.push({ tone: "warn", word: "health.forecast", href: "/retention" });
    else if (month.state === "watch") out.push({ tone: "warn", word: "health.watch", href: "/retention" });
    const { fits_high: fits } = month.history;
    if (month.keep_days > 0 && fits !== null && fits < month.keep_days) {
        out.push({ tone: "warn", word: "health.keep", values: { n: Math.floor(fits), of: month.keep_days }, href: "/retention?tab=size" });
    }
    return out;
}

/** The gravest first. */
export function problemsOf(facts: Facts): Problem[] {
    const clock: Problem[] = facts.month.clock.is_doubted ? [{ tone: "bad", word: "health.clock", href: "/retention" }] : [];
    const n = facts.sources.filter((source) => fellSilent(source, facts.nowMs)).length;
    const word = n < MANY_SILENT ? "health.silent" : "health.silentMany";
    const silent: Problem[] = n > 0 ? [{ tone: "warn", word, values: { n }, href: "/sources?order=last_heard" }] : [];
    const all = [...ofReception(facts), ...clock, ...ofStorage(facts), ...silent];
    return [...all.filter((p) => p.tone === "bad"), ...all.filter((p) => p.tone === "warn")];
}
