import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import type { ApiError } from "../api/client";
import { asApiError } from "./useResource";

export interface Act {
    isBusy: boolean;
    error: ApiError | null;
    /** True when it was done; a second one while the first is under way is none. */
    run: (act: () => Promise<unknown>) => Promise<boolean>;
    clear: () => void;
}

/** Something asked of the box once, by a button: under way, done or refused. */
export function useAct(): Act {
    const [isBusy, setBusy] = useState(false);
    const [error, setError] = useState<ApiError | null>(null);
    const here = useRef(true);
    const busy = useRef(false);
    useEffect(
        () => () => {
            here.current = false;
        },
        [],
    );
    const run = useCallback(async (act: () => Promise<unknown>) => {
        if (busy.current) return false;
        busy.current = true;
        setBusy(true);
        setError(null);
        let failed: ApiError | null = null;
        try {
            await act();
        } catch (cause) {
            failed = asApiError(cause);
        }
        busy.current = false;
        if (here.current) {
            setBusy(false);
            setError(failed);
        }
        return failed === null;
    }, []);
    const clear = useCallback(() => setError(null), []);
    return { isBusy, error, run, clear };
}
