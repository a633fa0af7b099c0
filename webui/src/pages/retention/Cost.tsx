import { useState } from "preact/hooks";
import { getCost, type CostField, type CostRow } from "../../api/retention";
import { Card, Failed, Skeleton } from "../../components/States";
import ui from "../../components/ui.module.css";
import { useWords, type Translate } from "../../i18n";
import { href } from "../../state/router";
import { useResource } from "../../state/useResource";
import { visible } from "../../utils/bytes";
import { cx } from "../../utils/cx";
import { formatMonth } from "../../utils/days";
import { CENTURY, daysText, formatPercent } from "../../utils/figures";
import { formatBytes, formatCount, formatShort } from "../../utils/format";
import { clause } from "../../utils/query";
import css from "./retention.module.css";
import type { View } from "./view";

const EVERY_MS = 60_000;
const FIELDS: readonly CostField[] = ["hostname", "app_name"];

function logsOfRow(row: CostRow, by: CostField): string {
    const value = row[by];
    const parts = [value ? clause(by, value) : "", clause("severity", row.severity)];
    return href("/logs", { q: parts.filter(Boolean).join(" "), from: "-24h" });
}

function gain(row: CostRow, t: Translate): string {
    if (row.days_gained === null) return "–";
    if (row.days_gained >= CENTURY) return t("days.century");
    return row.days_gained >= 0.95 ? formatCount(row.days_gained) : row.days_gained < 0.05 ? "<0.1" : row.days_gained.toFixed(1);
}

/** Which host and severity takes which part, and what it would be worth to be without it. */
export function Cost({ view }: { view: View }) {
    const { t, lang } = useWords();
    const [by, setBy] = useState<CostField>("hostname");
    const { data, error, reload } = useResource(`cost ${by}`, (signal) => getCost(by, signal), EVERY_MS);
    const rows = data?.rows ?? [];
    const name = (row: CostRow) => visible(row[by] ?? "") || t(row.is_others ? "cost.others" : "cost.without");
    const best = rows.reduce<CostRow | null>((a, row) => (row[by] && (row.days_gained ?? 0) > (a?.days_gained ?? 0) ? row : a), null);
    return (
        <Card title={t("cost.title")} aside={<span class="dim">{formatMonth(data?.month || view.data.month, lang)}</span>}>
            <div class={css.choice} role="group" aria-label={t("cost.title")}>
                {FIELDS.map((field) => (
                    <button key={field} type="button" class={cx(ui.button, ui.small)} aria-pressed={by === field} onClick={() => setBy(field)}>
                        {t(field === "hostname" ? "cost.hosts" : "cost.programs")}
                    </button>
                ))}
            </div>
            {error && !data && <Failed error={error} retry={reload} />}
            {!data && !error && <Skeleton heights={[280]} />}
            {data && rows.length === 0 && <p class={css.empty}>{t("cost.none")}</p>}
            {rows.length > 0 && (
                <>
                    <p class={css.empty}>
                        {best && (best.days_gained ?? 0) >= 1 && (
                            <b class={css.best}>{t("cost.best", { severity: best.severity, host: name(best), n: daysText(best.days_gained ?? 0, t) })} </b>
                        )}
                        {t("cost.help")}
                    </p>
                    <div class={cx(ui.scroll, css.tall)} tabIndex={0} role="group" aria-label={t("cost.title")}>
                        <table class={ui.table}>
                            <thead>
                                <tr>
                                    <th scope="col">{t(by === "hostname" ? "cost.host" : "cost.program")}</th>
                                    <th scope="col">{t("cost.severity")}</th>
                                    <th scope="col" class={ui.num}>
                                        {t("days.messages")}
                                    </th>
                                    <th scope="col" class={ui.num}>
                                        {t("days.raw")}
                                    </th>
                                    <th scope="col" class={ui.num}>
                                        {t("days.disk")}
                                    </th>
                                    <th scope="col" class={ui.num}>
                                        {t("cost.share")}
                                    </th>
                                    <th scope="col" class={ui.num}>
                                        {t("cost.gain")}
                                    </th>
                                </tr>
                            </thead>
                            <tbody>
                                {rows.map((row) => (
                                    <tr key={`${row[by]} ${row.is_others} ${row.severity}`}>
                                        <th scope="row">
                                            <a href={logsOfRow(row, by)} title={t("cost.logs", { host: name(row), severity: row.severity })}>
                                                {name(row)}
                                            </a>
                                        </th>
                                        <td>{row.severity}</td>
                                        <td class={ui.num}>{formatShort(row.messages)}</td>
                                        <td class={ui.num}>{formatBytes(row.bytes)}</td>
                                        <td class={ui.num}>{formatBytes(row.disk_bytes)}</td>
                                        <td class={ui.num}>
                                            {`${formatPercent(row.share_percent)} %`}
                                            <span class={css.meter}>
                                                <span style={{ width: `${Math.min(100, row.share_percent)}%` }} />
                                            </span>
                                        </td>
                                        <td class={ui.num}>{gain(row, t)}</td>
                                    </tr>
                                ))}
                            </tbody>
                        </table>
                    </div>
                </>
            )}
        </Card>
    );
}
