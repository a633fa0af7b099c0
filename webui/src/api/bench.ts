/* The benchmark: profiles, runs and the messages they leave behind. */
import type { Report, RunState, Said, SampleRow, Sentence, Verdict } from "./benchReport";
import { API, request, search } from "./client";

export type TargetName = "box" | "azekura";

export interface ProfileOption {
    name: string;
    default?: number | string | null;
    min?: number;
    max?: number;
}

export interface Profile {
    name: string;
    title: Said;
    what: Said;
    duration_s: number;
    messages: number;
    bytes: number;
    targets: TargetName[];
    options: (string | ProfileOption)[];
    estimate: { bytes: number; free_bytes: number; fits: boolean };
}

export interface RunRow {
    id: string;
    profile: string;
    title: Said | null;
    target: string | null;
    state: RunState;
    verdict: Verdict | null;
    answer: Sentence | null;
    started_at: string | null;
    ended_at: string | null;
    version: string | null;
}

export interface RunPage {
    entries: RunRow[];
    next: string | null;
}

export interface RunStatus {
    id: string;
    state: RunState;
    profile: string;
    step: Sentence | null;
    steps: number | null;
    step_number: number | null;
    progress_percent: number | null;
    time_left_s: number | null;
    trial: number | null;
    sample: SampleRow | null;
    reason: Sentence | null;
}

export interface Run {
    status: RunStatus;
    report: Report | null;
}

export interface BenchMessages {
    messages: number;
    bytes: number;
    oldest: string | null;
    newest: string | null;
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
    title?: Said | null;
    started_at?: string | null;
    version?: string | null;
    machine?: string | { name?: string | null; cpu?: string | null } | null;
}

export interface Comparison {
    a: CompareSide;
    b: CompareSide;
    rows: CompareRow[];
    answer: Sentence | null;
    warnings: Sentence[];
}

export interface RunWish {
    profile: string;
    target: TargetName;
    options: Record<string, unknown>;
    password: string;
}

export const RUN_FILES = ["report.html", "report.txt", "report.json", "results.csv", "results_ext.csv", "samples.csv"] as const;

const path = (id: string) => `/bench/runs/${encodeURIComponent(id)}`;

export async function getProfiles(signal: AbortSignal): Promise<Profile[]> {
    const answer = await request<{ profiles: Profile[] } | Profile[]>("/bench/profiles", { signal });
    return Array.isArray(answer) ? answer : answer.profiles;
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

export function getBenchBox(signal?: AbortSignal): Promise<{ source_network: string }> {
    return request("/bench/box", signal ? { signal } : {});
}
