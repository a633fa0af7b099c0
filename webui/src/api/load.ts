/* The requests of the dashboard's graphs: load of the box, events drawn in, the month. */
import { request, search } from "./client";
import { span, type SpanMs } from "./endpoints";
import type { BoxEvent } from "./events";
import type { Retention } from "./retention";
import type { Load } from "./types";

/** Without `stepS` the box chooses a step for the range. */
export function getLoad(metrics: readonly string[], range: SpanMs, stepS: number | undefined, signal: AbortSignal): Promise<Load> {
    return request(`/load${search({ ...span(range), step: stepS, metrics: metrics.join(",") })}`, { signal });
}

/** Newest first. */
export async function getMarks(range: SpanMs, limit: number, signal: AbortSignal): Promise<BoxEvent[]> {
    const { entries } = await request<{ entries: BoxEvent[] }>(`/events${search({ ...span(range), limit })}`, { signal });
    return entries;
}

export function getMonth(signal: AbortSignal): Promise<Retention> {
    return request("/retention", { signal });
}
