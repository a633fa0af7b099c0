import { useState } from "preact/hooks";
import type { NumberRange, Trial } from "../../api/benchReport";
import { Card } from "../../components/States";
import ui from "../../components/ui.module.css";
import type { Key } from "../../i18n";
import { cx } from "../../utils/cx";
import { formatCount } from "../../utils/format";
import css from "./benchmark.module.css";
import type { Reader } from "./reader";
import { known, namedIn, NONE, percentText, trialName } from "./texts";
import { barsOf, waterfall, worstTrial, type Bar, type Step } from "./stages";

const RANGES = 8;

/** Reasons as the receiver's ledger names them. */
const REASON: Record<string, Key> = {
    not_allowed: "reason.not_allowed",
    rate_limit: "reason.rate_limit",
    oversize: "reason.oversize",
    bad_frame: "reason.bad_frame",
    over_budget: "reason.over_budget",
    queue_full: "reason.queue_full",
    crash: "reason.crash",
    rejected: "reason.rejected",
};

function StepRow({ step, bar, reader: { t } }: { step: Step; bar: Bar | undefined; reader: Reader }) {
    return (
        <tr class={step.isLoss ? css.loss : ""}>
            <th scope="row">
                {t(step.word)}
                {Boolean(step.late) && <span class="dim"> {t("bench.stage.late", { n: formatCount(step.late ?? 0) })}</span>}
                {step.reasons && step.reasons.length > 0 && (
                    <span class="dim">
                        {" "}
                        {step.reasons.map(([name, n]) => `${namedIn(REASON, name, t)} ${formatCount(n)}`).join(t("logs.comma"))}
                    </span>
                )}
            </th>
            <td class={ui.num}>{step.isLoss ? `− ${known(step.count)}` : known(step.count)}</td>
            <td class={ui.num}>{bar && step.count !== null ? `${percentText(bar.width)} %` : NONE}</td>
            <td class={css.bar}>
                <span style={{ left: `${bar?.from ?? 0}%`, width: `${bar?.width ?? 0}%` }} />
            </td>
        </tr>
    );
}

function Ranges({ word, ranges, reader: { t } }: { word: Key; ranges: readonly NumberRange[]; reader: Reader }) {
    if (ranges.length === 0) return null;
    const shown = ranges.slice(0, RANGES).map((r) => t("bench.water.stream", { stream: r.stream, from: formatCount(r.from), to: formatCount(r.to) }));
    if (ranges.length > RANGES) shown.push(t("bench.water.more"));
    return <p class={css.ranges}>{t(word, { ranges: shown.join(" · ") })}</p>;
}

/** One step of the run, from the schedule to the search: each loss stands at its place. */
export function Waterfall({ trials, reader }: { trials: readonly Trial[]; reader: Reader }) {
    const { t, lang } = reader;
    const [number, setNumber] = useState<number | null>(null);
    const trial = trials.find((one) => one.number === number) ?? worstTrial(trials);
    if (!trial) return null;
    const steps = waterfall(trial);
    const bars = barsOf(steps);
    const { unaccounted } = trial.stages;
    const choice = (
        <select aria-label={t("bench.water.of")} value={trial.number} onChange={(e) => setNumber(Number(e.currentTarget.value))}>
            {trials.map((one) => (
                <option key={one.number} value={one.number}>
                    {`${one.number}: ${trialName(one, lang)}`}
                </option>
            ))}
        </select>
    );
    return (
        <Card title={t("bench.water")} aside={choice}>
            <div class={ui.scroll} tabIndex={0} role="group" aria-label={t("bench.water")}>
                <table class={cx(ui.table, css.water)}>
                    <thead>
                        <tr>
                            <th scope="col">{t("bench.water.stage")}</th>
                            <th scope="col" class={ui.num}>
                                {t("bench.water.count")}
                            </th>
                            <th scope="col" class={ui.num}>
                                {t("bench.water.share")}
                            </th>
                            <td class={css.bar} />
                        </tr>
                    </thead>
                    <tbody>
                        {steps.map((step, i) => (
                            <StepRow key={step.word} step={step} bar={bars[i]} reader={reader} />
                        ))}
                    </tbody>
                </table>
            </div>
            <div class={css.body}>
                {unaccounted !== null && (
                    <p class={unaccounted === 0 ? css.good : css.bad}>
                        {unaccounted === 0 ? t("bench.water.balanced") : t("bench.water.unbalanced", { n: formatCount(unaccounted) })}
                    </p>
                )}
                {(trial.stages.others_dropped ?? 0) > 0 && (
                    <p class={css.bad}>{t("bench.water.others", { n: formatCount(trial.stages.others_dropped ?? 0) })}</p>
                )}
                <Ranges word="bench.water.missing" ranges={trial.sequence?.missing_ranges ?? []} reader={reader} />
                <Ranges word="bench.water.duplicated" ranges={trial.sequence?.duplicated_ranges ?? []} reader={reader} />
            </div>
        </Card>
    );
}
