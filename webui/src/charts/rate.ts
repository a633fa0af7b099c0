/* The steps of the receive rate. */

const DAY_MS = 86_400_000;
/** As many points as a graph has pixels for. */
const POINTS = 720;
/** Minutes are kept for 14 days, hours for two years; a minute of room, since the range moves on. */
const MINUTES_KEPT_MS = 14 * DAY_MS - 60_000;
const SHORT_S = [5, 10];
const STEPS_S = [60, 120, 300, 600, 900, 1800, 3600, 7200, 10_800, 21_600, 43_200, 86_400];

/** Seconds.  Below a minute the box must count in the messages themselves, so only for a short range. */
export function rateStep(span: { from: number; to: number }, nowMs: number): number {
    const length = span.to - span.from;
    const wanted = length / 1000 / POINTS;
    if (length <= 20 * 60_000) return SHORT_S.find((s) => s >= wanted) ?? 60;
    const least = nowMs - span.from > MINUTES_KEPT_MS ? 3600 : 60;
    return STEPS_S.find((s) => s >= wanted && s >= least) ?? 86_400;
}

/** Whole steps, so that an answer's points lie where those of the last one did; days are the reader's. */
export function alignSpan(span: { from: number; to: number }, stepS: number): { from: number; to: number } {
    const ms = stepS * 1000;
    if (ms >= DAY_MS) return { from: new Date(span.from).setHours(0, 0, 0, 0), to: span.to };
    return { from: Math.floor(span.from / ms) * ms, to: span.to };
}
