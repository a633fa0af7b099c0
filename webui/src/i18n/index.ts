import { useMemo } from "preact/hooks";
import { language } from "../state/prefs";
import { useStore } from "../state/store";
import type { Language } from "../utils/format";
import { dictionary, type Key } from "./dictionary";
import { fill, type Values } from "./translate";

export type { Key };
export type Translate = (key: Key, values?: Values) => string;

export function translator(to: Language): Translate {
    const index = to === "ja" ? 1 : 0;
    return (key, values) => (values ? fill(dictionary[key][index], values) : dictionary[key][index]);
}

/** The words of the chosen language: `const { t, lang } = useWords()`. */
export function useWords(): { t: Translate; lang: Language } {
    const lang = useStore(language);
    const t = useMemo(() => translator(lang), [lang]);
    return { t, lang };
}
