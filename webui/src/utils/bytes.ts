/* Bytes as received, shown as text and in hex. */

/** UTF-8 as far as it goes; what is no visible character becomes a picture of it (␀, ␊, …). */
export function bytesToText(bytes: Uint8Array): string {
    const text = new TextDecoder("utf-8").decode(bytes);
    let out = "";
    for (const c of text) {
        const code = c.codePointAt(0) ?? 0;
        if (code < 0x20 && c !== "\t") out += String.fromCodePoint(0x2400 + code);
        else if (code === 0x7f) out += "\u2421";
        else if (code >= 0x80 && code < 0xa0) out += `<U+${code.toString(16).padStart(4, "0").toUpperCase()}>`;
        else out += isDirection(code) ? `<U+${code.toString(16).toUpperCase()}>` : c;
    }
    return out;
}

/** Marks that turn the direction of writing could show a line in another order than it was sent. */
function isDirection(code: number): boolean {
    return (code >= 0x202a && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069) || code === 0x200e || code === 0x200f;
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

/** A message in one row: line breaks and other control characters as pictures. */
export function oneLine(text: string): string {
    return text.replace(/[\u0000-\u0008\u000a-\u001f\u007f]/g, (c) =>
        c === "\u007f" ? "\u2421" : String.fromCodePoint(0x2400 + c.charCodeAt(0)),
    );
}
