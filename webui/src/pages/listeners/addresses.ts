/* The list of a listener's addresses as rows of a form.  Pure. */
import { ADDRESSES_MAX } from "../../api/listeners";
import { readAddress } from "../../utils/cidr";

export interface AddressRow {
    host: string;
    port: string;
}

export type AddressProblem = "address" | "port" | "twice";

/** "0.0.0.0:514,[::]:514"; each item as it stands, however wrong. */
export function rowsOf(text: string): AddressRow[] {
    if (text.trim() === "") return [];
    return text.split(",").map((item) => {
        const at = item.lastIndexOf(":");
        const host = (at < 0 ? item : item.slice(0, at)).trim();
        return { host: host.replace(/^\[(.*)\]$/, "$1"), port: at < 0 ? "" : item.slice(at + 1).trim() };
    });
}

/** Commas part addresses, so that none comes into one. */
export function textOf(rows: readonly AddressRow[]): string {
    const clean = (text: string) => text.replaceAll(",", "").trim();
    return rows.map(({ host, port }) => `${clean(host).includes(":") ? `[${clean(host)}]` : clean(host)}:${clean(port)}`).join(",");
}

export function problemOf(row: AddressRow, rows: readonly AddressRow[]): AddressProblem | null {
    if (!readAddress(row.host.trim())) return "address";
    if (!/^\d{1,5}$/.test(row.port.trim()) || Number(row.port) > 65_535) return "port";
    const same = (other: AddressRow) => other.host.trim() === row.host.trim() && Number(other.port) === Number(row.port);
    return rows.filter(same).length > 1 ? "twice" : null;
}

export function hasProblem(text: string): boolean {
    const rows = rowsOf(text);
    return rows.length > ADDRESSES_MAX || rows.some((row) => problemOf(row, rows) !== null);
}

/** What a change of the list opens and closes. */
export function difference(before: string, after: string): { opened: string[]; closed: string[] } {
    const old = rowsOf(before).map((row) => textOf([row]));
    const now = rowsOf(after).map((row) => textOf([row]));
    return { opened: now.filter((a) => !old.includes(a)), closed: old.filter((a) => !now.includes(a)) };
}

/** All IPv4 addresses of the box, and the port that senders use by default. */
export const USUAL: Record<"udp" | "tcp" | "tls", AddressRow> = {
    udp: { host: "0.0.0.0", port: "514" },
    tcp: { host: "0.0.0.0", port: "514" },
    tls: { host: "0.0.0.0", port: "6514" },
};
