/* From the schedule to the search: where messages went, stage by stage.  Pure. */
import type { Stages, Trial } from "../../api/benchReport";
import type { Key } from "../../i18n";

export interface Step {
    word: Key;
    count: number | null;
    /** A stage that messages reach, or a place where they are lost. */
    isLoss: boolean;
    reasons?: [string, number][];
    /** Of these so many were sent, but later than the schedule said. */
    late?: number;
}

const loss = (word: Key, count: number | null): Step => ({ word, count, isLoss: true });
const level = (word: Key, count: number | null): Step => ({ word, count, isLoss: false });

function reasonsOf(stages: Stages): [string, number][] {
    return Object.entries(stages.reasons)
        .filter((entry): entry is [string, number] => (entry[1] ?? 0) > 0)
        .sort((a, b) => b[1] - a[1]);
}

/** What was due and never tried. */
function unsentOf(s: Stages): number | null {
    return s.scheduled === null || s.sent === null ? null : Math.max(0, s.scheduled - s.sent - (s.send_errors ?? 0));
}

/** Stages always; a place of loss only where something was lost there, or nobody knows. */
export function waterfall({ stages: s, sequence }: Pick<Trial, "stages" | "sequence">): Step[] {
    const steps: Step[] = [
        level("bench.stage.scheduled", s.scheduled),
        loss("bench.stage.errors", s.send_errors),
        loss("bench.stage.unsent", unsentOf(s)),
        { ...level("bench.stage.sent", s.sent), late: s.late ?? 0 },
        loss("bench.stage.nic", s.nic_dropped),
        loss("bench.stage.kernel", s.kernel_dropped),
        level("bench.stage.received", s.received),
        { ...loss("bench.stage.refused", s.refused), reasons: reasonsOf(s) },
        loss("bench.stage.queued", s.queued),
        loss("bench.stage.inFlight", s.in_flight),
        level("bench.stage.stored", s.stored),
        level("bench.stage.visible", s.visible),
        ...(sequence ? [level("bench.stage.found", sequence.found), loss("bench.stage.duplicated", sequence.duplicated)] : []),
        loss("bench.stage.unaccounted", s.unaccounted),
    ];
    return steps.filter((step) => !step.isLoss || (step.count !== null && step.count !== 0));
}

export interface Bar {
    /** Percent of what was scheduled, or of the most that is known. */
    from: number;
    width: number;
}

/** A stage's bar begins at the left; that of a loss ends where those that were left before it end. */
export function barsOf(steps: readonly Step[]): Bar[] {
    const whole = Math.max(0, ...steps.filter((s) => !s.isLoss).map((s) => s.count ?? 0));
    let left = whole;
    return steps.map(({ count, isLoss }) => {
        const n = Math.abs(count ?? 0);
        if (whole === 0) return { from: 0, width: 0 };
        if (!isLoss) {
            left = count ?? left;
            return { from: 0, width: (n / whole) * 100 };
        }
        left = Math.max(0, left - n);
        return { from: (left / whole) * 100, width: (Math.min(n, whole) / whole) * 100 };
    });
}

/** The trial with the greatest loss; the last one where none lost any. */
export function worstTrial(trials: readonly Trial[]): Trial | null {
    return trials.reduce<Trial | null>((worst, t) => (worst && (worst.loss_percent ?? 0) > (t.loss_percent ?? 0) ? worst : t), null);
}
