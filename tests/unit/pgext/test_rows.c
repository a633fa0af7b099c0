#include "pgext/rows.c"

#include <criterion/criterion.h>

static struct rows s;

Test(rows, a_range_has_exactly_its_rows)
{
    static const uint32_t sizes[] = {1, 2, 63, 64, 65, 127, 128, 129, 200, 65536};
    for (size_t k = 0; k < ARRAY_LEN(sizes); k++) {
        uint32_t n = sizes[k];
        const uint32_t borders[] = {0, 1, 62, 63, 64, 65, 127, 128, n / 2, n - 1, n, n + 5};
        for (size_t a = 0; a < ARRAY_LEN(borders); a++) {
            for (size_t b = 0; b < ARRAY_LEN(borders); b++) {
                uint32_t from = borders[a], to = borders[b];
                rows_range(&s, n, from, to);
                uint32_t high = MIN(to, n);
                uint32_t expected = from < high ? high - from : 0;
                cr_assert_eq(rows_count(&s), expected, "%u rows of %u from %u to %u",
                             rows_count(&s), n, from, to);
                uint32_t seen = 0;
                for (uint32_t i = rows_next(&s, 0); i != UINT32_MAX;
                     i = rows_next(&s, i + 1), seen++)
                    cr_assert(i >= from && i < high, "row %u of %u from %u to %u", i, n, from, to);
                cr_assert_eq(seen, expected);
            }
        }
    }
}

Test(rows, next_and_previous_meet_the_same_rows)
{
    rows_none(&s, 1000);
    uint32_t wanted[] = {0, 1, 63, 64, 500, 511, 512, 998, 999};
    size_t n = ARRAY_LEN(wanted);
    for (size_t i = 0; i < n; i++)
        rows_add(&s, wanted[i]);
    size_t k = 0;
    for (uint32_t i = rows_next(&s, 0); i != UINT32_MAX; i = rows_next(&s, i + 1))
        cr_assert_eq(i, wanted[k++]);
    cr_assert_eq(k, n);
    for (uint32_t i = rows_previous(&s, UINT32_MAX);; i = rows_previous(&s, i - 1)) {
        cr_assert_eq(i, wanted[--k]);
        if (i == 0)
            break;
    }
    cr_assert_eq(k, 0);
}

Test(rows, an_empty_set_has_no_first_and_no_last_row)
{
    rows_none(&s, 130);
    cr_assert_eq(rows_next(&s, 0), UINT32_MAX);
    cr_assert_eq(rows_previous(&s, UINT32_MAX), UINT32_MAX);
    cr_assert_eq(rows_next(&s, 130), UINT32_MAX);
    rows_none(&s, 0);
    cr_assert_eq(rows_next(&s, 0), UINT32_MAX);
    cr_assert_eq(rows_previous(&s, 0), UINT32_MAX);
}

Test(rows, or_and_difference_work_row_by_row)
{
    static struct rows a, b, d;
    rows_range(&a, 300, 10, 200);
    rows_range(&b, 300, 100, 250);
    rows_and_not(&d, &a, &b);
    rows_or(&a, &b);
    for (uint32_t i = 0; i < 300; i++) {
        cr_assert_eq(rows_has(&d, i), i >= 10 && i < 100, "row %u", i);
        cr_assert_eq(rows_has(&a, i), i >= 10 && i < 250, "row %u", i);
    }
    rows_remove(&a, 10);
    cr_assert_not(rows_has(&a, 10));
    cr_assert_eq(rows_count(&a), 239);
}
