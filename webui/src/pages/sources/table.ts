/* Columns, order and silence of the receive-rate tables.  Pure. */
import { RATE_FIELDS, type RateField, type RateRow } from "../../api/ratesBy";
import type { Key } from "../../i18n";
import { href } from "../../state/router";
import { clause } from "../../utils/query";

/** As the API names what it sorts by. */
export const COLUMNS = [
    "value",
    "now",
    "minute",
    "hour",
    "day",
    "month",
    "change_percent",
    "bytes_day",
    "bytes_month",
    "disk_month",
    "budget_percent",
    "last_heard",
    "first_heard",
] as const;
export type Column = (typeof COLUMNS)[number];

export interface Order {
    column: Column;
    descending: boolean;
}

export const HEAD: Record<Exclude<Column, "value">, { word: Key; help?: Key }> = {
    now: { word: "col.now", help: "col.nowHelp" },
    minute: { word: "col.minute", help: "col.messagesHelp" },
    hour: { word: "col.hour", help: "col.messagesHelp" },
    day: { word: "col.day", help: "col.messagesHelp" },
    month: { word: "col.month", help: "col.messagesHelp" },
    bytes_day: { word: "col.bytesDay", help: "col.bytesHelp" },
    bytes_month: { word: "col.bytesMonth", help: "col.bytesHelp" },
    disk_month: { word: "col.disk", help: "col.diskHelp" },
    budget_percent: { word: "col.budget", help: "col.budgetHelp" },
    change_percent: { word: "col.change", help: "col.changeHelp" },
    last_heard: { word: "col.last" },
    first_heard: { word: "col.first" },
};

export function isNumber(column: Column): boolean {
    return column !== "value" && column !== "first_heard" && column !== "last_heard";
}

/** The same column turns the order; numbers and times begin with the largest, names with the first. */
export function nextOrder(order: Order, column: Column): Order {
    if (order.column === column) return { column, descending: !order.descending };
    return { column, descending: column !== "value" };
}

const USUAL: Order = { column: "day", descending: true };

export function readOrder(params: URLSearchParams): Order {
    const text = params.get("order") ?? "";
    const column = COLUMNS.find((c) => c === text.replace(/^-/, ""));
    return column ? { column, descending: text.startsWith("-") } : USUAL;
}

export function writeOrder({ column, descending }: Order): string {
    return column === USUAL.column && descending === USUAL.descending ? "" : (descending ? "-" : "") + column;
}

export function readField(params: URLSearchParams): RateField {
    return RATE_FIELDS.find((f) => f === params.get("by")) ?? "source";
}

export const SILENT_MS = 3_600_000;

/** Heard once, and not for an hour.  A severity or a listener is not silent: it has merely no use. */
export function isSilent(row: RateRow, field: RateField, nowMs: number): boolean {
    if (field === "severity" || field === "listener" || row.last_heard === null || !row.value) return false;
    return nowMs - Date.parse(row.last_heard) > SILENT_MS;
}

/** The logs behind a row: the last day, or the last hour before it fell silent. */
export function logsOfRow(row: RateRow, field: RateField, nowMs: number): string | null {
    if (!row.value) return null;
    const q = clause(field, row.value);
    const last = row.last_heard === null ? nowMs : Date.parse(row.last_heard);
    if (nowMs - last < 86_400_000) return href("/logs", { q, from: "-24h" });
    return href("/logs", { q, from: new Date(last - 3_600_000).toISOString(), to: new Date(last + 60_000).toISOString() });
}

/** "+12 %", "−40 %", "± 0 %". */
export function changeText(percent: number): string {
    const n = Math.abs(percent) >= 9.95 ? Math.round(Math.abs(percent)).toLocaleString("en-US") : Math.abs(percent).toFixed(1).replace(/\.0$/, "");
    if (n === "0") return "±0 %";
    return `${percent < 0 ? "−" : "+"}${n} %`;
}
