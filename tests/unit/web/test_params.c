#include <criterion/criterion.h>

#include "web/params.h"

static struct arena arena;

static void parse(struct params *p, const char *text)
{
    params_parse(p, &arena, text);
}

Test(params, text_is_decoded)
{
    static const struct {
        const char *in, *out;
    } cases[] = {
        {"q=a", "a"},
        {"q=a+b", "a b"},
        {"q=a%20b", "a b"},
        {"q=%2B", "+"},
        {"q=%e5%bf%9c", "応"},
        {"q=%E5%BF%9C", "応"},
        {"q=", ""},
        {"q", ""},
        {"&&q=1&", "1"},
        {"q=a=b", "a=b"},
        {"q=%25", "%"},
        {"q=%3Cscript%3E", "<script>"},
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct params p;
        struct err err = {0};
        parse(&p, cases[i].in);
        cr_expect_str_eq(params_text(&p, "q", 100, "absent"), cases[i].out, "%s", cases[i].in);
        cr_expect(params_done(&p, &err) == 0, "%s: %s", cases[i].in, err.message);
    }
    arena_done(&arena);
}

Test(params, what_is_not_text_is_refused)
{
    static const char *const cases[] = {"q=%",     "q=%1",      "q=%zz",        "q=a%0", "q=%00",
                                        "q=a%00b", "q=%ff",     "q=%c0%80",     "%ff=1", "q=1&q=2",
                                        "other=1", "q=1&other", "q=12345678901"};
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct params p;
        struct err err = {0};
        parse(&p, cases[i]);
        (void)params_text(&p, "q", 10, "");
        cr_expect(params_done(&p, &err) == -EINVAL, "%s", cases[i]);
        cr_expect(err.message[0], "%s: says why", cases[i]);
    }
    arena_done(&arena);
}

Test(params, numbers_have_their_range)
{
    static const struct {
        const char *in;
        int64_t out; /* -1: refused */
    } cases[] = {
        {"", 7},
        {"n=1", 1},
        {"n=100", 100},
        {"n=0", -1},
        {"n=101", -1},
        {"n=-1", -1},
        {"n=+1", -1},
        {"n=1e2", -1},
        {"n=0x10", -1},
        {"n=", -1},
        {"n=%201", -1},
        {"n=1.0", -1},
        {"n=007", 7},
        {"n=99999999999999999999999", -1},
        {"n=1%20OR%201=1", -1},
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct params p;
        struct err err = {0};
        parse(&p, cases[i].in);
        int64_t n = params_int(&p, "n", 1, 100, 7);
        int rc = params_done(&p, &err);
        cr_expect((rc < 0 ? -1 : n) == cases[i].out, "%s: %lld", cases[i].in, (long long)n);
        cr_expect(rc == 0 || strcmp(err.field, "n") == 0, "%s: names the field", cases[i].in);
    }
    arena_done(&arena);
}

Test(params, real_numbers_are_decimal_and_within_their_bounds)
{
    static const struct {
        const char *in;
        double out; /* -1: refused */
    } cases[] = {
        {"", 7},       {"n=0.5", 0.5}, {"n=1e2", 100},  {"n=12.", 12},  {"n=100.1", -1},
        {"n=0.4", -1}, {"n=-1", -1},   {"n=0x10", -1},  {"n=nan", -1},  {"n=inf", -1},
        {"n=", -1},    {"n=1,5", -1},  {"n=1e", -1},    {"n=1%20", -1}, {"n=1e999", -1},
        {"n=.5", -1},  {"n=5GB", -1},  {"n=1.5.5", -1}, {"n=%201", -1},
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct params p;
        struct err err = {0};
        parse(&p, cases[i].in);
        double n = params_real(&p, "n", 0.5, 100, 7);
        int rc = params_done(&p, &err);
        cr_expect((rc < 0 ? -1 : n) == cases[i].out, "%s: %g", cases[i].in, n);
        cr_expect(rc == 0 || strcmp(err.field, "n") == 0, "%s: names the field", cases[i].in);
    }
    arena_done(&arena);
}

Test(params, times_are_rfc_3339_and_in_order)
{
    static const struct {
        const char *in;
        bool is_good;
    } cases[] = {
        {"from=2026-03-10T12:00:00Z", true},
        {"from=2026-03-10T12:00:00.5Z&to=2026-03-10T12:00:01Z", true},
        {"from=2026-03-10T12:00:00%2B09:00", true},
        {"from=2026-03-10T12:00:00+09:00", true}, /* a plus that has become a blank */
        {"from=1970-01-01T00:00:00Z&to=9999-12-31T23:59:59.999999Z", true},
        {"from=1969-12-31T23:59:59.999999Z", false},
        {"from=0000-01-01T00:00:00Z", false},
        {"to=9999-12-31T23:59:59-00:01", false}, /* is in the year 10000 */
        {"from=2026-13-45", false},
        {"from=2026-02-30T00:00:00Z", false},
        {"from=2026-03-10T12:00:00", false},
        {"from=now", false},
        {"from=1", false},
        {"from=", false},
        {"from=2026-03-10T12:00:00Zxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx", false},
        {"from=2026-03-10T12:00:01Z&to=2026-03-10T12:00:01Z", false},
        {"from=2026-03-10T12:00:02Z&to=2026-03-10T12:00:01Z", false},
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct params p;
        struct err err = {0};
        parse(&p, cases[i].in);
        int64_t from = params_time(&p, "from", TIME_NONE), to = params_time(&p, "to", TIME_NONE);
        params_check_range(&p, from, to);
        cr_expect((params_done(&p, &err) == 0) == cases[i].is_good, "%s: %s", cases[i].in,
                  err.message);
    }
    arena_done(&arena);
}

Test(params, a_choice_is_one_of_its_words)
{
    static const struct {
        const char *in;
        int absent, out; /* -1: refused */
    } cases[] = {{"", 1, 1},      {"o=asc", 1, 0},   {"o=desc", 0, 1},      {"o=", 1, -1},
                 {"o=as", 1, -1}, {"o=ascx", 1, -1}, {"o=asc|desc", 1, -1}, {"", -1, -1}};
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct params p;
        struct err err = {0};
        parse(&p, cases[i].in);
        int o = params_choice(&p, "o", "asc|desc", cases[i].absent);
        cr_expect((params_done(&p, &err) < 0 ? -1 : o) == cases[i].out, "\"%s\": %d", cases[i].in,
                  o);
    }
    arena_done(&arena);
}

Test(params, too_many_are_refused)
{
    struct params p;
    struct err err = {0};
    char text[1000] = "";
    size_t n = 0;
    for (int i = 0; i <= PARAMS_MAX; i++)
        n += (size_t)snprintf(text + n, sizeof(text) - n, "a%d=1&", i);
    parse(&p, text);
    cr_expect(params_done(&p, &err) == -EINVAL);
    arena_done(&arena);
}
