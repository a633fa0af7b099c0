/* Sources: what is known and said of each, what other settings would make of its messages, and parsing them again. */
import { request, search } from "./client";
import type { Schemas, Source, Sources } from "./types";

export type SourceDetail = Schemas["SourceDetail"];
export type SourceHealth = Schemas["SourceHealth"];
export type SourceSetting = Schemas["SourceSetting"];
export type SourceSettings = Schemas["SourceSettings"];
export type SourcePreview = Schemas["SourcePreview"];
export type PreviewExample = SourcePreview["examples"][number];
export type Reparse = Schemas["ReparseRequest"];
export type Framing = NonNullable<Source["framing"]>;
export type RecentMessage = NonNullable<SourceDetail["recent"]["last_raw"]>;

/** A row as it is asked for; what is null is as for all others. */
export interface SettingWish {
    name: string;
    zone: string | null;
    charset: string | null;
    framing: Framing | null;
    /** The id of a source group. */
    source_group: number | null;
    note: string;
}

export const SOURCE_ORDERS = ["busiest", "silent", "new", "name", "address"] as const;
export const SOURCE_ONLY = ["all", "new", "silent", "unhealthy"] as const;
export const NAME_MAX = 64;
export const NOTE_MAX = 200;

export interface SourceListWish {
    order: (typeof SOURCE_ORDERS)[number];
    only: (typeof SOURCE_ONLY)[number];
    filter: string;
    limit: number;
}

/** Counts are of the last 24 hours. */
export function getSourceList(wish: SourceListWish, signal: AbortSignal): Promise<Sources> {
    return request(`/sources${search({ ...wish })}`, { signal });
}

export function getSource(address: string, signal: AbortSignal): Promise<SourceDetail> {
    return request(`/sources/${encodeURIComponent(address)}`, { signal });
}

/** How many were new. */
export function acknowledge(whom: { all: true } | { addresses: string[] }): Promise<{ acknowledged: number }> {
    return request("/sources/acknowledge", { method: "POST", body: whom });
}

export function getSourceSettings(signal?: AbortSignal): Promise<SourceSettings> {
    return request("/sources/settings", signal ? { signal } : {});
}

const settingPath = (network: string) => `/sources/settings/${encodeURIComponent(network)}`;

export function putSourceSetting(network: string, wish: SettingWish, ifMatch: string | undefined): Promise<SourceSetting> {
    return request(settingPath(network), { method: "PUT", body: wish, ifMatch });
}

export function deleteSourceSetting(network: string, ifMatch: string | undefined): Promise<unknown> {
    return request(settingPath(network), { method: "DELETE", ifMatch });
}

export async function getZones(signal: AbortSignal): Promise<string[]> {
    return (await request<Schemas["Zones"]>("/zones", { signal })).zones;
}

export function previewSource(network: string, zone: string | null, charset: string | null, signal: AbortSignal): Promise<SourcePreview> {
    return request("/sources/preview", { method: "POST", body: { network, zone, charset }, signal });
}

/** Without from: from the oldest message on; without to: up to now. */
export function postReparse(network: string, from: string | null, to: string | null): Promise<Reparse> {
    return request("/sources/reparse", { method: "POST", body: { network, from, to } });
}

export async function getReparses(signal: AbortSignal): Promise<Reparse[]> {
    return (await request<Schemas["ReparseRequests"]>("/sources/reparse", { signal })).requests;
}

export function cancelReparse(id: string): Promise<unknown> {
    return request(`/sources/reparse/${encodeURIComponent(id)}`, { method: "DELETE" });
}
