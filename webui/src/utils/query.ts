/* Changing a query by clicks: the search language is described in firmware/query/README.md. */

interface Piece {
    text: string;
    kind: "word" | "phrase" | "field" | "operator" | "open" | "close" | "blank";
    negated: boolean;
}

/** A name before a colon is a field only when it is one of these; http://x and 10:41:07 are text. */
const FIELD = /^(?:source|listener|facility|severity|hostname|app_name|procid|msgid|structured_data|message|format|mark):/;
/** kv.NAME: of a pair in the message; a name that is no plain word is quoted. */
const PAIR = /^kv\.(?:"(?:[^"\\]|\\.)*"|[^\s()":])+:/;
/** A dash excludes what follows it; --force and -> are text. */
const EXCLUDED = /^-[\p{L}\p{N}"(*_%]/u;

/** Cut a query into what stands in it.  What is odd stays as it is: the box says what is wrong. */
export function pieces(query: string): Piece[] {
    const out: Piece[] = [];
    const pattern = /\s+|-?\(|\)|-?(?:kv\.(?:"(?:[^"\\]|\\.)*"|[^\s()":])+|[A-Za-z_]+):(?:"(?:[^"\\]|\\.)*"?|\([^)]*\)?|[^\s()]*)|-?"(?:[^"\\]|\\.)*"?|[^\s()]+/g;
    for (const [text] of query.matchAll(pattern)) {
        const body = EXCLUDED.test(text) ? text.slice(1) : text;
        const negated = body !== text;
        let kind: Piece["kind"] = "word";
        if (/^\s/.test(text)) kind = "blank";
        else if (body === "(") kind = "open";
        else if (text === ")") kind = "close";
        else if (body === "OR" || body === "AND" || body === "NOT") kind = "operator";
        else if (body.startsWith('"')) kind = "phrase";
        else if (FIELD.test(body) || PAIR.test(body)) kind = "field";
        out.push({ text, kind, negated });
    }
    return out;
}

/** A value as it must be written after "field:". */
export function quote(value: string): string {
    if (value !== "" && /^[\p{L}\p{N}._/@:+-]+$/u.test(value) && !value.startsWith("-")) return value;
    return `"${value.replace(/["\\]/g, "\\$&")}"`;
}

export function clause(field: string, value: string): string {
    // of a pair 1..5 is a range of numbers
    const isRange = field.startsWith("kv.") && value.includes("..");
    return `${field}:${isRange ? `"${value}"` : quote(value)}`;
}

/** A pair's name as a field. */
export function pairField(name: string): string {
    return /^[\p{L}\p{N}._/@+-]+$/u.test(name) ? `kv.${name}` : `kv."${name.replace(/["\\]/g, "\\$&")}"`;
}

function hasOr(query: string): boolean {
    let depth = 0;
    for (const { kind, text } of pieces(query)) {
        if (kind === "open") depth++;
        else if (kind === "close") depth--;
        else if (kind === "operator" && text === "OR" && depth === 0) return true;
    }
    return false;
}

/** query AND clause; the same clause twice is once, and its opposite is replaced. */
export function addClause(query: string, added: string): string {
    const trimmed = query.trim();
    if (trimmed === "") return added;
    if (hasOr(trimmed)) return `(${trimmed}) ${added}`;
    const opposite = added.startsWith("-") ? added.slice(1) : `-${added}`;
    const kept = pieces(trimmed)
        .filter((p) => p.text !== added && p.text !== opposite)
        .map((p) => p.text)
        .join("");
    return `${kept.trim().replace(/\s{2,}/g, " ")} ${added}`.trim();
}

export function onlyThis(query: string, field: string, value: string): string {
    return addClause(query, clause(field, value));
}

export function notThis(query: string, field: string, value: string): string {
    return addClause(query, `-${clause(field, value)}`);
}

/** link down → *link* *down*: find the words inside longer ones.  null when there is nothing to widen. */
export function insideWords(query: string): string | null {
    let changed = false;
    const out = pieces(query).map(({ text, kind, negated }) => {
        if (kind !== "word" || negated || text.includes("*") || text.includes("?")) return text;
        changed = true;
        return `*${text}*`;
    });
    return changed ? out.join("") : null;
}

/** Words and phrases that a found message contains, for marking them: not the excluded ones. */
export function wantedTexts(query: string): string[] {
    const out: string[] = [];
    let negate = false;
    for (const { text, kind, negated } of pieces(query)) {
        if (kind === "operator") {
            negate = text === "NOT";
            continue;
        }
        if (kind === "blank") continue;
        const skip = negate || negated;
        negate = false;
        if (skip) continue;
        let value = text;
        if (kind === "field") {
            const name = text.startsWith("message:") ? "message:" : PAIR.exec(text)?.[0];
            if (name === undefined) continue;
            value = text.slice(name.length);
            if (value.startsWith("(") || (name !== "message:" && /^[<>]|^[^"]*\.\./.test(value))) continue;
        } else if (kind !== "word" && kind !== "phrase") continue;
        const quoted = value.startsWith('"');
        const plain = quoted ? value.slice(1, value.endsWith('"') ? -1 : undefined).replace(/\\(.)/g, "$1") : value;
        for (const part of quoted ? [plain] : plain.split(kind === "field" ? /[*?]/ : "*")) {
            if (part) out.push(part);
        }
    }
    return out;
}

/** Errors speak of bytes of UTF-8; a browser counts UTF-16 units. */
export function byteToIndex(text: string, at: number): number {
    let bytes = 0;
    let index = 0;
    for (const c of text) {
        if (bytes >= at) break;
        const code = c.codePointAt(0) ?? 0;
        bytes += code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
        index += c.length;
    }
    return index;
}
