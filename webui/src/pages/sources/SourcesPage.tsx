import { useMemo, useState } from "preact/hooks";
import { boxNow } from "../../api/client";
import { getSources } from "../../api/endpoints";
import { Guide } from "../../components/guide/Guide";
import { Icon } from "../../components/Icon";
import { Age, Failed, Moment, Skeleton } from "../../components/States";
import { TimeRange } from "../../components/TimeRange";
import ui from "../../components/ui.module.css";
import { useWords, type Key } from "../../i18n";
import { href, navigate, useRoute } from "../../state/router";
import { isOpen, resolveRange } from "../../state/timeRange";
import { useRange } from "../../state/useRange";
import { useResource } from "../../state/useResource";
import { cx } from "../../utils/cx";
import { formatBytes, formatCount } from "../../utils/format";
import { logsOf } from "../dashboard/SourceCards";
import css from "./sources.module.css";
import { arrange, COLUMNS, nextOrder, readOrder, writeOrder, type Column, type Order } from "./table";

const EVERY_MS = 10_000;
const ASKED = 10_000;
const ROWS_STEP = 200;

const HEADS: Record<Column, Key> = {
    source: "sources.address",
    messages: "sources.messages",
    bytes: "sources.bytes",
    range: "sources.inRange",
    first_heard: "sources.first",
    last_heard: "sources.last",
};
const isNumber = (column: Column) => column === "messages" || column === "bytes" || column === "range";

function Head({ column, order, onOrder }: { column: Column; order: Order; onOrder: (order: Order) => void }) {
    const { t } = useWords();
    const isSorted = order.column === column;
    const sort = isSorted ? (order.descending ? "descending" : "ascending") : "none";
    return (
        <th scope="col" class={isNumber(column) ? ui.num : ""} aria-sort={sort}>
            <button type="button" class={css.sort} onClick={() => onOrder(nextOrder(order, column))}>
                {t(HEADS[column])}
                {isSorted && <Icon name={order.descending ? "down" : "up"} />}
            </button>
        </th>
    );
}

export function SourcesPage() {
    const { t } = useWords();
    const { path, params } = useRoute();
    const [range, setRange] = useRange({ from: "-24h", to: "" });
    const [shown, setShown] = useState(ROWS_STEP);
    const filter = params.get("filter") ?? "";
    const order = readOrder(params);
    const resource = useResource(
        `${range.from} ${range.to}`,
        (signal) => getSources(resolveRange(range, boxNow()), "busiest", ASKED, signal),
        isOpen(range) ? EVERY_MS : 0,
    );
    const { data, error } = resource;
    const orderText = writeOrder(order);
    const rows = useMemo(() => arrange(data?.sources ?? [], filter, order), [data, filter, orderText]);

    const set = (name: string, value: string) => {
        const next = new URLSearchParams(params);
        if (value) next.set(name, value);
        else next.delete(name);
        navigate(href(path, next), { replace: true });
    };

    return (
        <>
            <div class={ui.pageHead}>
                <h1>{t("sources.title")}</h1>
                <Age at={resource.at} staleMs={EVERY_MS * 3} />
                <TimeRange range={range} onChange={setRange} />
            </div>
            {error && !data && <Failed error={error} retry={resource.reload} />}
            {!data && !error && <Skeleton heights={[40, 400]} />}
            {data && data.total === 0 && <Guide />}
            {data && data.total > 0 && (
                <div class={ui.card}>
                    <div class={css.tools}>
                        <input
                            type="search"
                            aria-label={t("sources.filter")}
                            placeholder={t("sources.filter")}
                            value={filter}
                            onInput={(e) => set("filter", e.currentTarget.value)}
                        />
                        <span class="dim">{t("sources.count", { shown: formatCount(rows.length), total: formatCount(data.total) })}</span>
                    </div>
                    {rows.length === 0 ? (
                        <div class={css.empty}>
                            {t("sources.noMatch", { text: filter })}
                            <button type="button" class={ui.button} onClick={() => set("filter", "")}>
                                {t("sources.clear")}
                            </button>
                        </div>
                    ) : (
                        <div class={ui.scroll} tabIndex={0} role="group" aria-label={t("sources.title")}>
                            <table class={ui.table}>
                                <thead>
                                    <tr>
                                        {COLUMNS.map((column) => (
                                            <Head key={column} column={column} order={order} onOrder={(o) => set("order", writeOrder(o))} />
                                        ))}
                                    </tr>
                                </thead>
                                <tbody>
                                    {rows.slice(0, shown).map((s) => (
                                        <tr key={s.source}>
                                            <th scope="row">
                                                <a class="mono" href={logsOf(s.source, range.from)} title={t("sources.logs", { address: s.source })}>
                                                    {s.source}
                                                </a>
                                            </th>
                                            <td class={ui.num}>{formatCount(s.range.arrived)}</td>
                                            <td>
                                                <Moment at={s.last_heard} />
                                            </td>
                                            <td class={ui.num}>{formatCount(s.messages)}</td>
                                            <td class={ui.num}>{formatBytes(s.bytes)}</td>
                                            <td>
                                                <Moment at={s.first_heard} />
                                            </td>
                                        </tr>
                                    ))}
                                </tbody>
                            </table>
                        </div>
                    )}
                    {rows.length > shown && (
                        <div class={css.more}>
                            <button type="button" class={cx(ui.button, ui.small)} onClick={() => setShown(shown + ROWS_STEP)}>
                                {t("sources.more", { n: formatCount(Math.min(ROWS_STEP, rows.length - shown)) })}
                            </button>
                        </div>
                    )}
                </div>
            )}
        </>
    );
}
