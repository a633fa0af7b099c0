/* Who is logged in, and whether the box answers. */
import { listen, setCsrf, ApiError, type Health } from "../api/client";
import { getSession, getSetup } from "../api/endpoints";
import type { Session } from "../api/types";
import { createStore } from "./store";

export type Gate =
    | { state: "asking" }
    | { state: "unreachable"; code: string; message: string }
    | { state: "setup" }
    | { state: "login"; ended: boolean }
    | { state: "in"; session: Session };

export const gate = createStore<Gate>({ state: "asking" });
export const health = createStore<Health>("good");

export function enter(session: Session): void {
    setCsrf(session.csrf ?? "");
    gate.set({ state: "in", session });
}

export function leave(): void {
    setCsrf("");
    gate.set({ state: "login", ended: false });
}

const RETRY_MS = 3000;

/** Ask once; while the box is away, again and again. */
export async function openGate(): Promise<void> {
    try {
        const { needed } = await getSetup();
        if (needed) {
            gate.set({ state: "setup" });
            return;
        }
        enter(await getSession());
    } catch (error) {
        if (error instanceof ApiError && error.status === 401) {
            gate.set({ state: "login", ended: false });
            return;
        }
        const known = error instanceof ApiError;
        gate.set({ state: "unreachable", code: known ? error.code : "bad_answer", message: String((error as Error).message) });
        setTimeout(() => void openGate(), RETRY_MS);
    }
}

export function startSession(): void {
    listen({
        health: (next) => health.set(next),
        unauthorized: () => {
            if (gate.get().state === "in") {
                setCsrf("");
                gate.set({ state: "login", ended: true });
            }
        },
    });
    void openGate();
}
