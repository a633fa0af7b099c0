/* How a range of receive rates is cut into points.  What comes from the database is seen in
 * tests/pg/rates.sql and tests/scenario/rates_*. */
#include <criterion/criterion.h>

#include "store/rate.h"

#define S US_PER_SECOND
#define MINUTE US_PER_MINUTE
#define HOUR (60 * US_PER_MINUTE)
#define DAY US_PER_DAY

static const int64_t now_us = INT64_C(1773144000000000) + 17 * S; /* 17 s after noon, UTC */

Test(rate, a_range_is_cut_into_steps_of_what_is_kept)
{
    const int64_t noon_us = now_us - 17 * S;
    const struct {
        const char *name;
        int64_t from_us, to_us, step_s;
        struct rate_plan expected;
    } cases[] = {
        {"an hour up to now", now_us - HOUR, now_us, 0, {noon_us - HOUR, MINUTE, 61, true}},
        {"ends that are whole", noon_us - HOUR, noon_us, 60, {noon_us - HOUR, MINUTE, 60, true}},
        {"90 s are a minute", now_us - HOUR, now_us, 90, {noon_us - HOUR, MINUTE, 61, true}},
        {"10 s are not counted", now_us - HOUR, now_us, 10, {now_us - HOUR, 10 * S, 360, false}},
        {"a day", now_us - DAY, now_us, 0, {noon_us - DAY, 5 * MINUTE, 289, true}},
        {"a week", now_us - 7 * DAY, now_us, 0, {noon_us - 7 * DAY, 15 * MINUTE, 673, true}},
        {"a month is older than minutes",
         now_us - 30 * DAY,
         now_us,
         60 * 60,
         {noon_us - 30 * DAY, HOUR, 721, true}},
        {"minutes of last month are hours",
         now_us - 30 * DAY,
         now_us - 29 * DAY,
         60,
         {noon_us - 30 * DAY, HOUR, 25, true}},
        {"100 minutes of last month",
         now_us - 30 * DAY,
         now_us - 29 * DAY,
         6000,
         {noon_us - 30 * DAY, HOUR, 25, true}},
        {"seconds of last month",
         now_us - 30 * DAY,
         now_us - 30 * DAY + MINUTE,
         1,
         {now_us - 30 * DAY, S, 60, false}},
        {"two years", now_us - 730 * DAY, now_us, 0, {noon_us - 730 * DAY, DAY, 731, true}},
        {"the last kept minute",
         now_us - 14 * DAY + MINUTE,
         now_us - 14 * DAY + HOUR,
         60,
         {noon_us - 14 * DAY + MINUTE, MINUTE, 60, true}},
        {"the minute before it",
         now_us - 14 * DAY + MINUTE - 1,
         now_us - 14 * DAY + HOUR,
         60,
         {noon_us - 14 * DAY, HOUR, 2, true}},
        {"before the epoch", -90 * S, -30 * S, 60, {-HOUR, HOUR, 1, true}},
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct rate_plan p;
        struct err err;
        const struct rate_plan *e = &cases[i].expected;
        cr_assert_eq(rate_plan_make(cases[i].from_us, cases[i].to_us, cases[i].step_s, now_us, 2000,
                                    &p, &err),
                     0, "%s", cases[i].name);
        cr_expect_eq(p.from_us, e->from_us, "%s: from %lld s off", cases[i].name,
                     (long long)((p.from_us - e->from_us) / S));
        cr_expect_eq(p.step_us, e->step_us, "%s: a step of %lld s", cases[i].name,
                     (long long)(p.step_us / S));
        cr_expect_eq(p.n, e->n, "%s: %d points", cases[i].name, p.n);
        cr_expect_eq(p.is_counted, e->is_counted, "%s", cases[i].name);
        /* the last point reaches the end, the one before it does not */
        cr_expect_geq(p.from_us + p.n * p.step_us, cases[i].to_us, "%s", cases[i].name);
        cr_expect_lt(p.from_us + (p.n - 1) * p.step_us, cases[i].to_us, "%s", cases[i].name);
    }
}

Test(rate, without_a_step_no_range_has_too_many_points)
{
    for (int64_t span_us = MINUTE; span_us < 1000 * DAY; span_us += span_us / 7) {
        struct rate_plan p;
        struct err err;
        cr_assert_eq(rate_plan_make(now_us - span_us, now_us, 0, now_us, 1002, &p, &err), 0,
                     "%lld minutes: %s", (long long)(span_us / MINUTE), err.message);
    }
}

Test(rate, too_many_points_are_refused_with_their_number)
{
    struct rate_plan p = {.n = -7};
    struct err err;
    cr_assert_eq(rate_plan_make(now_us - DAY, now_us, 1, now_us, 2000, &p, &err), -EINVAL);
    cr_expect_str_eq(err.field, "step");
    cr_expect_str_eq(err.message, "step: from, to and step make 86400 points, more than 2000");
    cr_expect_eq(p.n, -7, "nothing is changed");
}
