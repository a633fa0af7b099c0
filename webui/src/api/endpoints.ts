/* The requests the console makes, one function each. */
import { API, request, requestBytes, search } from "./client";
import type { Histogram, Ledger, LogDetail, LogPage, Rates, Session, Setting, SettingValue, Sources } from "./types";

export interface SpanMs {
    from: number;
    to: number;
}

export const PAGE_LINES = 200;
export const LEDGER_ROWS = 200;

export function span({ from, to }: SpanMs): { from: string; to: string } {
    return { from: new Date(from).toISOString(), to: new Date(to).toISOString() };
}

export function getSetup(): Promise<{ needed: boolean }> {
    return request("/setup");
}

export function postSetup(code: string, name: string, password: string): Promise<Session> {
    return request("/setup", { method: "POST", body: { code, name, password } });
}

export function getSession(): Promise<Session> {
    return request("/session");
}

export function postSession(name: string, password: string): Promise<Session> {
    return request("/session", { method: "POST", body: { name, password } });
}

export function getLogs(query: string, range: SpanMs, cursor: string | undefined, signal: AbortSignal): Promise<LogPage> {
    return request(`/logs${search({ query, ...span(range), limit: PAGE_LINES, order: "desc", cursor })}`, { signal });
}

export function getHistogram(query: string, range: SpanMs, buckets: number, signal: AbortSignal): Promise<Histogram> {
    return request(`/logs/histogram${search({ query, ...span(range), buckets })}`, { signal });
}

export function getLog(id: string, signal: AbortSignal): Promise<LogDetail> {
    return request(`/logs/${encodeURIComponent(id)}`, { signal });
}

export function getRaw(id: string, signal: AbortSignal): Promise<Uint8Array> {
    return requestBytes(`/logs/${encodeURIComponent(id)}/raw`, signal);
}

/** received_at of an entry or cursor: its first half is the time in µs. */
export function timeOfId(id: string): Date {
    return new Date(Number(BigInt(`0x${id.slice(0, 16)}`) / 1000n));
}

export function rawUrl(id: string): string {
    return `${API}/logs/${encodeURIComponent(id)}/raw`;
}

export function tailUrl(query: string): string {
    return `${API}/logs/tail${search({ query })}`;
}

export function exportUrl(format: "csv" | "jsonl" | "raw", query: string, range: SpanMs): string {
    return `${API}/logs/export${search({ format, query, ...span(range) })}`;
}

export function getRates(range: SpanMs, stepS: number, signal: AbortSignal): Promise<Rates> {
    return request(`/rates${search({ ...span(range), step: stepS })}`, { signal });
}

export function getSources(range: SpanMs, order: "busiest" | "silent", limit: number, signal: AbortSignal): Promise<Sources> {
    return request(`/sources${search({ ...span(range), order, limit })}`, { signal });
}

export function getLedger(range: SpanMs, limit: number, signal: AbortSignal): Promise<Ledger> {
    return request(`/ledger${search({ ...span(range), limit })}`, { signal });
}

export async function getSettings(signal: AbortSignal): Promise<Setting[]> {
    const { settings } = await request<{ settings: Setting[] }>("/settings", { signal });
    return settings;
}

/** null: back to the default. */
export async function patchSettings(changes: Record<string, SettingValue | null>): Promise<Setting[]> {
    const { settings } = await request<{ settings: Setting[] }>("/settings", { method: "PATCH", body: changes });
    return settings;
}
