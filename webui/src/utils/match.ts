/* Where the words of a query stand in a text, so that they can be marked. */
export interface Part {
    text: string;
    isMatch: boolean;
}

const WORD = /[A-Za-z0-9]/;
/** A line of 64 KiB with a mark on every letter would make the page crawl. */
const MARKS_MAX = 200;

/** As firmware/query: an ASCII letter or digit at the end of a wanted word asks for the border of a word. */
function findFrom(text: string, wanted: string, from: number, free: boolean): number {
    for (let at = text.indexOf(wanted, from); at >= 0; at = text.indexOf(wanted, at + 1)) {
        if (free) return at;
        const before = text[at - 1] ?? "";
        const after = text[at + wanted.length] ?? "";
        const left = !WORD.test(wanted[0] ?? "") || !WORD.test(before);
        const right = !WORD.test(wanted[wanted.length - 1] ?? "") || !WORD.test(after);
        if (left && right) return at;
    }
    return -1;
}

/** Cut `text` into parts, those that match one of `wanted` (case ignored) told apart; `free`: also inside words. */
export function markMatches(text: string, wanted: readonly string[], free = false): Part[] {
    const folded = text.toLowerCase();
    // A folded text of another length has other positions; then nothing is marked rather than the wrong letters.
    if (wanted.length === 0 || folded.length !== text.length) return [{ text, isMatch: false }];
    const spans: [number, number][] = [];
    for (const word of wanted) {
        const needle = word.toLowerCase();
        let at = findFrom(folded, needle, 0, free);
        while (needle && at >= 0 && spans.length < MARKS_MAX) {
            spans.push([at, at + needle.length]);
            at = findFrom(folded, needle, at + needle.length, free);
        }
    }
    spans.sort((a, b) => a[0] - b[0]);
    const parts: Part[] = [];
    let end = 0;
    for (const [from, to] of spans) {
        if (to <= end) continue;
        const begin = Math.max(from, end);
        if (begin > end) parts.push({ text: text.slice(end, begin), isMatch: false });
        parts.push({ text: text.slice(begin, to), isMatch: true });
        end = to;
    }
    if (end < text.length || parts.length === 0) parts.push({ text: text.slice(end), isMatch: false });
    return parts;
}
