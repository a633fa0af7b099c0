/* The names of a record's numbers. */
#include "base/record.h"

static const char *const listeners[LISTENER_COUNT] = {"udp", "tcp", "tls"};
static const char *const formats[FORMAT_COUNT] = {
    [FORMAT_RAW] = "raw",
    [FORMAT_RFC5424] = "rfc5424",
    [FORMAT_RFC3164] = "rfc3164",
    [FORMAT_CISCO] = "cisco",
    [FORMAT_CEF] = "cef",
    [FORMAT_LEEF] = "leef",
    [FORMAT_JSON] = "json",
    [FORMAT_KV] = "kv",
    [FORMAT_FORTINET] = "fortinet",
    [FORMAT_PALOALTO] = "paloalto",
    [FORMAT_SONICWALL] = "sonicwall",
    [FORMAT_SOPHOS] = "sophos",
    [FORMAT_WATCHGUARD] = "watchguard",
    [FORMAT_CHECKPOINT] = "checkpoint",
    [FORMAT_JUNIPER] = "juniper",
    [FORMAT_HUAWEI] = "huawei",
    [FORMAT_H3C] = "h3c",
    [FORMAT_MERAKI] = "meraki",
    [FORMAT_MIKROTIK] = "mikrotik",
    [FORMAT_NETSCALER] = "netscaler",
    [FORMAT_SNARE] = "snare",
    [FORMAT_FILTERLOG] = "filterlog",
    [FORMAT_YAMAHA] = "yamaha",
    [FORMAT_VMWARE] = "vmware",
    [FORMAT_F5] = "f5",
    [FORMAT_IPTABLES] = "iptables",
};
_Static_assert(FORMAT_COUNT <= 32, "sets of formats are bits of 32");
static const char *const flags[] = {"truncated", "invalid_utf8", "no_pri",
                                    "bad_time",  "clock_skew",   "decoded"};
static const char *const severities[8] = {"emerg",   "alert",  "crit", "err",
                                          "warning", "notice", "info", "debug"};
static const char *const facilities[24] = {
    "kern",   "user",   "mail",     "daemon", "auth",   "syslog", "lpr",     "news",
    "uucp",   "cron",   "authpriv", "ftp",    "ntp",    "audit",  "console", "cron2",
    "local0", "local1", "local2",   "local3", "local4", "local5", "local6",  "local7"};

struct alias {
    const char *name;
    int number;
};
static const struct alias severity_aliases[] = {
    {"emergency", 0}, {"panic", 0},         {"critical", 2},    {"error", 3},
    {"warn", 4},      {"informational", 6}, {"information", 6},
};
static const struct alias facility_aliases[] = {
    {"kernel", 0}, {"security", 4}, {"logaudit", 13}, {"logalert", 14}, {"clock", 15},
};

const char *listener_name(unsigned listener)
{
    return listener < ARRAY_LEN(listeners) ? listeners[listener] : NULL;
}

const char *record_format_name(unsigned format)
{
    return format < ARRAY_LEN(formats) ? formats[format] : NULL;
}

const char *record_flag_name(unsigned bit)
{
    for (unsigned i = 0; i < ARRAY_LEN(flags); i++) {
        if (bit == 1u << i)
            return flags[i];
    }
    return NULL;
}

const char *severity_name(unsigned severity)
{
    return severity < ARRAY_LEN(severities) ? severities[severity] : NULL;
}

const char *facility_name(unsigned facility)
{
    return facility < ARRAY_LEN(facilities) ? facilities[facility] : NULL;
}

static int parse(struct view text, const char *const *names, size_t n, const struct alias *aliases,
                 size_t aliases_n)
{
    uint64_t number;
    if (text.n > 0 && text.n <= 2 && view_u64(text, n - 1, &number) == 0)
        return (int)number;
    for (size_t i = 0; i < n; i++)
        if (view_eq_nocase(text, view_str(names[i])))
            return (int)i;
    for (size_t i = 0; i < aliases_n; i++)
        if (view_eq_nocase(text, view_str(aliases[i].name)))
            return aliases[i].number;
    return -EINVAL;
}

int severity_parse(struct view text)
{
    return parse(text, severities, ARRAY_LEN(severities), severity_aliases,
                 ARRAY_LEN(severity_aliases));
}

int facility_parse(struct view text)
{
    return parse(text, facilities, ARRAY_LEN(facilities), facility_aliases,
                 ARRAY_LEN(facility_aliases));
}
