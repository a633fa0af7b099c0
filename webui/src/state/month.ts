/* The month against its budget: header and dashboard show the same answer. */
import { useEffect } from "preact/hooks";
import type { ApiError } from "../api/client";
import { getMonth } from "../api/load";
import type { Retention } from "../api/retention";
import { createStore } from "./store";
import { useResource } from "./useResource";

const EVERY_MS = 60_000;

export const month = createStore<{ data: Retention | undefined; error: ApiError | null }>({ data: undefined, error: null });

/** Mounted once, by the shell. */
export function useMonth(): void {
    const { data, error } = useResource("month", getMonth, EVERY_MS);
    useEffect(() => month.set({ data, error }), [data, error]);
}

export interface Shares {
    /** Percent of the capacity, as shown: "11.2". */
    used: string;
    budget: string;
    /** Expected at the month's end, "14" or "12–16"; null: nothing to go by yet. */
    end: string | null;
    tone: "good" | "warn" | "bad";
}

/** Bytes in percent of the capacity: one digit, none where it is whole. */
function percent(bytes: number, capacity: number): string {
    return capacity > 0 ? String(Math.round((bytes * 1000) / capacity) / 10) : "0";
}

export function sharesOf(m: Retention): Shares {
    const whole = (bytes: number | null) => (bytes === null || m.capacity_bytes <= 0 ? null : Math.round((bytes * 100) / m.capacity_bytes));
    const { basis, bytes, low_bytes, high_bytes } = m.forecast;
    const low = whole(low_bytes) ?? whole(bytes);
    const high = whole(high_bytes) ?? whole(bytes);
    return {
        used: percent(m.month_bytes, m.capacity_bytes),
        budget: String(m.month_share_percent),
        end: basis === "none" || low === null || high === null ? null : low === high ? String(low) : `${low}–${high}`,
        tone: m.state === "ok" ? "good" : m.state === "over" ? "bad" : "warn",
    };
}
