/* Receive rates from the receiver's own counters: the difference of two reports, so they cost the box no search.  Pure. */
import type { ReceiverState } from "../../api/receiver";
import type { ListenerName } from "../../api/types";

export interface Counter {
    messages: number;
    bytes: number;
}

export interface Sample {
    run: string;
    /** When it was reported, by this browser's clock. */
    atMs: number;
    of: Partial<Record<ListenerName, Counter>>;
}

const WINDOW_MS = 10_000;
/** Reports come once a second; what is nearer is the same one, asked for twice. */
const SAME_MS = 500;

export function sampleOf({ status, detail, age_us }: ReceiverState, nowMs: number): Sample | null {
    if (!status || !detail || age_us === null) return null;
    const of: Sample["of"] = {};
    for (const l of detail.listeners) of[l.name] = { messages: l.received, bytes: l.bytes };
    return { run: status.run, atMs: nowMs - age_us / 1000, of };
}

/** Those of one run within the window, oldest first. */
export function addSample(samples: readonly Sample[], next: Sample | null): Sample[] {
    if (!next) return [...samples];
    const same = samples.filter((s) => s.run === next.run && next.atMs - s.atMs <= WINDOW_MS);
    const last = same.at(-1);
    return last && next.atMs - last.atMs < SAME_MS ? same : [...same, next];
}

/** A second; null while there are not two reports. */
export function rateOf(samples: readonly Sample[], listener: ListenerName): Counter | null {
    const first = samples[0];
    const last = samples.at(-1);
    const from = first?.of[listener];
    const to = last?.of[listener];
    if (!first || !last || !from || !to || last.atMs <= first.atMs) return null;
    const each = (member: keyof Counter) => Math.max(0, ((to[member] - from[member]) * 1000) / (last.atMs - first.atMs));
    return { messages: each("messages"), bytes: each("bytes") };
}
