/* Bytes as received, shown as text and in hex. */

/* What cannot be seen, or shows the text around it in another order than it was sent: control characters, line and
 * paragraph separators, marks and overrides of the direction, characters without width, tags.  Joiners (U+200C, U+200D)
 * belong to words and pictures of some languages and stay. */
const HIDDEN = /[\u0000-\u0008\u000a-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}]/gu;

function picture(c: string): string {
    const code = c.codePointAt(0) ?? 0;
    if (code < 0x20) return String.fromCodePoint(0x2400 + code);
    if (code === 0x7f) return "\u2421";
    return `<U+${code.toString(16).padStart(4, "0").toUpperCase()}>`;
}

/** Text from the network as it is shown: what is no visible character becomes a picture of it (␀, ␊, <U+202E>, …). */
export function visible(text: string): string {
    return text.replace(HIDDEN, picture);
}

/** The same, but its lines stay lines. */
export function visibleLines(text: string): string {
    return text.split("\n").map(visible).join("\n");
}

/** UTF-8 as far as it goes. */
export function bytesToText(bytes: Uint8Array): string {
    return visible(new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes));
}

export interface HexLine {
    offset: string;
    hex: string;
    ascii: string;
}

export function hexLines(bytes: Uint8Array, width = 16): HexLine[] {
    const out: HexLine[] = [];
    for (let at = 0; at < bytes.length; at += width) {
        const row = Array.from(bytes.subarray(at, at + width));
        out.push({
            offset: at.toString(16).padStart(6, "0"),
            hex: row.map((b) => b.toString(16).padStart(2, "0")).join(" "),
            ascii: row.map((b) => (b >= 0x20 && b < 0x7f ? String.fromCharCode(b) : ".")).join(""),
        });
    }
    return out;
}
