#include <criterion/criterion.h>

#include "bench/suggest.h"

Test(suggest, counts_the_edits_between_two_names)
{
    static const struct {
        const char *a, *b;
        size_t distance;
    } cases[] = {{"", "", 0},
                 {"ladder", "ladder", 0},
                 {"lader", "ladder", 1},
                 {"laddre", "ladder", 1},
                 {"knne", "knee", 1},
                 {"", "abc", 3},
                 {"kitten", "sitting", 3},
                 {"soak", "crash", 4}};
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        cr_expect_eq(suggest_distance(cases[i].a, cases[i].b), cases[i].distance, "%s → %s",
                     cases[i].a, cases[i].b);
        cr_expect_eq(suggest_distance(cases[i].b, cases[i].a), cases[i].distance, "%s → %s",
                     cases[i].b, cases[i].a);
    }
}

Test(suggest, names_the_nearest_and_nothing_that_is_far)
{
    static const char *const names[] = {"ladder", "knee", "soak", "mixed", "crash", "sngbench"};
    static const struct {
        const char *wrong, *near;
    } cases[] = {{"lader", "ladder"}, {"kne", "knee"}, {"sngbnch", "sngbench"}, {"mix", NULL},
                 {"xyz", NULL},       {"", NULL},      {"crsah", "crash"},      {"s0ak", "soak"}};
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        const char *near = suggest_near(cases[i].wrong, names, ARRAY_LEN(names));
        if (cases[i].near == NULL)
            cr_expect_null(near, "%s: %s", cases[i].wrong, near);
        else
            cr_expect(near && strcmp(near, cases[i].near) == 0, "%s", cases[i].wrong);
    }
}

Test(suggest, a_name_of_any_length_is_safe)
{
    char name[1000];
    memset(name, 'a', sizeof(name) - 1);
    name[sizeof(name) - 1] = 0;
    const char *names[] = {"ladder", name};
    cr_expect_null(suggest_near(name, names, 1));
    cr_expect_null(suggest_near("ladder_", names + 1, 1));
}
