/* A document that came from elsewhere, made to have the shape that a page reads: a member of another kind than it
 * should have is as one that is absent.  Pure. */

/** What is there if it is of the right kind, else nothing known: null, an empty list, an object of such. */
export type Shape<T> = (raw: unknown) => T;

function isObject(raw: unknown): raw is Record<string, unknown> {
    return typeof raw === "object" && raw !== null && !Array.isArray(raw);
}

export const number: Shape<number | null> = (raw) => (typeof raw === "number" && Number.isFinite(raw) ? raw : null);

export const text: Shape<string | null> = (raw) => (typeof raw === "string" ? raw : null);

export const flag: Shape<boolean | null> = (raw) => (typeof raw === "boolean" ? raw : null);

/** A time that a Date can be made of. */
export const moment: Shape<string | null> = (raw) => (typeof raw === "string" && !Number.isNaN(Date.parse(raw)) ? raw : null);

export function or<T>(shape: Shape<T | null>, usual: T): Shape<T> {
    return (raw) => shape(raw) ?? usual;
}

export function oneOf<T extends string>(words: readonly T[], usual: T): Shape<T> {
    return (raw) => words.find((word) => word === raw) ?? usual;
}

/** What is null is left out. */
export function listOf<T>(shape: Shape<T | null>): Shape<T[]> {
    return (raw) => (Array.isArray(raw) ? raw.map(shape).filter((one): one is T => one !== null) : []);
}

export function recordOf<T>(shape: Shape<T>): Shape<Record<string, T>> {
    return (raw) => (isObject(raw) ? Object.fromEntries(Object.entries(raw).map(([name, value]) => [name, shape(value)])) : {});
}

export function objectOf<T extends object>(members: { [K in keyof T]-?: Shape<T[K]> }): Shape<T> {
    const entries = Object.entries(members) as [string, Shape<unknown>][];
    return (raw) => {
        const given = isObject(raw) ? raw : {};
        return Object.fromEntries(entries.map(([name, shape]) => [name, shape(given[name])])) as T;
    };
}

/** null where there is no object. */
export function maybe<T>(shape: Shape<T>): Shape<T | null> {
    return (raw) => (isObject(raw) ? shape(raw) : null);
}
