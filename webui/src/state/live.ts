/* The figures that are always there: receive rate and loss.  The rate is the difference of the receiver's
 * own counter between two reports, so it costs the box no search. */
import { useEffect } from "preact/hooks";
import { boxNow } from "../api/client";
import { getLedger } from "../api/endpoints";
import type { Ledger, Receiver } from "../api/types";
import { createStore, useStore } from "./store";
import { useResource } from "./useResource";

export const HISTORY = 60;
const FAST_MS = 2000;
/** Two reports make a rate: the second is asked for soon. */
const FIRST_MS = 1000;
const SLOW_MS = 30_000;
/** A receiver that has not reported for so long is not receiving "now". */
export const REPORT_STALE_US = 10_000_000;

export interface Sample {
    run: string;
    arrived: number;
    atMs: number;
}

export interface Live {
    /** Messages a second, null while unknown. */
    rate: number | null;
    history: number[];
    receiver: Receiver | null;
    /** Refused and dropped by the kernel, 24 hours. */
    lost: { refused: number; dropped: number } | null;
    at: number;
}


export const live = createStore<Live>({ rate: null, history: [], receiver: null, lost: null, at: 0 });

export function sampleOf(receiver: Receiver): Sample {
    return { run: receiver.run, arrived: receiver.arrived, atMs: Date.parse(receiver.at) };
}

/** Rate over the samples of one run, oldest first; null for fewer than two moments. */
export function rateOf(samples: readonly Sample[]): number | null {
    const last = samples.at(-1);
    const first = samples.find((s) => s.run === last?.run);
    if (!last || !first || last.atMs <= first.atMs) return null;
    return Math.max(0, ((last.arrived - first.arrived) * 1000) / (last.atMs - first.atMs));
}

let samples: Sample[] = [];
const WINDOW_MS = 10_000;

function noteReceiver(ledger: Ledger): void {
    const { receiver } = ledger;
    const fresh = receiver !== null && receiver.age_us < REPORT_STALE_US;
    let rate: number | null = null;
    if (receiver && fresh) {
        const sample = sampleOf(receiver);
        if (sample.atMs !== samples.at(-1)?.atMs) samples.push(sample);
        samples = samples.filter((s) => s.run === sample.run && sample.atMs - s.atMs <= WINDOW_MS);
        rate = rateOf(samples);
        // The first report alone tells the mean since the start at least of a receiver just started.
        if (rate === null && sample.atMs - Date.parse(receiver.started_at) < WINDOW_MS) rate = receiver.arrived === 0 ? 0 : null;
    } else samples = [];
    const old = live.get();
    const history = rate === null ? old.history : [...old.history, rate].slice(-HISTORY);
    live.set({ ...old, rate, history, receiver, at: Date.now() });
}

/** Mounted once, by the shell. */
export function useLive(): void {
    const isKnown = useStore(live).rate !== null;
    const fast = useResource("live", (signal) => getLedger({ from: boxNow() - 60_000, to: boxNow() + 60_000 }, 0, signal), isKnown ? FAST_MS : FIRST_MS);
    const slow = useResource("loss", (signal) => getLedger({ from: boxNow() - 86_400_000, to: boxNow() + 60_000 }, 0, signal), SLOW_MS);
    useEffect(() => {
        if (fast.data) noteReceiver(fast.data);
    }, [fast.data]);
    useEffect(() => {
        if (!slow.data) return;
        const { total, kernel_dropped } = slow.data;
        live.set({ ...live.get(), lost: { refused: total.refused, dropped: kernel_dropped.total } });
    }, [slow.data]);
}
