#include <criterion/criterion.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"

Test(buf, grows_to_its_maximum_and_not_a_byte_further)
{
    struct buf b = BUF_INIT(1000);
    for (int i = 0; i < 1000; i++)
        cr_assert_eq(buf_add_char(&b, 'x'), 0, "byte %d", i);
    cr_assert_eq(buf_add_char(&b, 'x'), -ENOSPC);
    cr_assert(b.is_full);
    cr_assert_eq(b.n, 1000);
    cr_assert_eq(strlen(buf_str(&b)), 1000);
    buf_clear(&b);
    cr_assert_eq(buf_add(&b, "ab", 2), 0);
    buf_free(&b);
}

Test(buf, an_append_that_does_not_fit_changes_nothing)
{
    struct buf b = BUF_INIT(8);
    cr_assert_eq(buf_printf(&b, "%d", 12345), 0);
    cr_assert_eq(buf_printf(&b, "%s", "longer than what is left"), -ENOSPC);
    cr_assert_str_eq(buf_str(&b), "12345");
    buf_free(&b);
}

Test(buf, printf_of_more_than_its_small_buffer_is_whole)
{
    struct buf b = BUF_INIT(10000);
    cr_assert_eq(buf_printf(&b, "%1000d|", 7), 0);
    cr_assert_eq(b.n, 1001);
    cr_assert_eq(b.p[999], '7');
    buf_free(&b);
}

Test(arena, hands_out_aligned_zeroed_memory_and_takes_it_back_at_once)
{
    struct arena a = ARENA_INIT;
    for (int round = 0; round < 3; round++) {
        for (size_t n = 0; n < 3000; n += 7) {
            char *p = arena_alloc(&a, n);
            cr_assert_eq((uintptr_t)p % 16, 0);
            for (size_t i = 0; i < n; i++)
                cr_assert_eq(p[i], 0);
            memset(p, 0xff, n);
        }
        arena_clear(&a);
    }
    char *big = arena_alloc(&a, 1 << 20);
    memset(big, 1, 1 << 20);
    cr_assert_str_eq(arena_strdup(&a, VIEW("text")), "text");
    cr_assert(view_is_null(arena_copy(&a, VIEW_NULL)));
    arena_done(&a);
}

Test(err, a_prefix_goes_in_front_and_arguments_may_come_from_the_error_itself)
{
    struct err err;
    cr_assert_eq(
        err_set_field(&err, ERANGE, "bad_value", "listen.udp", "port %d is out of 1..65535", 70000),
        -ERANGE);
    err_prefix(&err, "listener %d: ", 2);
    cr_assert_str_eq(err.message, "listener 2: port 70000 is out of 1..65535");
    cr_assert_str_eq(err.field, "listen.udp");
    cr_assert_eq(err_set(&err, EIO, "io", "again: %s", err.message), -EIO);
    cr_assert_str_eq(err.message, "again: listener 2: port 70000 is out of 1..65535");
    cr_assert_eq(err_set(NULL, EIO, "io", "no place"), -EIO);
}

Test(view, numbers_are_read_with_their_limit)
{
    uint64_t n;
    cr_assert_eq(view_u64(VIEW("0"), 10, &n), 0);
    cr_assert_eq(view_u64(VIEW("18446744073709551615"), UINT64_MAX, &n), 0);
    cr_assert_eq(n, UINT64_MAX);
    cr_assert_eq(view_u64(VIEW("18446744073709551616"), UINT64_MAX, &n), -ERANGE);
    cr_assert_eq(view_u64(VIEW("11"), 10, &n), -ERANGE);
    static const struct view bad[] = {VIEW(""),   VIEW("-1"), VIEW("+1"), VIEW(" 1"),
                                      VIEW("1 "), VIEW("1x"), VIEW("x")};
    for (size_t i = 0; i < ARRAY_LEN(bad); i++)
        cr_assert_eq(view_u64(bad[i], 10, &n), -EINVAL, "%.*s", VIEW_ARG(bad[i]));
}
