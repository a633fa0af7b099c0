import { useEffect, useRef, useState } from "preact/hooks";
import type { ApiError } from "../api/client";
import { addOlder, mergeNewest, type Page, type Row } from "./newest";
import { asApiError, useResource } from "./useResource";

interface Newest<T extends Row> {
    shown: Page<T> | null;
    error: ApiError | null;
    at: number;
    isFetching: boolean;
    older: () => void;
    reload: () => void;
}

/** A list newest first that goes on at its top by itself and, when asked, at its end.  As with
 * useResource, another key drops what was there. */
export function useNewest<T extends Row>(
    key: string,
    load: (cursor: string | undefined, signal: AbortSignal) => Promise<Page<T>>,
    everyMs: number,
): Newest<T> {
    const newest = useResource(key, (signal) => load(undefined, signal), everyMs);
    const [state, setState] = useState<{ key: string; shown: Page<T> | null; error: ApiError | null }>({ key, shown: null, error: null });
    const [isFetching, setFetching] = useState(false);
    const abort = useRef<AbortController | null>(null);

    useEffect(() => {
        const page = newest.data;
        if (page) setState((s) => ({ key, shown: mergeNewest(s.key === key ? s.shown : null, page), error: null }));
    }, [newest.data]);

    useEffect(() => () => abort.current?.abort(), [key]);

    const shown = state.key === key ? state.shown : null;
    const older = async () => {
        if (!shown?.next || isFetching) return;
        const control = new AbortController();
        abort.current = control;
        setFetching(true);
        try {
            const page = await load(shown.next, control.signal);
            if (!control.signal.aborted) setState((s) => (s.key === key && s.shown ? { ...s, shown: addOlder(s.shown, page), error: null } : s));
        } catch (cause) {
            if (!control.signal.aborted) setState((s) => ({ ...s, error: asApiError(cause) }));
        }
        setFetching(false);
    };
    return { shown, error: newest.error ?? state.error, at: newest.at, isFetching, older: () => void older(), reload: newest.reload };
}
