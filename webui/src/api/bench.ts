/* The benchmark: profiles, runs and the messages they leave behind. */
import type { Report, RunState, SampleRow, Sentence } from "./benchReport";
import { API, request, search } from "./client";
import type { Schemas } from "./types";

export type RunRow = Schemas["BenchEntry"];
export type RunPage = Schemas["BenchRuns"];
export type BenchMessages = Schemas["BenchMessages"];
export type BenchSender = Schemas["BenchSender"];
export type TargetName = RunWish["target"];
type RunWish = Schemas["BenchWish"];

/** What azekura-bench tells of a profile. */
export type Profile = Omit<Schemas["BenchProfile"], "options" | "targets"> & {
    targets: TargetName[];
    options: string[];
    /** Option → its value where nothing is asked for, "5000 10000". */
    defaults?: Record<string, string>;
};

/** What the box can measure by itself; further ones are for the command line. */
export const TARGETS: readonly TargetName[] = ["box", "azekura"];

/** What azekura-bench tells of a run. */
export interface RunStatus {
    id: string;
    state: RunState;
    profile: string | null;
    step: Sentence | null;
    steps: number | null;
    step_number: number | null;
    progress_percent: number | null;
    time_left_s: number | null;
    trial: number | null;
    sample: SampleRow | null;
    reason: Sentence | null;
    summary: RunRow;
}

export interface Run {
    status: RunStatus;
    report: Report | null;
    /** Why a report that is there is not shown. */
    report_problem: string | null;
}

export interface CompareRow {
    name: Sentence;
    unit: string;
    a: number | null;
    b: number | null;
    ratio: number | null;
    is_noise: boolean;
    is_better: boolean | null;
}

export interface CompareSide {
    id?: string;
    title?: Sentence | null;
    started_at?: string | null;
    version?: string | null;
    machine?: string | { name?: string | null; cpu?: string | null } | null;
}

/** As azekura-bench makes it. */
export interface Comparison {
    a: CompareSide;
    b: CompareSide;
    rows: CompareRow[];
    answer: Sentence | null;
    warnings: Sentence[];
}

export const RUN_FILES = ["report.html", "report.txt", "report.json", "results.csv", "results_ext.csv", "samples.csv"] as const;

const path = (id: string) => `/bench/runs/${encodeURIComponent(id)}`;

export async function getProfiles(signal: AbortSignal): Promise<Profile[]> {
    const { profiles } = await request<{ profiles: Profile[] }>("/bench/profiles", { signal });
    return profiles.map((profile) => ({ ...profile, targets: TARGETS.filter((name) => profile.targets.includes(name)) }));
}

export function getRuns(cursor: string | undefined, signal?: AbortSignal): Promise<RunPage> {
    return request(`/bench/runs${search({ cursor })}`, signal ? { signal } : {});
}

export function getRun(id: string, signal: AbortSignal): Promise<Run> {
    return request(path(id), { signal });
}

export function getSamples(id: string, after: number, signal: AbortSignal): Promise<{ rows: SampleRow[]; next: number }> {
    return request(`${path(id)}/samples${search({ after })}`, { signal });
}

/** The password once more: a run burdens the box. */
export function postRun(wish: RunWish): Promise<{ id: string }> {
    return request("/bench/runs", { method: "POST", body: wish });
}

export function stopRun(id: string): Promise<unknown> {
    return request(`${path(id)}/stop`, { method: "POST" });
}

export function deleteRun(id: string): Promise<unknown> {
    return request(path(id), { method: "DELETE" });
}

export function runFileUrl(id: string, file: (typeof RUN_FILES)[number]): string {
    return `${API}${path(id)}/files/${file}`;
}

export function getComparison(a: string, b: string, signal: AbortSignal): Promise<Comparison> {
    return request(`/bench/compare${search({ a, b })}`, { signal });
}

export function getBenchMessages(signal: AbortSignal): Promise<BenchMessages> {
    return request("/bench/messages", { signal });
}

/** A request to the keeper, as a deletion of days is. */
export function deleteBenchMessages(): Promise<{ id: string }> {
    return request("/bench/messages", { method: "DELETE" });
}

export function getBenchBox(signal?: AbortSignal): Promise<Schemas["BenchBox"]> {
    return request("/bench/box", signal ? { signal } : {});
}

/** Addresses whose messages are the benchmark's now. */
export function getBenchSenders(signal: AbortSignal): Promise<{ senders: BenchSender[] }> {
    return request("/bench/senders", { signal });
}

/** What comes from there are logs again. */
export function deleteBenchSender(address: string): Promise<unknown> {
    return request(`/bench/senders/${encodeURIComponent(address)}`, { method: "DELETE" });
}
