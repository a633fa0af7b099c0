#include "store/array.h"

#include <criterion/criterion.h>
#include <math.h>

Test(array, elements_are_quoted_so_that_the_server_reads_them_back)
{
    static const struct {
        const char *what, *in[3], *expected;
        int n;
    } cases[] = {
        {"none", {0}, "{}", 0},
        {"empty text", {""}, "{\"\"}", 1},
        {"null and the word", {NULL, "NULL"}, "{NULL,\"NULL\"}", 2},
        {"quotes and backslashes", {"a\"b", "c\\d", "{,}"}, "{\"a\\\"b\",\"c\\\\d\",\"{,}\"}", 3},
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct buf b = BUF_INIT(1024);
        for (int k = 0; k < cases[i].n; k++)
            array_add_text(&b, cases[i].in[k]);
        array_end(&b);
        cr_expect_str_eq(buf_str(&b), cases[i].expected, "%s: %s", cases[i].what, buf_str(&b));
        buf_free(&b);
    }
}

Test(array, numbers_that_are_none_are_null)
{
    struct buf b = BUF_INIT(1024);
    array_add_real(&b, 1.5);
    array_add_real(&b, NAN);
    array_add_real(&b, INFINITY);
    array_add_real(&b, 123456789012.0);
    array_add_int(&b, INT64_MIN);
    array_end(&b);
    cr_expect_str_eq(buf_str(&b), "{1.5,NULL,NULL,1.23456789e+11,-9223372036854775808}");
    buf_free(&b);
}

Test(array, one_that_does_not_fit_is_seen_at_the_end)
{
    struct buf b = BUF_INIT(8);
    array_add_text(&b, "longer than eight");
    array_end(&b);
    cr_expect(b.is_full);
    buf_free(&b);
}
