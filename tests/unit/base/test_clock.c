#include <criterion/criterion.h>

#include "base/clock.h"

Test(clock, a_date_and_back_is_the_same_for_every_day_of_four_centuries)
{
    for (int64_t day = days_from_civil(1899, 1, 1); day < days_from_civil(2301, 1, 1); day++) {
        struct civil c;
        civil_from_us(day * US_PER_DAY + 123456, &c);
        cr_assert(civil_is_valid(&c), "day %lld", (long long)day);
        cr_assert_eq(days_from_civil(c.year, c.month, c.day), day, "day %lld", (long long)day);
        cr_assert_eq(civil_to_us(&c), day * US_PER_DAY + 123456, "day %lld", (long long)day);
    }
}

Test(clock, known_dates_have_their_day_numbers)
{
    cr_assert_eq(days_from_civil(1970, 1, 1), 0);
    cr_assert_eq(days_from_civil(2000, 2, 29), 11016);
    cr_assert_eq(days_from_civil(2026, 3, 10), 20522);
    cr_assert_eq(days_from_civil(1969, 12, 31), -1);
}

Test(clock, dates_that_do_not_exist_are_invalid)
{
    cr_assert_not(civil_is_valid(&(struct civil){2026, 2, 29, 0, 0, 0, 0}));
    cr_assert(civil_is_valid(&(struct civil){2028, 2, 29, 0, 0, 0, 0}));
    cr_assert_not(civil_is_valid(&(struct civil){2100, 2, 29, 0, 0, 0, 0}));
    cr_assert_not(civil_is_valid(&(struct civil){2026, 0, 1, 0, 0, 0, 0}));
    cr_assert_not(civil_is_valid(&(struct civil){2026, 13, 1, 0, 0, 0, 0}));
    cr_assert_not(civil_is_valid(&(struct civil){2026, 4, 31, 0, 0, 0, 0}));
    cr_assert(civil_is_valid(&(struct civil){2016, 12, 31, 23, 59, 60, 0}), "a leap second");
    cr_assert_not(civil_is_valid(&(struct civil){2026, 1, 1, 24, 0, 0, 0}));
}

Test(clock, rfc3339_round_trips_to_the_microsecond)
{
    static const int64_t times[] = {
        0, 1, -1, INT64_C(1773144000123456), INT64_C(253402300799999999), -US_PER_DAY * 365};
    for (size_t i = 0; i < ARRAY_LEN(times); i++) {
        char text[RFC3339_MAX];
        int64_t back;
        size_t n = rfc3339_format(times[i], text);
        cr_assert_eq(rfc3339_parse(view_of(text, n), &back), 0, "%s", text);
        cr_assert_eq(back, times[i], "%s", text);
    }
    char text[RFC3339_MAX];
    rfc3339_format(INT64_C(1773144000123456), text);
    cr_assert_str_eq(text, "2026-03-10T12:00:00.123456Z");
}

Test(clock, rfc3339_accepts_what_the_standard_allows)
{
    static const struct {
        const char *text;
        int64_t us;
    } cases[] = {
        {"2026-03-10T12:00:00Z", INT64_C(1773144000000000)},
        {"2026-03-10t12:00:00z", INT64_C(1773144000000000)},
        {"2026-03-10 12:00:00Z", INT64_C(1773144000000000)},
        {"2026-03-10T21:00:00+09:00", INT64_C(1773144000000000)},
        {"2026-03-10T08:30:00-0330", INT64_C(1773144000000000)},
        {"2026-03-10T12:00:00.1Z", INT64_C(1773144000100000)},
        {"2026-03-10T12:00:00.123456999Z", INT64_C(1773144000123456)},
        {"2016-12-31T23:59:60Z", INT64_C(1483228800000000)},
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        int64_t us;
        cr_assert_eq(rfc3339_parse(view_str(cases[i].text), &us), 0, "%s", cases[i].text);
        cr_assert_eq(us, cases[i].us, "%s", cases[i].text);
    }
}

Test(clock, rfc3339_refuses_everything_else)
{
    static const char *const bad[] = {
        "",
        "2026",
        "2026-03-10",
        "2026-03-10T12:00:00",
        "2026-13-10T12:00:00Z",
        "2026-02-30T12:00:00Z",
        "2026-03-10T24:00:00Z",
        "2026-03-10T12:00:00.Z",
        "2026-03-10T12:00:00+24:00",
        "2026-03-10T12:00:00Zx",
        "2026-03-10T12:00:0xZ",
        " 2026-03-10T12:00:00Z",
        "20260310T120000Z",
        "2026-03-10T12:00:00+9:00",
    };
    for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
        int64_t us = 42;
        cr_assert_eq(rfc3339_parse(view_str(bad[i]), &us), -EINVAL, "%s", bad[i]);
        cr_assert_eq(us, 42, "untouched: %s", bad[i]);
    }
}
