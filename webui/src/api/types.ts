/* Short names for what the API answers.  openapi.d.ts is generated from firmware/web/openapi.json
 * by `npm run types`; nothing is described twice. */
import type { components } from "./openapi";

export type Schemas = components["schemas"];

export type Role = Schemas["Role"];
export type Session = Schemas["Session"];
export type LogEntry = Schemas["Entry"];
export type LogDetail = Schemas["LogDetail"];
export type Pair = LogDetail["pairs"][number];
export type Mark = LogDetail["marks"][number];
export type Scan = Schemas["Scan"];
export type LogPage = Schemas["LogPage"];
export type Histogram = Schemas["Histogram"];
export type HistogramBucket = Histogram["buckets"][number];
export type Rates = Schemas["Rates"];
export type Load = Schemas["Load"];
export type Source = Schemas["Source"];
export type Sources = Schemas["Sources"];
export type Counts = Schemas["Counts"];
export type Reason = keyof Schemas["Reasons"];
export type Ledger = Schemas["Ledger"];
export type LedgerRow = Schemas["LedgerRow"];
export type Receiver = Schemas["Receiver"];
export type Setting = Schemas["Setting"];
export type SettingValue = Schemas["SettingValue"];
export type ErrorBody = Schemas["Error"];
export type ListenerName = LogEntry["listener"];

export const LISTENERS: readonly ListenerName[] = ["udp", "tcp", "tls"];
