import { useEffect, useState } from "preact/hooks";

/** The time, renewed every `everyMs` while the page is shown: for ages. */
export function useNow(everyMs = 1000): number {
    const [now, setNow] = useState(Date.now());
    useEffect(() => {
        const timer = setInterval(() => {
            if (!document.hidden) setNow(Date.now());
        }, everyMs);
        return () => clearInterval(timer);
    }, [everyMs]);
    return now;
}

/** True once `on` has lasted for `ms`: a skeleton that shows at once only flickers. */
export function useDelayed(on: boolean, ms: number): boolean {
    const [late, setLate] = useState(false);
    useEffect(() => {
        if (!on) {
            setLate(false);
            return;
        }
        const timer = setTimeout(() => setLate(true), ms);
        return () => clearTimeout(timer);
    }, [on, ms]);
    return on && late;
}
