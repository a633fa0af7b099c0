/* Distinct values. */
#include <criterion/criterion.h>

#include "block/dict.h"

static uint32_t put(struct dict *d, struct view v)
{
    struct dict_key key = dict_key(d, v);
    uint32_t number = dict_find(d, v, &key);
    return number == DICT_NEW ? dict_add(d, v, &key) : number;
}

Test(dict, values_are_numbered_in_the_order_they_come_and_found_again)
{
    struct dict d;
    dict_init(&d);
    for (unsigned round = 0; round < 2; round++) {
        for (unsigned i = 0; i < 3000; i++) {
            char text[64];
            int n = snprintf(text, sizeof(text), "%*u", (int)(i % 40), i);
            cr_assert_eq(put(&d, view_of(text, (size_t)n)), i + 1, "value %u, round %u", i, round);
            cr_assert(view_eq(dict_value(&d, i + 1), view_of(text, (size_t)n)));
        }
    }
    cr_assert_eq(d.n, 3000);
    dict_clear(&d);
    cr_assert_eq(put(&d, VIEW("after")), 1);
    dict_done(&d);
}

Test(dict, null_is_number_0_and_the_empty_text_is_a_value)
{
    struct dict d;
    dict_init(&d);
    cr_assert_eq(put(&d, VIEW_NULL), 0);
    cr_assert_eq(put(&d, VIEW("")), 1);
    cr_assert_eq(put(&d, VIEW("x")), 2);
    cr_assert_eq(put(&d, VIEW("")), 1);
    cr_assert_eq(put(&d, VIEW_NULL), 0);
    dict_done(&d);
}

Test(dict, values_that_differ_in_any_one_byte_are_different)
{
    struct dict d;
    char text[24];
    dict_init(&d);
    for (size_t n = 1; n < sizeof(text); n++) {
        dict_clear(&d);
        memset(text, 'a', sizeof(text));
        uint32_t first = put(&d, view_of(text, n));
        for (size_t i = 0; i < n; i++) {
            text[i] = 'b';
            cr_assert_neq(put(&d, view_of(text, n)), first, "byte %zu of %zu", i, n);
            text[i] = 'a';
            cr_assert_eq(put(&d, view_of(text, n)), first);
        }
    }
    dict_done(&d);
}
