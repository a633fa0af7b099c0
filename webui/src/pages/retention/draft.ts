/* The form of the rule: text as typed, what is wrong with it, what would be sent.  Pure. */
import type { Policy, Retention, RuleChange } from "../../api/retention";

export interface RuleDraft {
    share: string;
    keep: string;
    high: string;
    /** Gigabytes; 0: the whole file system. */
    capacity: string;
    policy: Policy;
    shed: string;
}

export type Field = keyof RuleDraft;

/** The same limits as the box checks (firmware/config/settings.def). */
export const LIMITS = {
    share: { min: 1, max: 90 },
    keep: { min: 0, max: 36_600 },
    high: { min: 30, max: 95 },
    capacity: { min: 0, max: 1_125_899 },
} as const;
export type NumberField = keyof typeof LIMITS;

const GB = 1e9;

export function draftOf(r: Retention): RuleDraft {
    return {
        share: String(r.month_share_percent),
        keep: String(r.keep_days),
        high: String(r.high_water_percent),
        capacity: r.capacity_is_limited ? String(r.capacity_bytes / GB) : "0",
        policy: r.policy,
        shed: String(r.shed_severity),
    };
}

function numberOf(field: NumberField, text: string): number | null {
    const pattern = field === "capacity" ? /^\d{1,7}(\.\d{1,9})?$/ : /^\d{1,7}$/;
    if (!pattern.test(text.trim())) return null;
    const n = Number(text);
    return n >= LIMITS[field].min && n <= LIMITS[field].max ? n : null;
}

export function wrongFields(draft: RuleDraft): NumberField[] {
    return (Object.keys(LIMITS) as NumberField[]).filter((field) => numberOf(field, draft[field]) === null);
}

/** What differs from what is there, as PUT /retention takes it; wrong fields are left out. */
export function changesOf(draft: RuleDraft, r: Retention): RuleChange {
    const now = draftOf(r);
    const out: RuleChange = {};
    const differs = (field: NumberField) => (draft[field].trim() === now[field] ? null : numberOf(field, draft[field]));
    const share = differs("share");
    const keep = differs("keep");
    const high = differs("high");
    const capacity = differs("capacity");
    if (share !== null) out.month_share_percent = share;
    if (keep !== null) out.keep_days = keep;
    if (high !== null) out.high_water_percent = high;
    if (capacity !== null) out.capacity_bytes = Math.round(capacity * GB);
    if (draft.policy !== now.policy) out.over_budget = draft.policy;
    if (draft.shed !== now.shed) out.shed_severity = Number(draft.shed);
    return out;
}

export function countChanges(draft: RuleDraft, r: Retention): number {
    const now = draftOf(r);
    return (Object.keys(now) as Field[]).filter((field) => draft[field].trim() !== now[field]).length;
}

/** What takes a change back. */
export function takeBack(change: RuleChange, before: Retention): RuleChange {
    const was: Required<RuleChange> = {
        month_share_percent: before.month_share_percent,
        over_budget: before.policy,
        keep_days: before.keep_days,
        high_water_percent: before.high_water_percent,
        capacity_bytes: before.capacity_is_limited ? before.capacity_bytes : 0,
        shed_severity: before.shed_severity,
    };
    return Object.fromEntries(Object.keys(change).map((name) => [name, was[name as keyof RuleChange]]));
}
