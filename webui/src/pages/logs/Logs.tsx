import { useCallback, useMemo, useRef, useState } from "preact/hooks";
import { boxNow } from "../../api/client";
import type { LogEntry, Session } from "../../api/types";
import { Failed } from "../../components/States";
import { useWords } from "../../i18n";
import { loadsOn, moveSelection } from "../../state/logLines";
import { href, navigate, useRoute } from "../../state/router";
import { TAIL_ROWS } from "../../state/tail";
import { absoluteRange, widen, writeRange, type TimeRange } from "../../state/timeRange";
import { useRange } from "../../state/useRange";
import { cx } from "../../utils/cx";
import { clause, notThis, onlyThis } from "../../utils/query";
import { Detail } from "./Detail";
import { Empty } from "./Empty";
import { Foot } from "./Foot";
import { HistogramView } from "./HistogramView";
import { KeysHelp } from "./KeysHelp";
import { LineList, type Hit } from "./LineList";
import { LiveBar } from "./LiveBar";
import css from "./logs.module.css";
import { QueryBar } from "./QueryBar";
import { Summary } from "./Summary";
import { Stopped, Waiting } from "./Waiting";
import { useKeys } from "./useKeys";
import { useSearch } from "./useSearch";
import { useTail } from "./useTail";
import { ValueMenu } from "./ValueMenu";

const AROUND_MS = 60_000;

/** The lines to show: in live mode those just arrived, above those found before. */
function useEntries(isLive: boolean, arrived: LogEntry[], found: LogEntry[]): LogEntry[] {
    return useMemo(() => {
        if (!isLive) return found;
        const seen = new Set(arrived.map((e) => e.id));
        return [...arrived, ...found.filter((e) => !seen.has(e.id))].slice(0, TAIL_ROWS);
    }, [isLive, arrived, found]);
}

export function Logs({ session }: { session: Session }) {
    const { t } = useWords();
    const { params } = useRoute();
    const [range] = useRange();
    const query = params.get("q") ?? "";
    const isLive = params.get("live") === "1";
    const line = params.get("line");

    const [selected, setSelected] = useState<string | null>(line);
    const [hit, setHit] = useState<Hit | null>(null);
    const [isWrapped, setWrapped] = useState(false);
    const [isHelp, setHelp] = useState(false);
    const box = useRef<HTMLInputElement>(null);

    const search = useSearch(query, range);
    const badQuery = search.error?.code === "bad_query" ? search.error : null;
    const { tail, isLost, dispatch } = useTail(query, isLive && !badQuery);
    const entries = useEntries(isLive, tail.rows, search.lines.entries);
    const opened = line === null ? undefined : entries.find((e) => e.id === line);

    /** Another view is another URL; an opened line belongs to the view it was opened in. */
    const go = useCallback(
        (change: { q?: string; range?: TimeRange; live?: boolean; line?: string | null }, replace = false) => {
            let next = new URLSearchParams(location.search);
            const set = (name: string, value: string) => (value ? next.set(name, value) : next.delete(name));
            if (change.range) next = writeRange(next, change.range);
            if (change.q !== undefined) set("q", change.q);
            if (change.live !== undefined) set("live", change.live ? "1" : "");
            set("line", change.line ?? "");
            navigate(href("/logs", next), { replace });
        },
        [],
    );
    const open = (id: string | null) => {
        if (id) setSelected(id);
        if (isLive && id && !tail.isPaused) dispatch({ type: "pause" });
        go({ line: id }, true);
    };
    const move = (by: number) => {
        const to = moveSelection(entries, selected, by);
        setSelected(to);
        if (opened && to) open(to);
    };
    const around = ({ source, received_at: at, id }: LogEntry) => {
        const ms = Date.parse(at);
        setHit(null);
        go({ q: source ? clause("source", source) : "", range: absoluteRange(ms - AROUND_MS, ms + AROUND_MS), live: false, line: id });
    };
    const zoom = useCallback((span: { from: number; to: number }) => go({ range: absoluteRange(span.from, span.to) }), [go]);
    const closeMenu = useCallback(() => setHit(null), []);
    const onlyHere = (field: string, value: string) => go({ q: onlyThis(query, field, value) });
    const notHere = (field: string, value: string) => go({ q: notThis(query, field, value) });

    useKeys({
        query: () => box.current?.focus(),
        move,
        open: () => open(selected),
        close: () => (isHelp ? setHelp(false) : open(null)),
        help: () => setHelp(true),
    });

    const { lines, histogram, error, busy } = search;
    const isFirst = lines.pages === 0;
    const isEmpty = !isLive && !busy && !error && !isFirst && lines.entries.length === 0 && lines.next === null;
    return (
        <div class={cx(css.page, isEmpty && css.flow)}>
            <h1 class="visually-hidden">{t("logs.title")}</h1>
            <QueryBar
                box={box}
                query={query}
                range={range}
                isLive={isLive}
                error={badQuery}
                onSearch={(q) => (q === query ? search.again() : go({ q }))}
                onRange={(next) => go({ range: next })}
                onLive={() => go({ live: !isLive })}
            />
            {!isLive && histogram && !isEmpty && !badQuery && <HistogramView histogram={histogram} onZoom={zoom} onSeverity={(name) => onlyHere("severity", name)} />}
            {!isLive && search.histogramError && !badQuery && !error && <Failed error={search.histogramError} />}
            {isLive ? (
                <LiveBar tail={tail} isLost={isLost} dispatch={dispatch} />
            ) : (
                !badQuery && !isEmpty && !isFirst && <Summary search={search} session={session} isWrapped={isWrapped} onWrap={() => setWrapped(!isWrapped)} onKeys={() => setHelp(true)} />
            )}
            {isFirst && busy && !isLive && <Waiting onStop={search.stop} />}
            {isFirst && !busy && !error && !isLive && <Stopped onAgain={search.again} />}
            {error && !badQuery && isFirst && <Failed error={error} retry={search.again} />}
            {isEmpty && <Empty search={search} onWiden={() => go({ range: widen(range, boxNow()) })} onQuery={(q) => go({ q })} />}
            {!isEmpty && !badQuery && (!isFirst || entries.length > 0) && (
                <div class={css.columns}>
                    <LineList
                        entries={entries}
                        query={query}
                        selected={selected}
                        isWrapped={isWrapped}
                        isStale={!isLive && busy && histogram === null}
                        onEnd={!isLive && !busy && !error && loadsOn(lines) ? search.more : null}
                        onOpen={open}
                        onValue={setHit}
                        onScroll={(top) => isLive && top > 80 && !tail.isPaused && dispatch({ type: "pause" })}
                        foot={isLive ? null : <Foot search={search} onBefore={(to) => go({ range: absoluteRange(search.span.from, to) })} />}
                    />
                    {opened && (
                        <Detail
                            entry={opened}
                            onOnly={onlyHere}
                            onNot={notHere}
                            onAround={() => around(opened)}
                            onMove={move}
                            onClose={() => open(null)}
                        />
                    )}
                </div>
            )}
            {hit && <ValueMenu hit={hit} onOnly={onlyHere} onNot={notHere} onAround={() => around(hit.entry)} onClose={closeMenu} />}
            {isHelp && <KeysHelp onClose={() => setHelp(false)} />}
        </div>
    );
}
