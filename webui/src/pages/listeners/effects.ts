/* What saving a change of these settings does, told before it is saved.  Pure. */
import type { Setting } from "../../api/types";
import type { Key, Translate } from "../../i18n";
import { asText, type Draft } from "../../state/settingsDraft";
import { difference } from "./addresses";

export interface Effect {
    text: string;
    /** Somebody is cut off, or has to do something. */
    isWarning: boolean;
}

/** What becomes of connections that are open, and when it takes effect. */
const SAY: Record<string, Key> = {
    "receiver.tcp_framing": "does.framing",
    "receiver.tls_framing": "does.framing",
    "receiver.tcp_max_connections": "does.maxConnections",
    "receiver.tcp_max_per_source": "does.maxPerSource",
    "receiver.tls_max_half_open": "does.halfOpen",
    "receiver.tcp_idle_seconds": "does.idle",
    "receiver.unfinished_seconds": "does.unfinished",
    "receiver.handshake_seconds": "does.handshake",
    "receiver.rate_limit": "does.rate",
    "receiver.rate_burst": "does.burst",
    "receiver.tls_clients": "does.clients",
    "receiver.tls_min_version": "does.version",
};
const CLOSES = { udp: "does.closesUdp", tcp: "does.closesTcp", tls: "does.closesTcp" } as const;

function ofAddresses(name: "udp" | "tcp" | "tls", before: string, after: string, t: Translate): Effect[] {
    const { opened, closed } = difference(before, after);
    const values = (list: string[]) => ({ listener: name.toUpperCase(), addresses: list.join(", ") });
    const out: Effect[] = [];
    if (opened.length > 0) out.push({ text: t("does.opens", values(opened)), isWarning: false });
    if (closed.length > 0) out.push({ text: t(CLOSES[name], values(closed)), isWarning: true });
    if (name === "tls" && before === "" && opened.length > 0) out.push({ text: t("does.firstTls"), isWarning: false });
    return out;
}

const LIMIT_NAMES = new Set(["receiver.rate_limit", "receiver.tls_clients"]);

/** In the order of the settings. */
export function effectsOf(settings: readonly Setting[], draft: Draft, t: Translate): Effect[] {
    const out: Effect[] = [];
    const said = new Set<Key>();
    for (const s of settings) {
        const text = draft[s.name];
        if (text === undefined) continue;
        const listener = /^listen\.(udp|tcp|tls)$/.exec(s.name)?.[1] as "udp" | "tcp" | "tls" | undefined;
        if (listener) {
            out.push(...ofAddresses(listener, asText(s.value), text, t));
            continue;
        }
        const key = SAY[s.name];
        // two framings have one sentence
        if (key && !said.has(key)) out.push({ text: t(key), isWarning: s.scope === "restart" || (LIMIT_NAMES.has(s.name) && text !== "0" && text !== "none") });
        if (key) said.add(key);
        if (s.scope === "restart" && !said.has("does.restart")) {
            said.add("does.restart");
            out.push({ text: t("does.restart"), isWarning: true });
        }
    }
    return out;
}
