#include "unit/syslog/expect.h"

#include "base/utf8.h"

#define APP(p, ...) .format = FORMAT_RFC3164, .pri = p, .app = "app", __VA_ARGS__
#define RAW(text) .format = FORMAT_RAW, .pri = -1, .message = text

static const struct expect_row pris[] = {
    {"<0>app: x", APP(0, .message = "x")},
    {"<9>app: x", APP(9, .message = "x")},
    {"<191>app: x", APP(191, .message = "x")},
    {" <13>app: x", APP(13, .message = "x")},
    {"\xef\xbb\xbf<14>app: x", APP(14, .message = "x")},
    {"8 <7>app: x", RAW("8 <7>app: x")},
    {"10 <14>app: x", APP(14, .message = "x")}, /* an octet count by UDP */
    {"<192>app: x", RAW("<192>app: x")},
    {"<999>app: x", RAW("<999>app: x")},
    {"<1234>app: x", RAW("<1234>app: x")},
    {"<00>app: x", RAW("<00>app: x")},
    {"<013>app: x", RAW("<013>app: x")},
    {"<>app: x", RAW("<>app: x")},
    {"<-1>app: x", RAW("<-1>app: x")},
    {"<+1>app: x", RAW("<+1>app: x")},
    {"<1 >app: x", RAW("<1 >app: x")},
    {"<a>app: x", RAW("<a>app: x")},
    {"<13", RAW("<13")},
    {"<", RAW("<")},
    {"<html>", RAW("<html>")},
    {"text <13>app: x", RAW("text <13>app: x")},
};

static const struct expect_row trailers[] = {
    {"<14>app: x\n", APP(14, .message = "x")},
    {"<14>app: x\r\n", APP(14, .message = "x")},
    {"<14>app: x\0", .in_bytes = 11, APP(14, .message = "x")},
    {"<14>app: x\0\0\n\0", .in_bytes = 14, APP(14, .message = "x")},
    {"<14>app: x \n", APP(14, .message = "x ")},
    {"<14>app: two\nlines\n", APP(14, .message = "two\nlines")},
    {"\n", RAW("")},
    {"\0", .in_bytes = 1, RAW("")},
};

#define BAD "\xef\xbf\xbd"
static const struct expect_row texts[] = {
    {"<14>app: caf\xe9 au lait", APP(14, .message = "caf" BAD " au lait"),
     .flags = RECORD_INVALID_UTF8},
    {"<14>app: a\0b", .in_bytes = 12,
     APP(14, .message = "a\xe2\x90\x80"
                        "b"),
     .flags = RECORD_INVALID_UTF8},
    {"<14>Mar 10 11:00:00 h\xff app: x", .format = FORMAT_RFC3164, .pri = 14,
     .time = "2026-03-10T11:00:00Z", .form = TIME_FORM_BSD, .host = "h" BAD, .app = "app",
     .message = "x", .flags = RECORD_INVALID_UTF8},
    {"\xff<14>app: x", RAW(BAD "<14>app: x"), .flags = RECORD_INVALID_UTF8},
    {"<14>app: \xf0\x9f\x98\x80 \xe5\xae\xb6", APP(14, .message = "\xf0\x9f\x98\x80 \xe5\xae\xb6")},
    {"<14>app: \x1b[2Jx\x07",
     APP(14, .message = "\x1b[2Jx\x07")}, /* shown escaped, stored as sent */
    {"<14>app: \xe2\x82", APP(14, .message = BAD),
     .flags = RECORD_INVALID_UTF8}, /* cut in a character */
};

Test(syslog, pri_is_read_where_it_is_legal_and_is_text_elsewhere)
{
    EXPECT_ROWS(pris);
}

Test(syslog, trailers_are_not_text)
{
    EXPECT_ROWS(trailers);
}

Test(syslog, text_is_clean_and_otherwise_as_sent)
{
    EXPECT_ROWS(texts);
}

static const struct zone *utc(void)
{
    static struct zone *zone;
    if (zone == NULL)
        cr_assert(zone_load("UTC", &zone, NULL) == 0);
    return zone;
}

Test(syslog, fields_of_clean_messages_are_views_into_the_bytes_as_received)
{
    static const char in[] = "<14>1 2026-03-10T11:00:00Z host app 12 ID [a b=\"c\"] text\n";
    struct buf scratch = BUF_INIT(4096);
    struct syslog_context ctx = {.received_at_us = 0, .zone = utc(), .scratch = &scratch};
    struct record r;
    syslog_parse(&ctx, view_of(in, sizeof(in) - 1), &r);
    struct view views[] = {r.pri_text, r.time_text, r.hostname,        r.app_name,
                           r.procid,   r.msgid,     r.structured_data, r.message};
    for (size_t i = 0; i < ARRAY_LEN(views); i++) {
        cr_expect(views[i].p >= in && views[i].p + views[i].n <= in + sizeof(in) - 1, "view %zu",
                  i);
        cr_expect(i == 0 || views[i].p > views[i - 1].p, "view %zu stands before the one before",
                  i);
    }
    cr_expect(scratch.p == NULL, "nothing was copied");
    buf_free(&scratch);
}

Test(syslog, of_cleaned_messages_pri_and_time_still_stand_in_the_bytes_as_received)
{
    static const char in[] = "<14>Mar 10 11:00:00 h app: caf\xe9", bad_first[] = "<14>\xff Mar 10";
    struct buf scratch = BUF_INIT(4096);
    struct syslog_context ctx = {
        .received_at_us = INT64_C(1773144000000000), .zone = utc(), .scratch = &scratch};
    struct record r;
    syslog_parse(&ctx, view_of(in, sizeof(in) - 1), &r);
    cr_expect(r.pri_text.p == in + 1 && r.pri_text.n == 2);
    cr_expect(r.time_text.p == in + 4 && r.time_text.n == 15);
    cr_expect(r.hostname.p >= scratch.p && r.hostname.p < scratch.p + scratch.n);
    syslog_parse(&ctx, view_of(bad_first, sizeof(bad_first) - 1), &r);
    cr_expect(r.pri_text.p == bad_first + 1);
    cr_expect(view_is_null(r.time_text) && r.time_form == TIME_FORM_NONE);
    buf_free(&scratch);
}

Test(syslog, nothing_at_all_is_an_empty_raw_message)
{
    struct buf scratch = BUF_INIT(4096);
    struct syslog_context ctx = {.received_at_us = 5, .zone = utc(), .scratch = &scratch};
    struct record r;
    syslog_parse(&ctx, VIEW_NULL, &r);
    cr_expect(r.format == FORMAT_RAW && !view_is_null(r.message) && r.message.n == 0);
    cr_expect(r.received_at_us == 5 && r.reported_at_us == TIME_NONE && r.raw.n == 0);
    cr_expect(r.facility == 1 && r.severity == 5 && r.flags == RECORD_NO_PRI);
}

Test(syslog, the_longest_message_of_bad_bytes_fits_the_scratch_buffer)
{
    struct buf scratch = BUF_INIT(3 * MESSAGE_MAX_BYTES_DEFAULT + 64);
    struct syslog_context ctx = {.received_at_us = 0, .zone = utc(), .scratch = &scratch};
    struct record r;
    char *p = xmalloc(MESSAGE_MAX_BYTES_DEFAULT);
    for (int byte = 0; byte < 256; byte += 255) {
        memset(p, byte, MESSAGE_MAX_BYTES_DEFAULT);
        p[MESSAGE_MAX_BYTES_DEFAULT - 1] = 'x';
        syslog_parse(&ctx, view_of(p, MESSAGE_MAX_BYTES_DEFAULT), &r);
        cr_expect(r.message.n == 3 * (MESSAGE_MAX_BYTES_DEFAULT - 1) + 1, "%zu", r.message.n);
        cr_expect(utf8_is_clean(r.message));
    }
    free(p);
    buf_free(&scratch);
}
