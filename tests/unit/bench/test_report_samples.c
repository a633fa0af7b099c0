#include <criterion/criterion.h>

#include <math.h>

#include "bench/report/report_samples.h"

static struct samples parsed(const char *text)
{
    struct samples s = {0};
    struct err err = {0};
    cr_assert_eq(samples_parse(view_str(text), &s, &err), 0, "%s", err.message);
    return s;
}

Test(report_samples, totals_become_rates_and_each_trial_begins_at_0)
{
    struct samples s = parsed("trial,at_s,sent,kernel_dropped,cpu_syslog\n"
                              "1,1,1000,0,12.5\n"
                              "1,3,5000,10,\n"
                              "2,0.5,100,0,7\n");
    static const float expected[][3] = {{1000, 0, 12.5F}, {2000, 5, NAN}, {200, 0, 7}};
    cr_assert_eq(s.n, 3);
    for (size_t i = 0; i < 3; i++) {
        const float *v = s.rows[i].v;
        cr_assert_float_eq(v[SAMPLES_SENT], expected[i][0], 1e-3, "%zu", i);
        cr_assert_float_eq(v[SAMPLES_DROPPED], expected[i][1], 1e-3, "%zu", i);
        cr_assert(isnan(expected[i][2]) ? isnan(v[SAMPLES_CPU_SYSLOG])
                                        : v[SAMPLES_CPU_SYSLOG] == expected[i][2]);
        cr_assert(isnan(v[SAMPLES_STORED]), "a column that is not there is not 0");
    }
    cr_assert_eq(samples_end(&s, 0), 2);
    double x[3];
    cr_assert_eq(samples_values(&s, 0, 3, SAMPLES_CPU_SYSLOG, x), 2);
    samples_free(&s);
}

Test(report_samples, what_is_not_known_is_a_gap_and_the_next_rate_is_over_its_own_time)
{
    struct samples s = parsed("trial,at_s,stored\n1,1,1000\n1,2,\n1,3,3000\n1,4,2000\n1,5,4000\n");
    cr_assert(isnan(s.rows[1].v[SAMPLES_STORED]));
    /* 2,000 in the two seconds since they were last known */
    cr_assert_float_eq(s.rows[2].v[SAMPLES_STORED], 1000, 1e-3, "%g",
                       (double)s.rows[2].v[SAMPLES_STORED]);
    cr_assert(isnan(s.rows[3].v[SAMPLES_STORED]), "a total that shrank is no negative rate");
    cr_assert_float_eq(s.rows[4].v[SAMPLES_STORED], 2000, 1e-3);
    samples_free(&s);
}

Test(report_samples, a_sample_of_milliseconds_gives_no_rate_and_the_next_covers_it)
{
    struct samples s = parsed("trial,at_s,stored,queued,cpu_syslog\n1,1,1000,5,10\n"
                              "1,1.01,1500,7,90\n1,2,2000,3,11\n");
    cr_assert(isnan(s.rows[1].v[SAMPLES_STORED]) && isnan(s.rows[1].v[SAMPLES_CPU_SYSLOG]));
    cr_assert_float_eq(s.rows[1].v[SAMPLES_QUEUED], 7, 0, "what is no rate is known");
    cr_assert_float_eq(s.rows[2].v[SAMPLES_STORED], 1000, 1e-2);
    cr_assert_float_eq(s.rows[2].v[SAMPLES_CPU_SYSLOG], 11, 0);
    samples_free(&s);
}

Test(report_samples, nothing_and_a_header_alone_give_no_rows)
{
    struct samples s = parsed("");
    cr_assert_eq(s.n, 0);
    s = parsed("trial,at_s\n");
    cr_assert_eq(s.n, 0);
    struct err err = {0};
    cr_assert_eq(samples_read("/nowhere/samples.csv", &s, &err), 0);
    cr_assert_eq(s.n, 0);
}

Test(report_samples, faults_name_the_file_and_the_line)
{
    struct samples s;
    struct err err = {0};
    cr_assert_lt(samples_parse(view_str("trial,at_s\n1,\"2\n"), &s, &err), 0);
    cr_assert_not_null(strstr(err.message, "line 2"), "%s", err.message);
    cr_assert_lt(samples_read("/tmp", &s, &err), 0);
    cr_assert_not_null(strstr(err.message, "/tmp is not a file"), "%s", err.message);
}
