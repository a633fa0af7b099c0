/* What is asked for a certificate, read from what was typed.  Pure. */
import type { SubjectWish, TlsAllowed, TlsSender, Upload } from "../../api/tls";

export interface SubjectDraft {
    commonName: string;
    /** One a line, or parted by commas or blanks. */
    names: string;
    organization: string;
    country: string;
    key: "ec-p256" | "rsa-3072";
}

export type SubjectProblem = "commonName" | "names" | "country";

const NAMES_MAX = 32;

export function namesOf(text: string): string[] {
    return text.split(/[\s,]+/).filter((name) => name !== "");
}

export function subjectProblems(d: SubjectDraft): SubjectProblem[] {
    const out: SubjectProblem[] = [];
    const length = [...d.commonName.trim()].length;
    if (length < 1 || length > 64) out.push("commonName");
    if (namesOf(d.names).length > NAMES_MAX) out.push("names");
    if (!/^([A-Z]{2})?$/i.test(d.country.trim())) out.push("country");
    return out;
}

export function subjectWish(d: SubjectDraft): SubjectWish {
    const wish: SubjectWish = { common_name: d.commonName.trim(), names: namesOf(d.names), key: d.key };
    if (d.organization.trim()) wish.organization = d.organization.trim();
    if (d.country.trim()) wish.country = d.country.trim().toUpperCase();
    return wish;
}

/** How a certificate comes: the answer to the request that waits, with its key, or both in a PKCS#12 file. */
export type UploadKind = "answer" | "pem" | "pkcs12";

export interface UploadDraft {
    kind: UploadKind;
    pem: string;
    keyPem: string;
    password: string;
    pkcs12: Uint8Array<ArrayBuffer> | null;
}

export type UploadProblem = "pem" | "keyPem" | "pkcs12" | "size";

/** Of a request, certificates and key together. */
export const UPLOAD_MAX_BYTES = 48 * 1024;

const hasBlock = (text: string, what: string) => text.includes(`-----BEGIN ${what}`);
const hasKey = (text: string) => /-----BEGIN [A-Z ]*PRIVATE KEY-----/.test(text);

export function uploadProblems(d: UploadDraft): UploadProblem[] {
    const size = d.kind === "pkcs12" ? (d.pkcs12?.length ?? 0) : new TextEncoder().encode(d.pem + d.keyPem).length;
    if (size > UPLOAD_MAX_BYTES) return ["size"];
    if (d.kind === "pkcs12") return d.pkcs12 && d.pkcs12.length > 0 ? [] : ["pkcs12"];
    const out: UploadProblem[] = [];
    if (!hasBlock(d.pem, "CERTIFICATE-----")) out.push("pem");
    if (d.kind === "pem" && !hasKey(d.keyPem) && !hasKey(d.pem)) out.push("keyPem");
    return out;
}

export function toBase64(bytes: Uint8Array): string {
    let text = "";
    for (const byte of bytes) text += String.fromCharCode(byte);
    return btoa(text);
}

export function uploadOf(d: UploadDraft): Upload {
    if (d.kind === "answer") return { pem: d.pem };
    const secret = d.password ? { password: d.password } : {};
    if (d.kind === "pkcs12") return { pkcs12_b64: toBase64(d.pkcs12 ?? new Uint8Array()), ...secret };
    return { pem: d.pem, ...(d.keyPem.trim() ? { key_pem: d.keyPem } : {}), ...secret };
}

/** "AB:CD:…" as it is kept; null: it is no SHA-256 fingerprint. */
export function fingerprintOf(text: string): string | null {
    const hex = text.trim().replace(/^sha-?256[:= ]*(fingerprint=)?/i, "").replace(/[:\s]/g, "").toLowerCase();
    return /^[0-9a-f]{64}$/.test(hex) ? hex : null;
}

export type AllowedProblem = "name" | "fingerprint" | "twice";

export function allowedProblems(rows: readonly TlsAllowed[]): (AllowedProblem | null)[] {
    const seen = new Set<string>();
    return rows.map(({ kind, value }) => {
        const kept = kind === "fingerprint" ? fingerprintOf(value) : value.trim();
        if (!kept) return kind;
        const key = `${kind} ${kept}`;
        if (seen.has(key)) return "twice";
        seen.add(key);
        return null;
    });
}

export function allowedOf(rows: readonly TlsAllowed[]): TlsAllowed[] {
    return rows.map(({ kind, value, note }) => ({ kind, value: (kind === "fingerprint" ? fingerprintOf(value) : null) ?? value.trim(), note: note.trim() }));
}

function lets(rows: readonly TlsAllowed[], s: TlsSender): boolean {
    return rows.length === 0 || rows.some((r) => (r.kind === "name" ? r.value.toLowerCase() === s.name.toLowerCase() : r.value === s.fingerprint));
}

/** Of those who showed a certificate since: who was let in before and would not be any more. */
export function shutOutByTls(senders: readonly TlsSender[], sinceMs: number, before: readonly TlsAllowed[], after: readonly TlsAllowed[]): TlsSender[] {
    const now = allowedOf(after);
    return senders.filter((s) => Date.parse(s.last_at) > sinceMs && lets(before, s) && !lets(now, s));
}
