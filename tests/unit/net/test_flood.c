/* Who sends most, in fixed memory. */
#include <criterion/criterion.h>

#include "net/flood.h"

static struct ip address(unsigned n)
{
    struct ip ip = {.family = 4, .bytes = {10, (uint8_t)(n >> 16), (uint8_t)(n >> 8), (uint8_t)n}};
    return ip;
}

static void count(struct flood *f, unsigned n, unsigned times)
{
    struct ip ip = address(n);
    while (times-- > 0)
        flood_count(f, &ip);
}

static struct flood f;

Test(flood, the_largest_come_first_and_small_ones_not_at_all)
{
    struct ip ret[4];
    flood_clear(&f);
    count(&f, 1, 100);
    count(&f, 2, 900);
    count(&f, 3, 9); /* less than a hundredth of 1,009 */
    cr_expect_eq(f.total, 1009);
    struct ip one = address(1), two = address(2), nobody = address(4);
    cr_assert_eq(flood_largest(&f, 100, ret, 4), 2);
    cr_expect(ip_eq(&ret[0], &two));
    cr_expect(ip_eq(&ret[1], &one));
    cr_expect_eq(flood_largest(&f, 1000, ret, 4), 3, "a thousandth is enough");
    cr_assert_eq(flood_largest(&f, 1000, ret, 1), 1, "no more than there is room for");
    cr_expect(ip_eq(&ret[0], &two), "and then the largest");
    cr_expect_eq(flood_counted(&f, &one), 100);
    cr_expect_eq(flood_counted(&f, &nobody), 0);
}

Test(flood, families_are_told_apart)
{
    struct ip four = {.family = 4, .bytes = {1}}, six = {.family = 6, .bytes = {1}};
    flood_clear(&f);
    flood_count(&f, &four);
    flood_count(&f, &four);
    flood_count(&f, &six);
    cr_expect_eq(flood_counted(&f, &four), 2);
    cr_expect_eq(flood_counted(&f, &six), 1);
}

Test(flood, a_source_is_found_among_any_number_of_forged_ones)
{
    enum { ROUNDS = 20000 };
    struct ip ret[8], one = address(1);
    flood_clear(&f);
    for (unsigned i = 0; i < ROUNDS; i++) {
        count(&f, 1000 + i, 9); /* each forged one comes nine times and never again */
        count(&f, 1, 1);
    }
    cr_expect_leq(f.used, FLOOD_COUNTERS);
    cr_expect_gt(f.rounds, 0, "the counters did not suffice");
    cr_expect_leq(f.rounds, f.total / FLOOD_COUNTERS);
    uint32_t counted = flood_counted(&f, &one);
    cr_expect_leq(counted, ROUNDS);
    cr_expect_geq(counted + f.rounds, ROUNDS, "too small by no more than the rounds");
    cr_assert_eq(flood_largest(&f, 64, ret, 8), 1);
    cr_expect(ip_eq(&ret[0], &one));
}

Test(flood, with_all_counters_in_use_the_table_still_finds_each)
{
    flood_clear(&f);
    for (unsigned i = 0; i < FLOOD_COUNTERS; i++)
        count(&f, i * 7919, 2 + i % 3);
    cr_expect_eq(f.used, FLOOD_COUNTERS);
    for (unsigned i = 0; i < FLOOD_COUNTERS; i++) {
        struct ip ip = address(i * 7919);
        cr_expect_eq(flood_counted(&f, &ip), 2 + i % 3, "source %u", i);
    }
    count(&f, 1, 1); /* one more: each of the others has one less */
    cr_expect_eq(f.rounds, 1);
    for (unsigned i = 0; i < FLOOD_COUNTERS; i++) {
        struct ip ip = address(i * 7919);
        cr_expect_eq(flood_counted(&f, &ip), 1 + i % 3, "source %u", i);
    }
}

Test(flood, what_is_usual_is_the_median_of_enough_sources)
{
    flood_clear(&f);
    cr_expect_eq(flood_median(&f), 0, "nobody");
    for (unsigned i = 1; i < FLOOD_SOURCES_MIN; i++)
        count(&f, i, 3);
    cr_expect_eq(flood_median(&f), 0, "too few to say");
    count(&f, FLOOD_SOURCES_MIN, 5000);
    cr_expect_eq(flood_median(&f), 3, "a flood is not usual");
    for (unsigned i = 0; i < 10; i++)
        count(&f, 100 + i, 40);
    cr_expect_eq(flood_median(&f), 40);
}
