/* What the API says and takes of the 20 % rule. */
export type Policy = "trim" | "shed" | "borrow" | "warn";
export type MonthState = "ok" | "watch" | "over_forecast" | "over";

export interface Forecast {
    basis: "none" | "days_seen" | "weekdays";
    bytes: number;
    low_bytes: number;
    high_bytes: number;
    day_bytes: number;
    reached_on: string | null;
    reached_earliest: string | null;
    reached_latest: string | null;
}

export interface Month {
    month: string;
    bytes: number;
    messages: number;
    raw_bytes: number;
    days: number;
    by_group: { group: string; bytes: number }[];
}

export interface SourceGroup {
    id: number;
    name: string;
    quota_percent: number | null;
    quota_bytes: number | null;
    month_bytes: number;
    keep_days: number | null;
    members: string[];
    retired: boolean;
    shed_from: string | null;
}

export interface Hold {
    id: string;
    from: string;
    to: string;
    group: string | null;
    reason: string;
    actor: string;
    at: string;
    bytes: number;
    messages: number;
}

export interface Retention {
    at: string;
    zone: string;
    capacity_bytes: number;
    capacity_is_limited: boolean;
    file_system: { total_bytes: number; free_bytes: number };
    month_share_percent: number;
    budget_bytes: number;
    high_water_percent: number;
    high_water_bytes: number;
    shed_severity: number;
    used: { database_bytes: number; wal_bytes: number; spool_bytes: number; total_bytes: number };
    policy: Policy;
    keep_days: number;
    month: string;
    month_bytes: number;
    state: MonthState;
    forecast: Forecast;
    history: { oldest: string | null; days: number; fits_days: number | null; fits_low: number | null; fits_high: number | null };
    months: Month[];
    groups: SourceGroup[];
    holds: Hold[];
    clock: { is_doubted: boolean; since: string | null; from: string | null; to: string | null };
}

export interface Day {
    day: string;
    bytes: number;
    messages: number;
    raw_bytes: number;
    is_held: boolean;
    is_open: boolean;
    groups: { group: string; bytes: number; messages: number }[];
}

export interface Deletion {
    from_day: string;
    to_day: string;
    group: string;
    reason: string;
    messages: number;
    raw_bytes: number;
    bytes: number;
}

export interface Preview {
    policy: string;
    deletions: Deletion[];
    messages: number;
    bytes: number;
    shed_from: string | null;
    held_bytes: number;
}

/** What PUT /retention and a preview take. */
export interface RuleChange {
    month_share_percent?: number;
    over_budget?: Policy;
    keep_days?: number;
    high_water_percent?: number;
    capacity_bytes?: number;
    shed_severity?: number;
}

export interface DeletionWish {
    from: string;
    to: string;
    group: string | null;
}

export interface Receipt {
    id: string;
    at: string;
    actor: string;
    reason: string;
    from: string;
    to: string;
    group: string;
    messages: number;
    raw_bytes: number;
    bytes: number;
    pieces: number;
}

export interface DeletionState {
    state: "waiting" | "done" | "refused";
    message: string | null;
    receipt: Receipt | null;
}

export interface GroupWish {
    name: string;
    quota_percent: number | null;
    keep_days: number | null;
    members: string[];
}

export interface HoldWish {
    from: string;
    to: string;
    group: string | null;
    reason: string;
}

export interface Size {
    rate: number;
    message_bytes: number;
    stored_bytes: number;
    keep_days: number;
    storage_bytes: number;
    share_percent: number;
    high_water_percent: number;
    day_bytes: number;
    month_bytes: number;
    storage_needed_bytes: number;
    history_days: number;
    month_share_percent: number;
}

export interface SizeWish {
    rate: number;
    bytes: number;
    stored_bytes: number;
    days: number;
    storage: number;
    share: number;
    high_water: number;
}

export interface CostRow {
    hostname: string | null;
    severity: string;
    messages: number;
    bytes: number;
    disk_bytes: number;
    share_percent: number;
    days_gained: number | null;
}

export interface Cost {
    month: string;
    days_of_history: number | null;
    rows: CostRow[];
}
