import type { Trial } from "../../api/benchReport";
import { Card } from "../../components/States";
import ui from "../../components/ui.module.css";
import { formatBytes, formatElapsed, formatRate } from "../../utils/format";
import type { Reader } from "./reader";
import { known, targetText, trialName } from "./texts";

const micros = (us: number) => `${us < 99.5 ? us.toFixed(1) : us.toFixed(0)} µs`;
const bytes = (n: number) => formatBytes(n);

/** What carries over to another machine or another rate: the cost of a message, and the generator's own faults. */
export function Costs({ trials, targets, reader: { t, lang } }: { trials: readonly Trial[]; targets: number; reader: Reader }) {
    const head = (word: string, help?: string) => (
        <th key={word} scope="col" class={ui.num} title={help}>
            {word}
        </th>
    );
    return (
        <Card title={t("bench.cost")}>
            <div class={ui.scroll} tabIndex={0} role="group" aria-label={t("bench.cost")}>
                <table class={ui.table}>
                    <thead>
                        <tr>
                            <th scope="col">{t("bench.col.step")}</th>
                            {targets > 1 && <th scope="col">{t("bench.history.target")}</th>}
                            {head(t("bench.col.syslog"), t("bench.cost.cpuHelp"))}
                            {head(t("bench.col.database"), t("bench.cost.cpuHelp"))}
                            {head(t("bench.cost.bytes"))}
                            {head(t("bench.cost.memory"), t("bench.cost.memoryHelp"))}
                            {head(t("bench.cost.most"), t("bench.cost.mostHelp"))}
                            {head(t("bench.cost.late"), t("bench.cost.lateHelp"))}
                        </tr>
                    </thead>
                    <tbody>
                        {trials.map((trial) => (
                            <tr key={trial.number}>
                                <th scope="row">{trialName(trial, lang)}</th>
                                {targets > 1 && <td>{targetText(trial.target, t)}</td>}
                                <td class={ui.num}>{known(trial.us_per_message.syslog, micros)}</td>
                                <td class={ui.num}>{known(trial.us_per_message.database, micros)}</td>
                                <td class={ui.num}>{known(trial.disk?.stored_bytes_a_message, (n) => n.toFixed(1))}</td>
                                <td class={ui.num}>{`${known(trial.memory_bytes?.syslog, bytes)} / ${known(trial.memory_bytes?.database, bytes)}`}</td>
                                <td class={ui.num}>{known(trial.rates.most_in_a_second, formatRate)}</td>
                                <td class={ui.num}>{known(trial.lateness_p99_us, formatElapsed)}</td>
                            </tr>
                        ))}
                    </tbody>
                </table>
            </div>
        </Card>
    );
}
