/* IPv4 and IPv6 addresses and networks: read, written in one form, compared.  Pure. */

/** An IPv4 address is its mapped IPv6 one, so that both compare alike. */
export interface Network {
    base: bigint;
    /** Of 128; an IPv4 network's length is 96 less. */
    bits: number;
    isV4: boolean;
}

const V4_PREFIX = 0xffffn << 32n;

function readV4(text: string): bigint | null {
    const parts = /^(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})$/.exec(text);
    if (!parts) return null;
    const bytes = parts.slice(1).map(Number);
    return bytes.some((b) => b > 255) ? null : BigInt(bytes.reduce((sum, b) => sum * 256 + b, 0));
}

function readGroups(text: string): number[] | null {
    if (text === "") return [];
    const out: number[] = [];
    const parts = text.split(":");
    for (const [i, part] of parts.entries()) {
        const v4 = i === parts.length - 1 ? readV4(part) : null;
        if (v4 !== null) out.push(Number(v4 >> 16n), Number(v4 & 0xffffn));
        else if (/^[0-9a-f]{1,4}$/i.test(part)) out.push(parseInt(part, 16));
        else return null;
    }
    return out;
}

function readV6(text: string): bigint | null {
    const halves = text.split("::");
    if (halves.length > 2) return null;
    const head = readGroups(halves[0] ?? "");
    const tail = halves.length === 2 ? readGroups(halves[1] ?? "") : [];
    if (!head || !tail) return null;
    const missing = 8 - head.length - tail.length;
    if (halves.length === 2 ? missing < 1 : missing !== 0) return null;
    return [...head, ...Array<number>(missing).fill(0), ...tail].reduce((sum, group) => (sum << 16n) | BigInt(group), 0n);
}

/** "192.0.2.1", "2001:db8::1"; null: it is none. */
export function readAddress(text: string): Network | null {
    const v4 = readV4(text);
    if (v4 !== null) return { base: V4_PREFIX | v4, bits: 128, isV4: true };
    const v6 = text.includes(":") ? readV6(text) : null;
    if (v6 === null) return null;
    return { base: v6, bits: 128, isV4: v6 >> 32n === 0xffffn };
}

function mask(bits: number): bigint {
    return bits === 0 ? 0n : ((1n << BigInt(bits)) - 1n) << BigInt(128 - bits);
}

/** "192.0.2.0/24", "2001:db8::/32" or an address; bits beyond the length are taken off. */
export function readNetwork(text: string): Network | null {
    const [address = "", length, ...more] = text.trim().split("/");
    const ip = readAddress(address);
    if (!ip || more.length > 0) return null;
    if (length === undefined) return ip;
    const isWrittenV4 = !address.includes(":");
    const most = isWrittenV4 ? 32 : 128;
    if (!/^\d{1,3}$/.test(length) || Number(length) > most) return null;
    const bits = Number(length) + (isWrittenV4 ? 96 : 0);
    return { base: ip.base & mask(bits), bits, isV4: isWrittenV4 || (ip.isV4 && bits >= 96) };
}

export function contains(network: Network, of: Network): boolean {
    return network.bits <= of.bits && (of.base & mask(network.bits)) === network.base;
}

function writeV4(n: bigint): string {
    return [24n, 16n, 8n, 0n].map((shift) => String((n >> shift) & 0xffn)).join(".");
}

/** RFC 5952: lower case, the longest run of zeros as "::". */
function writeV6(n: bigint): string {
    const groups = Array.from({ length: 8 }, (_, i) => ((n >> BigInt(112 - 16 * i)) & 0xffffn).toString(16));
    let best = { from: -1, length: 1 };
    for (let from = 0; from < 8; from++) {
        let length = 0;
        while (groups[from + length] === "0") length++;
        if (length > best.length) best = { from, length };
    }
    if (best.from < 0) return groups.join(":");
    return `${groups.slice(0, best.from).join(":")}::${groups.slice(best.from + best.length).join(":")}`;
}

/** The length is left out where the network is one address. */
export function writeNetwork({ base, bits, isV4 }: Network): string {
    const address = isV4 ? writeV4(base & 0xffffffffn) : writeV6(base);
    if (bits === 128) return address;
    return `${address}/${isV4 ? bits - 96 : bits}`;
}

/** What an administrator would call the network of an address: a /24, or a /64. */
export function usualNetwork(address: Network): Network {
    const bits = address.isV4 ? 120 : 64;
    return { base: address.base & mask(bits), bits, isV4: address.isV4 };
}
