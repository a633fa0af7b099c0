import type { Retention } from "../../api/retention";
import { Card } from "../../components/States";
import ui from "../../components/ui.module.css";
import { useWords, type Key } from "../../i18n";
import { cx } from "../../utils/cx";
import { formatPercent, percentOf } from "../../utils/figures";
import { formatBytes } from "../../utils/format";
import { storageParts, type Part } from "./months";
import css from "./retention.module.css";

const WORD: Record<Part, Key> = {
    month: "use.month",
    older: "use.older",
    benchmark: "use.benchmark",
    database: "use.database",
    wal: "use.wal",
    spool: "use.spool",
    foreign: "use.foreign",
    free: "use.free",
};

/** The capacity as one bar, and what uses it. */
export function Storage({ data: r }: { data: Retention }) {
    const { t } = useWords();
    const parts = storageParts(r);
    const whole = Math.max(r.capacity_bytes, parts.reduce((sum, p) => sum + p.bytes, 0));
    const isOver = r.used.total_bytes > r.high_water_bytes;
    const capacity = t("use.capacity", { n: formatBytes(r.capacity_bytes) });
    const limited = r.capacity_is_limited ? ` (${t("use.limited", { n: formatBytes(r.file_system.total_bytes) })})` : "";
    return (
        <Card title={t("use.title")} aside={<span class="dim">{capacity + limited}</span>}>
            <div class={css.use}>
                <div class={css.useBar} aria-hidden="true">
                    {parts.map(({ part, bytes }) => (
                        <span key={part} class={css[`part-${part}`]} style={{ width: `${percentOf(bytes, whole)}%` }} title={`${t(WORD[part])} ${formatBytes(bytes)}`} />
                    ))}
                    <i style={{ left: `${percentOf(r.high_water_bytes, whole)}%` }} />
                </div>
                <p class={cx(css.mark, isOver && css.bad)}>
                    <i /> {t("use.high", { n: r.high_water_percent })} ({formatBytes(r.high_water_bytes)})
                </p>
            </div>
            <div class={ui.scroll} tabIndex={0} role="group" aria-label={t("use.title")}>
                <table class={cx(ui.table, css.parts)}>
                    <thead class="visually-hidden">
                        <tr>
                            <th scope="col">{t("use.what")}</th>
                            <th scope="col">{t("use.bytes")}</th>
                            <th scope="col">{t("use.share")}</th>
                        </tr>
                    </thead>
                    <tbody>
                        {parts.map(({ part, bytes }) => (
                            <tr key={part}>
                                <th scope="row">
                                    <span class={cx(css.swatch, css[`part-${part}`])} />
                                    {t(WORD[part])}
                                </th>
                                <td class={ui.num}>{formatBytes(bytes)}</td>
                                <td class={ui.num}>{`${formatPercent(percentOf(bytes, r.capacity_bytes))} %`}</td>
                            </tr>
                        ))}
                    </tbody>
                </table>
            </div>
        </Card>
    );
}
