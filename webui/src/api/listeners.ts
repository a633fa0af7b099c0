/* Where the receiver listens, and to whom. */
import { request } from "./client";
import type { Schemas } from "./types";

export type Listeners = Schemas["Listeners"];
export type ListenerState = Schemas["ListenerState"];
export type AllowRow = Schemas["AllowRow"];
export type AllowEntry = Omit<AllowRow, "hits">;
export type LimitRow = Schemas["LimitRow"];
export type RefusedSender = Schemas["RefusedSender"];

/** Of each list. */
export const LIST_ROWS_MAX = 1000;
export const ADDRESSES_MAX = 4;

export function getListeners(signal: AbortSignal): Promise<Listeners> {
    return request("/listeners", { signal });
}

/** The whole list.  Without force the box refuses one that shuts out senders of the last hour, and says whom; and one
 * whose `version`, of what it is made of, is no longer the box's. */
export function putAllow(allow: AllowEntry[], force: boolean, version: string): Promise<Listeners> {
    return request("/listeners/allow", { method: "PUT", body: { allow, force, version } });
}

export function putLimits(limits: LimitRow[], version: string): Promise<Listeners> {
    return request("/listeners/limits", { method: "PUT", body: { limits, version } });
}
