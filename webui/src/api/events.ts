/* Events: what happened to the box. */
import { request, search } from "./client";
import { span, type SpanMs } from "./endpoints";

export interface BoxEvent {
    id: string;
    at: string;
    severity: string;
    kind: string;
    text_en: string;
    text_ja: string;
    params: Record<string, string>;
}

export interface Events {
    entries: BoxEvent[];
    next: string | null;
}

export const EVENTS_PAGE = 100;

export interface EventFilter {
    /** The least severe that is wanted, "" for all. */
    severity: string;
    /** "retention": what concerns it; "" for all. */
    kind: string;
}

export function getEvents(range: SpanMs, filter: EventFilter, cursor: string | undefined, signal?: AbortSignal): Promise<Events> {
    const params = { ...span(range), severity: filter.severity, kind: filter.kind, limit: EVENTS_PAGE, cursor };
    return request(`/events${search(params)}`, signal ? { signal } : {});
}
