/* What the dashboard's graphs ask for. */
import { useMemo } from "preact/hooks";
import { boxNow } from "../../api/client";
import { getRates } from "../../api/endpoints";
import type { BoxEvent } from "../../api/events";
import { getLoad, getMarks } from "../../api/load";
import { FULL_LOAD } from "../../charts/catalog";
import { marksOf, type Mark } from "../../charts/marks";
import { alignSpan, rateStep } from "../../charts/rate";
import { loadWindow, rateWindow, withLost } from "../../charts/window";
import { isOpen, resolveRange, type Span, type TimeRange } from "../../state/timeRange";
import { useResource, type Resource } from "../../state/useResource";
import { useWindow, type View } from "../../state/useWindow";

const MARKS_EVERY_MS = 15_000;
const MINUTE_S = 60;
/** The newest events of a range; more could not be told apart. */
export const EVENTS_MAX = 200;

export function useRates(range: TimeRange): Resource<View> {
    return useWindow("rates", range, async (span, stepMs, signal) => {
        const now = boxNow();
        const stepS = stepMs === undefined ? rateStep(span, now) : stepMs / 1000;
        const window = async () => rateWindow(await getRates(alignSpan(span, stepS), stepS, signal), now);
        if (stepS >= MINUTE_S) return window();
        // what was lost is counted by the minute only
        const [short, minutes] = await Promise.all([window(), getRates(alignSpan(span, MINUTE_S), MINUTE_S, signal)]);
        return withLost(short, minutes);
    });
}

/** `metrics` null: nobody looks. */
export function useLoad(name: string, range: TimeRange, metrics: readonly string[] | null): Resource<View> {
    return useWindow(metrics && `load ${name}`, range, async (span, stepMs, signal) => {
        const load = await getLoad(metrics ?? [], span, stepMs === undefined ? undefined : stepMs / 1000, signal);
        const window = loadWindow(load);
        window.columns[FULL_LOAD] = window.at.map(() => load.hardware_threads);
        return window;
    });
}

export interface Marks {
    events: Resource<BoxEvent[]>;
    marks: Mark[];
}

export function useMarks(range: TimeRange, span: Span): Marks {
    const events = useResource(
        `events ${range.from} ${range.to}`,
        (signal) => getMarks(resolveRange(range, boxNow()), EVENTS_MAX, signal),
        isOpen(range) ? MARKS_EVERY_MS : 0,
    );
    const marks = useMemo(() => marksOf(events.data ?? [], span), [events.data, span.from, span.to]);
    return { events, marks };
}
