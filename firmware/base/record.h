/* One received message, as the parser (syslog/) makes it and the block builder (block/) takes it.
 * It stands in base because those two may not know each other.  All views borrow from the receive
 * buffer or the parser's scratch buffer and are valid until the next message is parsed. */
#ifndef AZEKURA_RECORD_H
#define AZEKURA_RECORD_H

#include "base/clock.h"
#include "base/ip.h"
#include "base/view.h"

enum listener { LISTENER_UDP, LISTENER_TCP, LISTENER_TLS, LISTENER_COUNT };

/* Which form was recognised, the most specific that is certain: RFC 5424's header whatever its
 * body; else a vendor's form or that of the body; else RFC 3164's header; else raw (nothing but
 * perhaps a PRI).  The number is stored; never renumber, append only.  At most 32: sets of them are
 * bits. */
enum record_format {
    FORMAT_RAW = 0,
    FORMAT_RFC5424 = 1,
    FORMAT_RFC3164 = 2,
    FORMAT_CISCO = 3,
    FORMAT_CEF = 4,  /* "CEF:0|…" */
    FORMAT_LEEF = 5, /* "LEEF:1.0|…" */
    FORMAT_JSON = 6, /* a body that is an object */
    FORMAT_KV = 7,   /* a body of name=value, no vendor's own */
    FORMAT_FORTINET = 8,
    FORMAT_PALOALTO = 9,
    FORMAT_SONICWALL = 10,
    FORMAT_SOPHOS = 11,
    FORMAT_WATCHGUARD = 12,
    FORMAT_CHECKPOINT = 13,
    FORMAT_JUNIPER = 14,
    FORMAT_HUAWEI = 15,
    FORMAT_H3C = 16,
    FORMAT_MERAKI = 17,
    FORMAT_MIKROTIK = 18,
    FORMAT_NETSCALER = 19,
    FORMAT_SNARE = 20,     /* "MSWinEventLog" and its relatives */
    FORMAT_FILTERLOG = 21, /* pfSense, OPNsense */
    FORMAT_YAMAHA = 22,
    FORMAT_VMWARE = 23,   /* ESXi, vCenter */
    FORMAT_F5 = 24,       /* BIG-IP: "01070727:5:" */
    FORMAT_IPTABLES = 25, /* packets that Linux's kernel logs: "IN=eth0 OUT=" */
    FORMAT_COUNT
};

/* How the device wrote its time, so that the same text can be rendered from reported_at.  Stored in
 * layouts (block/layout.h); never renumber, append only. */
enum time_form {
    TIME_FORM_NONE = 0,       /* no time, or not renderable: the text is kept literally */
    TIME_FORM_BSD = 1,        /* "Mar  9 10:41:07" */
    TIME_FORM_BSD_ZERO = 2,   /* "Mar 09 10:41:07" */
    TIME_FORM_ISO_Z = 3,      /* "2026-03-09T10:41:07[.fff]Z" */
    TIME_FORM_ISO_OFFSET = 4, /* "2026-03-09T10:41:07[.fff]+09:00" */
    TIME_FORM_ISO_LOCAL = 5,  /* "2026-03-09T10:41:07[.fff]", no zone in the text */
    TIME_FORM_ISO_BLANK = 6,  /* "2026-03-09 10:41:07[.fff]", no zone in the text */
    TIME_FORM_BSD_YEAR = 7,   /* "Mar  9 2026 10:41:07" */
    TIME_FORM_COUNT
};

/* Marks of a message (a bit each, stored). */
enum record_flag {
    RECORD_TRUNCATED = 1,    /* longer than the limit: the bytes beyond it are not kept */
    RECORD_INVALID_UTF8 = 2, /* bytes were replaced in the text fields; `raw` has them */
    RECORD_NO_PRI = 4,       /* no valid PRI: facility and severity are the defaults */
    RECORD_BAD_TIME = 8,     /* a time was there but unusable or ambiguous */
    RECORD_CLOCK_SKEW = 16,  /* reported and received differ by more than CLOCK_SKEW_MIN_S */
    RECORD_DECODED = 32,     /* the text fields were decoded from the source's charset */
};

struct record {
    int64_t received_at_us;
    int64_t reported_at_us; /* TIME_NONE where the message carries none */
    struct ip source;
    uint8_t listener; /* enum listener */
    uint8_t facility; /* 0…23 */
    uint8_t severity; /* 0…7 */
    uint8_t format;   /* enum record_format */
    uint8_t flags;    /* enum record_flag, ORed */
    bool is_clean;    /* its maker knows that the text fields are clean UTF-8; else others look */

    /* Text fields: clean UTF-8 (utf8.h), null where absent.  `message` is never null. */
    struct view hostname, app_name, procid, msgid, structured_data, message;

    /* The bytes as received, framing removed.  A text field that needed no change is a view into
     * these very bytes; block/layout.h makes use of that. */
    struct view raw;

    /* Where PRI and time stand in `raw`, for block/layout.h; null where there are none.  `pri_text`
     * is the digits between < and >. */
    struct view pri_text, time_text;
    uint8_t time_form;       /* enum time_form */
    uint8_t time_digits;     /* fraction digits in the text, 0…6 */
    int16_t time_offset_min; /* minutes east of UTC in force for time_text */
};

/* "udp", "tcp", "tls"; "raw", "rfc5424", …: the names in SQL, JSON and queries; NULL out of range.
 */
const char *listener_name(unsigned listener);
const char *record_format_name(unsigned format);
/* "truncated", "invalid_utf8", "no_pri", "bad_time", "clock_skew", "decoded" of one bit of enum
 * record_flag, as in SQL, JSON and queries; NULL for anything else. */
const char *record_flag_name(unsigned bit);
/* "emerg" … "debug" (RFC 5424 §6.2.1, short names); the number of a name, long or short
 * ("error", "warn", "informational", …, or a digit), or -EINVAL. */
const char *severity_name(unsigned severity);
MUST_USE int severity_parse(struct view text);
/* "kern" … "local7"; number of a name or decimal number, or -EINVAL. */
const char *facility_name(unsigned facility);
MUST_USE int facility_parse(struct view text);

#endif
