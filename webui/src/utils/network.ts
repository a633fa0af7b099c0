/* IPv4 networks.  Pure. */

function ipv4(text: string): number | null {
    const parts = /^(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})$/.exec(text.replace(/^::ffff:/i, ""));
    if (!parts) return null;
    const bytes = parts.slice(1).map(Number);
    return bytes.some((b) => b > 255) ? null : bytes.reduce((sum, b) => sum * 256 + b, 0);
}

/** Whether "127.66.3.1" lies in "127.66.0.0/16"; no when either cannot be read. */
export function isInNetwork(address: string, network: string): boolean {
    const [base = "", length = ""] = network.split("/");
    const first = ipv4(base);
    const at = ipv4(address);
    const bits = Number(length);
    if (first === null || at === null || !/^\d{1,2}$/.test(length) || bits > 32) return false;
    const size = 2 ** (32 - bits);
    return Math.floor(first / size) === Math.floor(at / size);
}
