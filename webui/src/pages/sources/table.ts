/* Sorting and filtering of the table of sources.  Pure. */
import type { Source } from "../../api/types";

export const COLUMNS = ["source", "range", "last_heard", "messages", "bytes", "first_heard"] as const;
export type Column = (typeof COLUMNS)[number];
export interface Order {
    column: Column;
    descending: boolean;
}

/** 192.0.2.9 before 192.0.2.10, IPv4 before IPv6. */
export function addressKey(address: string): string {
    if (!address.includes(":")) return `4${address.split(".").map((part) => part.padStart(3, "0")).join(".")}`;
    const [head = "", tail] = address.split("::");
    const left = head ? head.split(":") : [];
    const right = tail ? tail.split(":") : [];
    const middle = tail === undefined ? [] : (Array<string>(Math.max(0, 8 - left.length - right.length)).fill("0"));
    return `6${[...left, ...middle, ...right].map((part) => part.padStart(4, "0")).join(":")}`;
}

function keyOf(source: Source, column: Column): string | number {
    if (column === "source") return addressKey(source.source);
    if (column === "range") return source.range.arrived;
    return source[column];
}

export function arrange(sources: readonly Source[], filter: string, { column, descending }: Order): Source[] {
    const wanted = filter.trim().toLowerCase();
    const kept = sources.filter((s) => s.source.toLowerCase().includes(wanted));
    const sign = descending ? -1 : 1;
    return kept
        .map((source) => ({ source, key: keyOf(source, column) }))
        .sort((a, b) => (a.key < b.key ? -sign : a.key > b.key ? sign : 0))
        .map(({ source }) => source);
}

/** The same column turns the order; numbers and times begin with the largest. */
export function nextOrder(order: Order, column: Column): Order {
    if (order.column === column) return { column, descending: !order.descending };
    return { column, descending: column !== "source" };
}

export function readOrder(params: URLSearchParams): Order {
    const text = params.get("order") ?? "";
    const column = COLUMNS.find((c) => c === text.replace(/^-/, ""));
    return column ? { column, descending: text.startsWith("-") } : { column: "range", descending: true };
}

export function writeOrder({ column, descending }: Order): string {
    return (descending ? "-" : "") + column;
}
