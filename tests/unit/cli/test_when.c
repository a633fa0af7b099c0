/* Times as people write them. */
#include "cli/when.h"

#include <criterion/criterion.h>

#define NOW INT64_C(1773144000000000) /* 2026-03-10T12:00:00Z */

static struct zone *load(const char *name)
{
    struct zone *z = NULL;
    struct err err;
    cr_assert_eq(zone_load(name, &z, &err), 0, "%s", err.message);
    return z;
}

Test(when, every_form_is_read)
{
    static const struct {
        const char *text, *zone, *expected; /* RFC 3339, UTC */
    } cases[] = {
        {"now", "UTC", "2026-03-10T12:00:00.000000Z"},
        {" now ", "UTC", "2026-03-10T12:00:00.000000Z"},
        {"-90s", "UTC", "2026-03-10T11:58:30.000000Z"},
        {"-15m", "UTC", "2026-03-10T11:45:00.000000Z"},
        {"-1h", "UTC", "2026-03-10T11:00:00.000000Z"},
        {"-7d", "UTC", "2026-03-03T12:00:00.000000Z"},
        {"-2w", "UTC", "2026-02-24T12:00:00.000000Z"},
        {"-0s", "UTC", "2026-03-10T12:00:00.000000Z"},
        {"2026-03-10", "UTC", "2026-03-10T00:00:00.000000Z"},
        {"2026-03-10", "Asia/Tokyo", "2026-03-09T15:00:00.000000Z"},
        {"2026-03-10 12:00", "Asia/Tokyo", "2026-03-10T03:00:00.000000Z"},
        {"2026-03-10T12:00", "UTC", "2026-03-10T12:00:00.000000Z"},
        {"2026-03-10 12:00:05.25", "UTC", "2026-03-10T12:00:05.250000Z"},
        {"2026-03-10 12:00:05.1234567", "UTC", "2026-03-10T12:00:05.123456Z"},
        {"2026-03-10T12:00:00+09:00", "UTC", "2026-03-10T03:00:00.000000Z"},
        {"2026-03-10T12:00:00Z", "Asia/Tokyo", "2026-03-10T12:00:00.000000Z"},
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct zone *z = load(cases[i].zone);
        struct err err;
        int64_t us = 0;
        char got[RFC3339_MAX];
        cr_assert_eq(when_parse(view_str(cases[i].text), NOW, z, &us, &err), 0, "%s: %s",
                     cases[i].text, err.message);
        rfc3339_format(us, got);
        cr_expect_str_eq(got, cases[i].expected, "%s in %s: %s", cases[i].text, cases[i].zone, got);
        zone_free(&z);
    }
}

Test(when, what_is_no_time_is_refused_with_examples)
{
    static const char *const cases[] = {"",
                                        "yesterday",
                                        "-",
                                        "-h",
                                        "-1",
                                        "-1y",
                                        "--1h",
                                        "-1.5h",
                                        "-99999999d",
                                        "2026-13-01",
                                        "2026-02-30",
                                        "2026-03-10 25:00",
                                        "2026-03-10 12",
                                        "2026-03-10 12:00:61",
                                        "2026-03-10 12:00:00.",
                                        "2026-3-1",
                                        "2026-03-10 12:00 x",
                                        "12:00"};
    struct zone *z = load("UTC");
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct err err = {0};
        int64_t us = 42;
        cr_expect_eq(when_parse(view_str(cases[i]), NOW, z, &us, &err), -EINVAL, "%s", cases[i]);
        cr_expect_eq(us, 42, "%s", cases[i]);
        cr_expect(strstr(err.message, cases[i]) && strstr(err.message, "-7d"), "%s", err.message);
    }
    struct err err = {0};
    int64_t us;
    cr_expect_eq(when_parse(VIEW("2026-02-29 10:00"), NOW, z, &us, &err), -EINVAL);
    cr_expect(strstr(err.message, "is not in the calendar"), "%s", err.message);
    zone_free(&z);
}

Test(when, times_are_shown_in_the_zone)
{
    char text[WHEN_MAX];
    struct zone *tokyo = load("Asia/Tokyo"), *york = load("America/New_York");
    when_format(NOW + 123456, tokyo, text);
    cr_expect_str_eq(text, "2026-03-10 21:00:00.123456+09:00");
    when_format(NOW, york, text);
    cr_expect_str_eq(text, "2026-03-10 08:00:00.000000-04:00");
    zone_free(&tokyo);
    zone_free(&york);
}

Test(when, ages_have_the_unit_that_fits)
{
    static const struct {
        int64_t s;
        const char *expected;
    } cases[] = {{0, "0 s"},        {119, "119 s"}, {120, "2 min"},
                 {7199, "119 min"}, {7200, "2 h"},  {172800, "2 days"}};
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        char text[WHEN_MAX];
        when_format_age(cases[i].s * US_PER_SECOND, text);
        cr_expect_str_eq(text, cases[i].expected);
    }
}
