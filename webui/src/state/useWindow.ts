/* A graph's points from the box: the whole range once, then its end again and again. */
import { useMemo } from "preact/hooks";
import { boxNow } from "../api/client";
import { mergeWindow, type Window } from "../charts/window";
import { isOpen, resolveRange, type Span, type TimeRange } from "./timeRange";
import { useResource, type Resource } from "./useResource";

export interface View extends Span {
    window: Window;
    /** Ends now and goes on. */
    isOpen: boolean;
}

/** Asks for `span`; `stepMs` is the step of what is there already. */
type Load = (span: Span, stepMs: number | undefined, signal: AbortSignal) => Promise<Window>;

/** What is late (a receiver that catches up after its database was away) is seen within this time. */
const WHOLE_MS = 600_000;
const EVERY_MIN_MS = 5000;
const EVERY_MAX_MS = 60_000;
/** The last points still change: a step that is not over, a block on its way, minutes that are added up later.
 * Short steps are counted in the messages, so no more of them are asked for again than can have changed. */
const MINUTE_MS = 60_000;
const changingMs = (stepMs: number) => (stepMs < MINUTE_MS ? 30_000 : Math.max(stepMs, 180_000));

export interface Feed {
    next: (signal: AbortSignal) => Promise<View>;
}

/** The memory between two questions.  `now` is the box's clock. */
export function makeFeed(range: TimeRange, load: Load, now: () => number = boxNow): Feed {
    let held: Window | null = null;
    let wholeAt = -Infinity;
    return {
        async next(signal) {
            const at = now();
            const span = resolveRange(range, at);
            const last = held?.at.at(-1);
            const isWhole = held === null || last === undefined || at - wholeAt >= WHOLE_MS || at < wholeAt || last > span.to;
            const step = held?.stepMs;
            const from = isWhole || step === undefined || last === undefined ? span.from : Math.max(span.from, last - changingMs(step));
            const answer = await load({ from, to: span.to }, step, signal);
            held = mergeWindow(isWhole ? null : held, answer, span.from);
            if (isWhole) wholeAt = at;
            return { ...span, window: held, isOpen: isOpen(range) };
        },
    };
}

/** `name` tells this question from others; null asks for nothing. */
export function useWindow(name: string | null, range: TimeRange, load: Load): Resource<View> {
    const key = name === null ? null : `${name} ${range.from} ${range.to}`;
    const feed = useMemo(() => makeFeed(range, load), [key]);
    const span = resolveRange(range, boxNow());
    const every = Math.min(EVERY_MAX_MS, Math.max(EVERY_MIN_MS, Math.round((span.to - span.from) / 720_000) * 1000));
    return useResource(key, feed.next, isOpen(range) ? every : 0);
}
