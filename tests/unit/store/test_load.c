/* Which ring and step a graph of the load is made of. */
#include "store/load.h"

#include <criterion/criterion.h>

#define NOW INT64_C(1796040000) /* 2026-11-30 12:00Z */
#define MINUTE 60
#define HOUR 3600
#define DAY 86400

Test(load, the_step_is_the_shortest_that_is_kept_and_has_no_more_than_a_thousand_points)
{
    static const struct {
        const char *what;
        int64_t from_s, to_s; /* before now */
        int64_t step_s;
        int ring_s;
    } cases[] = {
        {"15 minutes", 15 * MINUTE, 0, 5, 5},
        {"an hour", HOUR, 0, 5, 5},
        {"83 minutes are 996 points", 83 * MINUTE, 0, 5, 5},
        {"two hours", 2 * HOUR, 0, 10, 5},
        {"six hours", 6 * HOUR, 0, 30, 5},
        {"a day", DAY, 0, 120, 60},
        {"an hour of a week ago is kept by minutes", 7 * DAY, 7 * DAY - HOUR, 60, 60},
        {"an hour of last year is kept by quarters", 300 * DAY, 300 * DAY - HOUR, 900, 900},
        {"an hour of ten years ago", 3650 * DAY, 3650 * DAY - HOUR, 900, 900},
        {"a week", 7 * DAY, 0, 900, 900},
        {"a month", 30 * DAY, 0, 3600, 900},
        {"90 days", 90 * DAY, 0, 10800, 900},
        {"a year", 365 * DAY, 0, 43200, 21600},
        {"two years", 730 * DAY, 0, 64800, 21600},
        {"fifty years", 18250 * DAY, 0, 3 * 604800, 21600},
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct load_plan p;
        struct err err;
        int64_t from_us = (NOW - cases[i].from_s) * US_PER_SECOND + 1234567;
        int64_t to_us = (NOW - cases[i].to_s) * US_PER_SECOND;
        int rc = load_plan(from_us, to_us, 0, NOW * US_PER_SECOND, &p, &err);
        cr_assert_eq(rc, 0, "%s: %s", cases[i].what, err.message);
        cr_expect_eq(p.step_us, cases[i].step_s * US_PER_SECOND, "%s: %ld s", cases[i].what,
                     (long)(p.step_us / US_PER_SECOND));
        cr_expect_eq(p.ring_s, cases[i].ring_s, "%s: %d", cases[i].what, p.ring_s);
        cr_expect(p.n >= 1 && p.n <= LOAD_POINTS_DEFAULT, "%s: %d", cases[i].what, p.n);
        cr_expect(p.from_us <= from_us && from_us - p.from_us < p.step_us &&
                      p.from_us % p.step_us == 0,
                  "%s: widened to whole steps", cases[i].what);
        cr_expect(p.from_us + p.n * p.step_us >= to_us, "%s: the end is in it", cases[i].what);
    }
}

Test(load, a_step_that_cannot_be_made_of_a_ring_is_refused)
{
    static const struct {
        int64_t step_s, span_s;
        const char *says; /* NULL: it can be had */
    } cases[] = {
        {5, HOUR, NULL},
        {55, HOUR, NULL},
        {60, DAY, NULL},
        {840, DAY, NULL},
        {900, DAY, NULL},
        {20700, DAY, NULL},
        {86400, 700 * DAY, NULL},
        {4, HOUR, "4 is not a multiple of 5"},
        {7, HOUR, "7 is not a multiple of 5"},
        {61, HOUR, "61 is not a multiple of 60"},
        {901, HOUR, "901 is not a multiple of 900"},
        {30000, DAY, "30000 is not a multiple of 21600"},
        {5, 3 * HOUR, "2160 points, more than 2000"},
        {840, 19 * DAY, "27370 samples of 60 s, more than 24000"},
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct load_plan p;
        struct err err = {0};
        int rc = load_plan((NOW - cases[i].span_s) * US_PER_SECOND, NOW * US_PER_SECOND,
                           cases[i].step_s, NOW * US_PER_SECOND, &p, &err);
        cr_expect_eq(rc, cases[i].says ? -EINVAL : 0, "%ld s: %d %s", (long)cases[i].step_s, rc,
                     err.message);
        if (cases[i].says)
            cr_expect(strstr(err.message, cases[i].says), "%ld s: %s", (long)cases[i].step_s,
                      err.message);
    }
}

Test(load, times_before_1970_and_after_9999_are_no_trouble)
{
    struct load_plan p;
    struct err err;
    int64_t last_us = INT64_C(253402300799) * US_PER_SECOND;
    cr_assert_eq(load_plan(0, last_us, 0, NOW * US_PER_SECOND, &p, &err), 0);
    cr_expect_leq(p.from_us + p.n * p.step_us, last_us + US_PER_SECOND - 1);
    cr_expect_eq(
        load_plan(last_us - 5 * US_PER_SECOND, last_us, 86400, NOW * US_PER_SECOND, &p, &err),
        -EINVAL);
    cr_expect_str_eq(err.field, "to");
}

Test(load, metrics_have_names_of_their_own)
{
    for (int m = 0; m < LOAD_METRICS; m++)
        cr_expect_eq(load_metric_of(view_str(load_metrics[m].name)), m, "%s", load_metrics[m].name);
    cr_expect_eq(load_metric_of(VIEW("load")), -1);
    cr_expect_eq(load_metric_of(VIEW("")), -1);
}
