/* One way to ask azekura-web: errors become ApiError, and what each answer tells about the
 * connection and the session is passed on to whoever listens. */
import type { ErrorBody } from "./types";

export const API = "/api/v1";

/** Codes of this page itself, beside those of the API. */
export type ClientCode = "unreachable" | "bad_answer";

export type RowFault = NonNullable<ErrorBody["error"]["rows"]>[number];

export class ApiError extends Error {
    constructor(
        readonly status: number,
        readonly code: string,
        message: string,
        readonly field: string | undefined = undefined,
        readonly at: number | undefined = undefined,
        readonly length: number | undefined = undefined,
        readonly retryAfterS: number | undefined = undefined,
        /** Of a list: what is wrong, an entry for each row that is. */
        readonly rows: readonly RowFault[] = [],
    ) {
        super(message);
    }
}

export type Health = "good" | "unreachable" | "database_away";
interface Listener {
    health: (health: Health) => void;
    unauthorized: () => void;
}

let csrf = "";
let listener: Listener | null = null;

let clockOffsetMs = 0;

/** The box's time, as far as this browser can tell: ranges that end "now" must not hang on a notebook's
 * clock.  Answers carry whole seconds, so small differences are none. */
export function boxNow(): number {
    return boxTime(Date.now());
}

/** A moment of this browser's clock by the box's: what the box dated is compared with that. */
export function boxTime(ms: number): number {
    return ms + clockOffsetMs;
}

function noteClock(response: Response): void {
    const at = Date.parse(response.headers.get("Date") ?? "");
    if (Number.isNaN(at)) return;
    const offset = at - Date.now();
    clockOffsetMs = Math.abs(offset) > 2500 ? offset : 0;
}

export function setCsrf(token: string): void {
    csrf = token;
}

export function listen(to: Listener): void {
    listener = to;
}

export async function errorOf(response: Response): Promise<ApiError> {
    const retry = Number(response.headers.get("Retry-After"));
    try {
        const { error } = (await response.json()) as ErrorBody;
        return new ApiError(response.status, error.code, error.message, error.field ?? undefined, error.at, error.length, retry || undefined, error.rows);
    } catch {
        return new ApiError(response.status, "bad_answer", `${response.status} ${response.statusText}`.trim());
    }
}

export interface RequestOptions {
    method?: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
    body?: unknown;
    signal?: AbortSignal;
    /** The version of a list as it was seen: another one by now is refused with 409. */
    ifMatch?: string | undefined;
}

/* While a session is being ended nothing else is asked: its answer would be "not logged in".  What is
 * under way is given up, and asked again should the ending fail. */
let underWay = new AbortController();
let ending: Promise<boolean> | null = null;

/** DELETE /session. */
export function endSession(): Promise<void> {
    underWay.abort();
    underWay = new AbortController();
    const answer = request<undefined>("/session", { method: "DELETE" });
    ending = answer
        .then(
            () => true,
            () => false,
        )
        .finally(() => (ending = null));
    return answer;
}

/** fetch() that any of the signals gives up until the answer begins; leaves nothing behind at them. */
async function fetchUnless(signals: AbortSignal[], url: string, init: RequestInit): Promise<Response> {
    const own = new AbortController();
    const giveUp = () => own.abort();
    for (const signal of signals) {
        if (signal.aborted) giveUp();
        signal.addEventListener("abort", giveUp);
    }
    try {
        return await fetch(url, { ...init, signal: own.signal });
    } finally {
        for (const signal of signals) signal.removeEventListener("abort", giveUp);
    }
}

async function send(path: string, options: RequestOptions): Promise<Response> {
    const { method = "GET", body, signal, ifMatch } = options;
    const session = underWay.signal;
    const isOfSession = path === "/session";
    if (!isOfSession && ending && (await ending)) throw new DOMException("the session has ended", "AbortError");
    const headers: Record<string, string> = { Accept: "application/json" };
    if (method !== "GET" && csrf) headers["X-CSRF-Token"] = csrf;
    if (body !== undefined) headers["Content-Type"] = "application/json";
    if (ifMatch !== undefined) headers["If-Match"] = ifMatch;
    let response: Response;
    try {
        const signals = [...(signal ? [signal] : []), ...(isOfSession ? [] : [session])];
        response = await fetchUnless(signals, API + path, {
            method,
            headers,
            body: body === undefined ? null : JSON.stringify(body),
            credentials: "same-origin",
        });
    } catch (cause) {
        if (signal?.aborted) throw cause;
        if (session.aborted && !isOfSession && method === "GET") return send(path, options);
        listener?.health("unreachable");
        throw new ApiError(0, "unreachable", cause instanceof Error ? cause.message : String(cause));
    }
    noteClock(response);
    if (response.ok) {
        listener?.health("good");
        return response;
    }
    const error = await errorOf(response);
    listener?.health(error.code === "database_away" ? "database_away" : response.status >= 502 ? "unreachable" : "good");
    // A wrong password is no lost session.
    if (response.status === 401 && !(isOfSession && method === "POST")) listener?.unauthorized();
    throw error;
}

export async function request<T>(path: string, options: RequestOptions = {}): Promise<T> {
    const response = await send(path, options);
    if (response.status === 204) return undefined as T;
    return (await response.json()) as T;
}

export async function requestBytes(path: string, signal?: AbortSignal): Promise<Uint8Array> {
    const response = await send(path, signal ? { signal } : {});
    return new Uint8Array(await response.arrayBuffer());
}

export type Params = Record<string, string | number | undefined>;

/** "?a=1&b=2" without what is undefined or empty; "" for nothing. */
export function search(params: Params): string {
    const out = new URLSearchParams();
    for (const [name, value] of Object.entries(params)) {
        if (value !== undefined && value !== "") out.set(name, String(value));
    }
    const text = out.toString();
    return text ? `?${text}` : "";
}
