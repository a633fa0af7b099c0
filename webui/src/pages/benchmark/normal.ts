/* A report as the page reads it.  It is of a file, perhaps of half a run or of another version: what is absent or of
 * another kind is null or empty there.  Pure. */
import type { BenchTarget, Knee, Machine, NumberRange, Peer, Report, Sentence, Skipped, Spread, Stages, Trial } from "../../api/benchReport";
import { flag, listOf, maybe, moment, number, objectOf, oneOf, or, recordOf, text, type Shape } from "../../utils/shape";

const EPOCH = new Date(0).toISOString();

const said = maybe(objectOf({ en: text, ja: text }));
const sentence: Shape<Sentence | null> = (raw) => text(raw) ?? said(raw);
const spread = maybe(objectOf<Spread>({ mean: number, max: number }));
const ranges = listOf(maybe(objectOf<NumberRange>({ stream: or(number, 0), from: or(number, 0), to: or(number, 0) })));
const name = or(text, "");

const stages = objectOf<Stages>({
    scheduled: number,
    sent: number,
    send_errors: number,
    late: number,
    nic_dropped: number,
    kernel_dropped: number,
    others_dropped: number,
    received: number,
    refused: number,
    reasons: recordOf(number),
    queued: number,
    stored: number,
    visible: number,
    in_flight: number,
    unaccounted: number,
});

const trial = objectOf<Trial>({
    number: or(number, 0),
    test: or(number, 0),
    run: or(number, 0),
    name: sentence,
    target: name,
    load: objectOf<Trial["load"]>({ transport: name, connections: number, size: number, rate: number, duration_s: number }),
    started_at: or(moment, EPOCH),
    duration_s: number,
    drain_s: number,
    stages,
    sequence: maybe(
        objectOf<NonNullable<Trial["sequence"]>>({
            found: number,
            missing: number,
            duplicated: number,
            missing_ranges: ranges,
            duplicated_ranges: ranges,
            is_complete: or(flag, false),
        }),
    ),
    rates: objectOf<Trial["rates"]>({ offered: number, sent: number, stored: number, visible: number, most_in_a_second: number }),
    loss_percent: number,
    lateness_p99_us: number,
    us_per_message: objectOf<Trial["us_per_message"]>({ syslog: number, database: number }),
    latency_us: maybe(objectOf<NonNullable<Trial["latency_us"]>>({ n: number, lost: number, p50: number, p99: number, max: number })),
    cpu: recordOf(spread),
    load_average: recordOf(spread),
    memory_bytes: maybe(objectOf<NonNullable<Trial["memory_bytes"]>>({ syslog: number, database: number })),
    disk: maybe(objectOf<NonNullable<Trial["disk"]>>({ written_bytes: number, stored_bytes: number, stored_bytes_a_message: number })),
    searches: maybe(objectOf<NonNullable<Trial["searches"]>>({ n: number, errors: number, p50_ms: number, p99_ms: number, max_ms: number, error: text })),
    crash: maybe(objectOf<NonNullable<Trial["crash"]>>({ kills: number, restart_ms_max: number })),
    is_valid: or(flag, true),
    invalid_reason: sentence,
    bottleneck: or(text, "unknown"),
    bottleneck_why: sentence,
});

const pointOf = maybe(objectOf({ rate: number, loss_percent: number, trial: or(number, 0) }));
/** A point without its rate is none. */
const point: Shape<Knee["points"][number] | null> = (raw) => {
    const read = pointOf(raw);
    return read && read.rate !== null ? { ...read, rate: read.rate } : null;
};

const knee = objectOf<Knee>({ target: name, transport: name, size: number, lossless: number, tolerant: number, points: listOf(point), sentence });

const peer = objectOf<Peer>({
    test: or(number, 0),
    name: sentence,
    target: name,
    rates: listOf(number),
    median: number,
    mad: number,
    ratio: number,
    is_noise: flag,
});

const target = objectOf<BenchTarget>({
    name,
    product: text,
    version: text,
    stores: text,
    config_sha256: text,
    is_box: or(flag, false),
    receive_buffer_bytes: number,
});

const machine = objectOf<Machine>({
    name: text,
    cpu: text,
    cores: number,
    memory_bytes: number,
    kernel: text,
    virtualization: text,
    file_system: text,
    disk: text,
    disk_is_rotational: flag,
    sysctls: recordOf<number | string | null>((raw) => number(raw) ?? text(raw)),
    load_before: number,
});

const speed = maybe(objectOf<NonNullable<NonNullable<Report["speed"]>["before"]>>({ compute_ops_s: number, write_bytes_s: number }));

export const normalReport: Shape<Report> = objectOf<Report>({
    schema_version: or(number, 0),
    id: name,
    profile: name,
    title: sentence,
    command: text,
    seed: number,
    state: oneOf(["running", "complete", "incomplete", "failed"], "incomplete"),
    reason: sentence,
    started_at: or(moment, EPOCH),
    ended_at: moment,
    verdict: oneOf(["pass", "fail", "invalid", "none"], "none"),
    answer: sentence,
    version: text,
    build: text,
    machine: maybe(machine),
    speed: maybe(objectOf<NonNullable<Report["speed"]>>({ before: speed, after: speed, drift_percent: number })),
    targets: listOf(maybe(target)),
    trials: listOf(maybe(trial)),
    knees: listOf(maybe(knee)),
    calibrations: listOf(maybe(knee)),
    skipped: listOf(maybe(objectOf<Skipped>({ target: text, why: sentence }))),
    peers: listOf(maybe(peer)),
});
