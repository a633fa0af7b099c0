import type { Trial } from "../../api/benchReport";
import { Card } from "../../components/States";
import ui from "../../components/ui.module.css";
import type { Key } from "../../i18n";
import { cx } from "../../utils/cx";
import { formatBytes, formatElapsed, formatRate } from "../../utils/format";
import css from "./benchmark.module.css";
import type { Reader } from "./reader";
import { known, targetText, trialName } from "./texts";

const micros = (us: number) => `${us < 99.5 ? us.toFixed(1) : us.toFixed(0)} µs`;
const bytes = (n: number) => formatBytes(n);

const COLUMNS: [Key, Key | null, (trial: Trial) => string][] = [
    ["bench.col.syslog", "bench.cost.cpuHelp", (trial) => known(trial.us_per_message.syslog, micros)],
    ["bench.col.database", "bench.cost.cpuHelp", (trial) => known(trial.us_per_message.database, micros)],
    ["bench.cost.bytes", null, (trial) => known(trial.disk?.stored_bytes_a_message, (n) => n.toFixed(1))],
    ["bench.cost.memory", "bench.cost.memoryHelp", ({ memory_bytes: m }) => `${known(m?.syslog, bytes)} / ${known(m?.database, bytes)}`],
    ["bench.cost.most", "bench.cost.mostHelp", (trial) => known(trial.rates.most_in_a_second, formatRate)],
    ["bench.cost.late", "bench.cost.lateHelp", (trial) => known(trial.lateness_p99_us, formatElapsed)],
];

/** What carries over to another machine or another rate: the cost of a message; and how exact the generator was. */
export function Costs({ trials, targets, reader: { t, lang } }: { trials: readonly Trial[]; targets: number; reader: Reader }) {
    return (
        <Card title={t("bench.cost")}>
            <div class={ui.scroll} tabIndex={0} role="group" aria-label={t("bench.cost")}>
                <table class={cx(ui.table, css.ladder, css.cards)}>
                    <thead>
                        <tr>
                            <th scope="col">{t("bench.col.step")}</th>
                            {targets > 1 && <th scope="col">{t("bench.history.target")}</th>}
                            {COLUMNS.map(([word, help]) => (
                                <th key={word} scope="col" class={ui.num} title={help ? t(help) : undefined}>
                                    {t(word)}
                                </th>
                            ))}
                        </tr>
                    </thead>
                    <tbody>
                        {trials.map((trial) => (
                            <tr key={trial.number}>
                                <th scope="row">{trialName(trial, lang)}</th>
                                {targets > 1 && <td data-label={t("bench.history.target")}>{targetText(trial.target, t)}</td>}
                                {COLUMNS.map(([word, , text]) => (
                                    <td key={word} class={ui.num} data-label={t(word)}>
                                        {text(trial)}
                                    </td>
                                ))}
                            </tr>
                        ))}
                    </tbody>
                </table>
            </div>
        </Card>
    );
}
