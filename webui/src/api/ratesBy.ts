/* The receive-rate tables. */
import { API, request, search } from "./client";

export const RATE_FIELDS = ["source", "hostname", "app_name", "severity", "listener"] as const;
export type RateField = (typeof RATE_FIELDS)[number];

export interface RateRow {
    /** null: messages without such a field; see `others`. */
    value: string | null;
    now: number;
    minute: number;
    hour: number;
    day: number;
    month: number;
    bytes_day: number;
    bytes_month: number;
    disk_month: number;
    budget_percent: number | null;
    change_percent: number | null;
    first_heard: string | null;
    last_heard: string | null;
}

export interface RatesBy {
    at: string;
    rows: RateRow[];
    total: number;
}

export interface RatesWish {
    field: RateField;
    sort: string;
    order: "asc" | "desc";
    filter: string;
    limit: number;
}

export function getRatesBy(wish: RatesWish, signal: AbortSignal): Promise<RatesBy> {
    return request(`/rates/by${search({ ...wish })}`, { signal });
}

export function ratesCsvUrl({ field, sort, order, filter }: RatesWish): string {
    return `${API}/rates/by${search({ field, sort, order, filter, format: "csv" })}`;
}
