/* The runs that are kept, newest first: at most 200, so that all may be on the screen. */
import { useEffect, useRef, useState } from "preact/hooks";
import { getRuns, type RunRow } from "../../api/bench";
import type { ApiError } from "../../api/client";
import { asApiError, useResource } from "../../state/useResource";

export const RUNS_EVERY_MS = 3000;

export interface Runs {
    /** null: nothing is known yet. */
    entries: RunRow[] | null;
    hasOlder: boolean;
    isFetching: boolean;
    error: ApiError | null;
    at: number;
    older: () => void;
    reload: () => void;
}

interface Older {
    entries: RunRow[];
    next: string | null;
}

/** The first page again and again while it is shown; older ones once, when asked for. */
export function useRuns(isShown: boolean): Runs {
    const first = useResource(isShown ? "bench runs" : null, (signal) => getRuns(undefined, signal), RUNS_EVERY_MS);
    const [older, setOlder] = useState<Older | null>(null);
    const [isFetching, setFetching] = useState(false);
    const [error, setError] = useState<ApiError | null>(null);
    const abort = useRef<AbortController | null>(null);
    useEffect(() => () => abort.current?.abort(), []);

    const next = older ? older.next : (first.data?.next ?? null);
    const fetchOlder = async () => {
        if (next === null || isFetching) return;
        const control = new AbortController();
        abort.current = control;
        setFetching(true);
        try {
            const page = await getRuns(next, control.signal);
            if (control.signal.aborted) return;
            setOlder({ entries: [...(older?.entries ?? []), ...page.entries], next: page.next });
            setError(null);
        } catch (cause) {
            if (control.signal.aborted) return;
            setError(asApiError(cause));
        }
        setFetching(false);
    };
    const newest = first.data?.entries;
    const known = new Set(newest?.map((run) => run.id));
    return {
        entries: newest ? [...newest, ...(older?.entries ?? []).filter((run) => !known.has(run.id))] : null,
        hasOlder: next !== null,
        isFetching,
        error: first.error ?? error,
        at: first.at,
        older: () => void fetchOlder(),
        reload: () => {
            setOlder(null);
            first.reload();
        },
    };
}
