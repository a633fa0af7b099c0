/* The stream behind live mode.  What arrives is gathered and shown four times a second. */
import { useEffect, useReducer, useState } from "preact/hooks";
import { tailUrl } from "../../api/endpoints";
import type { LogEntry } from "../../api/types";
import { NO_TAIL, TAIL_BURST, tailReducer, type Tail, type TailAction } from "../../state/tail";

const REPAINT_MS = 250;
const RECONNECT_MS = 3000;

export function useTail(query: string, isOn: boolean): { tail: Tail; isLost: boolean; dispatch: (action: TailAction) => void } {
    const [tail, dispatch] = useReducer(tailReducer, NO_TAIL);
    const [isLost, setLost] = useState(false);

    useEffect(() => {
        dispatch({ type: "clear" });
        if (!isOn) return;
        let waiting: LogEntry[] = [];
        let left = 0;
        let isMore = false;
        let source: EventSource | null = null;
        let reconnect: ReturnType<typeof setTimeout> | undefined;
        const open = () => {
            source = new EventSource(tailUrl(query));
            source.onopen = () => setLost(false);
            source.onmessage = (event: MessageEvent<string>) => {
                waiting.unshift(JSON.parse(event.data) as LogEntry);
                // A hidden page repaints seldom: what waits for it is bounded too.
                if (waiting.length > TAIL_BURST) {
                    waiting.pop();
                    left++;
                }
            };
            source.addEventListener("skipped", () => {
                isMore = true;
            });
            source.addEventListener("database", (event: MessageEvent<string>) => {
                setLost((JSON.parse(event.data) as { state: string }).state === "away");
            });
            source.onerror = () => {
                setLost(true);
                // A refused stream is closed for good by the browser; a broken one it opens again itself.
                if (source?.readyState === EventSource.CLOSED) reconnect = setTimeout(open, RECONNECT_MS);
            };
        };
        const repaint = setInterval(() => {
            if (waiting.length === 0 && left === 0 && !isMore) return;
            dispatch({ type: "arrived", entries: waiting, left, isMore });
            waiting = [];
            left = 0;
            isMore = false;
        }, REPAINT_MS);
        open();
        return () => {
            clearInterval(repaint);
            clearTimeout(reconnect);
            source?.close();
            setLost(false);
        };
    }, [query, isOn]);

    return { tail, isLost, dispatch };
}
