/* Rows of parser tests: a message and what must become of it. */
#ifndef AZEKURA_TEST_EXPECT_H
#define AZEKURA_TEST_EXPECT_H

#include <criterion/criterion.h>

#include "base/limits.h"
#include "syslog/syslog.h"

struct expect_row {
    const char *in;
    size_t in_bytes;      /* 0: strlen(in) */
    const char *zone;     /* NULL: UTC */
    const char *received; /* NULL: 2026-03-10T12:00:00Z */
    uint8_t format;
    int pri;          /* -1: none */
    const char *time; /* NULL: none */
    const char *host, *app, *pid, *msgid, *data, *message;
    uint8_t flags;
    uint8_t form; /* of the time, compared when a time is expected */
};

static inline void expect_text(const struct expect_row *row, const char *name, struct view got,
                               const char *want)
{
    bool is_same = want ? !view_is_null(got) && view_eq(got, view_str(want)) : view_is_null(got);
    cr_expect(is_same, "%s: %s is %s\"%.*s\", should be %s%s", row->in, name,
              view_is_null(got) ? "null " : "", VIEW_ARG(got), want ? "" : "null",
              want ? want : "");
}

static inline void expect_row_check(const struct expect_row *row)
{
    struct zone *zone = NULL;
    struct buf scratch = BUF_INIT(3 * MESSAGE_MAX_BYTES_DEFAULT + 64);
    struct syslog_context ctx = {.scratch = &scratch};
    struct record r;
    int64_t time = TIME_NONE;
    size_t n = row->in_bytes ? row->in_bytes : strlen(row->in);
    const char *received = row->received ? row->received : "2026-03-10T12:00:00Z";
    cr_assert(zone_load(row->zone ? row->zone : "UTC", &zone, NULL) == 0);
    cr_assert(rfc3339_parse(view_str(received), &ctx.received_at_us) == 0);
    cr_assert(row->time == NULL || rfc3339_parse(view_str(row->time), &time) == 0, "%s", row->time);
    ctx.zone = zone;
    syslog_parse(&ctx, view_of(row->in, n), &r);
    const int64_t skew_us = CLOCK_SKEW_MIN_S * US_PER_SECOND;
    bool is_skewed = time != TIME_NONE &&
                     (time < ctx.received_at_us - skew_us || time > ctx.received_at_us + skew_us);
    uint8_t flags = row->flags | (is_skewed ? RECORD_CLOCK_SKEW : 0) |
                    (row->pri < 0 ? RECORD_NO_PRI : 0);
    int pri = row->pri < 0 ? 13 : row->pri;
    cr_expect(r.format == row->format, "%s: format is %s", row->in, record_format_name(r.format));
    cr_expect(r.facility * 8 + r.severity == pri, "%s: PRI is %d", row->in,
              r.facility * 8 + r.severity);
    cr_expect(r.flags == flags, "%s: flags are %d, should be %d", row->in, r.flags, flags);
    if (r.reported_at_us != time) {
        char text[RFC3339_MAX] = "none";
        if (r.reported_at_us != TIME_NONE)
            rfc3339_format(r.reported_at_us, text);
        cr_expect(false, "%s: time is %s, should be %s", row->in, text, row->time);
    }
    if (row->time)
        cr_expect(r.time_form == row->form, "%s: time form is %d", row->in, r.time_form);
    expect_text(row, "hostname", r.hostname, row->host);
    expect_text(row, "app_name", r.app_name, row->app);
    expect_text(row, "procid", r.procid, row->pid);
    expect_text(row, "msgid", r.msgid, row->msgid);
    expect_text(row, "structured_data", r.structured_data, row->data);
    expect_text(row, "message", r.message, row->message ? row->message : "");
    cr_expect(r.raw.p == row->in && r.raw.n == n, "%s: raw", row->in);
    zone_free(&zone);
    buf_free(&scratch);
}

#define EXPECT_ROWS(rows)                                     \
    do {                                                      \
        for (size_t row_ = 0; row_ < ARRAY_LEN(rows); row_++) \
            expect_row_check(&(rows)[row_]);                  \
    } while (0)

#endif
