import { afterEach, describe, expect, it, vi } from "vitest";
import { endSession, listen, request } from "./client";

/** A box that answers when told to, and not to what was given up. */
function box() {
    const asked: { path: string; answer: (status: number) => void }[] = [];
    vi.stubGlobal("fetch", (url: string, { method, signal }: { method: string; signal: AbortSignal }) => {
        return new Promise((resolve, reject) => {
            if (signal.aborted) reject(new DOMException("given up", "AbortError"));
            signal.addEventListener("abort", () => reject(new DOMException("given up", "AbortError")));
            asked.push({ path: `${method} ${url}`, answer: (status) => resolve(new Response(status === 204 ? null : "{}", { status })) });
        });
    });
    return asked;
}

const settle = () => new Promise((resolve) => setTimeout(resolve, 0));

describe("ending a session", () => {
    afterEach(() => vi.unstubAllGlobals());

    it("gives up what is under way and asks nothing more", async () => {
        const asked = box();
        const unauthorized = vi.fn();
        listen({ health: () => {}, unauthorized });
        const before = request("/ledger").catch((e: Error) => e.name);
        const end = endSession();
        const during = request("/sources").catch((e: Error) => e.name);
        await settle();
        expect(asked.map((a) => a.path)).toEqual(["GET /api/v1/ledger", "DELETE /api/v1/session"]);
        asked[1]?.answer(204);
        await end;
        expect(await before).toBe("AbortError");
        expect(await during).toBe("AbortError");
        await settle();
        expect(asked.length).toBe(2);
        expect(unauthorized).not.toHaveBeenCalled();
    });

    it("asks again what was given up when ending failed", async () => {
        const asked = box();
        const before = request("/ledger");
        const end = endSession().catch((e: { status: number }) => e.status);
        await settle();
        asked[1]?.answer(503);
        expect(await end).toBe(503);
        await settle();
        expect(asked.map((a) => a.path)).toEqual(["GET /api/v1/ledger", "DELETE /api/v1/session", "GET /api/v1/ledger"]);
        asked[2]?.answer(200);
        expect(await before).toEqual({});
    });
});
