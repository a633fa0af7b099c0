#include <criterion/criterion.h>

#include "bench/run/plan.h"

static const char *const two[] = {"azekura", "rsyslog:file"};

static void make(const char *text, struct profile *p, size_t targets, struct plan *plan)
{
    struct err err;
    cr_assert_eq(profile_parse("x", text, p, &err), 0, "%s", err.message);
    cr_assert_eq(profile_expand(p, &err), 0, "%s", err.message);
    plan_make(p, two, targets, plan);
}

/* "run.test.target …" */
static void order(const struct plan *plan, char *ret, size_t n)
{
    size_t used = 0;
    for (size_t i = 0; i < plan->n; i++)
        used += (size_t)snprintf(ret + used, n - used, "%s%d.%zu.%c", i ? " " : "",
                                 plan->steps[i].run, plan->steps[i].test,
                                 plan->steps[i].target ? 'B' : 'A');
}

Test(plan, targets_take_turns_in_being_first)
{
    static struct profile p;
    struct plan plan;
    char text[400];
    make("runs = 2\nrates = 1 2\n[t]\n", &p, 2, &plan);
    order(&plan, text, sizeof(text));
    cr_expect_str_eq(text, "1.0.A 1.0.B 1.1.B 1.1.A 2.0.A 2.0.B 2.1.B 2.1.A");
    plan_free(&plan);
}

Test(plan, an_odd_number_of_tests_takes_turns_over_the_runs_too)
{
    static struct profile p;
    struct plan plan;
    char text[400];
    make("runs = 3\n[t]\n", &p, 2, &plan);
    order(&plan, text, sizeof(text));
    cr_expect_str_eq(text, "1.0.A 1.0.B 2.0.B 2.0.A 3.0.A 3.0.B");
    plan_free(&plan);
}

Test(plan, the_warm_up_is_one_short_trial_a_target)
{
    static struct profile p;
    struct plan plan;
    char text[400];
    make("warm_up = 1\nrates = 1000 2000\ntime = 60\n[t]\n", &p, 2, &plan);
    order(&plan, text, sizeof(text));
    cr_expect_str_eq(text, "0.0.A 0.0.B 1.0.B 1.0.A 1.1.A 1.1.B");
    cr_expect_eq(plan.steps[0].messages, 10000);
    cr_expect_eq(plan.steps[2].messages, 60000);
    plan_free(&plan);
}

Test(plan, a_search_that_comes_first_is_warmed_up_for_with_one_short_trial)
{
    static struct profile p;
    struct plan plan;
    char text[400];
    make("warm_up = 1\n[limit]\nfind = knee\nstart_rate = 3000\nshort_time = 6\ntime = 60\n", &p, 2,
         &plan);
    order(&plan, text, sizeof(text));
    cr_expect_str_eq(text, "0.0.A 0.0.B 1.0.B 1.0.A");
    cr_expect_eq(plan.steps[0].messages, 18000, "%f", plan.steps[0].messages);
    cr_expect_lt(plan.steps[0].seconds, 20);
    plan_free(&plan);
}

Test(plan, a_target_is_warmed_up_by_the_first_test_that_is_for_it)
{
    static struct profile p;
    struct plan plan;
    char text[400];
    make("warm_up = 1\n[t]\nexcept = azekura\n[u]\nonly = azekura\n", &p, 2, &plan);
    order(&plan, text, sizeof(text));
    cr_expect_str_eq(text, "0.1.A 0.0.B 1.0.B 1.1.A");
    plan_free(&plan);
}

Test(plan, a_test_is_left_out_where_it_is_not_for_the_target)
{
    static struct profile p;
    struct plan plan;
    char text[400];
    make("[t]\nexcept = azekura\n[u]\nonly = azekura\n", &p, 2, &plan);
    order(&plan, text, sizeof(text));
    cr_expect_str_eq(text, "1.0.B 1.1.A");
    plan_free(&plan);
}

Test(plan, a_search_is_made_once_and_is_no_result_where_a_rate_is_a_part_of_it)
{
    static struct profile p;
    struct plan plan;
    make("runs = 3\n[limit]\nfind = knee\n[part]\nrate_percent = 70\n", &p, 1, &plan);
    cr_expect_eq(plan.n, 4);
    cr_expect(plan_is_calibration(&p, 0));
    cr_expect_not(plan_is_calibration(&p, 1));
    plan_free(&plan);
    make("[a]\nfind = knee\n[b]\nfind = knee\n", &p, 1, &plan);
    cr_expect_not(plan_is_calibration(&p, 0));
    plan_free(&plan);
}

Test(plan, files_are_emptied_between_trials_and_a_database_is_not)
{
    static struct profile p;
    struct plan one, both;
    make("rates = 1000 1000\ntime = 10\nsize = 100\n[t]\n", &p, 1, &one);
    cr_expect_eq(one.messages, 20000);
    cr_expect_eq(one.bytes, 20000 * plan_bytes_a_message("azekura", &p.tests[0]));
    make("rates = 1000 1000\ntime = 10\nsize = 100\n[t]\n", &p, 2, &both);
    cr_expect_eq(both.bytes, one.bytes + 10000 * plan_bytes_a_message("rsyslog:file", &p.tests[0]));
    plan_free(&one);
    plan_free(&both);
}

Test(plan, the_matrix_of_sngbench_is_eleven_lines_and_twenty_rows_a_run)
{
    static const char *const configurations[] = {"syslog-ng:maxperf", "syslog-ng:distro"};
    static struct profile p;
    struct plan plan;
    struct err err;
    int lines[2] = {0}, rows = 0;
    cr_assert_eq(profile_load(AZEKURA_SOURCE_DIR "/firmware/bench/profiles", "sngbench", &p, &err),
                 0, "%s", err.message);
    cr_assert_eq(profile_expand(&p, &err), 0);
    plan_make(&p, configurations, 2, &plan);
    for (size_t i = 0; i < plan.n; i++)
        if (plan.steps[i].run == 2) {
            lines[plan.steps[i].target]++;
            rows += (int)p.tests[plan.steps[i].test].loggens;
        }
    cr_expect_eq(lines[0], 6);
    cr_expect_eq(lines[1], 5);
    cr_expect_eq(rows, 20);
    plan_free(&plan);
}
