import type { ComponentChildren } from "preact";
import type { Trial } from "../../api/benchReport";
import { Card } from "../../components/States";
import ui from "../../components/ui.module.css";
import type { Key } from "../../i18n";
import { cx } from "../../utils/cx";
import { formatCount, formatExact, formatRate } from "../../utils/format";
import css from "./benchmark.module.css";
import type { Reader } from "./reader";
import { cpuText, delayText, foundOf, known, loadText, neckText, rateText, said, shareText, targetText, trialName } from "./texts";

/** What a figure would be worth knowing of: nothing limits, or nobody knows, is no news. */
const NECKS = new Set(["generator", "cpu", "thread", "disk", "buffer"]);

interface Column {
    word: Key;
    help?: Key;
    text: (trial: Trial, reader: Reader) => string;
    class?: (trial: Trial) => string | false | undefined;
}

const isLossy = (trial: Trial) => {
    const found = foundOf(trial);
    return found !== null && trial.stages.sent !== null && found < trial.stages.sent;
};

const COLUMNS: Column[] = [
    { word: "bench.col.rate", help: "bench.col.rateHelp", text: ({ load }, { t }) => rateText(load.rate, t) },
    { word: "bench.graph.sent", text: ({ stages }) => known(stages.sent) },
    { word: "bench.col.received", text: ({ stages }) => known(stages.received) },
    { word: "bench.graph.stored", text: ({ stages }) => known(stages.stored) },
    { word: "bench.col.storedRate", help: "bench.col.storedRateHelp", text: ({ rates }) => known(rates.stored, formatRate) },
    { word: "bench.col.share", help: "bench.col.shareHelp", text: (trial) => shareText(foundOf(trial), trial.stages.sent), class: (trial) => cx(css.share, isLossy(trial) && css.bad) },
    { word: "bench.col.load", help: "bench.col.meanMax", text: ({ load_average: load }) => loadText(load["5"]) },
    { word: "bench.col.syslog", help: "bench.col.cpuHelp", text: ({ cpu }) => cpuText(cpu.syslog) },
    { word: "bench.col.database", help: "bench.col.cpuHelp", text: ({ cpu }) => cpuText(cpu.database) },
    { word: "bench.col.delay", text: ({ latency_us: latency }) => delayText(latency) },
];

/** What was measured, and what to know of it. */
function Name({ trial, reader: { t, lang } }: { trial: Trial; reader: Reader }) {
    const why = said(trial.bottleneck_why, lang);
    return (
        <th scope="row" title={formatExact(trial.started_at)}>
            {trialName(trial, lang)}
            {NECKS.has(trial.bottleneck) && (
                <div class={cx("dim", css.why)}>
                    {t(why ? "bench.col.neckWhy" : "bench.col.neck", { name: neckText(trial.bottleneck, t), why })}
                </div>
            )}
            {!trial.is_valid && <div class={cx(css.warn, css.why)}>{t("bench.col.isInvalid", { reason: said(trial.invalid_reason, lang) })}</div>}
        </th>
    );
}

function Row({ trial, hasTargets, reader }: { trial: Trial; hasTargets: boolean; reader: Reader }) {
    const { t } = reader;
    const cell = (word: Key, text: ComponentChildren, name?: string | false) => (
        <td key={word} class={cx(ui.num, name)} data-label={t(word)}>
            {text}
        </td>
    );
    return (
        <tr class={trial.is_valid ? "" : css.isInvalid}>
            <Name trial={trial} reader={reader} />
            {hasTargets && <td data-label={t("bench.history.target")}>{targetText(trial.target, t)}</td>}
            {COLUMNS.map((column) => cell(column.word, column.text(trial, reader), column.class?.(trial)))}
        </tr>
    );
}

/** Searches made meanwhile and kills survived, where a profile has them. */
function More({ trials, reader: { t, lang } }: { trials: readonly Trial[]; reader: Reader }) {
    const ms = (n: number | null) => known(n, (value) => formatCount(value));
    const lines = trials.flatMap((trial) => {
        const { searches: s, crash: c, number } = trial;
        const name = trialName(trial, lang);
        const out: [string, string][] = [];
        if (s) {
            out.push([`${number} s`, t("bench.more.searches", { name, n: known(s.n), errors: known(s.errors), p50: ms(s.p50_ms), p99: ms(s.p99_ms), max: ms(s.max_ms) })]);
            if (s.error) out.push([`${number} e`, t("bench.more.searchError", { message: s.error })]);
        }
        if (c) out.push([`${number} c`, t("bench.more.crash", { name, kills: known(c.kills), ms: ms(c.restart_ms_max) })]);
        return out;
    });
    if (lines.length === 0) return null;
    return (
        <ul class={css.more} aria-label={t("bench.more")}>
            {lines.map(([key, text]) => (
                <li key={key}>{text}</li>
            ))}
        </ul>
    );
}

/** The table of the load test: what each rate did. */
export function Ladder({ trials, targets, reader }: { trials: readonly Trial[]; targets: number; reader: Reader }) {
    const { t } = reader;
    const hasTargets = targets > 1;
    return (
        <Card title={t("bench.ladder")} aside={<span class="dim">{t("bench.col.cpuHelp")}</span>}>
            {trials.length === 0 ? (
                <p class={css.body}>{t("bench.ladder.none")}</p>
            ) : (
                <div class={ui.scroll} tabIndex={0} role="group" aria-label={t("bench.ladder")}>
                    <table class={cx(ui.table, css.ladder, css.cards)}>
                        <thead>
                            <tr>
                                <th scope="col">{t("bench.col.step")}</th>
                                {hasTargets && <th scope="col">{t("bench.history.target")}</th>}
                                {COLUMNS.map(({ word, help }) => (
                                    <th key={word} scope="col" class={ui.num} title={help && t(help)}>
                                        {t(word)}
                                    </th>
                                ))}
                            </tr>
                        </thead>
                        <tbody>
                            {trials.map((trial) => (
                                <Row key={trial.number} trial={trial} hasTargets={hasTargets} reader={reader} />
                            ))}
                        </tbody>
                    </table>
                </div>
            )}
            <More trials={trials} reader={reader} />
        </Card>
    );
}
