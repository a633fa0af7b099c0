/* The reasons stand in the schema and in the API's description too: the same, in the same order. */
#include <criterion/criterion.h>

#include <stdio.h>

#include "store/reason.h"

Test(reason, each_has_a_name_of_its_own)
{
    cr_expect_str_eq(reason_name(REASON_NOT_ALLOWED), "not_allowed");
    cr_expect_str_eq(reason_name(REASON_REJECTED), "rejected");
    for (unsigned i = 0; i < REASON_COUNT; i++)
        for (unsigned k = 0; k < i; k++)
            cr_expect_str_neq(reason_name(i), reason_name(k));
    cr_expect_null(reason_name(REASON_COUNT));
}

/* The numbers are in the receiver's files. */
Test(reason, numbers_never_change)
{
    static const char *const names[] = {"not_allowed", "rate_limit", "oversize", "bad_frame",
                                        "over_budget", "queue_full", "crash",    "rejected"};
    cr_assert_eq(ARRAY_LEN(names), REASON_COUNT, "append the new one here");
    for (unsigned i = 0; i < REASON_COUNT; i++)
        cr_expect_str_eq(reason_name(i), names[i]);
}

static char text[1 << 20];

static const char *read_file(const char *path)
{
    FILE *f = fopen(path, "r");
    cr_assert_not_null(f, "%s", path);
    size_t n = fread(text, 1, sizeof(text) - 1, f);
    fclose(f);
    cr_assert(n > 0 && n < sizeof(text) - 1, "%s", path);
    text[n] = 0;
    return text;
}

Test(reason, others_list_them_in_the_same_order)
{
    static const struct {
        const char *path, *from, *to; /* where the list is */
        const char *before, *after;   /* what a name stands between */
    } cases[] = {
        {"/sql/migrations/0003_ledger.sql", "create table azekura.ledger (", ") stored,", "\n    ",
         " bigint "},
        {"/sql/migrations/0003_ledger.sql", "create table azekura.ledger_total (", ");", "\n    ",
         " bigint "},
        {"/firmware/web/openapi.json", "\"Reasons\": {", "\"properties\"", "\"", "\""},
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        char path[512], what[64];
        snprintf(path, sizeof(path), AZEKURA_SOURCE_DIR "%s", cases[i].path);
        const char *at = strstr(read_file(path), cases[i].from);
        cr_assert_not_null(at, "%s: %s", path, cases[i].from);
        const char *end = strstr(at, cases[i].to);
        cr_assert_not_null(end, "%s: %s", path, cases[i].to);
        for (unsigned r = 0; r < REASON_COUNT; r++) {
            snprintf(what, sizeof(what), "%s%s%s", cases[i].before, reason_name(r), cases[i].after);
            const char *next = strstr(at, what);
            cr_assert(next && next < end, "%s, %s: %s is not there, or not in its place", path,
                      cases[i].from, reason_name(r));
            at = next + 1;
        }
    }
}
