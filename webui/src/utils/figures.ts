/* Figures that several pages show, said one way everywhere.  Pure. */
import type { Translate } from "../i18n";
import { formatCount } from "./format";

export function percentOf(part: number, whole: number): number {
    return whole > 0 ? (part / whole) * 100 : 0;
}

/** 11.23 → "11.2", 0.04 → "<0.1", 143.2 → "143": percent as a person compares it. */
export function formatPercent(n: number): string {
    if (n > 0 && n < 0.05) return "<0.1";
    return Math.abs(n) >= 99.95 ? Math.round(n).toLocaleString("en-US") : n.toFixed(1).replace(/\.0$/, "");
}

const YEAR = 365.25;
export const CENTURY = 100 * YEAR;

/** "143 days", "about …" left to the caller; a day that has begun is not yet one; centuries are as good as for ever. */
export function daysText(days: number, t: Translate): string {
    if (days >= CENTURY) return t("days.century");
    if (days >= 10 * YEAR) return t("days.years", { n: Math.floor(days / YEAR) });
    if (days > 0 && days < 1) return t("days.less");
    return t("days.count", { n: formatCount(Math.floor(days)) });
}
