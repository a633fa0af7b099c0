import { describe, expect, it } from "vitest";
import type { TlsAllowed, TlsSender } from "../../api/tls";
import { expiryOf } from "./expiry";
import { allowedOf, allowedProblems, fingerprintOf, shutOutByTls, subjectProblems, subjectWish, UPLOAD_MAX_BYTES, uploadOf, uploadProblems, type SubjectDraft, type UploadDraft } from "./wish";

const HEX = "ab".repeat(32);
const CERTIFICATE = "-----BEGIN CERTIFICATE-----\nx\n-----END CERTIFICATE-----";
const KEY = "-----BEGIN EC PRIVATE KEY-----\nx";

describe("a request for a certificate", () => {
    const draft: SubjectDraft = { commonName: " logs ", names: "logs.example.net, 192.0.2.1\n\n::1", organization: "", country: "jp", key: "ec-p256" };
    it("has what was typed, without blanks", () =>
        expect(subjectWish(draft)).toEqual({ common_name: "logs", names: ["logs.example.net", "192.0.2.1", "::1"], country: "JP", key: "ec-p256" }));
    it("needs a name, two letters of a country, and 32 names at most", () => {
        expect(subjectProblems(draft)).toEqual([]);
        expect(subjectProblems({ ...draft, commonName: " ", country: "J1", names: "a ".repeat(33) })).toEqual(["commonName", "names", "country"]);
        expect(subjectProblems({ ...draft, commonName: "字".repeat(65) })).toEqual(["commonName"]);
    });
});

describe("an upload", () => {
    const draft: UploadDraft = { kind: "pem", pem: CERTIFICATE, keyPem: KEY, password: "", pkcs12: null };
    it("needs a certificate, and a key unless it answers the request", () => {
        expect(uploadProblems(draft)).toEqual([]);
        expect(uploadProblems({ ...draft, keyPem: "" })).toEqual(["keyPem"]);
        expect(uploadProblems({ ...draft, kind: "answer", keyPem: "" })).toEqual([]);
        expect(uploadProblems({ ...draft, pem: "x", keyPem: "" })).toEqual(["pem", "keyPem"]);
        expect(uploadProblems({ ...draft, kind: "pkcs12" })).toEqual(["pkcs12"]);
        expect(uploadProblems({ ...draft, pem: CERTIFICATE + "x".repeat(UPLOAD_MAX_BYTES) })).toEqual(["size"]);
    });
    it("sends no key where none belongs", () => {
        expect(uploadOf({ ...draft, kind: "answer", password: "p" })).toEqual({ pem: CERTIFICATE });
        expect(uploadOf({ ...draft, password: "p" })).toEqual({ pem: CERTIFICATE, key_pem: KEY, password: "p" });
        expect(uploadOf({ ...draft, kind: "pkcs12", pkcs12: new Uint8Array([0, 255, 1]) })).toEqual({ pkcs12_b64: "AP8B" });
    });
});

describe("allowed certificates", () => {
    const allow = (kind: TlsAllowed["kind"], value: string): TlsAllowed => ({ kind, value, note: "" });
    const sender = (name: string, last_at: string): TlsSender => ({ source: "192.0.2.1", name, fingerprint: HEX, not_after: last_at, first_at: last_at, last_at, connections: 1 });
    const NOW = Date.parse("2026-11-30T12:00:00Z");

    it.each([HEX, HEX.toUpperCase(), HEX.replace(/..(?!$)/g, "$&:"), `sha256 Fingerprint=${HEX}`])("take a fingerprint as %s", (text) => expect(fingerprintOf(text)).toBe(HEX));
    it("refuse what is no fingerprint, no name, or there twice", () => {
        expect(fingerprintOf("ab")).toBeNull();
        expect(allowedProblems([allow("name", " "), allow("fingerprint", "ab"), allow("name", "a"), allow("name", "a")])).toEqual(["name", "fingerprint", null, "twice"]);
        expect(allowedOf([allow("fingerprint", HEX.toUpperCase())])[0]?.value).toBe(HEX);
    });
    it("shut out who connected lately and is not named", () => {
        const now = [sender("fw01", "2026-11-30T11:59:00Z"), sender("FW02", "2026-11-30T11:59:00Z"), sender("old", "2026-11-30T09:00:00Z")];
        const since = NOW - 3_600_000;
        expect(shutOutByTls(now, since, [], [allow("name", "fw02")]).map((s) => s.name)).toEqual(["fw01"]);
        expect(shutOutByTls(now, since, [], [allow("fingerprint", HEX)])).toEqual([]);
        expect(shutOutByTls(now, since, [allow("name", "x")], [allow("name", "y")])).toEqual([]);
        expect(shutOutByTls(now, since, [allow("name", "fw01")], [])).toEqual([]);
    });
});

describe("the end of a certificate", () => {
    const of = { not_before: "2026-01-01T00:00:00Z", not_after: "2027-01-01T00:00:00Z" };
    it.each([
        ["2025-12-31T00:00:00Z", "not_yet", "warn"],
        ["2026-07-02T12:00:00Z", "good", "good"],
        ["2026-12-02T00:00:01Z", "soon", "warn"],
        ["2026-12-25T00:00:01Z", "urgent", "bad"],
        ["2027-01-01T00:00:00Z", "expired", "bad"],
    ] as const)("%s: %s", (now, state, tone) => expect(expiryOf(of, Date.parse(now))).toMatchObject({ state, tone }));
    it("is drawn as what has passed of its life", () => {
        expect(expiryOf(of, Date.parse("2026-07-02T12:00:00Z")).share).toBeCloseTo(0.5);
        expect(expiryOf(of, Date.parse("2030-01-01T00:00:00Z")).share).toBe(1);
    });
});
