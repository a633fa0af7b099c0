import type { Trial } from "../../api/benchReport";
import { Card } from "../../components/States";
import ui from "../../components/ui.module.css";
import { cx } from "../../utils/cx";
import { formatCount, formatExact, formatRate } from "../../utils/format";
import css from "./benchmark.module.css";
import type { Reader } from "./reader";
import { cpuText, delayText, foundOf, known, loadText, neckText, rateText, said, shareText, targetText, trialName } from "./texts";

/** What a figure would be worth knowing of: nothing limits, or nobody knows, is no news. */
const NECKS = new Set(["generator", "cpu", "thread", "disk", "buffer"]);

function Row({ trial, hasTargets, reader: { t, lang } }: { trial: Trial; hasTargets: boolean; reader: Reader }) {
    const { stages, load } = trial;
    const found = foundOf(trial);
    const why = said(trial.bottleneck_why, lang);
    const isLossy = found !== null && stages.sent !== null && found < stages.sent;
    return (
        <tr class={trial.is_valid ? "" : css.isInvalid}>
            <th scope="row" title={formatExact(trial.started_at)}>
                {trialName(trial, lang)}
                {NECKS.has(trial.bottleneck) && (
                    <div class={cx("dim", css.why)}>
                        {t(why ? "bench.col.neckWhy" : "bench.col.neck", { name: neckText(trial.bottleneck, t), why })}
                    </div>
                )}
                {!trial.is_valid && <div class={cx(css.warn, css.why)}>{t("bench.col.isInvalid", { reason: said(trial.invalid_reason, lang) })}</div>}
            </th>
            {hasTargets && <td>{targetText(trial.target, t)}</td>}
            <td class={ui.num}>{rateText(load.rate, t)}</td>
            <td class={ui.num}>{known(stages.sent)}</td>
            <td class={ui.num}>{known(stages.received)}</td>
            <td class={ui.num}>{known(stages.stored)}</td>
            <td class={ui.num}>{known(trial.rates.stored, formatRate)}</td>
            <td class={cx(ui.num, css.share, isLossy && css.bad)}>{shareText(found, stages.sent)}</td>
            <td class={ui.num}>{loadText(trial.load_average["5"])}</td>
            <td class={ui.num}>{cpuText(trial.cpu.syslog)}</td>
            <td class={ui.num}>{cpuText(trial.cpu.database)}</td>
            <td class={ui.num}>{delayText(trial.latency_us)}</td>
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
        if (s) out.push([`${number} s`, `${name}: ${t("bench.more.searches", { n: known(s.n), errors: known(s.errors), p50: ms(s.p50_ms), p99: ms(s.p99_ms), max: ms(s.max_ms) })}`]);
        if (c) out.push([`${number} c`, `${name}: ${t("bench.more.crash", { kills: known(c.kills), ms: ms(c.restart_ms_max) })}`]);
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
    const head = (word: string, help?: string) => (
        <th key={word} scope="col" class={ui.num} title={help}>
            {word}
        </th>
    );
    return (
        <Card title={t("bench.ladder")} aside={<span class="dim">{t("bench.col.cpuHelp")}</span>}>
            {trials.length === 0 ? (
                <p class={css.body}>{t("bench.ladder.none")}</p>
            ) : (
                <div class={ui.scroll} tabIndex={0} role="group" aria-label={t("bench.ladder")}>
                    <table class={cx(ui.table, css.ladder)}>
                        <thead>
                            <tr>
                                <th scope="col">{t("bench.col.step")}</th>
                                {hasTargets && <th scope="col">{t("bench.history.target")}</th>}
                                {head(t("bench.col.rate"), t("bench.col.rateHelp"))}
                                {head(t("bench.graph.sent"))}
                                {head(t("bench.col.received"))}
                                {head(t("bench.graph.stored"))}
                                {head(t("bench.col.storedRate"), t("bench.col.storedRateHelp"))}
                                {head(t("bench.col.share"), t("bench.col.shareHelp"))}
                                {head(t("bench.col.load"), t("bench.col.meanMax"))}
                                {head(t("bench.col.syslog"), t("bench.col.cpuHelp"))}
                                {head(t("bench.col.database"), t("bench.col.cpuHelp"))}
                                {head(t("bench.col.delay"))}
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
