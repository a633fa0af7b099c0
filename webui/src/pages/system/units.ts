/* The units of firmware/config/settings.def in words. */
import type { Translate } from "../../i18n";
import type { Key } from "../../i18n/dictionary";

const WORDS: Record<string, Key> = {
    bytes: "unit.bytes",
    connections: "unit.connections",
    days: "unit.days",
    h: "unit.h",
    s: "unit.s",
    ms: "unit.ms",
    messages: "unit.messages",
    "messages/s": "unit.messages/s",
    threads: "unit.threads",
    severity: "unit.severity",
};

/** A unit of a newer box stands as it is. */
export function unitText(unit: string, t: Translate): string {
    const word = WORDS[unit];
    return word ? t(word) : unit;
}
