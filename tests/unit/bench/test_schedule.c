#include <criterion/criterion.h>

#include "bench/load/schedule.h"

#define MS INT64_C(1000000)
#define S NS_PER_SECOND
#define HOUR (3600 * S)

Test(schedule, every_second_has_exactly_the_rate_and_nothing_drifts_over_hours)
{
    static const double rates[] = {1, 3, 7, 1000, 1001, 19999, 20000, 333333, 1000000, 4000000};
    for (size_t i = 0; i < ARRAY_LEN(rates); i++) {
        struct schedule s;
        int64_t rate = (int64_t)rates[i];
        schedule_init(&s, rates[i]);
        for (int64_t second = 1; second <= 100; second++)
            cr_assert_eq(schedule_due(&s, second * S - 1), rate * second, "%lld/s, second %lld",
                         (long long)rate, (long long)second);
        cr_assert_eq(schedule_due(&s, 24 * HOUR - 1), rate * 86400, "%lld/s for a day",
                     (long long)rate);
        cr_assert_eq(schedule_due(&s, 365 * 24 * HOUR - 1), rate * 86400 * 365, "for a year");
    }
}

Test(schedule, a_fraction_of_a_message_a_second_is_held)
{
    struct schedule s;
    schedule_init(&s, 0.1);
    cr_assert_eq(schedule_due(&s, 0), 1);
    cr_assert_eq(schedule_due(&s, 10 * S - 1), 1);
    cr_assert_eq(schedule_due(&s, 10 * S), 2);
    cr_assert_eq(schedule_due(&s, HOUR - 1), 360);
    schedule_init(&s, 2.5);
    cr_assert_eq(schedule_due(&s, HOUR - 1), 9000);
}

Test(schedule, the_time_a_message_is_due_and_the_number_due_then_agree)
{
    static const double rates[] = {0.3, 1, 7, 999.999, 20000, 123456.789, 1000000};
    for (size_t i = 0; i < ARRAY_LEN(rates); i++) {
        struct schedule s;
        schedule_init(&s, rates[i]);
        cr_assert_eq(schedule_add(&s, 2 * S, rates[i] * 3), 0);
        cr_assert_eq(schedule_add(&s, 3 * S, 0), 0);
        cr_assert_eq(schedule_add(&s, 7 * S, rates[i] / 2), 0);
        schedule_burst(&s, 50, 2 * S + 500 * MS);
        for (int64_t k = 0; k < 2000; k++) {
            int64_t at = schedule_due_ns(&s, k);
            cr_assert_gt(schedule_due(&s, at), k, "%g/s, message %lld at %lld", rates[i],
                         (long long)k, (long long)at);
            cr_assert(at == 0 || schedule_due(&s, at - 1) <= k, "%g/s, message %lld at %lld",
                      rates[i], (long long)k, (long long)at);
        }
    }
}

Test(schedule, steps_change_the_rate_where_they_say_so)
{
    struct schedule s;
    schedule_init(&s, 0);
    cr_assert_eq(schedule_add(&s, 1 * S, 1000), 0);
    cr_assert_eq(schedule_add(&s, 3 * S, 5000), 0);
    cr_assert_eq(schedule_add(&s, 4 * S, 0), 0);
    cr_assert_eq(schedule_due(&s, 1 * S - 1), 0);
    cr_assert_eq(schedule_due(&s, 3 * S - 1), 2000);
    cr_assert_eq(schedule_due(&s, 4 * S - 1), 7000);
    cr_assert_eq(schedule_due(&s, HOUR), 7000);
    cr_assert_eq(schedule_due_ns(&s, 7000), INT64_MAX, "a rate of nothing");
    cr_assert_eq(schedule_add(&s, 2 * S, 1), -EINVAL, "not later");
    cr_assert_float_eq(schedule_rate(&s, 2 * S), 1000, 1e-6);
}

Test(schedule, a_burst_comes_at_its_time_beside_the_rate)
{
    struct schedule s;
    schedule_init(&s, 100);
    schedule_burst(&s, 5000, 2 * S);
    cr_assert_eq(schedule_due(&s, 2 * S - 1), 200);
    cr_assert_eq(schedule_due(&s, 2 * S), 5201);
    cr_assert_eq(schedule_due_ns(&s, 200), 2 * S);
    cr_assert_eq(schedule_due_ns(&s, 5199), 2 * S);
    cr_assert_eq(schedule_due_ns(&s, 5201), 2 * S + 10 * MS);
    cr_assert_eq(schedule_due(&s, 3 * S - 1), 5300);
}

Test(schedule, it_ends_with_its_number_or_its_time)
{
    struct schedule s;
    schedule_init(&s, 1000);
    schedule_end(&s, 1500, 0);
    cr_assert_eq(schedule_total(&s), 1500);
    cr_assert_eq(schedule_due(&s, HOUR), 1500);
    cr_assert_eq(schedule_due_ns(&s, 1500), INT64_MAX);
    schedule_end(&s, 0, 10 * S);
    cr_assert_eq(schedule_total(&s), 10000);
    cr_assert_eq(schedule_due(&s, HOUR), 10000);
    cr_assert_eq(schedule_due_ns(&s, 10000), INT64_MAX);
    schedule_end(&s, 1500, 1 * S);
    cr_assert_eq(schedule_total(&s), 1000, "whichever is first");
}

Test(schedule, too_many_pieces_are_refused)
{
    struct schedule s;
    schedule_init(&s, 1);
    for (int64_t i = 1; i < SCHEDULE_PIECES_MAX; i++)
        cr_assert_eq(schedule_add(&s, i * S, (double)i), 0);
    cr_assert_eq(schedule_add(&s, 1000000 * S, 1), -ENOSPC);
    cr_assert_eq(schedule_add(&s, (SCHEDULE_PIECES_MAX - 1) * S, 7), 0, "the last is replaced");
}

/* A thread with a fake clock: wakes when planned, except during stalls. */
struct fake {
    struct schedule s;
    struct pace p;
    int64_t now, sent, wakes;
    int64_t in_second[200];
    int64_t most_at_once;
};

static void fake_init(struct fake *f, double rate)
{
    memset(f, 0, sizeof(*f));
    schedule_init(&f->s, rate);
    pace_init(&f->p);
}

static void fake_run(struct fake *f, int64_t until)
{
    while (f->now < until) {
        int64_t due = schedule_due(&f->s, pace_advance(&f->p, f->now));
        int64_t n = due - f->sent;
        f->in_second[f->now / S] += n;
        f->most_at_once = MAX(f->most_at_once, n);
        f->sent = due;
        f->wakes++;
        int64_t next = MAX(schedule_due_ns(&f->s, f->sent), f->p.clock_ns + MS);
        f->now = MIN(pace_plan(&f->p, next), until);
    }
}

Test(schedule, a_thread_that_is_on_time_sends_each_second_what_is_due_and_sleeps_between)
{
    static const double rates[] = {1, 100, 1000, 20000, 1000000};
    for (size_t i = 0; i < ARRAY_LEN(rates); i++) {
        struct fake f;
        fake_init(&f, rates[i]);
        fake_run(&f, 20 * S);
        for (int second = 0; second < 20; second++) {
            int64_t off = f.in_second[second] - (int64_t)rates[i];
            cr_assert(off <= rates[i] / 100 && -off <= rates[i] / 100, "%g/s, second %d: %lld",
                      rates[i], second, (long long)f.in_second[second]);
        }
        cr_assert_leq(f.wakes, 20 * MIN(rates[i], 1000) + 40, "%g/s: %lld wakes", rates[i],
                      (long long)f.wakes);
        cr_assert_eq(f.p.stalls, 0, "sleeping is no stall");
    }
}

Test(schedule, after_a_stall_only_ten_milliseconds_worth_goes_out_at_once_and_the_rest_is_spread)
{
    static const int64_t stalls_ms[] = {11, 20, 50, 90};
    for (size_t i = 0; i < ARRAY_LEN(stalls_ms); i++) {
        struct fake f;
        fake_init(&f, 20000);
        fake_run(&f, 3 * S);
        f.most_at_once = 0;
        f.now += stalls_ms[i] * MS; /* nobody was awake */
        fake_run(&f, 60 * S);
        cr_assert_leq(f.most_at_once, 201, "%lld ms: %lld at once", (long long)stalls_ms[i],
                      (long long)f.most_at_once);
        for (int second = 4; second < 60; second++)
            cr_assert_leq(f.in_second[second], 20000 * 101 / 100 + 1, "%lld ms, second %d: %lld",
                          (long long)stalls_ms[i], second, (long long)f.in_second[second]);
        cr_assert_leq(f.in_second[3], 20000 + 200);
        cr_assert_geq(f.sent, 60 * 20000 - 20, "all of it came in the end: %lld",
                      (long long)f.sent);
        cr_assert_eq(f.p.stalls, 1);
    }
}

Test(schedule, after_a_long_stall_the_rate_is_exceeded_by_a_tenth_at_most)
{
    struct fake f;
    fake_init(&f, 10000);
    fake_run(&f, 2 * S);
    f.most_at_once = 0;
    f.now += 5 * S;
    fake_run(&f, 199 * S);
    cr_assert_leq(f.most_at_once, 101);
    for (int second = 7; second < 199; second++)
        cr_assert_leq(f.in_second[second], 11000 + 101, "second %d: %lld", second,
                      (long long)f.in_second[second]);
    cr_assert_geq(f.sent, 199 * 10000 - 20, "%lld", (long long)f.sent);
}

Test(schedule, at_a_low_rate_what_a_stall_held_up_does_not_come_as_a_lump)
{
    struct fake f;
    fake_init(&f, 1);
    fake_run(&f, 10 * S);
    f.now += 5 * S;
    f.most_at_once = 0;
    fake_run(&f, 30 * S);
    cr_assert_leq(f.most_at_once, 1);
    for (int second = 15; second < 30; second++)
        cr_assert_leq(f.in_second[second], 2, "second %d: %lld", second,
                      (long long)f.in_second[second]);
}

Test(schedule, a_clock_that_stands_still_or_goes_back_changes_nothing)
{
    struct pace p;
    pace_init(&p);
    cr_assert_eq(pace_advance(&p, 5 * MS), 5 * MS);
    cr_assert_eq(pace_advance(&p, 5 * MS), 5 * MS);
    cr_assert_eq(pace_advance(&p, 1 * MS), 5 * MS);
    cr_assert_eq(p.stalls, 0);
}
