/* One search: its first page and its histogram side by side, older pages on demand. */
import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import { boxNow, type ApiError } from "../../api/client";
import { getHistogram, getLogs } from "../../api/endpoints";
import type { Histogram } from "../../api/types";
import { addPage, NO_LINES, type Lines } from "../../state/logLines";
import { resolveRange, type Span, type TimeRange } from "../../state/timeRange";
import { asApiError, isPassing } from "../../state/useResource";

const BUCKETS = 120;
const RETRY_MS = 3000;

export interface Search {
    query: string;
    span: Span;
    lines: Lines;
    busy: boolean;
    error: ApiError | null;
    histogram: Histogram | null;
    histogramError: ApiError | null;
}

export interface SearchControl extends Search {
    /** Search again, with "now" as it is now. */
    again: () => void;
    more: () => void;
    stop: () => void;
}

function begin(query: string, range: TimeRange): Search {
    return { query, span: resolveRange(range, boxNow()), lines: NO_LINES, busy: true, error: null, histogram: null, histogramError: null };
}

export function useSearch(query: string, range: TimeRange): SearchControl {
    const [nonce, setNonce] = useState(0);
    const [search, setSearch] = useState<Search>(() => begin(query, range));
    const abort = useRef(new AbortController());

    useEffect(() => {
        const control = new AbortController();
        abort.current = control;
        const { signal } = control;
        let timer: ReturnType<typeof setTimeout> | undefined;
        const started = begin(query, range);
        // The former result stays until the new one is there; only its question changes at once.
        setSearch((s) => ({ ...started, lines: s.lines, histogram: s.histogram }));
        const retry = (error: ApiError) => {
            if (isPassing(error)) timer = setTimeout(() => setNonce((n) => n + 1), RETRY_MS);
        };
        getLogs(query, started.span, undefined, signal)
            .then((page) => setSearch((s) => ({ ...s, lines: addPage(NO_LINES, page), busy: false })))
            .catch((cause: unknown) => {
                if (signal.aborted) return;
                const error = asApiError(cause);
                setSearch((s) => ({ ...s, error, busy: false, ...(isPassing(error) ? {} : { lines: NO_LINES, histogram: null }) }));
                retry(error);
            });
        getHistogram(query, started.span, BUCKETS, signal)
            .then((histogram) => setSearch((s) => ({ ...s, histogram })))
            .catch((cause: unknown) => {
                if (!signal.aborted) setSearch((s) => ({ ...s, histogramError: asApiError(cause) }));
            });
        return () => {
            control.abort();
            clearTimeout(timer);
        };
    }, [query, range, nonce]);

    const more = useCallback(() => {
        if (search.busy || search.lines.next === null) return;
        const { signal } = abort.current;
        const { next } = search.lines;
        setSearch((s) => ({ ...s, busy: true, error: null }));
        getLogs(search.query, search.span, next, signal)
            .then((page) => setSearch((s) => ({ ...s, busy: false, lines: addPage(s.lines, page) })))
            .catch((cause: unknown) => {
                if (!signal.aborted) setSearch((s) => ({ ...s, busy: false, error: asApiError(cause) }));
            });
    }, [search]);

    const again = useCallback(() => setNonce((n) => n + 1), []);
    const stop = useCallback(() => {
        abort.current.abort();
        setSearch((s) => ({ ...s, busy: false }));
    }, []);
    return { ...search, again, more, stop };
}
