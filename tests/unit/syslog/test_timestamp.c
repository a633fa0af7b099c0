#include "unit/syslog/expect.h"

#define ROW(text, ...)                                                                           \
    {                                                                                            \
        "<30>" text " h app: x", .format = FORMAT_RFC3164, .pri = 30, .host = "h", .app = "app", \
                                 .message = "x", __VA_ARGS__                                     \
    }
#define BSD(instant) .time = instant, .form = TIME_FORM_BSD
#define ODD(instant) .time = instant, .form = TIME_FORM_NONE

static const struct expect_row forms[] = {
    ROW("Mar  9 10:41:07", BSD("2026-03-09T10:41:07Z")),
    ROW("Mar 09 10:41:07", .time = "2026-03-09T10:41:07Z", .form = TIME_FORM_BSD_ZERO),
    ROW("Mar 9 10:41:07", ODD("2026-03-09T10:41:07Z")),
    ROW("MAR 10 10:41:07", BSD("2026-03-10T10:41:07Z")),
    ROW("Mar 10 9:41:07", ODD("2026-03-10T09:41:07Z")),
    ROW("Mar 10 10:41:07.25", ODD("2026-03-10T10:41:07.25Z")),
    ROW("Mar 10 2025 10:41:07", .time = "2025-03-10T10:41:07Z", .form = TIME_FORM_BSD_YEAR),
    ROW("Mar 10 10:41:07 2025", ODD("2025-03-10T10:41:07Z")),
    ROW("2025 Mar 10 10:41:07", ODD("2025-03-10T10:41:07Z")),
    ROW("Mon Mar 10 10:41:07 2025", ODD("2025-03-10T10:41:07Z")),
    ROW("Mon Mar 10 10:41:07 JST 2025", ODD("2025-03-10T01:41:07Z")),
    ROW("10 Mar 2025 10:41:07", ODD("2025-03-10T10:41:07Z")),
    ROW("10-Mar-2025 10:41:07", ODD("2025-03-10T10:41:07Z")),
    ROW("Mar 10 10:41:07 UTC", BSD("2026-03-10T10:41:07Z")),
    ROW("Mar 10 10:41:07 JST:", BSD("2026-03-10T01:41:07Z")),
    ROW("Mar 10 10:41:07 +0900", BSD("2026-03-10T01:41:07Z")),
    ROW("Mar 10 10:41:07-05:00", BSD("2026-03-10T15:41:07Z")),
    ROW("Mar 10 10:41:07 CST", BSD("2026-03-10T10:41:07Z"), .flags = RECORD_BAD_TIME),
    ROW("2026-03-10T10:41:07Z", .time = "2026-03-10T10:41:07Z", .form = TIME_FORM_ISO_Z),
    ROW("2026-03-10T10:41:07.123456Z", .time = "2026-03-10T10:41:07.123456Z",
        .form = TIME_FORM_ISO_Z),
    ROW("2026-03-10T10:41:07+09:00", .time = "2026-03-10T01:41:07Z", .form = TIME_FORM_ISO_OFFSET),
    ROW("2026-03-10T10:41:07+0900", ODD("2026-03-10T01:41:07Z")),
    ROW("2026-03-10T10:41:07", .time = "2026-03-10T10:41:07Z", .form = TIME_FORM_ISO_LOCAL),
    ROW("2026-03-10 10:41:07.5", .time = "2026-03-10T10:41:07.5Z", .form = TIME_FORM_ISO_BLANK),
    ROW("2026-03-10 10:41:07,5", ODD("2026-03-10T10:41:07.5Z")),
    ROW("2026-03-10 10:41:07 +09:00", .time = "2026-03-10T01:41:07Z", .form = TIME_FORM_ISO_BLANK),
    ROW("2026/03/10 10:41:07", ODD("2026-03-10T10:41:07Z")),
    ROW("2026-03-10t10:41:07z", ODD("2026-03-10T10:41:07Z")),
    ROW("1970-01-01T00:00:42Z", .time = "1970-01-01T00:00:42Z", .form = TIME_FORM_ISO_Z),
    ROW("March 10 10:41:07", ODD("2026-03-10T10:41:07Z")),
    ROW("july 1 10:41:07", ODD("2025-07-01T10:41:07Z"), .received = "2025-07-01T12:00:00Z"),
    ROW("Mar 10, 2025 10:41:07", ODD("2025-03-10T10:41:07Z")),
    ROW("Mar 10 2026 1:41:07 PM", ODD("2026-03-10T13:41:07Z")),
    ROW("Mar 10 2026 12:41:07 AM", ODD("2026-03-10T00:41:07Z")),
    ROW("Mar 10 2026 10:41:07+09:00 DST", .time = "2026-03-10T01:41:07Z",
        .form = TIME_FORM_BSD_YEAR),
    ROW("Mar 10 2026 10:41:07 UTC+09:00", .time = "2026-03-10T01:41:07Z",
        .form = TIME_FORM_BSD_YEAR),
    ROW("Mar 10 10:41:07 GMT+9", BSD("2026-03-10T01:41:07Z")),
    ROW("Mar 10 10:41:07 GMT-3:", BSD("2026-03-10T13:41:07Z")),
    ROW("Mar 10 10:41:07:123 2026", ODD("2026-03-10T10:41:07.123Z")),
    ROW("2026:03:10-10:41:07", ODD("2026-03-10T10:41:07Z")),
    ROW("10/Mar/2026:10:41:07 +0900", ODD("2026-03-10T01:41:07Z")),
    ROW("Tue, 10 Mar 2026 10:41:07 +0900", ODD("2026-03-10T01:41:07Z")),
    ROW("2026-03-10T10:41:07.123456789Z", ODD("2026-03-10T10:41:07.123456Z")),
    ROW("2026-03-10 10:41:60", ODD("2026-03-10T10:42:00Z")),
    ROW("03/10/2026:10:41:07 GMT", ODD("2026-03-10T10:41:07Z")),
    ROW("10/03/2026:10:41:07 GMT", ODD("2026-03-10T10:41:07Z")), /* the day first: nearer */
    ROW("25/02/2026:10:41:07", ODD("2026-02-25T10:41:07Z")),
    ROW("02/25/2026:10:41:07", ODD("2026-02-25T10:41:07Z")),
    ROW("03/03/2026 10:41:07", ODD("2026-03-03T10:41:07Z")),
    /* neither is today */
    ROW("02/04/2026 10:41:07", ODD("2026-04-02T10:41:07Z"), .flags = RECORD_BAD_TIME),
    ROW("13/13/2026:10:41:07", .flags = RECORD_BAD_TIME),
    /* no such instant: marked, and never a host */
    ROW("Feb 30 10:41:07", .flags = RECORD_BAD_TIME),
    ROW("Mar 10 25:41:07", .flags = RECORD_BAD_TIME),
    ROW("Mar 10 10:99:07", .flags = RECORD_BAD_TIME),
    ROW("2026-11-31T10:41:07Z", .flags = RECORD_BAD_TIME),
    ROW("2025-02-29 10:41:07", .flags = RECORD_BAD_TIME),
    {"<13>Tuesday, March 10, 2026 11:00:00 h1 app[1]: msg", .format = FORMAT_RFC3164, .pri = 13,
     .time = "2026-03-10T11:00:00Z", .host = "h1", .app = "app", .pid = "1", .message = "msg"},
    {"<13>Tuesday Mar 10 11:00:00 2026 h1 app[1]: msg", .format = FORMAT_RFC3164, .pri = 13,
     .time = "2026-03-10T11:00:00Z", .host = "h1", .app = "app", .pid = "1", .message = "msg"},
    {"<13>Tue 10 Mar 2026 11:00:00 h1 app[1]: msg", .format = FORMAT_RFC3164, .pri = 13,
     .time = "2026-03-10T11:00:00Z", .host = "h1", .app = "app", .pid = "1", .message = "msg"},
    {"<13>Tue 2026-03-10 11:00:00 UTC h1 app[1]: msg", .form = TIME_FORM_ISO_BLANK,
     .format = FORMAT_RFC3164, .pri = 13, .time = "2026-03-10T11:00:00Z", .host = "h1",
     .app = "app", .pid = "1", .message = "msg"},
    {"<13>20260310110000 h1 app[1]: msg", .format = FORMAT_RFC3164, .pri = 13,
     .time = "2026-03-10T11:00:00Z", .host = "h1", .app = "app", .pid = "1", .message = "msg"},
    {"<13>2026-03-10T20:00:00+9 h1 app[1]: msg", .format = FORMAT_RFC3164, .pri = 13,
     .time = "2026-03-10T11:00:00Z", .host = "h1", .app = "app", .pid = "1", .message = "msg"},
    {"<13>10-03-2026 11:00:00 h1 app[1]: msg", .format = FORMAT_RFC3164, .pri = 13,
     .time = "2026-03-10T11:00:00Z", .host = "h1", .app = "app", .pid = "1", .message = "msg"},
    {"<13>10/03/2026-11:00:00 h1 app[1]: msg", .format = FORMAT_RFC3164, .pri = 13,
     .time = "2026-03-10T11:00:00Z", .host = "h1", .app = "app", .pid = "1", .message = "msg"},
    {"<13>10/Mar/2026 11:00:00 h1 app[1]: msg", .format = FORMAT_RFC3164, .pri = 13,
     .time = "2026-03-10T11:00:00Z", .host = "h1", .app = "app", .pid = "1", .message = "msg"},
    {"<13>Mar-10-2026 11:00:00 h1 app[1]: msg", .format = FORMAT_RFC3164, .pri = 13,
     .time = "2026-03-10T11:00:00Z", .host = "h1", .app = "app", .pid = "1", .message = "msg"},
    {"<13>2026-Mar-10 11:00:00 h1 app[1]: msg", .format = FORMAT_RFC3164, .pri = 13,
     .time = "2026-03-10T11:00:00Z", .host = "h1", .app = "app", .pid = "1", .message = "msg"},
    {"<13>Mar 10 2026, 11:00:00 h1 app[1]: msg", .format = FORMAT_RFC3164, .pri = 13,
     .time = "2026-03-10T11:00:00Z", .host = "h1", .app = "app", .pid = "1", .message = "msg"},
    {"<13>Mar. 10 11:00:00 h1 app[1]: msg", .format = FORMAT_RFC3164, .pri = 13,
     .time = "2026-03-10T11:00:00Z", .host = "h1", .app = "app", .pid = "1", .message = "msg"},
    {"<13>.Mar 10 11:00:00 h1 app[1]: msg", .form = TIME_FORM_BSD, .format = FORMAT_RFC3164,
     .pri = 13, .time = "2026-03-10T11:00:00Z", .host = "h1", .app = "app", .pid = "1",
     .message = "msg"},
    {"<13>83: Mar 10 11:00:00 h1 app[1]: msg", .form = TIME_FORM_BSD, .format = FORMAT_RFC3164,
     .pri = 13, .time = "2026-03-10T11:00:00Z", .host = "h1", .app = "app", .pid = "1",
     .message = "msg"},
    {"<13>1773140400 h1 app[1]: msg", .format = FORMAT_RFC3164, .pri = 13,
     .time = "2026-03-10T11:00:00Z", .host = "h1", .app = "app", .pid = "1", .message = "msg"},
    {"<13>1773140400.000 h1 app[1]: msg", .format = FORMAT_RFC3164, .pri = 13,
     .time = "2026-03-10T11:00:00Z", .host = "h1", .app = "app", .pid = "1", .message = "msg"},
    {"<13>1773140400000 h1 app[1]: msg", .format = FORMAT_RFC3164, .pri = 13,
     .time = "2026-03-10T11:00:00Z", .host = "h1", .app = "app", .pid = "1", .message = "msg"},
    {"<13>Mar 10 11:00:00 Etc/UTC h1 app[1]: msg", .form = TIME_FORM_BSD, .format = FORMAT_RFC3164,
     .pri = 13, .time = "2026-03-10T11:00:00Z", .host = "h1", .app = "app", .pid = "1",
     .message = "msg"},
    {"<13>Mar 10 08:00:00 BRST h1 app[1]: msg", .form = TIME_FORM_BSD, .format = FORMAT_RFC3164,
     .pri = 13, .time = "2026-03-10T10:00:00Z", .host = "h1", .app = "app", .pid = "1",
     .message = "msg"},
    {"<13>Sept 10 11:00:00 h1 app[1]: msg", .format = FORMAT_RFC3164, .pri = 13,
     .time = "2025-09-10T11:00:00Z", .host = "h1", .app = "app", .pid = "1", .message = "msg"},
    {"<13>*Mar 10 11:00:00 h1 app[1]: msg", .form = TIME_FORM_BSD, .format = FORMAT_RFC3164,
     .pri = 13, .time = "2026-03-10T11:00:00Z", .flags = RECORD_BAD_TIME, .host = "h1",
     .app = "app", .pid = "1", .message = "msg"},
    {"<13>Mar 10 11:00:00 Europe/Prague h1 app[1]: msg", .form = TIME_FORM_BSD,
     .format = FORMAT_RFC3164, .pri = 13, .time = "2026-03-10T11:00:00Z", .flags = RECORD_BAD_TIME,
     .host = "h1", .app = "app", .pid = "1", .message = "msg"},
    {"<13>2026-03-10 11:00:00 America/Argentina/Buenos_Aires h1 app[1]: msg",
     .form = TIME_FORM_ISO_BLANK, .format = FORMAT_RFC3164, .pri = 13,
     .time = "2026-03-10T11:00:00Z", .flags = RECORD_BAD_TIME, .host = "h1", .app = "app",
     .pid = "1", .message = "msg"},
    {"<13>Mar 10 11:00:00 2026 Asia/Tokyo h1 app[1]: msg", .format = FORMAT_RFC3164, .pri = 13,
     .time = "2026-03-10T11:00:00Z", .flags = RECORD_BAD_TIME, .host = "h1", .app = "app",
     .pid = "1", .message = "msg"},
    {"<13>Mar 10 11:00:00 XYZT h1 app[1]: msg", .form = TIME_FORM_BSD, .format = FORMAT_RFC3164,
     .pri = 13, .time = "2026-03-10T11:00:00Z", .flags = RECORD_BAD_TIME, .host = "h1",
     .app = "app", .pid = "1", .message = "msg"},
    {"<13>Mar 10 2026 11:00:00 GST h1 app[1]: msg", .form = TIME_FORM_BSD_YEAR,
     .format = FORMAT_RFC3164, .pri = 13, .time = "2026-03-10T11:00:00Z", .flags = RECORD_BAD_TIME,
     .host = "h1", .app = "app", .pid = "1", .message = "msg"},
};

static const struct expect_row years[] = {
    ROW("Dec 31 23:59:59", BSD("2026-12-31T23:59:59Z"), .received = "2027-01-01T00:00:01Z"),
    ROW("Jan  1 00:00:05", BSD("2027-01-01T00:00:05Z"), .received = "2026-12-31T23:59:58Z"),
    ROW("Jan  1 08:59:58", BSD("2026-12-31T23:59:58Z"), .received = "2027-01-01T00:00:00Z",
        .zone = "Asia/Tokyo"),
    ROW("Dec 31 19:00:00", BSD("2027-01-01T00:00:00Z"), .received = "2027-01-01T00:00:00Z",
        .zone = "America/New_York"),
    ROW("Feb 29 09:55:00", BSD("2028-02-29T09:55:00Z"), .received = "2028-02-29T09:55:01Z"),
    ROW("Feb 29 23:59:59", BSD("2028-02-29T23:59:59Z"), .received = "2028-03-01T00:00:01Z"),
    ROW("Feb 29 00:00:00", BSD("2024-02-29T00:00:00Z"), .received = "2025-06-01T00:00:00Z"),
    ROW("Jan 19 03:14:08", BSD("2038-01-19T03:14:08Z"), .received = "2038-01-19T03:14:09Z"),
    ROW("Sep  8 12:00:00", BSD("2025-09-08T12:00:00Z")), /* half a year from either: the past one */
    ROW("Sep  5 12:00:00", BSD("2026-09-05T12:00:00Z")), /* 179 days ahead, 186 behind */
};

static const struct expect_row zones[] = {
    ROW("Mar 10 21:10:43", BSD("2026-03-10T12:10:43Z"), .zone = "Asia/Tokyo"),
    ROW("2026-03-10T21:10:43", .time = "2026-03-10T12:10:43Z", .form = TIME_FORM_ISO_LOCAL,
        .zone = "Asia/Tokyo"),
    ROW("2026-03-10T21:10:43Z", .time = "2026-03-10T21:10:43Z", .form = TIME_FORM_ISO_Z,
        .zone = "Asia/Tokyo"),
    ROW("Oct 25 02:30:00", BSD("2026-10-25T00:30:00Z"), .received = "2026-10-25T00:30:01Z",
        .zone = "Europe/Prague"),
    ROW("Oct 25 02:30:00", BSD("2026-10-25T01:30:00Z"), .received = "2026-10-25T01:30:01Z",
        .zone = "Europe/Prague"),
    ROW("Mar 29 02:30:00", BSD("2026-03-29T01:30:00Z"), .received = "2026-03-29T01:30:01Z",
        .zone = "Europe/Prague"),
};

Test(timestamp, every_form_gives_its_instant)
{
    EXPECT_ROWS(forms);
}

Test(timestamp, a_year_that_is_not_sent_is_the_nearest_one)
{
    EXPECT_ROWS(years);
}

Test(timestamp, times_without_zone_are_in_the_sources_zone)
{
    EXPECT_ROWS(zones);
}

static struct record parse(const char *in, const char *zone_text)
{
    static struct buf scratch = BUF_INIT(65536);
    struct zone *zone = NULL;
    struct record r;
    cr_assert(zone_load(zone_text, &zone, NULL) == 0);
    struct syslog_context ctx = {
        .received_at_us = INT64_C(1773144000000000), .zone = zone, .scratch = &scratch};
    syslog_parse(&ctx, view_str(in), &r);
    zone_free(&zone);
    return r;
}

/* Nothing that a context remembers may change an answer: every text after every other one, at every
 * time of reception, twice. */
Test(timestamp, the_messages_before_change_no_time)
{
    static const char *const texts[] = {
        "<30>Oct 25 02:30:05 h app: x",
        "<30>Oct 25 02:30:05 CEST h app: x",
        "<30>Oct 25 02:30:05 2026 h app: x",
        "<30>Oct 25 02:30:05 10.0.0.1 app: x",
        "<30>Oct 25 2026 02:30:05 h app: x",
        "<30>Oct 25 2026 02:30:05 : %ASA-6-302015: x",
        "<30>Oct 25 02:30:06 h app: x",
        "<30>Dec 31 23:59:59 h app: x",
        "<30>Feb 31 02:30:05 h app: x",
        "<30>1 2026-10-25T02:30:05.250Z h app - - - x",
        "<30>1 2026-10-25T02:30:05.750 h app - - - x",
        "<30>1 2026-10-25T02:30:05+02:00 h app - - - x",
        "<30>Oct 25 02:30:05: %SYS-5-CONFIG: x",
        "<30>*Oct 25 02:30:05 %SYS-5-CONFIG: x",
        "<30>Oct 25 02:30:05",
    };
    static const char *const received[] = {
        "2026-10-25T00:31:00Z", "2026-10-25T00:59:59Z", "2026-10-25T01:00:06Z",
        "2026-10-25T01:31:00Z", "2027-01-01T00:00:10Z", "2026-04-26T12:00:00Z",
        "2025-10-25T00:00:00Z",
    };
    static struct buf scratch = BUF_INIT(65536);
    struct zone *zone = NULL;
    cr_assert(zone_load("Europe/Berlin", &zone, NULL) == 0);
    struct syslog_context used = {.zone = zone, .scratch = &scratch};
    size_t n = ARRAY_LEN(texts) * ARRAY_LEN(received);
    for (size_t i = 0; i < n * n * 2; i++) {
        size_t pair = i / 2, which = i % 2 ? pair % n : pair / n;
        const char *in = texts[which % ARRAY_LEN(texts)];
        struct syslog_context fresh = {.zone = zone, .scratch = &scratch};
        struct record want, got;
        cr_assert(rfc3339_parse(view_str(received[which / ARRAY_LEN(texts)]),
                                &fresh.received_at_us) == 0);
        used.received_at_us = fresh.received_at_us;
        syslog_parse(&fresh, view_str(in), &want);
        syslog_parse(&used, view_str(in), &got);
        cr_assert(got.reported_at_us == want.reported_at_us &&
                      got.time_offset_min == want.time_offset_min &&
                      got.time_form == want.time_form && got.time_digits == want.time_digits &&
                      got.flags == want.flags && got.hostname.p == want.hostname.p &&
                      got.message.p == want.message.p && view_eq(got.time_text, want.time_text),
                  "%s received at %s: %lld, not %lld", in, received[which / ARRAY_LEN(texts)],
                  (long long)got.reported_at_us, (long long)want.reported_at_us);
    }
    zone_free(&zone);
}

Test(timestamp, the_layout_learns_where_the_time_stands_and_which_offset_it_has)
{
    static const struct {
        const char *in, *text;
        int digits, offset_min;
    } rows[] = {
        {"<30>Mar 10 11:59:05 h app: x", "Mar 10 11:59:05", 0, 540},
        {"<30>Mar 10 11:59:05 EDT h app: x", "Mar 10 11:59:05", 0, -240},
        {"<30>Mar 10 2026 11:59:05 h app: x", "Mar 10 2026 11:59:05", 0, 540},
        {"<30>1 2026-03-10T11:59:05.120-03:30 h app - - - x", "2026-03-10T11:59:05.120-03:30", 3,
         -210},
        {"<30>2026-03-10 11:59:05.000001 h app: x", "2026-03-10 11:59:05.000001", 6, 540},
    };
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct record r = parse(rows[i].in, "Asia/Tokyo");
        cr_expect(view_eq(r.time_text, view_str(rows[i].text)), "%s: %.*s", rows[i].in,
                  VIEW_ARG(r.time_text));
        cr_expect(r.time_text.p == strstr(rows[i].in, rows[i].text), "%s", rows[i].in);
        cr_expect(r.time_digits == rows[i].digits && r.time_offset_min == rows[i].offset_min,
                  "%s: %d digits, %d min", rows[i].in, r.time_digits, r.time_offset_min);
        cr_expect(view_eq(r.pri_text, VIEW("30")), "%s", rows[i].in);
    }
}
