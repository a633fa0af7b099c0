/* The settings form: what was changed and not yet saved, and what is wrong with it.  Pure. */
import type { Setting, SettingValue } from "../api/types";

/** By name, as text in the field. */
export type Draft = Record<string, string>;

export type Problem =
    | { kind: "not_number" }
    | { kind: "out_of_range"; min: number; max: number }
    | { kind: "length"; bytes: number; min: number; max: number };

export function asText(value: SettingValue): string {
    return String(value);
}

export function change(draft: Draft, setting: Setting, text: string): Draft {
    const next = { ...draft };
    if (text === asText(setting.value)) delete next[setting.name];
    else next[setting.name] = text;
    return next;
}

/** The same limits as the box checks, told before it is asked. */
export function check(setting: Setting, text: string): Problem | null {
    const { min, max } = setting;
    if (setting.type === "int") {
        if (!/^-?\d{1,18}$/.test(text.trim())) return { kind: "not_number" };
        const n = Number(text);
        return n < min || n > max ? { kind: "out_of_range", min, max } : null;
    }
    const bytes = new TextEncoder().encode(text).length;
    return bytes < min || (max > 0 && bytes > max) ? { kind: "length", bytes, min, max } : null;
}

export function problems(settings: readonly Setting[], draft: Draft): Record<string, Problem> {
    const out: Record<string, Problem> = {};
    for (const setting of settings) {
        const text = draft[setting.name];
        const problem = text === undefined ? null : check(setting, text);
        if (problem) out[setting.name] = problem;
    }
    return out;
}

/** The body of PATCH /settings. */
export function changes(settings: readonly Setting[], draft: Draft): Record<string, SettingValue> {
    const out: Record<string, SettingValue> = {};
    for (const setting of settings) {
        const text = draft[setting.name];
        if (text === undefined) continue;
        out[setting.name] = setting.type === "int" ? Number(text) : text;
    }
    return out;
}

const GROUPS = ["box", "time", "receiver", "store", "storage", "retention", "ledger", "web"] as const;
export type Group = (typeof GROUPS)[number] | "other" | "files";

/** Settings in the order of the groups; what only the configuration file sets comes last. */
export function groupSettings(settings: readonly Setting[]): { group: Group; settings: Setting[] }[] {
    const found = new Map<Group, Setting[]>();
    for (const setting of settings) {
        const prefix = setting.name.split(".")[0] ?? "";
        const known = GROUPS.find((g) => g === prefix) ?? "other";
        const group: Group = setting.scope === "file" ? "files" : known;
        found.set(group, [...(found.get(group) ?? []), setting]);
    }
    const order: Group[] = [...GROUPS, "other", "files"];
    return order.flatMap((group) => {
        const rows = found.get(group);
        return rows ? [{ group, settings: rows }] : [];
    });
}
