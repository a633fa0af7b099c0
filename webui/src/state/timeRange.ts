/* The time range of a page, as it stands in the URL: from=-1h (relative, up to now) or
 * from=…&to=… (RFC 3339). */
export interface TimeRange {
    from: string;
    /** "" is now. */
    to: string;
}

/** A range at a moment, as milliseconds since the epoch. */
export interface Span {
    from: number;
    to: number;
}

export const PRESETS = ["-15m", "-1h", "-6h", "-24h", "-7d", "-30d", "-90d", "-365d", "-730d"] as const;
export type Preset = (typeof PRESETS)[number];
export const DEFAULT_RANGE: TimeRange = { from: "-1h", to: "" };

/** What the box can be asked for: the years 1970 to 9999. */
const FIRST_MS = 0;
const LAST_MS = Date.UTC(9999, 11, 31, 23, 59, 59, 999);

const UNIT_MS: Record<string, number> = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

function relativeMs(text: string): number | null {
    const match = /^-(\d{1,6})([smhd])$/.exec(text);
    return match ? Number(match[1]) * (UNIT_MS[match[2] ?? ""] ?? 0) : null;
}

function momentMs(text: string, now: number): number | null {
    const back = relativeMs(text);
    if (back !== null) return now - back;
    const ms = Date.parse(text);
    return ms >= FIRST_MS && ms <= LAST_MS ? ms : null;
}

/** From URL parameters; what cannot be read becomes the default, so that no link is a dead end. */
export function readRange(params: URLSearchParams, fallback: TimeRange = DEFAULT_RANGE): TimeRange {
    const from = params.get("from") ?? "";
    const to = params.get("to") ?? "";
    const begin = momentMs(from, 0);
    if (begin === null) return fallback;
    if (to === "") return { from, to };
    const end = momentMs(to, 0);
    return end !== null && end > begin ? { from, to } : fallback;
}

export function writeRange(params: URLSearchParams, range: TimeRange, fallback: TimeRange = DEFAULT_RANGE): URLSearchParams {
    const out = new URLSearchParams(params);
    if (range.from === fallback.from && range.to === fallback.to) out.delete("from");
    else out.set("from", range.from);
    if (range.to === "") out.delete("to");
    else out.set("to", range.to);
    return out;
}

export function isPreset(range: TimeRange): range is { from: Preset; to: "" } {
    return range.to === "" && (PRESETS as readonly string[]).includes(range.from);
}

/** True while the range ends now and so goes on by itself. */
export function isOpen(range: TimeRange): boolean {
    return range.to === "";
}

/** A range that begins after now, as a shared link can, is one second long. */
export function resolveRange(range: TimeRange, now: number): Span {
    const from = Math.max(FIRST_MS, momentMs(range.from, now) ?? now - 3_600_000);
    const to = range.to === "" ? now : (momentMs(range.to, now) ?? now);
    return { from, to: to > from ? to : Math.min(LAST_MS, from + 1000) };
}

export function absoluteRange(fromMs: number, toMs: number): TimeRange {
    return { from: new Date(fromMs).toISOString(), to: new Date(toMs).toISOString() };
}

/** The next longer preset that holds the range, or the longest. */
export function widen(range: TimeRange, now: number): TimeRange {
    const span = resolveRange(range, now);
    for (const preset of PRESETS) {
        const back = relativeMs(preset) ?? 0;
        if (now - back < span.from && back > span.to - span.from) return { from: preset, to: "" };
    }
    const length = span.to - span.from;
    return absoluteRange(Math.max(FIRST_MS, span.from - length * 4), Math.min(now, span.to + length));
}

/** The local time of <input type="datetime-local" step="1">, and back. */
export function toInput(ms: number): string {
    const d = new Date(ms);
    return new Date(ms - d.getTimezoneOffset() * 60_000).toISOString().slice(0, 19);
}

export function fromInput(text: string): number | null {
    const ms = Date.parse(text);
    return text === "" || Number.isNaN(ms) ? null : ms;
}
