/* Numbers, sizes and times as a reader wants them.  Pure: language and zone are arguments. */
export type Language = "en" | "ja";

const LOCALE: Record<Language, string> = { en: "en-GB", ja: "ja-JP" };

const plain = new Intl.NumberFormat("en-US", { maximumFractionDigits: 0 });

/** 12431 → "12,431"; below ten one digit after the point. */
export function formatCount(n: number): string {
    return plain.format(Math.round(n));
}

/** A rate keeps a digit where it is small: 0.3, 9.5, 12, 12,431. */
export function formatRate(n: number): string {
    if (n > 0 && n < 9.95) return n < 0.05 ? "<0.1" : String(Math.round(n * 10) / 10);
    return plain.format(Math.round(n));
}

function scaled(n: number, step: number, units: readonly string[]): string {
    let unit = 0;
    while (Math.abs(n) >= step && unit < units.length - 1) {
        n /= step;
        unit++;
    }
    const digits = unit === 0 || Math.abs(n) >= 99.95 ? 0 : 1;
    return `${n.toFixed(digits)} ${units[unit]}`;
}

/** 301234567 → "301 MB" (powers of 1000, as disks are sold). */
export function formatBytes(n: number): string {
    return scaled(n, 1000, ["B", "kB", "MB", "GB", "TB", "PB"]);
}

/** 12100000 → "12.1 M"; small numbers in full, for axes and narrow places. */
export function formatShort(n: number): string {
    if (Math.abs(n) < 10_000) return plain.format(n);
    return scaled(n, 1000, ["", "k", "M", "G", "T"]).replace(".0 ", " ").trim();
}

export function formatElapsed(us: number): string {
    if (us < 1000) return `${Math.round(us)} µs`;
    if (us < 1_000_000) return `${(us / 1000).toFixed(us < 10_000 ? 1 : 0)} ms`;
    return `${(us / 1_000_000).toFixed(2)} s`;
}

const pad = (n: number, width = 2) => String(n).padStart(width, "0");

/** The microseconds of an RFC 3339 text, which Date cuts off; 0 without fraction. */
export function microseconds(rfc3339: string): number {
    const fraction = /\.(\d{1,6})/.exec(rfc3339)?.[1];
    return fraction ? Number(fraction.padEnd(6, "0")) : 0;
}

/** Local "10:41:07.123". */
export function formatClock(rfc3339: string): string {
    const d = new Date(rfc3339);
    return `${pad(d.getHours())}:${pad(d.getMinutes())}:${pad(d.getSeconds())}.${pad(d.getMilliseconds(), 3)}`;
}

/** Local "2026-11-30". */
export function formatDay(at: string | Date): string {
    const d = new Date(at);
    return `${d.getFullYear()}-${pad(d.getMonth() + 1)}-${pad(d.getDate())}`;
}

/** "3 November", 「11月3日」; with the year where it is not this one.  A bare day is that day in every zone. */
export function formatDate(at: string, language: Language, now = new Date()): string {
    const d = /^\d{4}-\d{2}-\d{2}$/.test(at) ? new Date(`${at}T00:00:00`) : new Date(at);
    const year = d.getFullYear() === now.getFullYear() ? {} : { year: "numeric" as const };
    return new Intl.DateTimeFormat(LOCALE[language], { day: "numeric", month: "long", ...year }).format(d);
}

/** Local "2026-11-30 10:41:07". */
export function formatTime(at: string | Date): string {
    const d = new Date(at);
    return `${formatDay(d)} ${pad(d.getHours())}:${pad(d.getMinutes())}:${pad(d.getSeconds())}`;
}

/** "2026-11-30 10:41:07 – 10:45:00": the day of the end only where it is another. */
export function formatTimes(from: Date, to: Date): string {
    const end = formatTime(to);
    return `${formatTime(from)} – ${formatDay(from) === formatDay(to) ? end.slice(11) : end}`;
}

/** "+09:00": the offset the browser uses at that moment. */
export function zoneOffset(at: Date): string {
    const minutes = -at.getTimezoneOffset();
    const abs = Math.abs(minutes);
    return `${minutes < 0 ? "-" : "+"}${pad(Math.floor(abs / 60))}:${pad(abs % 60)}`;
}

/** "2026-11-30 10:41:07.123456 +09:00 (Asia/Tokyo)": all there is to know, for hovering. */
export function formatExact(rfc3339: string): string {
    const d = new Date(rfc3339);
    const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
    return `${formatTime(d)}.${pad(microseconds(rfc3339), 6)} ${zoneOffset(d)} (${zone})`;
}

const UNITS: [Intl.RelativeTimeFormatUnit, number][] = [
    ["day", 86_400_000],
    ["hour", 3_600_000],
    ["minute", 60_000],
    ["second", 1000],
];

/** "3 minutes ago", 「3 分前」. */
export function formatAgo(at: string | Date, now: number, language: Language): string {
    const ms = new Date(at).getTime() - now;
    const format = new Intl.RelativeTimeFormat(LOCALE[language], { numeric: "auto" });
    for (const [unit, size] of UNITS) {
        if (Math.abs(ms) >= size) return format.format(Math.trunc(ms / size), unit);
    }
    return format.format(0, "second");
}

/** A length of time in at most two units: "1 d 4 h", "3 min 20 s", "0.35 s". */
export function formatSpan(ms: number): string {
    const abs = Math.abs(ms);
    if (abs < 10_000) return `${(abs / 1000).toFixed(abs < 100 ? 3 : 2)} s`;
    const s = Math.round(abs / 1000);
    const parts: [number, string][] = [
        [Math.floor(s / 86_400), "d"],
        [Math.floor(s / 3600) % 24, "h"],
        [Math.floor(s / 60) % 60, "min"],
        [s % 60, "s"],
    ];
    const first = parts.findIndex(([n]) => n > 0);
    return parts
        .slice(first, first + 2)
        .filter(([n]) => n > 0)
        .map(([n, unit]) => `${n} ${unit}`)
        .join(" ");
}
