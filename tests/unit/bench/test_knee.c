#include <criterion/criterion.h>

#include "bench/run/knee.h"

static const struct profile_test test = {
    .start_rate = 10000, .min_rate = 100, .max_rate = 1000000, .precision_percent = 5};

/* A target that loses nothing up to `lossless`, at most 0.01 % up to `tolerant`, more above; long
 * trials only pass up to `long_lossless`. */
struct model {
    double lossless, tolerant, long_lossless;
};

static int search(struct knee *k, const struct model *m)
{
    bool is_long;
    int trials = 0;
    double rate;
    knee_init(k, &test);
    while ((rate = knee_next(k, &is_long)) > 0) {
        double limit = is_long ? m->long_lossless : m->lossless;
        struct knee_point p = {.rate = rate,
                               .trial = ++trials,
                               .is_held = true,
                               .is_long = is_long,
                               .loss_percent = rate <= limit         ? 0
                                               : rate <= m->tolerant ? 0.005
                                                                     : 3};
        cr_assert(rate >= test.min_rate && rate <= test.max_rate, "%f", rate);
        cr_assert_lt(trials, 60);
        knee_tell(k, &p, true);
    }
    return trials;
}

Test(knee, finds_the_rate_to_its_precision)
{
    static const double rates[] = {150, 3000, 9999, 10000, 10001, 38000, 123456, 999999};
    for (size_t i = 0; i < ARRAY_LEN(rates); i++) {
        struct knee k;
        struct model m = {rates[i], rates[i] * 1.3, rates[i]};
        search(&k, &m);
        cr_expect(knee_lossless(&k) <= rates[i] && knee_lossless(&k) >= rates[i] / 1.06,
                  "%.0f: %.0f", rates[i], knee_lossless(&k));
        cr_expect(knee_tolerant(&k) >= knee_lossless(&k));
        cr_expect(knee_tolerant(&k) <= m.tolerant, "%.0f: %.0f", m.tolerant, knee_tolerant(&k));
        cr_expect_gt(k.answer_trial, 0, "a long trial confirmed it");
    }
}

Test(knee, a_rate_that_a_long_trial_does_not_confirm_is_not_the_answer)
{
    struct knee k;
    struct model m = {40000, 50000, 35000};
    search(&k, &m);
    cr_expect(knee_lossless(&k) <= 35000 && knee_lossless(&k) > 30000, "%.0f", knee_lossless(&k));
}

Test(knee, nothing_passes_where_even_the_lowest_rate_loses)
{
    struct knee k;
    struct model m = {0, 0, 0};
    search(&k, &m);
    cr_expect_eq(knee_lossless(&k), 0);
    cr_expect_eq(knee_tolerant(&k), 0);
    cr_expect_eq(k.answer_trial, 0);
}

Test(knee, a_rate_that_was_not_reached_does_not_pass)
{
    struct knee k;
    bool is_long;
    knee_init(&k, &test);
    double first = knee_next(&k, &is_long);
    knee_tell(&k, &(struct knee_point){.rate = first, .is_held = false}, true);
    cr_expect_lt(knee_next(&k, &is_long), first);
}

Test(knee, a_trial_that_is_not_valid_is_repeated_and_not_for_ever)
{
    struct knee k;
    bool is_long;
    knee_init(&k, &test);
    double first = knee_next(&k, &is_long);
    struct knee_point bad = {.rate = first, .is_held = true, .loss_percent = 1};
    for (int i = 0; i < KNEE_RETRIES_MAX; i++) {
        knee_tell(&k, &bad, false);
        cr_expect_eq(knee_next(&k, &is_long), first);
    }
    knee_tell(&k, &bad, false);
    cr_expect_lt(knee_next(&k, &is_long), first);
}

Test(knee, ends_when_verdicts_contradict_each_other)
{
    struct knee k;
    bool is_long;
    double rate;
    int trials = 0;
    knee_init(&k, &test);
    while ((rate = knee_next(&k, &is_long)) > 0 && trials < 1000) {
        struct knee_point p = {
            .rate = rate, .is_held = trials % 3 != 0, .loss_percent = trials % 2};
        knee_tell(&k, &p, trials % 5 != 0);
        trials++;
    }
    cr_expect_lt(trials, 1000);
}
