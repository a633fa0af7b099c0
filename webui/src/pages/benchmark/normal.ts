/* A report as the page reads it: what is absent in the file is as null or empty there.  Pure. */
import type { Report, Stages, Trial } from "../../api/benchReport";

const STAGES: Stages = {
    scheduled: null,
    sent: null,
    send_errors: null,
    late: null,
    nic_dropped: null,
    kernel_dropped: null,
    others_dropped: null,
    received: null,
    refused: null,
    reasons: {},
    queued: null,
    stored: null,
    visible: null,
    in_flight: null,
    unaccounted: null,
};

const TRIAL: Omit<Trial, "number" | "test" | "run" | "name" | "target" | "started_at"> = {
    load: { transport: "", connections: null, size: null, rate: null, duration_s: null },
    duration_s: null,
    drain_s: null,
    stages: STAGES,
    sequence: null,
    rates: { offered: null, sent: null, stored: null, visible: null },
    loss_percent: null,
    latency_us: null,
    cpu: {},
    load_average: {},
    memory_bytes: null,
    disk: null,
    searches: null,
    crash: null,
    is_valid: true,
    invalid_reason: null,
    bottleneck: "unknown",
    bottleneck_why: null,
};

const REPORT: Omit<Report, "id" | "profile" | "title" | "state" | "started_at" | "schema_version"> = {
    command: null,
    seed: null,
    reason: null,
    ended_at: null,
    verdict: "none",
    answer: null,
    version: null,
    build: null,
    machine: null,
    speed: null,
    targets: [],
    trials: [],
    knees: [],
    peers: [],
};

/** Members of `usual` where `given` has none, or null. */
function filled<T extends object>(usual: object, given: T): T {
    const known = Object.entries(given).filter(([, value]) => value != null);
    return { ...usual, ...Object.fromEntries(known) } as T;
}

function normalTrial(raw: Trial): Trial {
    const trial = filled(TRIAL, raw);
    const sequence = trial.sequence && filled({ found: null, missing: null, duplicated: null, missing_ranges: [], duplicated_ranges: [], is_complete: false }, trial.sequence);
    return { ...trial, stages: filled(STAGES, trial.stages), sequence };
}

export function normalReport(raw: Report): Report {
    const report = filled(REPORT, raw);
    return {
        ...report,
        trials: report.trials.map(normalTrial),
        knees: report.knees.map((knee) => filled({ size: null, lossless: null, tolerant: null, points: [] }, knee)),
        peers: report.peers.map((peer) => filled({ rates: [], median: null, mad: null, ratio: null }, peer)),
    };
}
