import { useState } from "preact/hooks";
import { acknowledge, getSourceList, SOURCE_ONLY, SOURCE_ORDERS } from "../../api/sources";
import { Guide } from "../../components/guide/Guide";
import { Age, errorText, Failed, Skeleton } from "../../components/States";
import ui from "../../components/ui.module.css";
import formCss from "../../components/form.module.css";
import { useWords, type Key } from "../../i18n";
import { href, navigate, useRoute } from "../../state/router";
import { useAct } from "../../state/useAct";
import { useResource } from "../../state/useResource";
import { cx } from "../../utils/cx";
import { formatCount } from "../../utils/format";
import css from "./sources.module.css";
import { SourceTable } from "./SourceTable";
import { useTyped } from "./useTyped";
import { readList, writeList, type ListView } from "./view";

const EVERY_MS = 5000;
const STEP = 100;
const MOST = 2000;

const ONLY: Record<ListView["only"], Key> = { all: "src.only.all", new: "src.only.new", silent: "src.only.silent", unhealthy: "src.only.unhealthy" };
const ORDER: Record<ListView["order"], Key> = {
    busiest: "src.order.busiest",
    silent: "src.order.silent",
    new: "src.order.new",
    name: "src.order.name",
    address: "src.order.address",
};

interface ToolsProps {
    view: ListView;
    set: (change: Partial<ListView>) => void;
}

function Tools({ view, set }: ToolsProps) {
    const { t } = useWords();
    return (
        <>
            <input
                type="search"
                aria-label={t("src.find")}
                placeholder={t("src.find")}
                maxLength={200}
                value={view.filter}
                onInput={(e) => set({ filter: e.currentTarget.value })}
            />
            <select aria-label={t("src.only")} value={view.only} onChange={(e) => set({ only: SOURCE_ONLY.find((o) => o === e.currentTarget.value) ?? "all" })}>
                {SOURCE_ONLY.map((only) => (
                    <option key={only} value={only}>
                        {t(ONLY[only])}
                    </option>
                ))}
            </select>
            <select aria-label={t("src.order")} value={view.order} onChange={(e) => set({ order: SOURCE_ORDERS.find((o) => o === e.currentTarget.value) ?? "busiest" })}>
                {SOURCE_ORDERS.map((order) => (
                    <option key={order} value={order}>
                        {t(ORDER[order])}
                    </option>
                ))}
            </select>
        </>
    );
}

/** New sources, until somebody has looked. */
function NewNote({ n, mayChange, onShow, onDone }: { n: number; mayChange: boolean; onShow: () => void; onDone: () => void }) {
    const { t } = useWords();
    const act = useAct();
    const seen = async () => {
        if (await act.run(() => acknowledge({ all: true }))) onDone();
    };
    if (n === 0) return null;
    return (
        <div class={cx(ui.note, css.silentNote)} role="status">
            <span>{t(n < 10_000 ? "src.newMany" : "src.newMost", { n: formatCount(n) })}</span>
            <button type="button" class={cx(ui.button, ui.small)} onClick={onShow}>
                {t("src.newShow")}
            </button>
            {mayChange && (
                <button type="button" class={cx(ui.button, ui.small)} disabled={act.isBusy} onClick={() => void seen()}>
                    {t("src.seenAll")}
                </button>
            )}
            {act.error && <span class={formCss.error}>{errorText(act.error, t)}</span>}
        </div>
    );
}

/** All sources, with what is said of each and how its messages are read. */
export function SourceList({ mayChange }: { mayChange: boolean }) {
    const { t } = useWords();
    const { path, params } = useRoute();
    const [limit, setLimit] = useState(STEP);
    const view = readList(params);
    const filter = useTyped(view.filter);
    const wish = { ...view, filter, limit };
    const { data, error, at, reload } = useResource(`sources ${JSON.stringify(wish)}`, (signal) => getSourceList(wish, signal), EVERY_MS);
    const set = (change: Partial<ListView>) => navigate(href(path, writeList({ ...view, ...change })), { replace: true });
    const isWhole = filter === "" && view.only === "all";
    const total = data?.total ?? 0;
    if (data && total === 0 && isWhole) return <Guide />;
    return (
        <>
            {error && !data && <Failed error={error} retry={reload} />}
            {data && <NewNote n={data.new} mayChange={mayChange} onShow={() => set({ only: "new", filter: "" })} onDone={reload} />}
            <div class={ui.card}>
                <div class={css.tools}>
                    <Tools view={view} set={set} />
                    {data && <span class="dim">{t("rates.count", { shown: formatCount(data.sources.length), total: formatCount(total) })}</span>}
                    <Age at={at} staleMs={EVERY_MS * 4} />
                </div>
                {!data && !error && <Skeleton heights={[400]} />}
                {data && data.sources.length === 0 && (
                    <div class={css.empty}>
                        {filter !== "" ? t("src.noMatch", { text: filter }) : t("src.noneOfThese")}
                        <button type="button" class={ui.button} onClick={() => set({ only: "all", filter: "" })}>
                            {t("rates.showAll")}
                        </button>
                    </div>
                )}
                {data && data.sources.length > 0 && <SourceTable rows={data.sources} />}
                {data && data.sources.length < total && limit < MOST && (
                    <div class={css.more}>
                        <button type="button" class={cx(ui.button, ui.small)} onClick={() => setLimit(Math.min(MOST, limit * 4))}>
                            {t("rates.more", { n: formatCount(Math.min(total, limit * 4, MOST) - data.sources.length) })}
                        </button>
                    </div>
                )}
            </div>
        </>
    );
}
