import { boxNow } from "../../api/client";
import { getLedger } from "../../api/endpoints";
import { useResource, type Resource } from "../../state/useResource";
import { isInNetwork } from "../../utils/network";
import type { Heard } from "./allow";

const ROWS = 1000;
const HOUR_MS = 3_600_000;
const EVERY_MS = 60_000;
const FRESH_EVERY_MS = 10_000;
/** Where the ledger counts made-up addresses together. */
const NOBODY = ["0.0.0.0", "::"];
/** The built-in benchmark's: it is let in whatever the list says. */
const BENCHMARK = "127.66.0.0/16";

export interface HeardLately {
    heard: Heard[];
    /** False: there were more than the box was asked for. */
    isComplete: boolean;
}

/** Who was let in within so many hours.  `isFresh`: asked anew now, and often: something hangs on it. */
export function useHeard(hours: number, isFresh = false): Resource<HeardLately> {
    return useResource(
        `heard ${hours} ${isFresh}`,
        async (signal) => {
            const to = boxNow() + 60_000;
            const { rows, rows_complete } = await getLedger({ from: to - hours * HOUR_MS - 60_000, to }, ROWS, signal);
            const heard = rows
                .filter((r) => r.arrived > r.reasons.not_allowed && !NOBODY.includes(r.source) && !isInNetwork(r.source, BENCHMARK))
                .map(({ source, listener }) => ({ source, listener }));
            return { heard, isComplete: rows_complete };
        },
        isFresh ? FRESH_EVERY_MS : EVERY_MS,
    );
}
