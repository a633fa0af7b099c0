/* Certificates: what is in force, and what is asked of the receiver, which has the keys. */
import { API, ApiError, request } from "./client";
import type { Schemas } from "./types";

export type Tls = Schemas["Tls"];
export type Certificate = Schemas["TlsCertificate"];
export type PendingCsr = Schemas["TlsCsr"];
export type ClientCa = Schemas["TlsClientCa"];
export type TlsSender = Schemas["TlsSender"];
export type TlsAllowed = Schemas["TlsAllowed"];
export type SubjectWish = Schemas["TlsSubjectWish"];
export type Upload = Schemas["TlsUpload"];

export const CSR_URL = `${API}/tls/csr`;
const ASK_AGAIN_MS = 300;

export function getTls(signal: AbortSignal): Promise<Tls> {
    return request("/tls", { signal });
}

/** In place of the list of `version`; refused where somebody has changed that meanwhile. */
export function putTlsAllowed(allowed: TlsAllowed[], force: boolean, version: string): Promise<Tls> {
    return request("/tls/allowed", { method: "PUT", body: { allowed, force, version } });
}

/** Until the receiver has done what was asked; an error with its sentence when it refuses.  The box ends by itself
 * what no receiver takes. */
async function settled(asked: Promise<{ id: string }>): Promise<void> {
    const { id } = await asked;
    for (;;) {
        const { state, error } = await request<Schemas["TlsRequest"]>(`/tls/requests/${encodeURIComponent(id)}`);
        if (state === "done") return;
        if (state === "refused") throw new ApiError(409, "refused", error ?? "");
        await new Promise((resolve) => setTimeout(resolve, ASK_AGAIN_MS));
    }
}

const ask = (path: string, body: unknown) => settled(request(path, { method: "POST", body }));

export const makeCsr = (wish: SubjectWish) => ask("/tls/csr", wish);
export const makeSelfSigned = (wish: SubjectWish) => ask("/tls/self-signed", wish);
export const installCertificate = (upload: Upload) => ask("/tls/certificate", upload);
export const addClientCa = (pem: string) => ask("/tls/client-cas", { pem });
export const removeClientCa = (fingerprint: string) => settled(request(`/tls/client-cas/${encodeURIComponent(fingerprint)}`, { method: "DELETE" }));
