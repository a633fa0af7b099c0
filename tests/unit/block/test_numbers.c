/* Lists of numbers in planes. */
#include <criterion/criterion.h>

#include "block/numbers.h"
#include "unit/block/block_support.h"

static struct cursor cursor_over(const struct content *c)
{
    return (struct cursor){(const uint8_t *)c->bytes.p, c->bytes.n, false};
}

Test(numbers, every_list_comes_back)
{
    static const uint64_t spans[] = {0, 1, 255, 256, 65535, 65536, UINT32_MAX, UINT64_MAX};
    uint64_t seed = 3, v[300], got[300];
    struct content c;
    content_init(&c);
    for (size_t s = 0; s < ARRAY_LEN(spans); s++) {
        for (size_t n = 1; n <= 300; n += 37) {
            for (size_t i = 0; i < n; i++)
                v[i] = spans[s] == UINT64_MAX ? chance(&seed)
                                              : 17 + chance_below(&seed, spans[s] + 1);
            content_clear(&c);
            numbers_put(&c, v, n);
            struct cursor from = cursor_over(&c);
            cr_assert(numbers_get_u64(&from, n, UINT64_MAX, got), "%zu numbers, span %lu", n,
                      (unsigned long)spans[s]);
            cr_assert_eq(from.n, 0);
            cr_assert_eq(memcmp(v, got, n * sizeof(v[0])), 0, "%zu numbers, span %lu", n,
                         (unsigned long)spans[s]);
        }
    }
    content_done(&c);
}

Test(numbers, a_list_of_16_bits_has_the_bytes_of_one_of_64)
{
    static const unsigned spans[] = {0, 1, 255, 256, 65534};
    uint64_t seed = 5, wide[300];
    uint16_t v[300];
    struct content c, d;
    content_init(&c);
    content_init(&d);
    for (size_t s = 0; s < ARRAY_LEN(spans); s++) {
        for (uint16_t less = 0; less < 2; less++) {
            for (size_t n = 1; n <= 300; n += 23) {
                for (size_t i = 0; i < n; i++) {
                    v[i] = (uint16_t)(1 + chance_below(&seed, spans[s] + 1));
                    wide[i] = v[i] - (uint64_t)less;
                }
                content_clear(&c);
                content_clear(&d);
                numbers_put(&c, wide, n);
                numbers_put_u16(&d, v, n, less);
                cr_assert(view_eq(buf_view(&c.bytes), buf_view(&d.bytes)),
                          "%zu numbers, span %u, less %u", n, spans[s], less);
                cr_assert_eq(c.parts_n, d.parts_n);
            }
        }
    }
    content_done(&c);
    content_done(&d);
}

Test(numbers, a_constant_costs_two_bytes)
{
    uint64_t v[1000];
    for (size_t i = 0; i < ARRAY_LEN(v); i++)
        v[i] = 100;
    struct content c;
    content_init(&c);
    numbers_put(&c, v, ARRAY_LEN(v));
    cr_assert_eq(c.bytes.n, 2);
    content_done(&c);
}

Test(numbers, no_cut_list_is_accepted)
{
    uint64_t v[] = {5, 70000, 6}, got[3];
    struct content c;
    content_init(&c);
    numbers_put(&c, v, 3);
    for (size_t n = 0; n < c.bytes.n; n++) {
        struct cursor from = {(const uint8_t *)c.bytes.p, n, false};
        cr_assert_not(numbers_get_u64(&from, 3, UINT64_MAX, got), "%zu of %zu bytes", n, c.bytes.n);
    }
    content_done(&c);
}

Test(numbers, a_number_over_the_maximum_is_refused)
{
    static const struct {
        uint8_t bytes[8];
        size_t n;
        uint16_t max;
        bool is_good;
        const char *name;
    } cases[] = {
        {{7, 1, 3}, 3, 10, true, "7 + 3 of 10"},
        {{7, 1, 4}, 3, 10, false, "7 + 4 of 10"},
        {{11, 0}, 2, 10, false, "a base over the maximum"},
        {{0, 2, 0xff, 0xff}, 4, 65535, true, "all 16 bits"},
        {{1, 2, 0xff, 0xff}, 4, 65535, false, "a sum that wraps"},
        {{0, 3, 1, 1, 1}, 5, 65535, false, "more planes than the type has"},
        {{0x80, 0x80, 0x80, 0x80}, 4, 65535, false, "a varint without an end"},
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        uint16_t got[1];
        struct cursor from = {cases[i].bytes, cases[i].n, false};
        cr_assert_eq(numbers_get_u16(&from, 1, cases[i].max, got), cases[i].is_good, "%s",
                     cases[i].name);
        cr_assert_eq(from.is_bad, !cases[i].is_good, "%s", cases[i].name);
    }
}
