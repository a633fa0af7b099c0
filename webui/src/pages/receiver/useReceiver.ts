/* The receiver's report, once every two seconds, and what two of them tell. */
import { useEffect, useState } from "preact/hooks";
import { boxNow } from "../../api/client";
import { getRates } from "../../api/endpoints";
import { getReceiver, type ReceiverState } from "../../api/receiver";
import { LISTENERS, type ListenerName, type Rates } from "../../api/types";
import { useResource, type Resource } from "../../state/useResource";
import { addSample, rateOf, sampleOf, type Counter, type Sample } from "./rates";

export const EVERY_MS = 2000;
const HOUR_EVERY_MS = 30_000;
const MINUTE_MS = 60_000;
export const HOUR_MINUTES = 60;

export interface Live extends Resource<ReceiverState> {
    rates: Record<ListenerName, Counter | null>;
}

export function useReceiver(): Live {
    const resource = useResource("receiver", getReceiver, EVERY_MS);
    const [samples, setSamples] = useState<Sample[]>([]);
    const { data, at } = resource;
    useEffect(() => {
        if (data) setSamples((before) => addSample(before, sampleOf(data, at)));
    }, [data, at]);
    const rates = Object.fromEntries(LISTENERS.map((l) => [l, rateOf(samples, l)])) as Live["rates"];
    return { ...resource, rates };
}

/** Messages a second in each whole minute of the last hour, from the first one that was measured; null in a gap. */
export function minutesOf(rates: Rates, listener: ListenerName): (number | null)[] {
    const first = rates.points.findIndex((p) => !p.is_gap);
    if (first < 0) return [];
    return rates.points.slice(first).map((p) => (p.is_gap ? null : (p[listener] * 1_000_000) / rates.step_us));
}

export function useLastHour(): Rates | undefined {
    const { data } = useResource(
        "receiver hour",
        (signal) => {
            const to = Math.floor(boxNow() / MINUTE_MS) * MINUTE_MS;
            return getRates({ from: to - HOUR_MINUTES * MINUTE_MS, to }, MINUTE_MS / 1000, signal);
        },
        HOUR_EVERY_MS,
    );
    return data;
}
