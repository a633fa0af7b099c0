import type { RateField, RateRow } from "../../api/ratesBy";
import { Icon } from "../../components/Icon";
import { Ago } from "../../components/States";
import ui from "../../components/ui.module.css";
import { useWords, type Key } from "../../i18n";
import { visible } from "../../utils/bytes";
import { cx } from "../../utils/cx";
import { formatBytes, formatCount, formatDay, formatExact, formatRate, formatShort } from "../../utils/format";
import css from "./sources.module.css";
import { changeText, COLUMNS, HEAD, isNumber, isSilent, logsOfRow, nextOrder, type Column, type Order } from "./table";

const NAME: Record<RateField, Key> = {
    source: "col.source",
    hostname: "col.hostname",
    app_name: "col.app_name",
    severity: "col.severity",
    listener: "col.listener",
};

interface Props {
    label: string;
    field: RateField;
    rows: RateRow[];
    /** The box's time of the answer. */
    nowMs: number;
    order: Order;
    onOrder: (order: Order) => void;
}

function Head({ column, field, order, onOrder }: { column: Column; field: RateField; order: Order; onOrder: (order: Order) => void }) {
    const { t } = useWords();
    const isSorted = order.column === column;
    const { word, help } = column === "value" ? { word: NAME[field], help: undefined } : HEAD[column];
    return (
        <th
            scope="col"
            class={cx(isNumber(column) && ui.num, column === "value" && css.name)}
            aria-sort={isSorted ? (order.descending ? "descending" : "ascending") : "none"}
        >
            <button type="button" class={css.sort} title={help && t(help)} onClick={() => onOrder(nextOrder(order, column))}>
                {t(word)}
                {isSorted && <Icon name={order.descending ? "down" : "up"} />}
            </button>
        </th>
    );
}

function Name({ row, field, nowMs }: { row: RateRow; field: RateField; nowMs: number }) {
    const { t } = useWords();
    const logs = logsOfRow(row, field, nowMs);
    const silent = isSilent(row, field, nowMs);
    if (!logs) return <span class="dim">{t(row.is_others ? "rates.others" : "rates.noValue")}</span>;
    return (
        <>
            <a class="mono" href={logs} title={t("rates.logs", { name: visible(row.value ?? "") })}>
                {visible(row.value ?? "")}
            </a>
            {silent && <span class={css.silent}>{t("rates.silent")}</span>}
        </>
    );
}

function Change({ row }: { row: RateRow }) {
    const { t } = useWords();
    const { change_percent: percent } = row;
    if (percent === null) {
        return (
            <span class="dim" title={t("rates.newHelp")}>
                {row.day > 0 ? t("rates.new") : "–"}
            </span>
        );
    }
    return <span class={Math.abs(percent) >= 50 ? css.far : ""}>{changeText(percent)}</span>;
}

function Budget({ percent }: { percent: number | null }) {
    if (percent === null) return <>{"–"}</>;
    return (
        <>
            {`${percent > 0 && percent < 0.05 ? "<0.1" : percent.toFixed(1)} %`}
            <span class={css.meter}>
                <span style={{ width: `${Math.min(100, percent)}%` }} />
            </span>
        </>
    );
}

const count = (n: number) => <span title={formatCount(n)}>{formatShort(n)}</span>;

export function RatesTable({ label, field, rows, nowMs, order, onOrder }: Props) {
    return (
        <div class={ui.scroll} tabIndex={0} role="group" aria-label={label}>
            <table class={cx(ui.table, css.table)}>
                <thead>
                    <tr>
                        {COLUMNS.map((column) => (
                            <Head key={column} column={column} field={field} order={order} onOrder={onOrder} />
                        ))}
                    </tr>
                </thead>
                <tbody>
                    {rows.map((row) => (
                        <tr key={row.value ?? (row.is_others ? " others" : " without")} class={isSilent(row, field, nowMs) ? css.isSilent : ""}>
                            <th scope="row" class={css.name}>
                                <Name row={row} field={field} nowMs={nowMs} />
                            </th>
                            <td class={ui.num}>{formatRate(row.now)}</td>
                            <td class={ui.num}>{count(row.minute)}</td>
                            <td class={ui.num}>{count(row.hour)}</td>
                            <td class={ui.num}>{count(row.day)}</td>
                            <td class={ui.num}>{count(row.month)}</td>
                            <td class={ui.num}>
                                <Change row={row} />
                            </td>
                            <td class={ui.num}>{formatBytes(row.bytes_day)}</td>
                            <td class={ui.num}>{formatBytes(row.bytes_month)}</td>
                            <td class={ui.num}>{formatBytes(row.disk_month)}</td>
                            <td class={ui.num}>
                                <Budget percent={row.budget_percent} />
                            </td>
                            <td>{row.last_heard ? <Ago at={row.last_heard} /> : "–"}</td>
                            <td title={row.first_heard ? formatExact(row.first_heard) : ""}>{row.first_heard ? formatDay(row.first_heard) : "–"}</td>
                        </tr>
                    ))}
                </tbody>
            </table>
        </div>
    );
}
