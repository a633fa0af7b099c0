import { useEffect, useState } from "preact/hooks";

const SETTLE_MS = 200;

/** What was typed, once typing pauses: the box is not asked at every key. */
export function useTyped(typed: string, ms = SETTLE_MS): string {
    const [asked, setAsked] = useState(typed);
    useEffect(() => {
        const timer = setTimeout(() => setAsked(typed), ms);
        return () => clearTimeout(timer);
    }, [typed, ms]);
    return asked;
}
