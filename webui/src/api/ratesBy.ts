/* The receive-rate tables. */
import { API, request, search } from "./client";
import type { Schemas } from "./types";

export const RATE_FIELDS = ["source", "hostname", "app_name", "severity", "listener"] as const;
export type RateField = (typeof RATE_FIELDS)[number];

export type RatesBy = Schemas["RatesBy"];
export type RateRow = RatesBy["rows"][number];

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
