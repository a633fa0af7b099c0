#include <criterion/criterion.h>

#include "bench/run/sngbench.h"

#define ONE "-I 10 -i -r 3000000 --active-connections=10 -S -C 127.0.0.1 514"
#define PART(n, port) "-I 5 -i -r 3000000 --active-connections=" n " -S -C 127.0.0.1 " port

static const char good[] =
    "# comment\n"
    "czp_maxperf," ONE "\n"
    "czp_maxperf," PART("32", "514") "," PART(
        "32", "515") "\n"
                     "\n"
                     "czp_distro," ONE "\n"
                     "czp_distro," PART("32", "514") "," PART(
                         "32",
                         "514") "\r\n"
                                "mine,-D -i -r 500 -s 300 -I 3 --active-connections 2 10.0.0.1 514";

Test(sngbench, a_line_is_a_test_and_loggens_run_side_by_side)
{
    static struct profile p;
    struct err err;
    profile_defaults(&p);
    cr_assert_eq(sngbench_parse("input.txt", good, &p, &err), 0, "%s", err.message);
    cr_assert_eq(p.tests_n, 5);
    const struct profile_test *t = &p.tests[0];
    cr_expect_eq(t->connections, 10);
    cr_expect_eq(t->rates.at[0], 0, "3,000,000 a connection is no limit");
    cr_expect_eq(t->time_s, 10);
    cr_expect_eq(t->size, 256);
    cr_expect_eq(t->transport, TARGET_TCP);
    cr_expect_str_eq(t->loggen, "I_10_i_r_3000000_activeconnections_10_S_C_127.0.0.1_514");
    cr_expect_eq(p.tests[1].connections, 64);
    cr_expect_eq(p.tests[1].loggens, 2);
    cr_expect_eq(p.tests[1].ports, 2);
    cr_expect_eq(p.tests[3].ports, 1);
    t = &p.tests[4];
    cr_expect_eq(t->transport, TARGET_UDP);
    cr_expect_eq(t->rates.at[0], 1000, "loggen's rate is a connection's");
    cr_expect_eq(t->size, 300);
}

Test(sngbench, a_line_is_for_its_configuration_and_once_for_targets_that_are_not_named)
{
    static struct profile p;
    struct err err;
    static const struct {
        const char *target, *tests; /* of good: which lines */
    } cases[] = {{"syslog-ng:maxperf", "12"},
                 {"syslog-ng:distro", "34"},
                 {"azekura", "1245"},
                 {"mine", "5"}};
    profile_defaults(&p);
    cr_assert_eq(sngbench_parse("input.txt", good, &p, &err), 0, "%s", err.message);
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        char tests[16] = "";
        for (size_t t = 0, n = 0; t < p.tests_n; t++)
            if (profile_test_is_for(&p.tests[t], cases[i].target))
                tests[n++] = (char)('1' + t);
        cr_expect_str_eq(tests, cases[i].tests, "%s: %s", cases[i].target, tests);
    }
}

Test(sngbench, a_wrong_line_is_named)
{
    static const struct {
        const char *text, *says;
    } cases[] = {
        {"czp_maxperf\n", "line 1: not \"CONFIGURATION,"},
        {",-S 127.0.0.1 514\n", "line 1"},
        {"\na,-S -x 127.0.0.1 514\n", "line 2: loggen argument -x"},
        {"a,-S --active-connections=many 127.0.0.1 514\n", "\"many\" is not a whole number"},
        {"a,-S --active-connections=99999 127.0.0.1 514\n", "up to 16384"},
        {"a,-S 127.0.0.1 0\n", "0: is not a port"},
        {"a,-S 127.0.0.1\n", "ADDRESS PORT"},
        {"a,-S -I 0 127.0.0.1 514\n", "one second"},
        {"a,-S 127.0.0.1 514 more\n", "more: stands after the port"},
        {"a,-S 127.0.0.1 514,-D 127.0.0.1 514\n", "differ in their port alone"},
        {"# nothing\n", "no test in it"},
    };
    static struct profile p;
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct err err = {.message = ""};
        profile_defaults(&p);
        cr_assert_lt(sngbench_parse("input.txt", cases[i].text, &p, &err), 0, "%s", cases[i].text);
        cr_expect(strstr(err.message, cases[i].says), "%s: %s", cases[i].says, err.message);
        cr_expect(strstr(err.message, "input.txt"), "%s", err.message);
    }
}

Test(sngbench, parameters_are_named_as_its_results_name_them)
{
    char text[100], small[8];
    sngbench_params(VIEW(" -I 10 -i --active-connections=128 -S "), text, sizeof(text));
    cr_expect_str_eq(text, "I_10_i_activeconnections_128_S");
    sngbench_params(VIEW("-I 10 -i -S"), small, sizeof(small));
    cr_expect_str_eq(small, "I_10_i_");
}
