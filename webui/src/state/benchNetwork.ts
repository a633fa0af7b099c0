/* Where messages of benchmarks come from: asked of the box once a session, by the first view that marks them. */
import { useEffect } from "preact/hooks";
import { getBenchBox } from "../api/bench";
import { isInNetwork } from "../utils/network";
import { createStore, useStore } from "./store";

const network = createStore<string | null>(null);
let isAsked = false;

async function ask(): Promise<void> {
    isAsked = true;
    try {
        network.set((await getBenchBox()).source_network);
    } catch {
        // no mark is shown; the next page asks again
        isAsked = false;
    }
}

export function useBenchNetwork(): string | null {
    useEffect(() => {
        if (!isAsked) void ask();
    }, []);
    return useStore(network);
}

export function isOfBenchmark(source: string | null | undefined, net: string | null): boolean {
    return Boolean(source && net && isInNetwork(source, net));
}
