import { useEffect, useMemo, useRef } from "preact/hooks";
import type { ComponentChildren } from "preact";
import type { LogEntry } from "../../api/types";
import { useWords } from "../../i18n";
import { useBenchNetwork } from "../../state/benchNetwork";
import { cx } from "../../utils/cx";
import { wantedTexts } from "../../utils/query";
import css from "./logs.module.css";
import { Chunk } from "./Row";

const CHUNK_ROWS = 100;

function cut(entries: LogEntry[]): { start: number; rows: LogEntry[] }[] {
    const out = [];
    for (let start = 0; start < entries.length; start += CHUNK_ROWS) out.push({ start, rows: entries.slice(start, start + CHUNK_ROWS) });
    return out;
}

export interface Hit {
    entry: LogEntry;
    field: string;
    value: string;
    x: number;
    y: number;
}

interface Props {
    entries: LogEntry[];
    query: string;
    selected: string | null;
    isWrapped: boolean;
    isStale: boolean;
    /** Null: there is nothing to load by scrolling. */
    onEnd: (() => void) | null;
    onOpen: (id: string) => void;
    onValue: (hit: Hit) => void;
    onScroll?: (top: number) => void;
    foot: ComponentChildren;
}

/** Newest first.  The number of rows is bounded, and the browser lays out only those in view. */
export function LineList(props: Props) {
    const { entries, query, selected, isWrapped, isStale, onEnd, onOpen, onValue, onScroll, foot } = props;
    const { t } = useWords();
    const benchNetwork = useBenchNetwork();
    const list = useRef<HTMLDivElement>(null);
    const end = useRef<HTMLDivElement>(null);
    const wanted = useMemo(() => wantedTexts(query), [query]);
    const chunks = useMemo(() => cut(entries), [entries]);
    const newest = entries[0];
    const oldest = entries[entries.length - 1];
    const withDay = Boolean(newest && oldest && new Date(newest.received_at).toDateString() !== new Date(oldest.received_at).toDateString());

    useEffect(() => {
        const node = end.current;
        if (!node || !onEnd) return;
        const watch = new IntersectionObserver((seen) => seen.some((s) => s.isIntersecting) && onEnd(), { rootMargin: "600px" });
        watch.observe(node);
        return () => watch.disconnect();
    }, [onEnd]);

    useEffect(() => {
        if (selected) document.getElementById(`line-${selected}`)?.scrollIntoView({ block: "nearest" });
    }, [selected]);

    const click = (e: MouseEvent) => {
        const target = e.target as HTMLElement;
        const id = target.closest<HTMLElement>("[data-id]")?.dataset.id;
        const entry = entries.find((x) => x.id === id);
        if (!entry || getSelection()?.toString()) return;
        const cell = target.closest<HTMLElement>("[data-field]");
        if (cell?.dataset.field) {
            const box = cell.getBoundingClientRect();
            onValue({ entry, field: cell.dataset.field, value: cell.dataset.value ?? "", x: box.left, y: box.bottom });
        } else onOpen(entry.id);
    };

    return (
        <div
            ref={list}
            class={cx(css.list, isWrapped && css.wrapped, withDay && css.withDay, isStale && css.staleList)}
            onScroll={(e) => onScroll?.(e.currentTarget.scrollTop)}
        >
            <div
                role="grid"
                tabIndex={0}
                class={css.grid}
                aria-label={t("logs.lines")}
                aria-rowcount={-1}
                aria-activedescendant={selected ? `line-${selected}` : undefined}
                onClick={click}
            >
                <div role="row" class={cx(css.row, css.head)} aria-rowindex={1}>
                    <span role="columnheader" class={css.time}>
                        {t("logs.time")}
                    </span>
                    <span role="columnheader">{t("logs.severity")}</span>
                    <span role="columnheader" class={css.host}>
                        {t("logs.host")}
                    </span>
                    <span role="columnheader" class={css.app}>
                        {t("logs.app")}
                    </span>
                    <span role="columnheader" class={css.message}>
                        {t("logs.message")}
                    </span>
                </div>
                {chunks.map(({ start, rows }) => (
                    <Chunk
                        key={start}
                        entries={rows}
                        start={start}
                        selected={selected !== null && rows.some((e) => e.id === selected) ? selected : null}
                        withDay={withDay}
                        wanted={wanted}
                        isFree={query.includes("*")}
                        benchNetwork={benchNetwork}
                    />
                ))}
            </div>
            <div ref={end} class={css.foot}>
                {foot}
            </div>
        </div>
    );
}
