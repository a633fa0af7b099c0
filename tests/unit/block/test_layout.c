/* Layouts: the bytes as received from the fields. */
#include <criterion/criterion.h>

#include "base/zone.h"
#include "block/layout.h"
#include "unit/block/block_support.h"

/* A line cut into fields at '{' PRI-digits '}' and so on would hide what is tested: the tests say
 * where fields stand by their text, the first occurrence counts. */
static struct view at(struct view raw, const char *text)
{
    const char *p = memmem(raw.p, raw.n, text, strlen(text));
    cr_assert(p != NULL, "'%s' is not in the line", text);
    return view_of(p, strlen(text));
}

static void expect_layout(const struct record *r, const char *layout, size_t n, const char *name)
{
    struct buf derived = BUF_INIT(LAYOUT_MAX_BYTES), again = BUF_INIT(4096);
    cr_assert_eq(layout_derive(r, &derived), 0, "%s", name);
    cr_assert(derived.n == n && memcmp(derived.p, layout, n) == 0, "%s: %zu bytes", name,
              derived.n);
    cr_assert_eq(layout_render(buf_view(&derived), r, &again), 0, "%s", name);
    cr_assert(view_eq(buf_view(&again), r->raw), "%s: '%.*s'", name, VIEW_ARG(buf_view(&again)));
    buf_free(&derived);
    buf_free(&again);
}
#define EXPECT_LAYOUT(r, literal, name) expect_layout(r, literal, sizeof(literal) - 1, name)

Test(layout, fields_become_references_and_the_rest_literal_text)
{
    struct view raw = VIEW("<34>Oct 11 22:14:15 fw01 su[123]: failed\x01");
    struct record r = {.reported_at_us = 1760220855000000,
                       .facility = 4,
                       .severity = 2,
                       .raw = raw,
                       .pri_text = at(raw, "34"),
                       .time_text = at(raw, "Oct 11 22:14:15"),
                       .time_form = TIME_FORM_BSD,
                       .hostname = at(raw, "fw01"),
                       .app_name = at(raw, "su"),
                       .procid = at(raw, "123"),
                       .message = at(raw, "failed")};
    EXPECT_LAYOUT(&r, "<\x01>\x02\x01\x00\x00\x00 \x03 \x04[\x05]: \x08\x00\x01", "as it is");
    r.severity = 3; /* PRI would render as 35 */
    EXPECT_LAYOUT(&r, "<34>\x02\x01\x00\x00\x00 \x03 \x04[\x05]: \x08\x00\x01", "another PRI");
    r.reported_at_us++;
    EXPECT_LAYOUT(&r, "<34>\x02\x01\x00\x00\x00 \x03 \x04[\x05]: \x08\x00\x01", "cut microseconds");
    r.reported_at_us += US_PER_SECOND;
    EXPECT_LAYOUT(&r, "<34>Oct 11 22:14:15 \x03 \x04[\x05]: \x08\x00\x01", "another time");
    r.app_name = VIEW("sudo");
    EXPECT_LAYOUT(&r, "<34>Oct 11 22:14:15 \x03 su[\x05]: \x08\x00\x01", "a name from elsewhere");
    r.hostname = at(raw, "fw01 su");
    r.app_name = at(raw, "su");
    EXPECT_LAYOUT(&r, "<34>Oct 11 22:14:15 \x03[\x05]: \x08\x00\x01", "fields that overlap");
}

Test(layout, every_form_of_time_is_rendered)
{
    static const struct {
        const char *text;
        const char *instant;
        uint8_t form, digits;
        int16_t offset_min;
    } cases[] = {
        {"Mar  9 10:41:07", "2026-03-09T10:41:07Z", TIME_FORM_BSD, 0, 0},
        {"Mar 19 19:41:07", "2026-03-19T10:41:07Z", TIME_FORM_BSD, 0, 540},
        {"Mar  9 10:41:07.25", "2026-03-09T10:41:07.25Z", TIME_FORM_BSD, 2, 0},
        {"Mar 09 10:41:07", "2026-03-09T10:41:07Z", TIME_FORM_BSD_ZERO, 0, 0},
        {"Mar  9 2026 10:41:07", "2026-03-09T10:41:07Z", TIME_FORM_BSD_YEAR, 0, 0},
        {"2026-03-09T10:41:07Z", "2026-03-09T10:41:07Z", TIME_FORM_ISO_Z, 0, 0},
        {"2026-03-09T10:41:07.000003Z", "2026-03-09T10:41:07.000003Z", TIME_FORM_ISO_Z, 6, 0},
        {"2026-03-09T10:41:07.5+09:00", "2026-03-09T01:41:07.5Z", TIME_FORM_ISO_OFFSET, 1, 540},
        {"2026-03-08T22:11:07-03:30", "2026-03-09T01:41:07Z", TIME_FORM_ISO_OFFSET, 0, -210},
        {"2026-03-09T10:41:07.123", "2026-03-09T10:41:07.123Z", TIME_FORM_ISO_LOCAL, 3, 0},
        {"2026-03-09 19:41:07", "2026-03-09T10:41:07Z", TIME_FORM_ISO_BLANK, 0, 540},
        {"1969-12-31T23:59:59Z", "1969-12-31T23:59:59Z", TIME_FORM_ISO_Z, 0, 0},
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct record r = {.time_form = cases[i].form,
                           .time_digits = cases[i].digits,
                           .time_offset_min = cases[i].offset_min,
                           .raw = view_str(cases[i].text),
                           .time_text = view_str(cases[i].text),
                           .message = VIEW("")};
        cr_assert_eq(rfc3339_parse(view_str(cases[i].instant), &r.reported_at_us), 0);
        char layout[5] = {2, (char)cases[i].form, (char)cases[i].digits,
                          (char)(cases[i].offset_min & 0xff), (char)(cases[i].offset_min >> 8)};
        expect_layout(&r, layout, sizeof(layout), cases[i].text);
    }
}

Test(layout, times_that_no_text_can_say_stay_literal)
{
    static const int64_t times[] = {TIME_NONE, INT64_MAX, INT64_MIN + 1,
                                    INT64_C(300000000000000000)};
    for (size_t i = 0; i < ARRAY_LEN(times); i++)
        for (unsigned form = 0; form <= TIME_FORM_COUNT; form++) {
            struct record r = {.reported_at_us = times[i],
                               .time_form = (uint8_t)form,
                               .time_offset_min = 540,
                               .raw = VIEW("12"),
                               .message = VIEW("")};
            r.time_text = r.raw;
            EXPECT_LAYOUT(&r, "12", "literal");
        }
}

Test(layout, a_message_from_elsewhere_has_no_layout_and_neither_has_a_long_literal)
{
    struct buf out = BUF_INIT(LAYOUT_MAX_BYTES);
    struct record r = {.raw = VIEW("caf\xe9"), .message = VIEW("caf\xef\xbf\xbd")};
    cr_assert_eq(layout_derive(&r, &out), -ENOSPC);
    char literal[LAYOUT_MAX_BYTES + 1];
    for (size_t n = LAYOUT_MAX_BYTES - 8; n <= sizeof(literal); n++) {
        memset(literal, 'x', n);
        buf_clear(&out);
        r.raw = view_of(literal, n);
        r.message = VIEW("");
        int e = layout_derive(&r, &out);
        cr_assert(e == 0 ? out.n == n : (e == -ENOSPC && out.n == 0), "%zu bytes", n);
        cr_assert_eq(e, n <= LAYOUT_MAX_BYTES ? 0 : -ENOSPC, "%zu bytes", n);
    }
    buf_free(&out);
}

Test(layout, a_damaged_layout_is_refused)
{
    static const struct {
        struct view layout;
        const char *name;
    } cases[] = {
        {VIEW("\x09"), "an unknown reference"},
        {VIEW("\x0f"), "a byte that should be escaped"},
        {VIEW("ab\x00"), "an escape without a byte"},
        {VIEW("\x00x"), "an escape of a byte that needs none"},
        {VIEW("\x02\x01\x00\x00"), "a cut time"},
        {VIEW("\x08\x08"), "a reference twice"},
        {VIEW("\x05"), "a field that is null"},
        {VIEW("x\x02\x09\x00\x00\x00"), "an unknown form of time"},
        {VIEW("x\x02\x05\x07\x00\x00"), "seven digits"},
    };
    struct record r = {.reported_at_us = 0, .message = VIEW("m")};
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct buf out = BUF_INIT(100);
        cr_assert_eq(buf_add_str(&out, "before"), 0);
        cr_assert_eq(layout_render(cases[i].layout, &r, &out), -EBADMSG, "%s", cases[i].name);
        cr_assert_eq(out.n, 6, "%s: nothing is appended", cases[i].name);
        buf_free(&out);
    }
}

Test(layout, placing_gives_views_that_derive_the_same_layout)
{
    uint64_t seed = 11;
    struct arena a = ARENA_INIT;
    for (unsigned i = 0; i < 20000; i++) {
        struct record r = random_record(&seed, &a, 1773144000000000), placed;
        struct buf layout = BUF_INIT(LAYOUT_MAX_BYTES), again = BUF_INIT(LAYOUT_MAX_BYTES),
                   raw = BUF_INIT(1u << 16);
        if (layout_derive(&r, &layout) == 0) {
            cr_assert_eq(layout_place(buf_view(&layout), &r, &raw, &placed), 0);
            cr_assert(view_eq(placed.raw, view_of(r.raw.p, r.raw.n)), "record %u", i);
            cr_assert_eq(layout_derive(&placed, &again), 0);
            cr_assert(view_eq(buf_view(&layout), buf_view(&again)), "record %u", i);
        }
        buf_free(&layout);
        buf_free(&again);
        buf_free(&raw);
        arena_clear(&a);
    }
    arena_done(&a);
}
