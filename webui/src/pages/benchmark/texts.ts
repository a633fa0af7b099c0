/* Words and figures of the benchmark.  Pure. */
import type { RunRow } from "../../api/bench";
import type { Report, RunState, Sentence, Spread, Trial, Verdict } from "../../api/benchReport";
import type { Key, Translate } from "../../i18n";
import { formatCount, formatElapsed, type Language } from "../../utils/format";

export const NONE = "–";

export function said(text: Sentence | null | undefined, lang: Language): string {
    return typeof text === "string" ? text : (text?.[lang] ?? "");
}

export type Tone = "good" | "bad" | "warn" | "none";

const VERDICT: Record<Verdict, [Key, Tone]> = {
    pass: ["bench.pass", "good"],
    fail: ["bench.fail", "bad"],
    invalid: ["bench.invalid", "warn"],
    none: ["bench.noVerdict", "none"],
};

const STATE: Record<Exclude<RunState, "complete">, [Key, Tone]> = {
    running: ["bench.running", "none"],
    incomplete: ["bench.incomplete", "warn"],
    failed: ["bench.failed", "bad"],
};

/** What became of a run, in a word.  Part of a run has no verdict. */
export function outcome(state: RunState, verdict: Verdict | null): { word: Key; tone: Tone } {
    const [word, tone] = state === "complete" ? VERDICT[verdict ?? "none"] : STATE[state];
    return { word, tone };
}

export function isGood(run: Pick<RunRow, "state" | "verdict" | "answer">): boolean {
    return run.state === "complete" && (run.verdict === "pass" || run.verdict === "fail") && run.answer != null;
}

export function known(n: number | null | undefined, format: (n: number) => string = formatCount): string {
    return n == null ? NONE : format(n);
}

/** "99.9997 % (−216)": so many digits that a loss is never rounded up to 100 %. */
export function shareText(found: number | null | undefined, sent: number | null | undefined): string {
    if (found == null || sent == null || sent <= 0) return NONE;
    const lost = sent - found;
    if (lost === 0) return "100 %";
    const percent = (found / sent) * 100;
    if (lost < 0) return `${percent.toFixed(2)} % (+${formatCount(-lost)})`;
    let text = percent.toFixed(2);
    for (let digits = 3; Number(text) >= 100 && digits <= 12; digits++) text = percent.toFixed(digits);
    return `${text} % (−${formatCount(lost)})`;
}

/** Three digits that say something: 0.22, 0.00033, 99.8; never 100 for less, nor 0 for something. */
export function percentText(percent: number): string {
    if (percent > 99 && percent < 100) return String(Number(percent.toFixed(Math.ceil(-Math.log10(100 - percent)) + 1)));
    return String(Number(percent.toPrecision(3)));
}

/** Distinct messages that came back, else what is visible, else what is stored. */
export function foundOf({ sequence, stages }: Trial): number | null {
    return sequence?.found ?? stages.visible ?? stages.stored;
}

const cpu = (n: number) => (n < 9.95 ? n.toFixed(1) : n.toFixed(0));

export function cpuText(spread: Spread | null | undefined): string {
    if (spread?.mean == null) return NONE;
    return `${cpu(spread.mean)} / ${known(spread.max, cpu)}`;
}

export function loadText(spread: Spread | null | undefined): string {
    if (spread?.mean == null) return NONE;
    return `${spread.mean.toFixed(2)} / ${known(spread.max, (n) => n.toFixed(2))}`;
}

export function delayText(latency: Trial["latency_us"]): string {
    if (latency?.p50 == null) return NONE;
    return [latency.p50, latency.p99, latency.max].map((us) => known(us, formatElapsed)).join(" / ");
}

/** "1 h 5 min", "20 s": as long as it takes, for planning. */
export function lengthText(seconds: number, t: Translate): string {
    const s = Math.max(0, Math.round(seconds));
    if (s < 100) return t("bench.seconds", { n: s });
    const minutes = Math.round(s / 60);
    if (minutes < 100) return t("bench.minutes", { n: minutes });
    const rest = minutes % 60;
    const hours = t("bench.hours", { n: Math.floor(minutes / 60) });
    return rest === 0 ? hours : t("bench.hoursAnd", { hours, minutes: t("bench.minutes", { n: rest }) });
}

/** A name in the reader's words; one that is not known, which may be any, as it is. */
export function namedIn(words: Record<string, Key>, name: string, t: Translate): string {
    const word = Object.hasOwn(words, name) ? words[name] : undefined;
    return word ? t(word) : name;
}

const BOTTLENECK: Record<string, Key> = {
    generator: "bench.neck.generator",
    cpu: "bench.neck.cpu",
    thread: "bench.neck.thread",
    disk: "bench.neck.disk",
    buffer: "bench.neck.buffer",
};

export function neckText(name: string, t: Translate): string {
    return namedIn(BOTTLENECK, name, t);
}

const TARGET: Record<string, Key> = { box: "bench.target.box", azekura: "bench.target.private" };

export function targetText(name: string, t: Translate): string {
    return namedIn(TARGET, name, t);
}

/** "16 connections, as fast as it takes by TCP"; its number where it has no name. */
export function trialName({ name, number }: Pick<Trial, "name" | "number">, lang: Language): string {
    return said(name, lang) || `#${number}`;
}

/** The rate that was asked for; without one as fast as the target takes it. */
export function rateText(rate: number | null, t: Translate): string {
    return rate === null || rate > 0 ? known(rate) : t("bench.col.unlimited");
}

/** Results, without warm-ups. */
export function results(report: Report): Trial[] {
    return report.trials.filter((trial) => trial.run > 0);
}
