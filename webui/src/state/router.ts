/* The URL is the state of a view: path and parameters, shared by copying it. */
import { createStore, useStore } from "./store";

export interface Route {
    path: string;
    params: URLSearchParams;
}

function current(): Route {
    return { path: location.pathname, params: new URLSearchParams(location.search) };
}

const route = createStore<Route>({ path: "/", params: new URLSearchParams() });

export function startRouter(): void {
    route.set(current());
    addEventListener("popstate", () => route.set(current()));
}

export function useRoute(): Route {
    return useStore(route);
}

export function href(path: string, params: URLSearchParams | Record<string, string> = {}): string {
    const text = new URLSearchParams(params).toString();
    return text ? `${path}?${text}` : path;
}

let mayLeave: (() => boolean) | null = null;

/** Ask before another page is opened while something is not saved; returns the way to take it back. */
export function guardLeaving(ask: () => boolean): () => void {
    mayLeave = ask;
    return () => {
        if (mayLeave === ask) mayLeave = null;
    };
}

export function navigate(to: string, options: { replace?: boolean } = {}): void {
    if (to === location.pathname + location.search) return;
    if (mayLeave && to.split("?")[0] !== location.pathname && !mayLeave()) return;
    if (options.replace) history.replaceState(null, "", to);
    else history.pushState(null, "", to);
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
