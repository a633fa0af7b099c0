/* key=value pairs in a message: what firewalls write. */
export interface Pair {
    key: string;
    value: string;
    /** As it stands in the message. */
    text: string;
}

const PAIRS_MAX = 100;

export function findPairs(message: string): Pair[] {
    const out: Pair[] = [];
    const pattern = /(?:^|[\s,;([{])([A-Za-z_][\w.-]{0,63})=("(?:[^"\\]|\\.){0,1024}"|'[^']{0,1024}'|[^\s,;)\]}"']{1,1024})/g;
    for (const match of message.matchAll(pattern)) {
        const [, key = "", raw = ""] = match;
        const value = /^["']/.test(raw) ? raw.slice(1, -1) : raw;
        out.push({ key, value, text: `${key}=${raw}` });
        if (out.length === PAIRS_MAX) break;
    }
    return out;
}
