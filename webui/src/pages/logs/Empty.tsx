import { boxNow } from "../../api/client";
import { getSources } from "../../api/endpoints";
import { Guide } from "../../components/guide/Guide";
import ui from "../../components/ui.module.css";
import { useWords } from "../../i18n";
import { useResource } from "../../state/useResource";
import { visible } from "../../utils/bytes";
import { cx } from "../../utils/cx";
import { formatTime } from "../../utils/format";
import { insideWords } from "../../utils/query";
import css from "./logs.module.css";
import type { Search } from "./useSearch";

interface Props {
    search: Search;
    onWiden: () => void;
    onQuery: (query: string) => void;
}

/** Nothing found: what was searched, and one click to more.  On a box without logs: how to send some. */
export function Empty({ search, onWiden, onQuery }: Props) {
    const { t } = useWords();
    const { query, span } = search;
    const known = useResource("known", (signal) => getSources({ from: boxNow() - 60_000, to: boxNow() }, "silent", 1, signal));
    if (known.data?.total === 0) return <Guide />;
    const inside = insideWords(query);
    const values = {
        from: formatTime(new Date(span.from)),
        to: formatTime(new Date(span.to)),
    };
    return (
        <div class={css.empty}>
            <h2>{t("logs.empty")}</h2>
            <p>{query ? t("logs.emptyWhat", values) : t("logs.emptyAll", values)}</p>
            {query && <code>{visible(query)}</code>}
            <div class={ui.actions}>
                <button type="button" class={cx(ui.button, ui.primary)} onClick={onWiden}>
                    {t("logs.widen")}
                </button>
                {inside && (
                    <button type="button" class={ui.button} onClick={() => onQuery(inside)}>
                        {t("logs.inside", { query: inside })}
                    </button>
                )}
                {query && (
                    <button type="button" class={ui.button} onClick={() => onQuery("")}>
                        {t("logs.clear")}
                    </button>
                )}
            </div>
        </div>
    );
}
