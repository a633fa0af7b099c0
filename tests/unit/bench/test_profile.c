#include <criterion/criterion.h>
#include <dirent.h>

#include "bench/run/profile.h"

static const char good[] = "# a comment\n"
                           "title.en = Two steps\n"
                           "options = time rates size\n"
                           "runs = 3\n"
                           "drain = 2m\n"
                           "\n"
                           "rates = 5000 10000\n"
                           "size = 100\n"
                           "[udp]\n"
                           "[tcp]\n"
                           "transport = tcp\n"
                           "  connections   =  4  \n"
                           "time = 1h\n";

static void parse(const char *text, struct profile *p)
{
    struct err err;
    cr_assert_eq(profile_parse("x.profile", text, p, &err), 0, "%s", err.message);
}

Test(profile, keys_before_the_first_section_hold_for_all_tests)
{
    static struct profile p;
    parse(good, &p);
    cr_assert_eq(p.tests_n, 2);
    cr_expect_str_eq(p.title_en, "Two steps");
    cr_expect_eq(p.runs, 3);
    cr_expect_eq(p.drain_s, 120);
    cr_expect_str_eq(p.tests[0].name, "udp");
    cr_expect_eq(p.tests[0].transport, TARGET_UDP);
    cr_expect_eq(p.tests[0].size, 100);
    cr_expect_eq(p.tests[0].time_s, 60, "the default");
    cr_expect_eq(p.tests[1].transport, TARGET_TCP);
    cr_expect_eq(p.tests[1].connections, 4);
    cr_expect_eq(p.tests[1].time_s, 3600);
    cr_expect_eq(p.tests[1].rates.n, 2);
    cr_expect_eq(p.tests[1].rates.at[1], 10000);
}

Test(profile, every_error_names_file_line_key_and_limit)
{
    static const struct {
        const char *text, *says[4];
    } cases[] = {
        {"\nsize = 70000\n[a]\n", {"x.profile, line 2", "size", "70000", "65000"}},
        {"size = 12.5\n[a]\n", {"line 1", "size", "12.5", "whole number"}},
        {"size = 0x10\n[a]\n", {"line 1", "size", "0x10"}},
        {"size = nan\n[a]\n", {"line 1", "size", "nan"}},
        {"size =\n[a]\n", {"line 1", "size", "65000"}},
        {"time = 8d\n[a]\n", {"line 1", "time", "8d", "604800"}},
        {"time = 5x\n[a]\n", {"line 1", "time", "5x", "s, m, h, d"}},
        {"rates = 1 2 x\n[a]\n", {"line 1", "rates", "x", "100000000"}},
        {"rates = 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 "
         "31 32 33\n[a]\n",
         {"line 1", "rates", "more than 32"}},
        {"rates = ,\n[a]\n", {"line 1", "rates", "no rate"}},
        {"transport = dup\n[a]\n", {"line 1", "transport", "dup", "udp tcp tls"}},
        {"conections = 1\n[a]\n", {"line 1", "unknown key conections", "connections"}},
        {"zzz = 1\n[a]\n", {"line 1", "unknown key zzz"}},
        {"[a]\nruns = 2\n", {"line 2", "runs", "before the first section"}},
        {"[a]\n[a]\n", {"line 2", "[a] is there twice"}},
        {"[a\n", {"line 1", "']'"}},
        {"[]\n", {"line 1", "section"}},
        {"just words\n", {"line 1", "key = value"}},
        {"= 3\n", {"line 1", "key of 1"}},
        {"", {"x.profile", "no [section]"}},
        {"size = 79\n[a]\n", {"x.profile", "[a]", "79", "80"}},
        {"layout = loggen\nsize = 126\n[a]\n", {"x.profile", "size", "126", "127"}},
        {"ports = 4\n[a]\n", {"x.profile", "ports = 4", "1 connections"}},
        {"loggens = 2\n[a]\n", {"x.profile", "loggens = 2", "1 connections"}},
        {"[a]\nrate_percent = 70\n", {"x.profile", "[a]", "rate_percent", "find = knee"}},
        {"find = knee\nmin_rate = 50\nstart_rate = 10\n[a]\n", {"start_rate = 10", "min_rate 50"}},
    };
    static struct profile p;
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct err err = {.message = ""};
        cr_assert_lt(profile_parse("x.profile", cases[i].text, &p, &err), 0, "%s", cases[i].text);
        for (size_t j = 0; j < ARRAY_LEN(cases[i].says) && cases[i].says[j]; j++)
            cr_expect(strstr(err.message, cases[i].says[j]), "\"%s\" has no \"%s\"", err.message,
                      cases[i].says[j]);
    }
}

Test(profile, more_sections_than_its_limit_are_refused)
{
    static char text[PROFILE_TESTS_MAX * 16 + 64];
    static struct profile p;
    struct err err;
    size_t n = 0;
    for (int i = 0; i < PROFILE_TESTS_MAX; i++)
        n += (size_t)snprintf(text + n, sizeof(text) - n, "[%d]\n", i);
    parse(text, &p);
    cr_assert_eq(p.tests_n, PROFILE_TESTS_MAX);
    snprintf(text + n, sizeof(text) - n, "[one more]\n");
    cr_assert_lt(profile_parse("x", text, &p, &err), 0);
    cr_expect(strstr(err.message, "line 65"), "%s", err.message);
}

Test(profile, any_prefix_of_a_profile_is_read_or_refused)
{
    static struct profile p;
    char text[sizeof(good)];
    for (size_t n = 0; n < sizeof(good); n++) {
        struct err err = {.message = ""};
        memcpy(text, good, n);
        text[n] = 0;
        int rc = profile_parse("x", text, &p, &err);
        cr_expect(rc == 0 || err.message[0], "%zu bytes", n);
    }
}

Test(profile, a_test_of_several_rates_becomes_one_each)
{
    static struct profile p;
    struct err err;
    char title[160];
    parse(good, &p);
    cr_assert_eq(profile_expand(&p, &err), 0, "%s", err.message);
    cr_assert_eq(p.tests_n, 4);
    profile_test_title(&p.tests[1], title, sizeof(title));
    cr_expect_str_eq(title, "10,000 msg/s by UDP");
    profile_test_title(&p.tests[2], title, sizeof(title));
    cr_expect_str_eq(title, "5,000 msg/s by TCP, 4 connections");
}

Test(profile, the_command_line_changes_what_the_profile_allows)
{
    static struct profile p;
    struct err err;
    parse(good, &p);
    cr_assert_eq(profile_override(&p, "rates", "1,2,3", &err), 0, "%s", err.message);
    cr_assert_eq(profile_override(&p, "time", "2m", &err), 0, "%s", err.message);
    cr_expect_eq(p.tests[1].rates.n, 3);
    cr_expect_eq(p.tests[0].time_s, 120);
    cr_expect_eq(p.tests[1].time_s, 120);
    cr_assert_lt(profile_override(&p, "kills", "1", &err), 0);
    cr_expect(strstr(err.message, "does not take --kills; it takes: time rates size"), "%s",
              err.message);
    cr_assert_lt(profile_override(&p, "size", "10", &err), 0, "the compact layout needs 80");
    cr_assert_lt(profile_override(&p, "time", "forever", &err), 0);
    cr_expect(strstr(err.message, "--time = forever"), "%s", err.message);
}

Test(profile, a_test_is_for_the_targets_it_names)
{
    struct profile_test t = {.only = "", .except = "a b:c"};
    cr_expect(profile_test_is_for(&t, "x"));
    cr_expect_not(profile_test_is_for(&t, "a"));
    cr_expect_not(profile_test_is_for(&t, "b:c"));
    cr_expect(profile_test_is_for(&t, "b"));
    snprintf(t.only, sizeof(t.only), "x");
    cr_expect(profile_test_is_for(&t, "x"));
    cr_expect_not(profile_test_is_for(&t, "y"));
}

Test(profile, those_that_are_shipped_are_right)
{
    static struct profile p;
    struct err err;
    char **names;
    const char *folder = AZEKURA_SOURCE_DIR "/firmware/bench/profiles";
    size_t n = profile_list(folder, &names);
    cr_assert_geq(n, 7);
    for (size_t i = 0; i < n; i++) {
        cr_assert_eq(profile_load(folder, names[i], &p, &err), 0, "%s", err.message);
        cr_expect_str_eq(p.name, names[i]);
        cr_expect(p.title_en[0] && p.title_ja[0] && p.what_en[0] && p.what_ja[0], "%s", names[i]);
        /* the title stands over the report whatever rates were asked for */
        cr_expect(!strpbrk(p.title_en, "0123456789") && !strpbrk(p.title_ja, "0123456789"), "%s",
                  names[i]);
        cr_expect_eq(profile_expand(&p, &err), 0, "%s", err.message);
    }
    profile_list_free(names, n);
}

Test(profile, a_value_is_told_where_all_tests_have_the_same)
{
    static struct profile p;
    struct err err;
    char value[64];
    static const struct {
        const char *profile, *key, *value;
    } cases[] = {
        {"ladder", "time", "60"},
        {"ladder", "rates", "5000,10000,15000,20000"},
        {"ladder", "transport", "udp"},
        {"mixed", "layout", "mix"},
        {"steady", "goal_syslog_percent", ""},
        {"mixed", "time", ""},
        {"mixed", "searches", ""},
        {"knee", "transport", ""},
        {"ladder", "no such key", ""},
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        const char *folder = AZEKURA_SOURCE_DIR "/firmware/bench/profiles";
        cr_assert_eq(profile_load(folder, cases[i].profile, &p, &err), 0, "%s", err.message);
        profile_value(&p, cases[i].key, value, sizeof(value));
        cr_expect_str_eq(value, cases[i].value, "%s of %s", cases[i].key, cases[i].profile);
    }
}

Test(profile, a_name_that_is_nearly_one_is_suggested)
{
    static struct profile p;
    struct err err;
    cr_assert_eq(profile_load(AZEKURA_SOURCE_DIR "/firmware/bench/profiles", "lader", &p, &err),
                 -ENOENT);
    cr_expect(strstr(err.message, "did you mean ladder?"), "%s", err.message);
    cr_expect(strstr(err.message, "sngbench"), "%s", err.message);
}
