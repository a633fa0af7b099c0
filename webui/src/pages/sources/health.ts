/* What the counts of a source's health say.  Pure. */
import type { SourceHealth } from "../../api/sources";
import type { Key } from "../../i18n";
import type { Values } from "../../i18n/translate";

export const CLOCK_OFF_US = 300_000_000;
/** As the box judges: a hundredth of the messages. */
const SHARE = 0.01;

export interface Sign {
    word: Key;
    values?: Values;
    help: Key;
}

export function messagesOf(health: SourceHealth): number {
    return Object.values(health.formats).reduce((sum, n) => sum + n, 0);
}

/** "12 %", "<1 %", "0.4 %": of what there is, never "0 %" for something and never "100 %" for not all. */
export function shareText(n: number, of: number): string {
    const percent = of > 0 ? (n / of) * 100 : 0;
    if (n > 0 && percent < 0.1) return "<0.1 %";
    if (n < of && percent > 99.9) return ">99.9 %";
    return `${percent < 10 ? percent.toFixed(1).replace(/\.0$/, "") : percent > 99.5 && n < of ? percent.toFixed(1) : Math.round(percent)} %`;
}

export interface FormatShare {
    name: string;
    n: number;
    share: number;
}

const SHOWN = 4;

/** The largest first; what is beyond a few is one, "others" as null name comes last. */
export function formatShares(formats: Record<string, number>, shown = SHOWN): { rows: FormatShare[]; others: FormatShare | null } {
    const all = Object.entries(formats).filter(([, n]) => n > 0);
    const total = all.reduce((sum, [, n]) => sum + n, 0);
    const rows = all
        .map(([name, n]) => ({ name, n, share: n / total }))
        .sort((a, b) => b.n - a.n || a.name.localeCompare(b.name));
    if (rows.length <= shown + 1) return { rows, others: null };
    const rest = rows.slice(shown).reduce((sum, row) => sum + row.n, 0);
    return { rows: rows.slice(0, shown), others: { name: "", n: rest, share: rest / total } };
}

/** How far a clock is off, in at most two units: "8 h 59 min". */
export function offText(us: number): string {
    const minutes = Math.round(Math.abs(us) / 60_000_000);
    const parts: [number, string][] = [
        [Math.floor(minutes / 1440), "d"],
        [Math.floor(minutes / 60) % 24, "h"],
        [minutes % 60, "min"],
    ];
    const shown = parts.filter(([n]) => n > 0).slice(0, 2);
    if (shown.length === 0) return `${Math.round(Math.abs(us) / 1_000_000)} s`;
    return shown.map(([n, unit]) => `${n} ${unit}`).join(" ");
}

export type ClockState = "unknown" | "right" | "zone" | "wrong";

const ZONE_MOST_US = 14.25 * 3_600_000_000;
const HALF_HOUR_US = 1_800_000_000;
const NEAR_US = 150_000_000;

/** Off by about a number of half hours, as far as zones go apart: read in a wrong zone; else it goes wrong. */
export function clockState(skewUs: number | null): ClockState {
    if (skewUs === null) return "unknown";
    const off = Math.abs(skewUs);
    if (off <= CLOCK_OFF_US) return "right";
    const rest = off % HALF_HOUR_US;
    const isNear = Math.min(rest, HALF_HOUR_US - rest) <= NEAR_US;
    return off <= ZONE_MOST_US && isNear ? "zone" : "wrong";
}

/** What is wrong with it, worst first; none: all is well. */
export function signsOf(health: SourceHealth, charset: string | null): Sign[] {
    const total = messagesOf(health);
    const isMany = (n: number) => n > 0 && n >= total * SHARE;
    const share = (n: number) => ({ share: shareText(n, total) });
    const signs: Sign[] = [];
    if (isMany(health.undecodable) && charset) signs.push({ word: "src.sign.undecodable", values: { charset, ...share(health.undecodable) }, help: "src.sign.undecodableHelp" });
    if (isMany(health.invalid_utf8)) {
        signs.push({ word: "src.sign.notUtf8", values: share(health.invalid_utf8), help: health.charset_guess ? "src.sign.notUtf8Guess" : "src.sign.notUtf8Help" });
    }
    const clock = clockState(health.skew_us);
    if (clock === "zone" || clock === "wrong") {
        const off = offText(health.skew_us ?? 0);
        signs.push({
            word: (health.skew_us ?? 0) > 0 ? "src.sign.ahead" : "src.sign.behind",
            values: { off },
            help: clock === "zone" ? "src.clock.zoneHint" : "src.clock.wrongHint",
        });
    }
    const raw = health.formats.raw ?? 0;
    if (isMany(raw)) signs.push({ word: "src.sign.raw", values: share(raw), help: "src.sign.rawHelp" });
    if (isMany(health.bad_time)) signs.push({ word: "src.sign.badTime", values: share(health.bad_time), help: "src.sign.badTimeHelp" });
    if (isMany(health.truncated)) signs.push({ word: "src.sign.truncated", values: share(health.truncated), help: "src.sign.truncatedHelp" });
    return signs;
}

/** The charset to propose: a guess that another is set already is none. */
export function suggestion(health: SourceHealth, charset: string | null): { name: string; percent: number } | null {
    const guess = health.charset_guess;
    return guess && guess.name !== charset && guess.percent >= 50 ? guess : null;
}
