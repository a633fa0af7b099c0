/* The allow-list as a form: what is wrong with it, whom it shuts out, what could be added.  Pure. */
import type { AllowEntry } from "../../api/listeners";
import { LISTENERS, type ListenerName } from "../../api/types";
import { contains, readNetwork, usualNetwork, writeNetwork, type Network } from "../../utils/cidr";

/** Who sends, and by which listener. */
export interface Heard {
    source: string;
    listener: ListenerName;
}

export type NetworkProblem = "network" | "twice";

export const NOTE_MAX = 200;

/** In one form, where it can be read. */
export function canonical(text: string): string {
    const network = readNetwork(text);
    return network ? writeNetwork(network) : text.trim();
}

export function allowProblems(rows: readonly AllowEntry[]): (NetworkProblem | null)[] {
    const seen = new Set<string>();
    return rows.map((row) => {
        if (!readNetwork(row.network)) return "network";
        const key = `${canonical(row.network)} ${row.listener}`;
        if (seen.has(key)) return "twice";
        seen.add(key);
        return null;
    });
}

/** Whether the list lets it in: a listener that no row is about takes from everybody. */
function isAllowed(rows: readonly { network: Network; listener: ListenerName | null }[], source: Network, listener: ListenerName): boolean {
    const about = rows.filter((row) => row.listener === null || row.listener === listener);
    return about.length === 0 || about.some((row) => contains(row.network, source));
}

function readRows(rows: readonly AllowEntry[]) {
    return rows.flatMap(({ network, listener }) => {
        const read = readNetwork(network);
        return read ? [{ network: read, listener }] : [];
    });
}

/** Of those heard and let in by the list before: who would not be any more. */
export function shutOut(heard: readonly Heard[], before: readonly AllowEntry[], after: readonly AllowEntry[]): Heard[] {
    const was = readRows(before);
    const now = readRows(after);
    return heard.filter(({ source, listener }) => {
        const address = readNetwork(source);
        return address !== null && isAllowed(was, address, listener) && !isAllowed(now, address, listener);
    });
}

/** Whether the list lets in this sender now. */
export function letsIn(rows: readonly AllowEntry[], { source, listener }: Heard): boolean {
    const address = readNetwork(source);
    return address !== null && isAllowed(readRows(rows), address, listener);
}

export interface Suggestion {
    network: string;
    senders: number;
}

/** Usual networks of those heard that no row of the list has yet, those with the most senders first. */
export function suggestions(heard: readonly Heard[], rows: readonly AllowEntry[]): Suggestion[] {
    const have = readRows(rows);
    const found = new Map<string, Set<string>>();
    for (const { source } of heard) {
        const address = readNetwork(source);
        if (!address || have.some((row) => row.listener === null && contains(row.network, address))) continue;
        const network = writeNetwork(usualNetwork(address));
        found.set(network, (found.get(network) ?? new Set()).add(source));
    }
    return [...found].map(([network, of]) => ({ network, senders: of.size })).sort((a, b) => b.senders - a.senders || a.network.localeCompare(b.network));
}

/** Listeners that take from everybody under this list. */
export function openListeners(rows: readonly AllowEntry[]): ListenerName[] {
    return LISTENERS.filter((l) => !rows.some((row) => row.listener === null || row.listener === l));
}

export function entriesOf(rows: readonly AllowEntry[]): AllowEntry[] {
    return rows.map(({ network, listener, note }) => ({ network: canonical(network), listener, note: note.trim() }));
}
