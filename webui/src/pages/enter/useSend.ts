import { useEffect, useState } from "preact/hooks";
import type { ApiError } from "../../api/client";
import type { Session } from "../../api/types";
import { enter } from "../../state/session";
import { asApiError } from "../../state/useResource";

/** Send a form that opens a session; after too many tries it counts the seconds down. */
export function useSend(send: () => Promise<Session>) {
    const [busy, setBusy] = useState(false);
    const [error, setError] = useState<ApiError | null>(null);
    const [waitS, setWait] = useState(0);

    useEffect(() => {
        if (waitS <= 0) return;
        const timer = setTimeout(() => setWait(waitS - 1), 1000);
        return () => clearTimeout(timer);
    }, [waitS]);

    const submit = async () => {
        setBusy(true);
        setError(null);
        try {
            enter(await send());
        } catch (cause) {
            const failed = asApiError(cause);
            setError(failed);
            if (failed.status === 429) setWait(failed.retryAfterS ?? 1);
        }
        setBusy(false);
    };
    return { busy, error, waitS, submit };
}
