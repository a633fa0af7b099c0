import type { RefObject } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { ApiError } from "../../api/client";
import { Icon } from "../../components/Icon";
import { TimeRange } from "../../components/TimeRange";
import ui from "../../components/ui.module.css";
import { useWords } from "../../i18n";
import type { TimeRange as Range } from "../../state/timeRange";
import { cx } from "../../utils/cx";
import { byteToIndex } from "../../utils/query";
import css from "./logs.module.css";

const QUERY_MAX = 4096;

/** The query again, with the place at fault marked. */
function ErrorAt({ query, error }: { query: string; error: ApiError }) {
    const { t } = useWords();
    const from = byteToIndex(query, error.at ?? 0);
    const to = byteToIndex(query, (error.at ?? 0) + (error.length ?? 0));
    return (
        <div class={css.queryError} role="alert" id="query-error">
            {error.at !== undefined && (
                <code aria-label={t("logs.errorAt")}>
                    {query.slice(0, from)}
                    <span class={css.fault}>{query.slice(from, to) || "\u2009\u2038\u2009"}</span>
                    {query.slice(to)}
                </code>
            )}
            <span>{error.message}</span>
        </div>
    );
}

interface Props {
    box: RefObject<HTMLInputElement>;
    query: string;
    range: Range;
    isLive: boolean;
    error: ApiError | null;
    onSearch: (query: string) => void;
    onRange: (range: Range) => void;
    onLive: () => void;
}

export function QueryBar({ box, query, range, isLive, error, onSearch, onRange, onLive }: Props) {
    const { t } = useWords();
    const [text, setText] = useState(query);
    useEffect(() => setText(query), [query]);
    return (
        <>
            <div class={css.bar}>
                <form
                    class={css.queryForm}
                    role="search"
                    onSubmit={(e) => {
                        e.preventDefault();
                        onSearch(text.trim());
                    }}
                >
                    <input
                        ref={box}
                        type="search"
                        class={css.query}
                        aria-label={t("logs.query")}
                        aria-invalid={error ? "true" : undefined}
                        aria-describedby={error ? "query-error" : undefined}
                        placeholder={t("logs.placeholder")}
                        maxLength={QUERY_MAX}
                        spellcheck={false}
                        autocapitalize="none"
                        autocomplete="off"
                        value={text}
                        onInput={(e) => setText(e.currentTarget.value)}
                    />
                    <button type="submit" class={cx(ui.button, ui.primary)}>
                        {t("logs.search")}
                    </button>
                </form>
                <div class={css.barRight}>
                    {!isLive && <TimeRange range={range} onChange={onRange} />}
                    <button type="button" class={ui.button} aria-pressed={isLive} title={t("logs.liveTitle")} onClick={onLive}>
                        <Icon name="live" />
                        {t("logs.live")}
                    </button>
                </div>
            </div>
            {error && <ErrorAt query={query} error={error} />}
        </>
    );
}
