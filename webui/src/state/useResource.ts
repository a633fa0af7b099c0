/* Fetch something, perhaps again and again.  What was there stays while the next answer is awaited or
 * fails, so that a page is never blank; `at` tells its age. */
import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import { ApiError } from "../api/client";

export interface Resource<T> {
    data: T | undefined;
    /** When `data` arrived, milliseconds since the epoch. */
    at: number;
    error: ApiError | null;
    loading: boolean;
    reload: () => void;
}

interface State<T> {
    key: string | null;
    data: T | undefined;
    at: number;
    error: ApiError | null;
    loading: boolean;
}

const BACKOFF_MS = [1000, 2000, 4000, 8000, 15_000];

export function asApiError(cause: unknown): ApiError {
    return cause instanceof ApiError ? cause : new ApiError(0, "bad_answer", cause instanceof Error ? cause.message : String(cause));
}

/** Worth asking again without the reader doing anything: the box or its database is away. */
export function isPassing(error: ApiError): boolean {
    return error.status === 0 || error.status >= 500 || error.status === 429;
}

/**
 * `key` names what is asked for: another key drops the old data; null asks for nothing.
 * `everyMs` 0 asks once (and again only after a passing failure).
 */
export function useResource<T>(key: string | null, load: (signal: AbortSignal) => Promise<T>, everyMs = 0): Resource<T> {
    const [state, setState] = useState<State<T>>({ key: null, data: undefined, at: 0, error: null, loading: false });
    const [nonce, setNonce] = useState(0);
    const loadNow = useRef(load);
    loadNow.current = load;

    useEffect(() => {
        if (key === null) return;
        const abort = new AbortController();
        let timer: ReturnType<typeof setTimeout> | undefined;
        let failures = 0;
        const again = (ms: number) => {
            clearTimeout(timer);
            timer = setTimeout(() => void run(), ms);
        };
        const run = async () => {
            if (document.hidden && everyMs > 0) {
                again(everyMs);
                return;
            }
            setState((s) => ({ ...s, ...(s.key === key ? {} : { data: undefined, error: null, at: 0 }), key, loading: true }));
            try {
                const data = await loadNow.current(abort.signal);
                if (abort.signal.aborted) return;
                failures = 0;
                setState({ key, data, at: Date.now(), error: null, loading: false });
                if (everyMs > 0) again(everyMs);
            } catch (cause) {
                if (abort.signal.aborted) return;
                const error = asApiError(cause);
                setState((s) => ({ ...s, error, loading: false }));
                const pause = BACKOFF_MS[Math.min(failures++, BACKOFF_MS.length - 1)] ?? 1000;
                if (isPassing(error)) again(Math.max(pause, everyMs > 0 ? Math.min(everyMs, 5000) : 0));
            }
        };
        const now = () => {
            if (failures > 0 || everyMs > 0) again(0);
        };
        const shown = () => {
            if (!document.hidden) now();
        };
        void run();
        addEventListener("online", now);
        document.addEventListener("visibilitychange", shown);
        return () => {
            abort.abort();
            clearTimeout(timer);
            removeEventListener("online", now);
            document.removeEventListener("visibilitychange", shown);
        };
    }, [key, nonce, everyMs]);

    const reload = useCallback(() => setNonce((n) => n + 1), []);
    const fresh = state.key === key;
    return {
        data: fresh ? state.data : undefined,
        at: fresh ? state.at : 0,
        error: fresh ? state.error : null,
        loading: key !== null && (!fresh || state.loading),
        reload,
    };
}
