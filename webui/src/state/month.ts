/* The month against its budget: header and dashboard show the same answer. */
import { useEffect } from "preact/hooks";
import type { ApiError } from "../api/client";
import { getMonth } from "../api/load";
import type { Retention } from "../api/retention";
import { formatPercent, percentOf } from "../utils/figures";
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

export function sharesOf(m: Retention): Shares {
    const percent = (bytes: number) => formatPercent(percentOf(bytes, m.capacity_bytes));
    const whole = (bytes: number) => String(Math.round(percentOf(bytes, m.capacity_bytes)));
    const low = whole(m.forecast.low_bytes);
    const high = whole(m.forecast.high_bytes);
    return {
        used: percent(m.month_bytes),
        budget: String(m.month_share_percent),
        end: m.forecast.basis === "none" ? null : low === high ? low : `${low}–${high}`,
        tone: m.state === "ok" ? "good" : m.state === "over" ? "bad" : "warn",
    };
}
