/* The 20 % rule: what is there, what would go, and what is asked of the box. */
import { request, search } from "./client";
import type { Schemas } from "./types";

export type Retention = Schemas["Retention"];
export type Policy = Retention["policy"];
export type MonthState = Retention["state"];
export type Month = Schemas["RetentionMonth"];
export type SourceGroup = Schemas["SourceGroup"];
export type Hold = Schemas["Hold"];
export type Day = Schemas["RetentionDays"]["days"][number];
export type Preview = Schemas["DeletionPreview"];
export type Deletion = Preview["deletions"][number];
export type DeletionWish = Required<Schemas["DeletionWish"]>;
export type DeletionState = Schemas["DeletionState"];
export type Receipt = Schemas["Receipt"];
export type Size = Schemas["Size"];
export type Cost = Schemas["RetentionCost"];
export type CostRow = Cost["rows"][number];
export type GroupWish = Schemas["SourceGroupWish"];
export type HoldWish = Schemas["HoldWish"];

/** What PUT /retention and a preview take. */
export type RuleChange = { [Name in keyof Schemas["RetentionChange"]]: NonNullable<Schemas["RetentionChange"][Name]> };

/** The questions of GET /retention/size. */
export interface SizeWish {
    rate: number;
    bytes: number;
    stored_bytes: number;
    days: number;
    storage: number;
    share: number;
    high_water: number;
}

export const POLICIES: readonly Policy[] = ["trim", "shed", "borrow", "warn"];
export const RECEIPTS = 50;

export function getRetention(signal: AbortSignal): Promise<Retention> {
    return request("/retention", { signal });
}

export function putRetention(change: RuleChange): Promise<Retention> {
    return request("/retention", { method: "PUT", body: change });
}

export async function getDays(from: string, to: string, signal: AbortSignal): Promise<Day[]> {
    return (await request<Schemas["RetentionDays"]>(`/retention/days${search({ from, to })}`, { signal })).days;
}

/** What the rule would do now, under each policy, with these changes. */
export async function getPreviews(change: RuleChange, signal: AbortSignal): Promise<Preview[]> {
    const params = { ...change, over_budget: undefined };
    return (await request<Schemas["DeletionPreviews"]>(`/retention/preview${search(params)}`, { signal })).previews;
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

export function getReceipts(cursor: string | undefined, signal?: AbortSignal): Promise<Schemas["Receipts"]> {
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

export type CostField = "hostname" | "app_name";

export function getCost(by: CostField, signal: AbortSignal): Promise<Cost> {
    return request(`/retention/cost${search({ by })}`, { signal });
}
