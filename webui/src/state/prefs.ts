/* What one reader prefers, kept in this browser: language and theme. */
import { createStore } from "./store";
import type { Language } from "../utils/format";

export const THEMES = ["auto", "light", "dark"] as const;
export type Theme = (typeof THEMES)[number];

/** localStorage may be forbidden; then the choice lasts as long as the page. */
function read(name: string): string | null {
    try {
        return localStorage.getItem(name);
    } catch {
        return null;
    }
}

function write(name: string, value: string): void {
    try {
        localStorage.setItem(name, value);
    } catch {
        /* see read() */
    }
}

/** The first of the browser's languages that the console speaks. */
export function chooseLanguage(stored: string | null, preferred: readonly string[]): Language {
    if (stored === "en" || stored === "ja") return stored;
    for (const tag of preferred) {
        const base = tag.toLowerCase().split("-")[0];
        if (base === "en" || base === "ja") return base;
    }
    return "en";
}

export function chooseTheme(stored: string | null): Theme {
    return THEMES.find((theme) => theme === stored) ?? "auto";
}

export const language = createStore<Language>("en");
export const theme = createStore<Theme>("auto");
/** What is really shown: charts draw on a canvas and must know. */
export const isDark = createStore(false);

function showTheme(): void {
    const dark = theme.get() === "dark" || (theme.get() === "auto" && matchMedia("(prefers-color-scheme: dark)").matches);
    document.documentElement.dataset.theme = dark ? "dark" : "light";
    isDark.set(dark);
}

export function setLanguage(next: Language): void {
    write("azekura.language", next);
    document.documentElement.lang = next;
    language.set(next);
}

export function setTheme(next: Theme): void {
    write("azekura.theme", next);
    theme.set(next);
    showTheme();
}

export function startPrefs(): void {
    language.set(chooseLanguage(read("azekura.language"), navigator.languages));
    document.documentElement.lang = language.get();
    theme.set(chooseTheme(read("azekura.theme")));
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", showTheme);
    showTheme();
}
