/* query_format(): the trees of test_parse.c are written there; here, what happens at the edge of
 * the buffer. */
#include "query/query.h"

#include <criterion/criterion.h>

#include "base/buf.h"

Test(format, a_buffer_too_small_is_left_as_it_was)
{
    struct arena a = ARENA_INIT;
    struct query_error e;
    const struct query_node *q;
    cr_assert_eq(query_parse(&a, VIEW("hostname:fw* (a OR -b) severity:err..info"), &q, &e), 0);
    static const char expected[] = "hostname:\"fw\"* (\"a\" OR -\"b\") severity:err..info";
    for (size_t max = 2; max < sizeof(expected) + 4; max++) {
        struct buf b = BUF_INIT(max);
        cr_assert_eq(buf_add_str(&b, "x "), 0);
        int rc = query_format(q, &b);
        if (max < 2 + sizeof(expected) - 1) {
            cr_expect_eq(rc, -ENOSPC, "with %zu bytes", max);
            cr_expect_eq(b.n, 2);
        } else {
            cr_expect_eq(rc, 0, "with %zu bytes", max);
            cr_expect_eq(memcmp(b.p + 2, expected, sizeof(expected) - 1), 0);
        }
        buf_free(&b);
    }
    arena_done(&a);
}
