/* From the schedule to the search: where messages went, stage by stage.  Pure. */
import type { Stages, Trial } from "../../api/benchReport";
import type { Key } from "../../i18n";

export interface Step {
    word: Key;
    count: number | null;
    /** A stage that messages reach, or a place where they are lost. */
    isLoss: boolean;
    reasons?: [string, number][];
}

const loss = (word: Key, count: number | null): Step => ({ word, count, isLoss: true });
const level = (word: Key, count: number | null): Step => ({ word, count, isLoss: false });

function reasonsOf(stages: Stages): [string, number][] {
    return Object.entries(stages.reasons)
        .filter((entry): entry is [string, number] => (entry[1] ?? 0) > 0)
        .sort((a, b) => b[1] - a[1]);
}

/** Stages always; a place of loss only where something was lost there, or nobody knows. */
export function waterfall({ stages: s, sequence }: Pick<Trial, "stages" | "sequence">): Step[] {
    const steps: Step[] = [
        level("bench.stage.scheduled", s.scheduled),
        loss("bench.stage.late", s.late),
        loss("bench.stage.errors", s.send_errors),
        level("bench.stage.sent", s.sent),
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

/** Width of a bar in percent: stages of the schedule, losses of all losses, since a small one must be seen. */
export function widthOf(step: Step, steps: readonly Step[]): number {
    const of = steps.filter((s) => s.isLoss === step.isLoss).map((s) => Math.abs(s.count ?? 0));
    const whole = step.isLoss ? of.reduce((sum, n) => sum + n, 0) : Math.max(...of);
    return whole > 0 ? (Math.abs(step.count ?? 0) / whole) * 100 : 0;
}

/** The trial with the greatest loss; the last one where none lost any. */
export function worstTrial(trials: readonly Trial[]): Trial | null {
    return trials.reduce<Trial | null>((worst, t) => (worst && (worst.loss_percent ?? 0) > (t.loss_percent ?? 0) ? worst : t), null);
}
