/* The 20 % rule: what is there, what would go, and what is asked of the box. */
import { request, search } from "./client";
import type {
    Cost,
    Day,
    DeletionState,
    DeletionWish,
    GroupWish,
    HoldWish,
    Policy,
    Preview,
    Receipt,
    Retention,
    RuleChange,
    Size,
    SizeWish,
} from "./retentionTypes";

export type * from "./retentionTypes";

export const POLICIES: readonly Policy[] = ["trim", "shed", "borrow", "warn"];
export const RECEIPTS = 50;

export function getRetention(signal: AbortSignal): Promise<Retention> {
    return request("/retention", { signal });
}

export function putRetention(change: RuleChange): Promise<Retention> {
    return request("/retention", { method: "PUT", body: change });
}

export async function getDays(from: string, to: string, signal: AbortSignal): Promise<Day[]> {
    return (await request<{ days: Day[] }>(`/retention/days${search({ from, to })}`, { signal })).days;
}

/** What the rule would do now, under each policy, with these changes. */
export async function getPreviews(change: RuleChange, signal: AbortSignal): Promise<Preview[]> {
    const params = { ...change, over_budget: undefined };
    return (await request<{ previews: Preview[] }>(`/retention/preview${search(params)}`, { signal })).previews;
}

export function postGroup(group: GroupWish): Promise<unknown> {
    return request("/retention/groups", { method: "POST", body: group });
}

export function putGroup(id: number, group: GroupWish): Promise<unknown> {
    return request(`/retention/groups/${id}`, { method: "PUT", body: group });
}

export function deleteGroup(id: number): Promise<unknown> {
    return request(`/retention/groups/${id}`, { method: "DELETE" });
}

export function postHold(hold: HoldWish): Promise<unknown> {
    return request("/retention/holds", { method: "POST", body: hold });
}

export function deleteHold(id: string): Promise<unknown> {
    return request(`/retention/holds/${encodeURIComponent(id)}`, { method: "DELETE" });
}

export function getReceipts(cursor: string | undefined, signal?: AbortSignal): Promise<{ entries: Receipt[]; next: string | null }> {
    return request(`/retention/deletions${search({ limit: RECEIPTS, cursor })}`, signal ? { signal } : {});
}

/** A question, though it is a POST: nothing changes. */
export function previewDeletion(wish: DeletionWish, signal: AbortSignal): Promise<Preview> {
    return request("/retention/deletions/preview", { method: "POST", body: wish, signal });
}

/** `messages` of the preview: the box refuses when it would be other logs by now. */
export function postDeletion(wish: DeletionWish, messages: number): Promise<{ id: string }> {
    return request("/retention/deletions", { method: "POST", body: { ...wish, messages } });
}

export function getDeletion(id: string, signal: AbortSignal): Promise<DeletionState> {
    return request(`/retention/deletions/${encodeURIComponent(id)}`, { signal });
}

export function confirmClock(): Promise<unknown> {
    return request("/retention/clock", { method: "POST", body: { is_right: true } });
}

/** Without a wish: the measured figures of this box. */
export function getSize(wish: SizeWish | null, signal: AbortSignal): Promise<Size> {
    return request(`/retention/size${wish ? search({ ...wish }) : ""}`, { signal });
}

export function getCost(signal: AbortSignal): Promise<Cost> {
    return request("/retention/cost", { signal });
}
