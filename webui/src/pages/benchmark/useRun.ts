/* One run: what it is doing or what came of it, and its samples as they come. */
import { useEffect, useMemo, useState } from "preact/hooks";
import type { ApiError } from "../../api/client";
import { getRun, getSamples } from "../../api/bench";
import type { Report, SampleRow } from "../../api/benchReport";
import { benchWindow } from "../../charts/benchmark";
import { asApiError, isPassing, useResource } from "../../state/useResource";
import type { View } from "../../state/useWindow";
import { normalReport } from "./normal";

const EVERY_MS = 1000;
/** Five and a half hours of samples; of a longer run the beginning is drawn, and the files have all of it. */
export const SAMPLES_MAX = 20_000;
/** So much is shown at least: while it runs there is more to come. */
const LEAST_MS = 20_000;
const ENDED_MS = 5000;
/** Of a run under way one or two come each second; where this many came there are more to be had at once. */
const MANY = 10;

/** Asked once a second while it runs, and once more at its end. */
export function useRun(id: string) {
    const [isOver, setOver] = useState(false);
    const resource = useResource(`run ${id}`, (signal) => getRun(id, signal).then((run) => ({ ...run, report: run.report && normalReport(run.report) })), isOver ? 0 : EVERY_MS);
    const state = resource.data?.status.state;
    useEffect(() => setOver(false), [id]);
    useEffect(() => {
        if (state && state !== "running") setOver(true);
    }, [state]);
    return resource;
}

export interface Samples {
    id: string;
    rows: SampleRow[];
    /** Where the next ones begin. */
    next: number;
    isCut: boolean;
    /** All that there is by now. */
    isComplete: boolean;
    error: ApiError | null;
}

const NOTHING = { rows: [], next: 0, isCut: false, isComplete: false, error: null };

/** All samples so far; goes on while the run does. */
export function useSamples(id: string, isRunning: boolean): Samples {
    const [state, setState] = useState<Samples>({ id, ...NOTHING });
    const held = state.id === id ? state : { id, ...NOTHING };
    useEffect(() => {
        const abort = new AbortController();
        let timer: ReturnType<typeof setTimeout> | undefined;
        let { rows, next } = held;
        const ask = async () => {
            try {
                const page = await getSamples(id, next, abort.signal);
                if (abort.signal.aborted) return;
                const isMore = page.next > next && page.rows.length >= (isRunning ? MANY : 1);
                next = page.next;
                if (page.rows.length > 0) rows = [...rows, ...page.rows].slice(0, SAMPLES_MAX);
                const isCut = rows.length >= SAMPLES_MAX;
                setState((old) => ({ id, rows, next, isCut, isComplete: !isMore || old.isComplete, error: null }));
                if (isCut) return;
                if (isMore) await ask();
                else if (isRunning) timer = setTimeout(() => void ask(), EVERY_MS);
            } catch (cause) {
                if (abort.signal.aborted) return;
                const error = asApiError(cause);
                setState({ id, rows, next, isCut: false, isComplete: false, error });
                if (isPassing(error)) timer = setTimeout(() => void ask(), EVERY_MS * 3);
            }
        };
        void ask();
        return () => {
            abort.abort();
            clearTimeout(timer);
        };
    }, [id, isRunning]);
    return held;
}

/** The graphs' points on the time axis of the run. */
export function useBenchView(report: Report | null, isRunning: boolean, rows: readonly SampleRow[], beganMs: number): View {
    return useMemo(() => {
        const starts = new Map((report?.trials ?? []).map((trial) => [trial.number, Date.parse(trial.started_at)]));
        const began = report ? Date.parse(report.started_at) : beganMs;
        const window = benchWindow(rows, starts, began);
        const from = window.at[0] ?? began;
        const to = Math.max((window.at.at(-1) ?? began) + window.stepMs, from + (isRunning ? LEAST_MS : ENDED_MS));
        return { window, from, to, isOpen: isRunning };
    }, [rows, report, isRunning, beganMs]);
}
