/* The parser: whatever the bytes, text fields are clean UTF-8 inside the message or the scratch
 * buffer, numbers are in range, and a layout renders the message's bytes again from its fields. */
#include "base/limits.h"
#include "base/utf8.h"
#include "block/layout.h"
#include "syslog/charset.h"
#include "syslog/sequence.h"
#include "syslog/syslog.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool is_inside(struct view v, struct view whole)
{
    return v.p >= whole.p && v.p + v.n <= whole.p + whole.n;
}

static bool overlap(struct view a, struct view b)
{
    return a.n > 0 && b.n > 0 && a.p < b.p + b.n && b.p < a.p + a.n;
}

static void check_texts(const struct record *r, struct view scratch)
{
    const struct view texts[] = {r->hostname, r->app_name,        r->procid,
                                 r->msgid,    r->structured_data, r->message};
    bool is_changed = r->flags & (RECORD_INVALID_UTF8 | RECORD_DECODED);
    for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
        if (view_is_null(texts[i]))
            continue;
        CHECK(utf8_is_clean(texts[i]));
        CHECK(is_inside(texts[i], is_changed ? scratch : r->raw));
        CHECK(texts[i].n > 0 || i == ARRAY_LEN(texts) - 1);
        for (size_t k = 0; k < i; k++)
            CHECK(view_is_null(texts[k]) || !overlap(texts[i], texts[k]));
        CHECK(is_changed || !overlap(texts[i], r->pri_text));
        CHECK(is_changed || !overlap(texts[i], r->time_text));
    }
    CHECK(r->is_clean); /* which the builder believes, for the above */
    CHECK(!view_is_null(r->message));
    for (size_t i = 0; i < 4; i++)
        CHECK(texts[i].n <= HEADER_FIELD_MAX_BYTES);
}

static void check_layout(const struct record *r)
{
    static struct buf layout = {.max = LAYOUT_MAX_BYTES};
    static struct buf bytes = {.max = MESSAGE_MAX_BYTES_DEFAULT + 1};
    buf_clear(&layout);
    buf_clear(&bytes);
    if (layout_derive(r, &layout) < 0)
        return; /* the row keeps its raw bytes */
    CHECK(layout_render(buf_view(&layout), r, &bytes) == 0);
    CHECK(view_eq(buf_view(&bytes), r->raw));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct zone *zone;
    static struct buf scratch = {.max = 3 * MESSAGE_MAX_BYTES_DEFAULT + 64};
    if (zone == NULL)
        CHECK(zone_load("Europe/Prague", &zone, NULL) == 0);
    if (size > MESSAGE_MAX_BYTES_DEFAULT)
        return 0;
    struct syslog_context ctx = {
        .received_at_us = INT64_C(1773144000000000), .zone = zone, .scratch = &scratch};
    struct view raw = view_of((const char *)data, size);
    struct record r;
    syslog_parse(&ctx, raw, &r);
    CHECK(r.facility <= 23 && r.severity <= 7 && r.format < FORMAT_COUNT);
    CHECK(r.time_form < TIME_FORM_COUNT && r.time_digits <= 6);
    CHECK(r.raw.n == size && (size == 0 || r.raw.p == raw.p));
    CHECK(r.received_at_us == ctx.received_at_us);
    CHECK(view_is_null(r.pri_text) || is_inside(r.pri_text, r.raw));
    CHECK(view_is_null(r.time_text) || is_inside(r.time_text, r.raw));
    CHECK(!(r.flags & RECORD_NO_PRI) || (r.facility == 1 && r.severity == 5));
    check_texts(&r, buf_view(&scratch));
    check_layout(&r);
    /* what was parsed before, here all other inputs, changes nothing */
    static struct syslog_cache cache;
    struct record again;
    ctx.cache = cache;
    syslog_parse(&ctx, raw, &again);
    cache = ctx.cache;
    CHECK(again.reported_at_us == r.reported_at_us && again.time_offset_min == r.time_offset_min);
    CHECK(again.time_form == r.time_form && again.time_digits == r.time_digits);
    CHECK(again.flags == r.flags && again.format == r.format);
    CHECK(view_eq(again.time_text, r.time_text) && view_eq(again.message, r.message));
    CHECK(view_eq(again.hostname, r.hostname) && view_eq(again.app_name, r.app_name));
    /* with each charset, by turns */
    static size_t turn;
    ctx.charset = charset_at(turn++);
    if (ctx.charset == NULL)
        turn = 0;
    syslog_parse(&ctx, raw, &again);
    check_texts(&again, buf_view(&scratch));
    check_layout(&again);
    CHECK(again.format < FORMAT_COUNT);
    ctx.charset = NULL;
    syslog_parse(&ctx, raw, &r);
    struct sequence number;
    if (sequence_of(&r, &number))
        CHECK(number.kind < SEQUENCE_KINDS && number.number < UINT64_C(10000000000));
    return 0;
}
