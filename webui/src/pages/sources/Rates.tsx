import { useState } from "preact/hooks";
import { getRatesBy, RATE_FIELDS, ratesCsvUrl, type RateField } from "../../api/ratesBy";
import { Guide } from "../../components/guide/Guide";
import { Icon } from "../../components/Icon";
import { Age, Failed, Skeleton } from "../../components/States";
import { Tabs } from "../../components/Tabs";
import ui from "../../components/ui.module.css";
import { useWords, type Key } from "../../i18n";
import { href, navigate, useRoute } from "../../state/router";
import { useResource } from "../../state/useResource";
import { cx } from "../../utils/cx";
import { formatCount } from "../../utils/format";
import { RatesTable } from "./RatesTable";
import { Silent } from "./Silent";
import css from "./sources.module.css";
import { readField, readOrder, writeOrder } from "./table";
import { useTyped } from "./useTyped";

const EVERY_MS = 5000;
const STEP = 100;
const MOST = 2000;

const TAB: Record<RateField, Key> = {
    source: "rates.source",
    hostname: "rates.hostname",
    app_name: "rates.app_name",
    severity: "rates.severity",
    listener: "rates.listener",
};

function Table({ field }: { field: RateField }) {
    const { t } = useWords();
    const { path, params } = useRoute();
    const [limit, setLimit] = useState(STEP);
    const typed = params.get("filter") ?? "";
    const filter = useTyped(typed);
    const order = readOrder(params);
    const wish = { field, sort: order.column, order: order.descending ? ("desc" as const) : ("asc" as const), filter, limit };
    const { data, error, at, reload } = useResource(JSON.stringify(wish), (signal) => getRatesBy(wish, signal), EVERY_MS);
    const set = (name: string, value: string) => {
        const next = new URLSearchParams(params);
        if (value) next.set(name, value);
        else next.delete(name);
        navigate(href(path, next), { replace: true });
    };
    const total = data?.total ?? 0;
    if (data && total === 0 && filter === "") return <Guide />;
    return (
        <>
            {error && !data && <Failed error={error} retry={reload} />}
            <div class={ui.card}>
                <div class={css.tools}>
                    <input
                        type="search"
                        aria-label={t("rates.filter")}
                        placeholder={t("rates.filter")}
                        maxLength={255}
                        value={typed}
                        onInput={(e) => set("filter", e.currentTarget.value)}
                    />
                    {data && <span class="dim">{t("rates.count", { shown: formatCount(data.rows.length), total: formatCount(total) })}</span>}
                    <Age at={at} staleMs={EVERY_MS * 4} />
                    <a class={cx(ui.button, ui.small, css.csv)} href={ratesCsvUrl(wish)} download>
                        <Icon name="export" />
                        {t("rates.csv")}
                    </a>
                </div>
                {!data && !error && <Skeleton heights={[400]} />}
                {data && data.rows.length === 0 && (
                    <div class={css.empty}>
                        {filter === "" ? t("rates.none") : t("rates.noMatch", { text: filter })}
                        {filter !== "" && (
                            <button type="button" class={ui.button} onClick={() => set("filter", "")}>
                                {t("rates.showAll")}
                            </button>
                        )}
                    </div>
                )}
                {data && data.rows.length > 0 && (
                    <RatesTable
                        label={t(TAB[field])}
                        field={field}
                        rows={data.rows}
                        nowMs={Date.parse(data.at)}
                        order={order}
                        onOrder={(next) => set("order", writeOrder(next))}
                    />
                )}
                {data && data.rows.length < total && limit < MOST && (
                    <div class={css.more}>
                        <button type="button" class={cx(ui.button, ui.small)} onClick={() => setLimit(Math.min(MOST, limit * 4))}>
                            {t("rates.more", { n: formatCount(Math.min(total, limit * 4, MOST) - data.rows.length) })}
                        </button>
                    </div>
                )}
            </div>
        </>
    );
}

/** How much each sends, by source, host name, program, severity or listener. */
export function Rates() {
    const { t } = useWords();
    const { path, params } = useRoute();
    const field = readField(params);
    const showSilent = () => {
        const next = new URLSearchParams(params);
        next.set("order", "last_heard");
        navigate(href(path, next));
    };
    return (
        <>
            <Tabs
                label={t("rates.by")}
                chosen={field}
                tabs={RATE_FIELDS.map((key) => ({ key, label: t(TAB[key]), href: href(path, { tab: "rates", ...(key === "source" ? {} : { by: key }) }) }))}
            />
            <Silent key={`silent ${field}`} field={field} onShow={showSilent} />
            <Table key={field} field={field} />
        </>
    );
}
