/* The URL is the state of a view: path and parameters, shared by copying it. */
import { createStore, useStore } from "./store";

export interface Route {
    path: string;
    params: URLSearchParams;
}

function routeOf({ pathname, search }: { pathname: string; search: string }): Route {
    return { path: pathname, params: new URLSearchParams(search) };
}

const current = (): Route => routeOf(location);

const route = createStore<Route>({ path: "/", params: new URLSearchParams() });

/** Place in this tab's history, kept beside each entry: how far a step back or forward went. */
let place = 0;
const placeOf = (state: unknown): number => (typeof state === "number" ? state : 0);

let isReturning = false;

/** What of the parameters says which form a page shows. */
const FORM = ["tab", "source", "network"];

/** Another page, or another tab of it, or the form of something else: what is typed here is not there. */
function isElsewhere(to: Route): boolean {
    const here = route.get();
    return to.path !== here.path || FORM.some((name) => to.params.get(name) !== here.params.get(name));
}

/** The browser's own back and forward: it has moved already, so what must not be left is gone back to. */
function moved(event: PopStateEvent): void {
    if (isReturning) {
        isReturning = false;
        return;
    }
    const to = placeOf(event.state);
    if (isElsewhere(current()) && !mayLeave()) {
        isReturning = to !== place;
        if (isReturning) history.go(place - to);
        else history.pushState(place, "", href(route.get().path, route.get().params));
        return;
    }
    place = to;
    route.set(current());
}

export function startRouter(): void {
    place = placeOf(history.state);
    route.set(current());
    addEventListener("popstate", moved);
}

export function useRoute(): Route {
    return useStore(route);
}

export function href(path: string, params: URLSearchParams | Record<string, string> = {}): string {
    const text = new URLSearchParams(params).toString();
    return text ? `${path}?${text}` : path;
}

/** A page may have several forms; one question is enough. */
const guards = new Set<() => boolean>();

function mayLeave(): boolean {
    const [ask] = guards;
    return !ask || ask();
}

/** Ask before another page or tab is opened while something is not saved; returns the way to take it back. */
export function guardLeaving(ask: () => boolean): () => void {
    guards.add(ask);
    return () => void guards.delete(ask);
}

export function navigate(to: string, options: { replace?: boolean } = {}): void {
    if (to === location.pathname + location.search) return;
    if (isElsewhere(routeOf(new URL(to, location.href))) && !mayLeave()) return;
    if (options.replace) history.replaceState(place, "", to);
    else history.pushState(++place, "", to);
    route.set(current());
}

/** Follow a link inside the console without loading it anew; others keys and buttons work as ever. */
export function followLink(event: MouseEvent): void {
    if (event.defaultPrevented || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    const anchor = (event.target as Element | null)?.closest("a");
    if (!anchor || anchor.origin !== location.origin || anchor.target || anchor.hasAttribute("download")) return;
    if (anchor.pathname.startsWith("/api/") || anchor.getAttribute("href")?.startsWith("#")) return;
    event.preventDefault();
    const moved = anchor.pathname !== location.pathname;
    navigate(anchor.pathname + anchor.search);
    if (moved) document.getElementById("page")?.focus();
}
