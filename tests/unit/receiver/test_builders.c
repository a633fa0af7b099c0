/* The stock of builders: how many units may have some, and what is kept of those given back. */
#include <criterion/criterion.h>

#include <malloc.h>

#include "receiver/builders.h"

enum { UNITS = builders_units(1) };

static struct builders stock;

static void set_up(void)
{
    builders_init(&stock, 1);
}

static void tear_down(void)
{
    builders_done(&stock);
}

TestSuite(builders, .init = set_up, .fini = tear_down);

static void fill(struct builder *b, unsigned messages, size_t bytes)
{
    static char text[65536];
    memset(text, 'x', sizeof(text));
    struct record r = {.reported_at_us = TIME_NONE,
                       .source = {4, {192, 0, 2, 1}},
                       .facility = 1,
                       .severity = 5,
                       .message = view_of(text, bytes),
                       .raw = view_of(text, bytes)};
    for (unsigned i = 0; i < messages; i++)
        cr_assert_eq(block_builder_add(b->block, &r), 0);
}

Test(builders, four_units_may_have_builders_at_a_time)
{
    for (unsigned i = 0; i < UNITS; i++) {
        cr_expect_eq(builders_free_units(&stock), UNITS - i);
        cr_expect(builders_begin_unit(&stock));
    }
    cr_expect_not(builders_begin_unit(&stock));
    builders_end_unit(&stock);
    cr_expect_eq(builders_free_units(&stock), 1);
    cr_expect(builders_begin_unit(&stock));
}

Test(builders, one_given_back_is_taken_again_empty_and_numbered)
{
    struct builder *b = builders_take(&stock, 7u << 16);
    fill(b, 3, 10);
    builders_give(&stock, b);
    struct builder *again = builders_take(&stock, 9u << 16);
    cr_expect_eq(again, b, "not a new one");
    cr_expect_eq(block_builder_messages(again->block), 0);
    fill(again, 1, 10);
    struct block block;
    block_builder_finish(again->block, &block);
    cr_expect_eq(block.first_seq, 9u << 16);
    block_free(&block);
    builders_give(&stock, again);
}

Test(builders, of_those_that_have_grown_only_as_many_as_units_are_kept)
{
    static const struct {
        unsigned messages;
        size_t bytes;
        bool is_large;
    } cases[] = {
        {1, 10, false},
        {BUILDER_SMALL_MESSAGES, 10, false},
        {BUILDER_SMALL_MESSAGES + 1, 10, true},
        {5, 60000, true}, /* of different texts it would be the same */
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct builder *b = builders_take(&stock, 0);
        fill(b, cases[i].messages, cases[i].bytes);
        builders_give(&stock, b);
        cr_expect_eq(stock.large_n, cases[i].is_large, "case %zu", i);
        cr_expect_eq(stock.small_n, !cases[i].is_large, "case %zu", i);
        builders_done(&stock);
        builders_init(&stock, 1);
    }
    struct builder *taken[UNITS + 3];
    for (size_t i = 0; i < ARRAY_LEN(taken); i++) {
        taken[i] = builders_take(&stock, 0);
        fill(taken[i], BUILDER_SMALL_MESSAGES + 1, 10);
    }
    for (size_t i = 0; i < ARRAY_LEN(taken); i++)
        builders_give(&stock, taken[i]);
    cr_expect_eq(stock.large_n, UNITS);
    cr_expect_eq(stock.small_n, 0, "a large one stays large although it is empty now");
}

Test(builders, small_ones_are_kept_for_two_units_of_all_groups_and_no_more)
{
    struct builder *taken[BUILDERS_SPARE + 2];
    for (size_t i = 0; i < ARRAY_LEN(taken); i++)
        taken[i] = builders_take(&stock, 0);
    for (size_t i = 0; i < ARRAY_LEN(taken); i++)
        builders_give(&stock, taken[i]);
    cr_expect_eq(stock.small_n, BUILDERS_SPARE);
}

Test(builders, more_lanes_may_have_more_units)
{
    static const struct {
        unsigned lanes, units;
    } cases[] = {{1, 4}, {2, 7}, {RECEIVER_LANES_MAX, 49}};
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        builders_done(&stock);
        builders_init(&stock, cases[i].lanes);
        for (unsigned n = 0; n < cases[i].units; n++)
            cr_assert(builders_begin_unit(&stock), "%u lanes, unit %u", cases[i].lanes, n);
        cr_expect_not(builders_begin_unit(&stock), "%u lanes", cases[i].lanes);
    }
}

enum { TAKERS = 4, TURNS = 20000 };
static _Atomic unsigned most, now;

static void *take_and_give(void *context)
{
    (void)context;
    for (unsigned i = 0; i < TURNS; i++) {
        if (!builders_begin_unit(&stock))
            continue;
        unsigned n = atomic_fetch_add(&now, 1) + 1, seen = atomic_load(&most);
        while (n > seen && !atomic_compare_exchange_weak(&most, &seen, n))
            ;
        atomic_fetch_sub(&now, 1);
        builders_end_unit(&stock);
    }
    return NULL;
}

Test(builders, threads_never_have_more_units_together_than_there_are)
{
    pthread_t takers[TAKERS];
    while (builders_free_units(&stock) > 2)
        cr_assert(builders_begin_unit(&stock));
    for (int i = 0; i < TAKERS; i++)
        cr_assert_eq(pthread_create(&takers[i], NULL, take_and_give, NULL), 0);
    for (int i = 0; i < TAKERS; i++)
        pthread_join(takers[i], NULL);
    cr_expect_leq(atomic_load(&most), 2);
    cr_expect_eq(builders_free_units(&stock), 2);
}

Test(builders, what_a_block_of_large_messages_needed_is_not_kept)
{
    struct builder *b = builders_take(&stock, 0);
    struct mallinfo2 before = mallinfo2();
    fill(b, 400, 60000); /* 24 MB: a mapping of its own */
    if (mallinfo2().hblkhd == before.hblkhd)
        cr_skip_test("a sanitizer's allocator does not say what it has");
    cr_assert_gt(mallinfo2().hblkhd, before.hblkhd + (16u << 20));
    builders_give(&stock, b);
    cr_expect_lt(mallinfo2().hblkhd, before.hblkhd + (16u << 20));
}
