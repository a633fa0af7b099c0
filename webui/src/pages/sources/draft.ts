/* A row of settings as it is typed, and what saving it does.  Pure. */
import type { Framing, SettingWish, SourceSetting } from "../../api/sources";
import type { Key } from "../../i18n";
import { contains, readAddress, readNetwork, usualNetwork, writeNetwork } from "../../utils/cidr";

/** "" where nothing is said. */
export interface Draft {
    network: string;
    name: string;
    zone: string;
    charset: string;
    framing: string;
    /** The id of a source group; "": none. */
    group: string;
    note: string;
}

export const EMPTY: Draft = { network: "", name: "", zone: "", charset: "", framing: "", group: "", note: "" };

export function draftOf(row: SourceSetting): Draft {
    return {
        network: row.network,
        name: row.name,
        zone: row.zone ?? "",
        charset: row.charset ?? "",
        framing: row.framing ?? "",
        group: row.source_group ? String(row.source_group.id) : "",
        note: row.note,
    };
}

export function wishOf(draft: Draft): SettingWish {
    return {
        name: draft.name.trim(),
        zone: draft.zone.trim() || null,
        charset: draft.charset || null,
        framing: (draft.framing || null) as Framing | null,
        source_group: draft.group === "" ? null : Number(draft.group),
        note: draft.note.trim(),
    };
}

/** As the box writes it; null: it is no network. */
export function networkOf(text: string): string | null {
    const network = readNetwork(text);
    return network && writeNetwork(network);
}

/** The row that decides for an address or network: the longest that contains it. */
export function rowInForce(rows: readonly SourceSetting[], of: string): SourceSetting | null {
    const wanted = readNetwork(of);
    if (!wanted) return null;
    let best: { row: SourceSetting; bits: number } | null = null;
    for (const row of rows) {
        const network = readNetwork(row.network);
        if (network && contains(network, wanted) && (!best || network.bits > best.bits)) best = { row, bits: network.bits };
    }
    return best?.row ?? null;
}

/** What a row of an address may be about: itself, its usual network, and the row that decides now. */
export function networkChoices(address: string, inForce: SourceSetting | null): string[] {
    const read = readAddress(address);
    if (!read) return [address];
    return [...new Set([...(inForce ? [inForce.network] : []), writeNetwork(read), writeNetwork(usualNetwork(read))])];
}

export type Problem = "network" | "twice" | "zone";

export function problemsOf(draft: Draft, isNew: boolean, rows: readonly SourceSetting[], zones: readonly string[] | undefined): Problem[] {
    const out: Problem[] = [];
    const network = networkOf(draft.network);
    if (network === null) out.push("network");
    else if (isNew && rows.some((row) => networkOf(row.network) === network)) out.push("twice");
    const zone = draft.zone.trim();
    if (zone !== "" && zones && !zones.includes(zone)) out.push("zone");
    return out;
}

/** What saving does, of what differs from before; [] for nothing that matters to messages. */
export function effectsOf(before: Draft | null, draft: Draft): Key[] {
    const was = before ?? EMPTY;
    const out: Key[] = [];
    if (was.zone !== draft.zone.trim() || was.charset !== draft.charset) out.push("src.does.reading");
    if (was.framing !== draft.framing) out.push("src.does.framing");
    if (was.group !== draft.group) out.push("src.does.group");
    return out;
}

export function isSame(a: Draft, b: Draft): boolean {
    return JSON.stringify(wishOf(a)) === JSON.stringify(wishOf(b)) && a.network === b.network;
}
