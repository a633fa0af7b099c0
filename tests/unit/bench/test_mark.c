#include <criterion/criterion.h>

#include "bench/mark.h"

#define RUN "0123456789abcdef"

Test(mark, a_mark_is_read_in_any_surroundings)
{
    static const struct {
        const char *text;
        uint64_t stream, number;
        size_t at, n;
    } cases[] = {
        {"seq=" RUN "-0-0", 0, 0, 0, 24},
        {"<13>a b seq=" RUN "-7-42 rest", 7, 42, 8, 25},
        {"xseq=" RUN "-07-0042x", 7, 42, 1, 28},
        {"seq= seq=" RUN "-1-2", 1, 2, 5, 24},
        {"seq=01234seq=" RUN "-1-2", 1, 2, 9, 24},
        {"seq=" RUN "-9999999999-3,", 9999999999, 3, 0, 33},
        {"seq=" RUN "-1-18446744073709551615 ", 1, UINT64_MAX, 0, 43},
        {"seq=" RUN "-1-99999999999999999999 ", 1, UINT64_MAX, 0, 43},
        {"seq=" RUN "-1- seq=" RUN "-2-5\n", 2, 5, 24, 24},
        {"a much longer beginning, so that vectors of it are compared, s..=, seq? seq=" RUN "-3-4",
         3, 4, 72, 24},
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct mark m;
        cr_assert(mark_next(view_str(cases[i].text), 0, &m), "%s", cases[i].text);
        cr_assert_eq(m.run, 0x0123456789abcdef, "%s", cases[i].text);
        cr_assert_eq(m.stream, cases[i].stream, "%s", cases[i].text);
        cr_assert_eq(m.number, cases[i].number, "%s", cases[i].text);
        cr_assert_eq(m.at, cases[i].at, "%s: at %zu", cases[i].text, m.at);
        cr_assert_eq(m.end - m.at, cases[i].n, "%s: %zu bytes", cases[i].text, m.end - m.at);
    }
}

Test(mark, what_only_looks_like_one_is_none)
{
    static const char *const cases[] = {
        "",
        "no mark at all",
        "seq=",
        "SEQ=" RUN "-1-2",
        "seq=0123456789ABCDEF-1-2",
        "seq=0123456789abcde-1-2",
        "seq=0123456789abcdef0-1-2",
        "seq=" RUN "_1-2",
        "seq=" RUN "-a-2",
        "seq=" RUN "-1-a",
        "seq=" RUN "-1--2",
        "seq=" RUN "-12345678901-2",
        "seq=" RUN "-1-123456789012345678901",
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct mark m;
        cr_assert_not(mark_next(view_str(cases[i]), 0, &m), "%s", cases[i]);
    }
}

Test(mark, where_the_end_cuts_one_off_is_told_for_every_length)
{
    const char *text = "ab seq=" RUN "-1-2";
    size_t n = strlen(text);
    for (size_t i = 0; i < n; i++) {
        /* memory of exactly the length, so that a read beyond it is seen by a sanitizer */
        char *exact = xmalloc(i + 1);
        memcpy(exact, text, i);
        struct mark m;
        cr_assert_not(mark_next(view_of(exact, i), 0, &m), "%zu bytes", i);
        cr_assert_eq(m.at, MIN(i, 3), "%zu bytes: %zu", i, m.at);
        free(exact);
    }
}

Test(mark, every_place_of_a_text_is_looked_at)
{
    char text[128];
    const char *mark = "seq=" RUN "-5-6";
    size_t n = strlen(mark);
    for (size_t at = 0; at + n <= sizeof(text); at++) {
        memset(text, 's', sizeof(text));
        memcpy(text + at, mark, n);
        for (size_t from = 0; from <= at; from++) {
            struct mark m;
            cr_assert(mark_next(view_of(text, sizeof(text)), from, &m), "at %zu", at);
            cr_assert_eq(m.at, at);
        }
    }
}
