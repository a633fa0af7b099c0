#include <criterion/criterion.h>

#include <math.h>

#include "bench/stats.h"

/* Digits that agree: the log relative error of NIST's Statistical Reference Datasets. */
static double digits(double x, double certified)
{
    double error = fabs(x - certified) / fabs(certified);
    return error == 0 ? 16 : -log10(error);
}

/* StRD Michelso: the speed of light, in units of 1,000 km/s. */
static const double michelso[] = {
    299.85, 299.74, 299.90, 300.07, 299.93, 299.85, 299.95, 299.98, 299.98, 299.88, 300.00, 299.98,
    299.93, 299.65, 299.76, 299.81, 300.00, 300.00, 299.96, 299.96, 299.96, 299.94, 299.96, 299.94,
    299.88, 299.80, 299.85, 299.88, 299.90, 299.84, 299.83, 299.79, 299.81, 299.88, 299.88, 299.83,
    299.80, 299.79, 299.76, 299.80, 299.88, 299.88, 299.88, 299.86, 299.72, 299.72, 299.62, 299.86,
    299.97, 299.95, 299.88, 299.91, 299.85, 299.87, 299.84, 299.84, 299.85, 299.84, 299.84, 299.84,
    299.89, 299.81, 299.81, 299.82, 299.80, 299.77, 299.76, 299.74, 299.75, 299.76, 299.91, 299.92,
    299.89, 299.86, 299.88, 299.72, 299.84, 299.85, 299.85, 299.78, 299.89, 299.84, 299.78, 299.81,
    299.76, 299.81, 299.79, 299.81, 299.82, 299.85, 299.87, 299.87, 299.81, 299.74, 299.81, 299.94,
    299.95, 299.80, 299.81, 299.87};

Test(stats, mean_and_deviation_agree_with_nist)
{
    cr_assert_eq(ARRAY_LEN(michelso), 100);
    cr_assert_gt(digits(stats_mean(michelso, 100), 299.852400000000), 14);
    cr_assert_gt(digits(stats_deviation(michelso, 100), 0.0790105478190518), 13);
    static const double acc1[] = {10000001, 10000003, 10000002};
    cr_assert_eq(stats_mean(acc1, 3), 10000002);
    cr_assert_eq(stats_deviation(acc1, 3), 1);
    /* StRD NumAcc2 to 4: one of .2, then 1,000 of .1 and .3 in turn; the certified deviation is
     * 0.1. The numbers themselves are rounded to double: of the last one 9 digits are left to
     * agree. */
    static const struct {
        double base, expected;
    } acc[] = {{1, 14}, {1000000, 9}, {10000000, 8}};
    for (size_t k = 0; k < ARRAY_LEN(acc); k++) {
        double x[1001] = {acc[k].base + 0.2};
        for (size_t i = 1; i < ARRAY_LEN(x); i++)
            x[i] = acc[k].base + (i % 2 ? 0.1 : 0.3);
        cr_assert_gt(digits(stats_mean(x, 1001), acc[k].base + 0.2), 14, "%g", acc[k].base);
        cr_assert_gt(digits(stats_deviation(x, 1001), 0.1), acc[k].expected, "%g: %.2f",
                     acc[k].base, digits(stats_deviation(x, 1001), 0.1));
    }
}

Test(stats, percentiles_are_those_of_the_seventh_type)
{
    static const double five[] = {35, 15, 50, 20, 40}, four[] = {4, 1, 3, 2}, two[] = {1, 2};
    static const struct {
        const double *x;
        size_t n;
        double p, expected;
    } cases[] = {
        {five, 5, 0, 15},    {five, 5, 5, 16},    {five, 5, 25, 20},   {five, 5, 40, 29},
        {five, 5, 50, 35},   {five, 5, 75, 40},   {five, 5, 99, 49.6}, {five, 5, 100, 50},
        {four, 4, 75, 3.25}, {four, 4, 25, 1.75}, {four, 4, 50, 2.5},  {two, 2, 50, 1.5},
        {two, 2, -7, 1},     {two, 2, 700, 2},
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++)
        cr_assert_float_eq(stats_percentile(cases[i].x, cases[i].n, cases[i].p), cases[i].expected,
                           1e-12, "case %zu: %g", i,
                           stats_percentile(cases[i].x, cases[i].n, cases[i].p));
    cr_assert_eq(five[0], 35); /* not sorted in place */
}

Test(stats, few_samples_and_none)
{
    static const double one[] = {3};
    cr_assert_eq(stats_mean(one, 1), 3);
    cr_assert_eq(stats_median(one, 1), 3);
    cr_assert_eq(stats_mad(one, 1), 0);
    cr_assert_eq(stats_deviation(one, 1), 0);
    cr_assert_eq(stats_percentile(one, 1, 99), 3);
    cr_assert(isnan(stats_mean(NULL, 0)) && isnan(stats_max(NULL, 0)) &&
              isnan(stats_min(NULL, 0)) && isnan(stats_median(NULL, 0)) &&
              isnan(stats_mad(NULL, 0)) && isnan(stats_percentile(NULL, 0, 50)) &&
              isnan(stats_deviation(NULL, 0)));
    cr_assert(isnan(stats_percentile(one, 1, NAN)));
}

Test(stats, what_is_not_a_number_is_no_sample)
{
    static const double x[] = {NAN, 3, NAN, 1, 2, NAN}, none[] = {NAN, NAN};
    cr_assert_eq(stats_mean(x, 6), 2);
    cr_assert_eq(stats_median(x, 6), 2);
    cr_assert_eq(stats_mad(x, 6), 1);
    cr_assert_eq(stats_max(x, 6), 3);
    cr_assert_eq(stats_min(x, 6), 1);
    cr_assert_eq(stats_deviation(x, 6), 1);
    cr_assert_eq(stats_percentile(x, 6, 75), 2.5);
    cr_assert(isnan(stats_mean(none, 2)) && isnan(stats_median(none, 2)) &&
              isnan(stats_mad(none, 2)) && isnan(stats_deviation(none, 2)));
    cr_assert_not(stats_within_noise(none, 2, x, 6));
}

Test(stats, extremes_and_the_deviation_from_the_median)
{
    static const double x[] = {1, 1, 2, 2, 4, 6, 9};
    cr_assert_eq(stats_max(x, 7), 9);
    cr_assert_eq(stats_min(x, 7), 1);
    cr_assert_eq(stats_median(x, 7), 2);
    cr_assert_eq(stats_mad(x, 7), 1);
}

Test(stats, a_difference_is_noise_when_it_is_below_twice_the_larger_mad)
{
    static const double a[] = {98, 100, 102}, near[] = {103, 103.9, 104}, far[] = {104, 104, 104};
    cr_assert(stats_within_noise(a, 3, near, 3));
    cr_assert(stats_within_noise(near, 3, a, 3));
    cr_assert_not(stats_within_noise(a, 3, far, 3));
    cr_assert_not(stats_within_noise(a, 0, far, 3));
    cr_assert_not(stats_within_noise(a, 3, far, 0));
}

struct search {
    double answer, highest_pass, lowest_fail;
    int asked;
};

static uint64_t lcg(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + 1442695040888963407;
    return *state >> 33;
}

/* A search where a trial at `rate` passes below the knee, with verdicts blurred by `noise` of it.
 */
static struct search search(double start, double min, double max, double precision, double knee,
                            double noise, uint64_t seed)
{
    struct bisect b;
    struct search s = {.lowest_fail = INFINITY};
    bisect_init(&b, start, min, max, precision);
    for (double rate; (rate = bisect_next(&b)) > 0; s.asked++) {
        cr_assert(rate >= min && rate <= max, "asks for %g outside %g…%g", rate, min, max);
        cr_assert_lt(s.asked, 200, "no end");
        double blur = knee * noise * ((double)(lcg(&seed) % 2001) / 1000 - 1);
        bool passed = rate <= knee + blur;
        if (passed)
            s.highest_pass = fmax(s.highest_pass, rate);
        else
            s.lowest_fail = fmin(s.lowest_fail, rate);
        bisect_tell(&b, rate, passed);
    }
    s.answer = b.low;
    return s;
}

Test(stats, a_search_ends_at_the_knee_within_its_precision)
{
    static const double knees[] = {1000, 1001, 4999, 20000, 38123, 77777, 99999, 1e9};
    static const double starts[] = {1, 1000, 10000, 50000, 100000, 1e12};
    for (size_t k = 0; k < ARRAY_LEN(knees); k++)
        for (size_t i = 0; i < ARRAY_LEN(starts); i++) {
            struct search s = search(starts[i], 1000, 100000, 0.02, knees[k], 0, 1);
            double expected = fmin(knees[k], 100000);
            cr_assert(s.answer <= expected && s.answer * 1.0201 >= expected,
                      "knee %g, start %g: %g", knees[k], starts[i], s.answer);
            cr_assert_leq(s.asked, 20, "knee %g, start %g: %d trials", knees[k], starts[i],
                          s.asked);
        }
}

Test(stats, a_search_that_nothing_passes_says_so_at_the_least_rate)
{
    struct search s = search(50000, 1000, 100000, 0.02, 999, 0, 1);
    cr_assert_eq(s.answer, 0);
    cr_assert_eq(s.lowest_fail, 1000);
    cr_assert_eq(search(7, 7, 7, 0.1, 7, 0, 1).answer, 7);
    cr_assert_eq(search(7, 7, 7, 0.1, 6, 0, 1).answer, 0);
}

Test(stats, a_search_with_noisy_verdicts_ends_and_its_answer_has_passed)
{
    for (uint64_t seed = 1; seed <= 2000; seed++) {
        uint64_t state = seed;
        double knee = 500 + (double)(lcg(&state) % 200000);
        struct search s = search((double)(1 + lcg(&state) % 300000), 1000, 100000,
                                 seed % 3 ? 0.01 : 0, knee, (double)(seed % 5) / 5, seed);
        cr_assert(s.answer == 0 || (s.answer >= 1000 && s.answer <= s.highest_pass), "seed %d",
                  (int)seed);
        cr_assert_lt(s.answer, s.lowest_fail, "seed %d", (int)seed);
    }
}

Test(stats, a_pass_that_a_longer_trial_contradicts_is_taken_back)
{
    struct bisect b;
    bisect_init(&b, 10000, 1000, 100000, 0.05);
    bisect_tell(&b, 10000, true);
    bisect_tell(&b, 20000, true);
    bisect_tell(&b, 40000, false);
    bisect_tell(&b, 20000, false);
    cr_assert_eq(b.low, 10000);
    cr_assert_eq(b.high, 20000);
    cr_assert_eq(bisect_next(&b), 15000);
    bisect_tell(&b, 30000, true); /* above what fails: luck */
    cr_assert_eq(b.low, 10000);
    bisect_tell(&b, 10000, false);
    cr_assert_eq(b.low, 0);
    cr_assert_eq(bisect_next(&b), 5000);
}
