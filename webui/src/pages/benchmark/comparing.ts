/* Figures of a comparison, and what makes two runs hard to compare.  Pure. */
import type { CompareSide, Comparison } from "../../api/bench";
import type { Translate } from "../../i18n";
import { formatBytes, formatRate } from "../../utils/format";
import type { Reader } from "./reader";
import { NONE, said } from "./texts";

const exact = (n: number) => (Math.abs(n) >= 1000 ? formatRate(n) : String(Number(n.toPrecision(4))));

export function figureText(n: number | null | undefined, unit: string, t: Translate): string {
    if (n == null) return NONE;
    if (unit === "messages/s") return t("bench.live.perSecond", { n: formatRate(n) });
    if (unit === "bytes" && Math.abs(n) >= 10_000) return formatBytes(n);
    return unit ? `${exact(n)} ${unit}` : exact(n);
}

export function machineOf({ machine }: CompareSide): string {
    if (machine == null) return "";
    return typeof machine === "string" ? machine : [machine.name, machine.cpu].filter(Boolean).join(", ");
}

/** What was run: once where both are the same. */
export function titlesOf({ a, b }: Comparison, { lang }: Reader): string {
    return [...new Set([said(a.title, lang), said(b.title, lang)])].filter(Boolean).join(" · ");
}

/** What the comparison itself warns of; else other machines or versions, as far as they are told. */
export function sideWarnings({ a, b, warnings }: Comparison, { t, lang }: Reader): string[] {
    const out = warnings.map((text) => said(text, lang));
    if (out.length > 0) return out;
    const [first, second] = [machineOf(a), machineOf(b)];
    if (first && second && first !== second) out.push(t("bench.compare.machines", { a: first, b: second }));
    if (a.version && b.version && a.version !== b.version) out.push(t("bench.compare.versions", { a: a.version, b: b.version }));
    return out;
}
