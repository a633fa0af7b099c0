/* A list that grows at its top and is fetched page by page downwards: events, receipts.  Pure. */
export interface Row {
    id: string;
}

export interface Page<T extends Row> {
    /** Newest first. */
    entries: T[];
    next: string | null;
}

/** On the screen at once, at most. */
export const ROWS_SHOWN = 2000;

const order = (a: Row, b: Row) => (BigInt(a.id) < BigInt(b.id) ? 1 : -1);

/** The newest page, asked for again.  When nothing of it was there before, more has happened meanwhile
 * than a page holds: then it starts anew, so that no gap looks like silence. */
export function mergeNewest<T extends Row>(shown: Page<T> | null, page: Page<T>): Page<T> {
    const known = new Set(shown?.entries.map((e) => e.id));
    if (!shown || page.next === null || !page.entries.some((e) => known.has(e.id))) {
        return { entries: page.entries, next: page.next };
    }
    const fresh = page.entries.filter((e) => !known.has(e.id));
    if (fresh.length === 0) return shown;
    return { entries: [...fresh, ...shown.entries].sort(order).slice(0, ROWS_SHOWN), next: shown.next };
}

export function addOlder<T extends Row>(shown: Page<T>, page: Page<T>): Page<T> {
    const known = new Set(shown.entries.map((e) => e.id));
    const older = page.entries.filter((e) => !known.has(e.id));
    return { entries: [...shown.entries, ...older].slice(0, ROWS_SHOWN), next: page.next };
}
