/* What the receiver is doing, and what senders lost on the way to it. */
import { request, search } from "./client";
import { span, type SpanMs } from "./endpoints";
import type { Schemas } from "./types";

export type ReceiverState = Schemas["ReceiverState"];
export type Detail = NonNullable<ReceiverState["detail"]>;
export type ListenerDetail = Schemas["ListenerDetail"];
export type StageDetail = Schemas["StageDetail"];
export type SpoolDetail = Detail["spool"];
export type Gaps = Schemas["Gaps"];
export type GapSum = Schemas["GapSum"];

export const GAP_ROWS = 500;

export function getReceiver(signal: AbortSignal): Promise<ReceiverState> {
    return request("/receiver", { signal });
}

export function getGaps(range: SpanMs, signal: AbortSignal): Promise<Gaps> {
    return request(`/gaps${search({ ...span(range), limit: GAP_ROWS })}`, { signal });
}
