/* The fields of a message for the panel, in the order of the design.  Pure. */
import type { LogEntry } from "../../api/types";
import type { Key } from "../../i18n/dictionary";
import { visible } from "../../utils/bytes";
import { facilityName, severityName } from "../../utils/severity";

export interface FieldRow {
    word: Key;
    /** Its name in a query; null where a condition on it makes no sense. */
    field: string | null;
    value: string;
    shown: string;
}

export function fieldsOf(entry: LogEntry): FieldRow[] {
    const severity = severityName(entry.severity);
    const facility = facilityName(entry.facility);
    const rows: [Key, string | null, string | null, string?][] = [
        ["line.source", "source", entry.source],
        ["line.listener", "listener", entry.listener],
        ["line.facility", "facility", facility, `${facility} (${entry.facility})`],
        ["logs.severity", "severity", severity, `${severity} (${entry.severity})`],
        ["line.hostname", "hostname", entry.hostname],
        ["line.app_name", "app_name", entry.app_name],
        ["line.procid", "procid", entry.procid],
        ["line.msgid", "msgid", entry.msgid],
        ["line.structured_data", null, entry.structured_data],
        ["line.format", "format", entry.format],
        ["line.id", null, entry.id],
    ];
    return rows.flatMap(([word, field, value, shown]) => (value === null ? [] : [{ word, field, value, shown: shown ?? visible(value) }]));
}
