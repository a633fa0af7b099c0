#include <criterion/criterion.h>
#include <math.h>

#include "bench/run/trial_measure.h"

static void add(struct trial_seconds *s, double at_s, int64_t scheduled, int64_t sent,
                int64_t canaries, double cpu, double seconds)
{
    struct trial_second second = {
        .at_s = at_s,
        .load = {.scheduled = scheduled + canaries, .sent = sent + canaries, .canaries = canaries},
        .sample = {.cpu_syslog = cpu, .seconds = seconds, .cpu_database = NAN, .load1 = at_s}};
    trial_seconds_add(s, &second);
}

Test(trial_measure, rates_are_taken_after_the_warm_up_and_without_canaries)
{
    struct trial_seconds s = {0};
    struct trial t = {.duration_s = 10};
    for (int i = 1; i <= 10; i++)
        add(&s, i, 1000 * i, i == 1 ? 200 : 1000 * i - 800, 10 * i, 50, 1);
    trial_measure(&s, 10, &t);
    cr_expect_eq(t.from_s, 1);
    cr_expect_eq(t.to_s, 10);
    cr_expect_float_eq(t.offered, 1000, 1e-9);
    cr_expect_float_eq(t.sent, 1000, 1e-9);
    cr_expect_float_eq(t.most_in_a_second, 1000, 1e-9);
    trial_seconds_free(&s);
}

Test(trial_measure, time_spent_on_closing_is_not_time_spent_on_sending)
{
    struct trial_seconds s = {0};
    struct trial t = {.duration_s = 2};
    add(&s, 1, 5000, 5000, 0, 1, 1);
    add(&s, 2.3, 10000, 10000, 0, 1, 1.3);
    add(&s, 3.3, 10000, 10000, 0, 1, 1);
    add(&s, 20, 10000, 10000, 0, 1, 16.7);
    trial_measure(&s, 0, &t);
    cr_expect_eq(t.to_s, 2);
    cr_expect_float_eq(t.sent, 5000, 1e-9, "%f", t.sent);
    trial_seconds_free(&s);
}

Test(trial_measure, a_mean_is_weighed_by_time_and_what_is_unknown_is_left_out)
{
    struct trial_seconds s = {0};
    struct trial t = {.duration_s = 4};
    add(&s, 1, 0, 0, 0, 10, 1);
    add(&s, 4, 0, 0, 0, 50, 3);
    add(&s, 5, 0, 0, 0, NAN, 1);
    trial_measure(&s, 10, &t);
    cr_expect_float_eq(t.cpu_syslog.mean, 40, 1e-9, "%f", t.cpu_syslog.mean);
    cr_expect_eq(t.cpu_syslog.max, 50);
    cr_expect(isnan(t.cpu_database.mean) && isnan(t.cpu_database.max));
    cr_expect_eq(t.load1.max, 5);
    trial_seconds_free(&s);
}

Test(trial_measure, the_rest_of_a_second_makes_no_peak)
{
    struct trial_seconds s = {0};
    struct trial t = {.duration_s = 2};
    add(&s, 1, 1000, 1000, 0, 20, 1);
    add(&s, 2, 2000, 2000, 0, 30, 1);
    add(&s, 2.004, 2000, 2000, 0, 500, 0.004);
    trial_measure(&s, 0, &t);
    cr_expect_eq(t.cpu_syslog.max, 30, "%f", t.cpu_syslog.max);
    cr_expect_float_eq(t.cpu_syslog.mean, (20 + 30 + 500 * 0.004) / 2.004, 1e-9,
                       "what it used is of the whole: %f", t.cpu_syslog.mean);
    cr_expect_float_eq(t.load1.max, 2.004, 1e-9, "a load is there at a moment");
    trial_seconds_free(&s);
}

Test(trial_measure, a_trial_shorter_than_half_a_second_has_means_and_no_peak)
{
    struct trial_seconds s = {0};
    struct trial t = {.duration_s = 0.4};
    add(&s, 0.4, 100, 100, 0, 20, 0.4);
    trial_measure(&s, 0, &t);
    cr_expect_eq(t.cpu_syslog.mean, 20);
    cr_expect(isnan(t.cpu_syslog.max) && isnan(t.most_in_a_second));
    trial_seconds_free(&s);
}

Test(trial_measure, without_any_second_nothing_is_known)
{
    struct trial_seconds s = {0};
    struct trial t = {.duration_s = 0};
    trial_measure(&s, 10, &t);
    cr_expect(isnan(t.sent) && isnan(t.offered) && isnan(t.cpu_syslog.mean));
}

Test(trial_measure, the_drain_is_from_the_end_of_the_sending_until_the_store_stopped_growing)
{
    static const struct {
        const char *name;
        double duration_s, until_s;
        int64_t stored, visible;
        double drain_s, rate, visible_rate;
    } cases[] = {
        {"buffers of the kernel are stored while connections close", 4, 13.5, 27000, 2700, 9.5,
         2000, 200},
        {"all is stored before the sending ends", 4, 3.5, 8000, 8000, 0, 2000, 2000},
        {"nothing was ever stored", 4, 0, 0, 0, 0, NAN, NAN},
        {"nobody counted what was stored", 4, 5, -1, 500, 1, NAN, 100},
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct trial t = {.duration_s = cases[i].duration_s,
                          .stages = {.stored = cases[i].stored, .visible = cases[i].visible}};
        trial_measure_stored(cases[i].until_s, &t);
        cr_expect_float_eq(t.drain_s, cases[i].drain_s, 1e-9, "%s: %f s", cases[i].name, t.drain_s);
        cr_expect(isnan(cases[i].rate) ? isnan(t.stored) : fabs(t.stored - cases[i].rate) < 1e-6,
                  "%s: %f", cases[i].name, t.stored);
        cr_expect(isnan(cases[i].visible_rate) ? isnan(t.visible)
                                               : fabs(t.visible - cases[i].visible_rate) < 1e-6,
                  "%s: %f", cases[i].name, t.visible);
    }
}
