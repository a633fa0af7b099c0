import type { Key } from "../i18n/dictionary";

/** RFC 5424's short names, the number is the index. */
export const SEVERITIES = ["emerg", "alert", "crit", "err", "warning", "notice", "info", "debug"] as const;

export const SEVERITY_HELP: readonly Key[] = [
    "severity.emerg",
    "severity.alert",
    "severity.crit",
    "severity.err",
    "severity.warning",
    "severity.notice",
    "severity.info",
    "severity.debug",
];

const FACILITIES =
    "kern user mail daemon auth syslog lpr news uucp cron authpriv ftp ntp audit alert clock local0 local1 local2 local3 local4 local5 local6 local7".split(
        " ",
    );

export function severityName(severity: number): string {
    return SEVERITIES[severity] ?? String(severity);
}

export function facilityName(facility: number): string {
    return FACILITIES[facility] ?? String(facility);
}

/** The colour family: several severities share one. */
export function severityTone(severity: number): "bad" | "warn" | "notice" | "info" | "debug" {
    if (severity <= 3) return "bad";
    if (severity === 4) return "warn";
    if (severity === 5) return "notice";
    return severity === 6 ? "info" : "debug";
}
