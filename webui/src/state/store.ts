/* A value that several components watch: the smallest thing that does it. */
import { useEffect, useState } from "preact/hooks";

export interface Store<T> {
    get(): T;
    set(value: T): void;
    subscribe(fn: (value: T) => void): () => void;
}

export function createStore<T>(initial: T): Store<T> {
    let value = initial;
    const watchers = new Set<(value: T) => void>();
    return {
        get: () => value,
        set(next) {
            if (Object.is(next, value)) return;
            value = next;
            for (const fn of [...watchers]) fn(value);
        },
        subscribe(fn) {
            watchers.add(fn);
            return () => watchers.delete(fn);
        },
    };
}

export function useStore<T>(store: Store<T>): T {
    const [value, setValue] = useState(store.get());
    useEffect(() => {
        setValue(() => store.get());
        return store.subscribe((next) => setValue(() => next));
    }, [store]);
    return value;
}
