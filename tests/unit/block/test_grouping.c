#include <criterion/criterion.h>

#include "block/grouping.h"

Test(grouping, rows_of_an_entry_come_together_in_their_order)
{
    static const uint16_t rows[] = {2, 1, 0, 2, 1, 2, 0};
    static const uint32_t expected[] = {2, 6, 1, 4, 0, 3, 5};
    uint32_t starts[3], order[ARRAY_LEN(rows)];
    cr_assert(grouping_order(rows, ARRAY_LEN(rows), 3, starts, order));
    for (uint32_t k = 0; k < ARRAY_LEN(rows); k++)
        cr_assert_eq(order[k], expected[k], "text %u is of row %u", k, order[k]);
}

Test(grouping, rows_that_are_together_already_keep_their_order)
{
    static const struct {
        const char *name;
        uint16_t rows[4];
        uint32_t n;
    } cases[] = {
        {"one row", {3}, 1}, {"one entry", {1, 1, 1, 1}, 4}, {"ascending", {0, 1, 1, 3}, 4}};
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        uint32_t starts[4], order[4] = {9, 9, 9, 9};
        cr_assert_not(grouping_order(cases[i].rows, cases[i].n, 4, starts, order), "%s",
                      cases[i].name);
        cr_assert_eq(order[0], 9, "%s: untouched", cases[i].name);
    }
}
