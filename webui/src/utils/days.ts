/* Days and months of the box as it names them ("2026-11-03", "2026-11"), apart from any clock.  Pure. */
import type { Language } from "./format";

const DAY_MS = 86_400_000;
const utc = (day: string) => Date.parse(`${day}T00:00:00Z`);
const text = (ms: number) => new Date(ms).toISOString().slice(0, 10);

export function addDays(day: string, n: number): string {
    return text(utc(day) + n * DAY_MS);
}

/** Days from one to the other, both counted. */
export function daysBetween(from: string, to: string): number {
    return Math.round((utc(to) - utc(from)) / DAY_MS) + 1;
}

export function addMonths(month: string, n: number): string {
    const index = Number(month.slice(0, 4)) * 12 + Number(month.slice(5, 7)) - 1 + n;
    return `${String(Math.floor(index / 12)).padStart(4, "0")}-${String((index % 12) + 1).padStart(2, "0")}`;
}

export function isMonth(month: string): boolean {
    return /^[1-9]\d{3}-(0[1-9]|1[0-2])$/.test(month);
}

export function monthDays(month: string): string[] {
    const last = Number(addDays(`${addMonths(month, 1)}-01`, -1).slice(8));
    return Array.from({ length: last }, (_, i) => `${month}-${String(i + 1).padStart(2, "0")}`);
}

/** 0 is Monday. */
export function weekday(day: string): number {
    return (new Date(utc(day)).getUTCDay() + 6) % 7;
}

const LOCALE: Record<Language, string> = { en: "en-GB", ja: "ja-JP" };

export function weekdayName(index: number, language: Language): string {
    // 2024-01-01 was a Monday
    return new Intl.DateTimeFormat(LOCALE[language], { weekday: "short", timeZone: "UTC" }).format(utc("2024-01-01") + index * DAY_MS);
}

function monthName(month: string): string {
    return new Intl.DateTimeFormat("en-GB", { month: "long", timeZone: "UTC" }).format(utc(`${month}-01`));
}

/** "November 2026", 「2026 年 11 月」. */
export function formatMonth(month: string, language: Language): string {
    const year = month.slice(0, 4);
    return language === "ja" ? `${year} 年 ${Number(month.slice(5))} 月` : `${monthName(month)} ${year}`;
}

/** "Nov", 「11 月」. */
export function formatMonthShort(month: string, language: Language): string {
    return language === "ja" ? `${Number(month.slice(5))} 月` : monthName(month).slice(0, 3);
}

/** "3–5 November", 「11 月 3 日〜5 日」; the year where it is not that of `today`. */
export function formatDays(from: string, to: string, language: Language, today: string): string {
    const withYear = from.slice(0, 4) !== today.slice(0, 4) || to.slice(0, 4) !== today.slice(0, 4);
    const sameYear = from.slice(0, 4) === to.slice(0, 4);
    const sameMonth = from.slice(0, 7) === to.slice(0, 7);
    const day = (d: string) => Number(d.slice(8));
    if (language === "ja") {
        const full = (d: string, year: boolean) => `${year ? `${d.slice(0, 4)} 年 ` : ""}${Number(d.slice(5, 7))} 月 ${day(d)} 日`;
        const start = full(from, withYear);
        if (from === to) return start;
        return `${start}〜${sameMonth ? `${day(to)} 日` : full(to, withYear && !sameYear)}`;
    }
    const full = (d: string, year: boolean) => `${day(d)} ${monthName(d.slice(0, 7))}${year ? ` ${d.slice(0, 4)}` : ""}`;
    if (from === to) return full(from, withYear);
    if (sameMonth) return `${day(from)}–${full(to, withYear)}`;
    return `${full(from, withYear && !sameYear)} – ${full(to, withYear)}`;
}

function inZone(ms: number, zone: string): number {
    const parts = new Intl.DateTimeFormat("en-CA", {
        timeZone: zone,
        hourCycle: "h23",
        year: "numeric",
        month: "2-digit",
        day: "2-digit",
        hour: "2-digit",
        minute: "2-digit",
        second: "2-digit",
    }).formatToParts(ms);
    const of = (type: string) => parts.find((p) => p.type === type)?.value ?? "0";
    return Date.parse(`${of("year")}-${of("month")}-${of("day")}T${of("hour")}:${of("minute")}:${of("second")}Z`);
}

/** A zone this browser does not know is taken as UTC: the box knows more zones than some browsers. */
function wall(ms: number, zone: string): number {
    try {
        return inZone(ms, zone);
    } catch {
        return ms;
    }
}

/** The box's day at a moment. */
export function dayAt(at: string | number, zone: string): string {
    return text(wall(Math.floor(new Date(at).getTime() / 1000) * 1000, zone));
}

/** The moment a day of the box begins; where its midnight does not exist, the first moment after. */
export function dayStart(day: string, zone: string): Date {
    const wanted = utc(day);
    let ms = wanted;
    for (let i = 0; i < 2; i++) ms += wanted - wall(ms, zone);
    return new Date(ms);
}
