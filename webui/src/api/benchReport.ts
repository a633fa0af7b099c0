/* report.json of a run and its samples: firmware/bench/report/report.md describes them.  What could not be measured is
 * null. */

export interface Said {
    en: string | null;
    ja: string | null;
}

/** In both languages, or in one. */
export type Sentence = Said | string;

export interface Spread {
    mean: number | null;
    max: number | null;
}

export interface Stages {
    scheduled: number | null;
    sent: number | null;
    send_errors: number | null;
    late: number | null;
    nic_dropped: number | null;
    kernel_dropped: number | null;
    /** Of a box in service: what its socket dropped of other senders meanwhile. */
    others_dropped: number | null;
    received: number | null;
    refused: number | null;
    reasons: Record<string, number | null>;
    queued: number | null;
    stored: number | null;
    visible: number | null;
    in_flight: number | null;
    unaccounted: number | null;
}

export interface NumberRange {
    stream: number;
    from: number;
    to: number;
}

export interface Trial {
    number: number;
    test: number;
    /** 0: a warm-up. */
    run: number;
    name: Sentence | null;
    target: string;
    load: { transport: string; connections: number | null; size: number | null; rate: number | null; duration_s: number | null };
    started_at: string;
    duration_s: number | null;
    drain_s: number | null;
    stages: Stages;
    sequence: {
        found: number | null;
        missing: number | null;
        duplicated: number | null;
        missing_ranges: NumberRange[];
        duplicated_ranges: NumberRange[];
        is_complete: boolean;
    } | null;
    rates: { offered: number | null; sent: number | null; stored: number | null; visible: number | null; most_in_a_second: number | null };
    loss_percent: number | null;
    /** How late messages left, by the schedule. */
    lateness_p99_us: number | null;
    us_per_message: { syslog: number | null; database: number | null };
    latency_us: { n: number | null; lost: number | null; p50: number | null; p99: number | null; max: number | null } | null;
    cpu: Partial<Record<"syslog" | "database" | "generator" | "host" | "foreign" | "steal", Spread | null>>;
    load_average: Partial<Record<"1" | "5" | "15", Spread | null>>;
    memory_bytes: { syslog: number | null; database: number | null } | null;
    disk: { written_bytes: number | null; stored_bytes: number | null; stored_bytes_a_message: number | null } | null;
    searches: { n: number | null; errors: number | null; p50_ms: number | null; p99_ms: number | null; max_ms: number | null; error: string | null } | null;
    crash: { kills: number | null; restart_ms_max: number | null } | null;
    is_valid: boolean;
    invalid_reason: Sentence | null;
    bottleneck: string;
    bottleneck_why: Sentence | null;
}

export interface Knee {
    target: string;
    transport: string;
    size: number | null;
    lossless: number | null;
    tolerant: number | null;
    points: { rate: number; loss_percent: number | null; trial: number }[];
    sentence: Sentence | null;
}

/** What could not be measured. */
export interface Skipped {
    target: string | null;
    why: Sentence | null;
}

export interface Peer {
    test: number;
    name: Sentence | null;
    target: string;
    rates: number[];
    median: number | null;
    mad: number | null;
    /** To the first target. */
    ratio: number | null;
    is_noise: boolean | null;
}

export interface BenchTarget {
    name: string;
    product: string | null;
    version: string | null;
    stores: string | null;
    config_sha256: string | null;
    is_box: boolean;
    receive_buffer_bytes: number | null;
}

export interface Machine {
    name: string | null;
    cpu: string | null;
    cores: number | null;
    memory_bytes: number | null;
    kernel: string | null;
    virtualization: string | null;
    file_system: string | null;
    disk: string | null;
    disk_is_rotational: boolean | null;
    sysctls: Record<string, number | string | null> | null;
    load_before: number | null;
}

export interface Report {
    schema_version: number;
    id: string;
    profile: string;
    title: Sentence | null;
    command: string | null;
    seed: number | null;
    state: RunState;
    reason: Sentence | null;
    started_at: string;
    ended_at: string | null;
    verdict: Verdict;
    answer: Sentence | null;
    version: string | null;
    build: string | null;
    machine: Machine | null;
    speed: { before: Speed | null; after: Speed | null; drift_percent: number | null } | null;
    targets: BenchTarget[];
    trials: Trial[];
    knees: Knee[];
    /** Searches whose answer is the rate of a later test. */
    calibrations: Knee[];
    skipped: Skipped[];
    peers: Peer[];
}

interface Speed {
    compute_ops_s: number | null;
    write_bytes_s: number | null;
}

export type RunState = "running" | "complete" | "incomplete" | "failed";
export type Verdict = "pass" | "fail" | "invalid" | "none";

/** A line of samples.csv: totals of the trial so far, and what the machine did in that second. */
export type SampleRow = { trial: number; at_s: number } & Partial<Record<SampleColumn, number | null>>;

export type SampleColumn =
    | "scheduled"
    | "sent"
    | "send_errors"
    | "kernel_dropped"
    | "received"
    | "refused"
    | "queued"
    | "stored"
    | "latency_p50_us"
    | "latency_p99_us"
    | "load1"
    | "load5"
    | "load15"
    | "cpu_syslog"
    | "cpu_database"
    | "cpu_generator"
    | "cpu_host"
    | "cpu_foreign"
    | "cpu_steal"
    | "memory_syslog_bytes"
    | "memory_database_bytes"
    | "disk_write_bytes_s";
