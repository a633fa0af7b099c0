/* Events: what happened to the box. */
import { request, search } from "./client";
import { span, type SpanMs } from "./endpoints";
import type { Schemas } from "./types";

export type BoxEvent = Schemas["Event"];
export type Events = Schemas["Events"];

export const EVENTS_PAGE = 100;

export interface EventFilter {
    /** The least severe that is wanted, "" for all. */
    severity: string;
    /** "retention": kinds that begin so; "" for all. */
    kind: string;
}

export function getEvents(range: SpanMs, filter: EventFilter, cursor: string | undefined, signal?: AbortSignal): Promise<Events> {
    const params = { ...span(range), severity: filter.severity, kind: filter.kind, limit: EVENTS_PAGE, cursor };
    return request(`/events${search(params)}`, signal ? { signal } : {});
}
