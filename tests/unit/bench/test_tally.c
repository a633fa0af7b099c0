#include <criterion/criterion.h>

#include "base/buf.h"
#include "bench/mark.h"
#include "bench/tally.h"

#define RUN UINT64_C(0x00c0ffee00c0ffee)

static void add_text(struct buf *b, uint64_t run, unsigned long long stream,
                     unsigned long long number)
{
    buf_printf(b, "<13>Mar 10 12:00:00 host app: text seq=%016llx-%llu-%llu\n",
               (unsigned long long)run, stream, number);
}

static struct tally_result result_of(const struct tally *t)
{
    struct tally_result r;
    tally_result(t, &r);
    return r;
}

Test(tally, everything_that_was_sent_and_came_once_leaves_nothing_to_say)
{
    struct tally *t = tally_new(RUN);
    struct buf b = BUF_INIT(1 << 24);
    for (unsigned s = 0; s < 3; s++)
        for (unsigned i = 0; i < 10000; i++)
            add_text(&b, RUN, s, i);
    tally_text(t, buf_view(&b));
    for (unsigned s = 0; s < 3; s++)
        cr_assert_eq(tally_expect(t, s, 10000), 0);
    struct tally_result r = result_of(t);
    cr_assert_eq(r.streams, 3);
    cr_assert_eq(r.found, 30000);
    cr_assert_eq(r.missing + r.duplicated + r.unexpected + r.reordered + r.foreign, 0);
    buf_free(&b);
    tally_free(&t);
    cr_assert_null(t);
}

Test(tally, losses_duplicates_strangers_and_damage_are_counted_one_by_one)
{
    struct tally *t = tally_new(RUN);
    struct buf b = BUF_INIT(1 << 24);
    for (unsigned i = 0; i < 20000; i++)
        if ((i + 1) % 1000 != 0)
            for (int k = 0; k < ((i + 1) % 4999 == 0 ? 3 : 1); k++)
                add_text(&b, RUN, 9, i);
    add_text(&b, RUN + 1, 9, 5);
    add_text(&b, RUN, 9, 20000);             /* never sent */
    add_text(&b, RUN, 10, 0);                /* of a stream that sent nothing */
    add_text(&b, RUN, TALLY_STREAMS_MAX, 0); /* beyond the limits */
    add_text(&b, RUN, 4294967296 + 9, 0);    /* the same: not to be taken for stream 9 */
    add_text(&b, RUN, 9, TALLY_NUMBERS_MAX);
    add_text(&b, RUN, 9, UINT64_MAX);
    tally_text(t, buf_view(&b));
    cr_assert_eq(tally_expect(t, 9, 20000), 0);
    struct tally_result r = result_of(t);
    cr_assert_eq(r.found, 19980);
    cr_assert_eq(r.missing, 20);
    cr_assert_eq(r.duplicated, 8);
    cr_assert_eq(r.unexpected, 2 + 4);
    cr_assert_eq(r.foreign, 1);
    cr_assert_eq(r.reordered, 0);
    struct tally_range range[32];
    cr_assert_eq(tally_missing(t, range, 32), 20);
    for (int i = 0; i < 20; i++)
        cr_assert(range[i].stream == 9 && range[i].from == i * 1000 + 999 &&
                  range[i].to == range[i].from);
    cr_assert_eq(tally_missing(t, range, 5), 5);
    cr_assert_eq(tally_duplicated(t, range, 32), 4);
    for (int i = 0; i < 4; i++)
        cr_assert_eq(range[i].from, (i + 1) * 4999 - 1);
    buf_free(&b);
    tally_free(&t);
}

Test(tally, order_is_judged_at_the_first_finding)
{
    static const int numbers[] = {0, 1, 5, 2, 3, 4, 4, 9, 6};
    struct tally *t = tally_new(RUN);
    for (size_t i = 0; i < ARRAY_LEN(numbers); i++)
        cr_assert_eq(tally_add(t, 0, numbers[i]), 0);
    struct tally_result r = result_of(t);
    cr_assert_eq(r.reordered, 4); /* 2, 3, 4 after 5; 6 after 9 */
    cr_assert_eq(r.most_behind, 3);
    cr_assert_eq(r.duplicated, 1);
    struct tally_count c = tally_count(t);
    cr_assert_eq(c.reach, 10);
    cr_assert_eq(c.reach - c.found, 2);
    tally_expect_seen(t);
    cr_assert_eq(result_of(t).missing, 2);
    tally_free(&t);
}

Test(tally, ranges_run_across_words_and_pieces_and_to_the_end_of_what_was_sent)
{
    static const struct {
        int64_t from, to; /* left out */
    } gaps[] = {{0, 0},       {63, 64},      {100, 191},     {4095, 4096},
                {5000, 5001}, {8192, 12287}, {12289, 30000}, {65535, 69999}};
    struct tally *t = tally_new(RUN);
    size_t g = 0;
    for (int64_t i = 0; i < 70000; i++) {
        if (g < ARRAY_LEN(gaps) && i > gaps[g].to)
            g++;
        if (g == ARRAY_LEN(gaps) || i < gaps[g].from)
            cr_assert_eq(tally_add(t, 300, i), 0);
    }
    cr_assert_eq(tally_expect(t, 300, 70000), 0);
    struct tally_range range[ARRAY_LEN(gaps) + 1];
    cr_assert_eq(tally_missing(t, range, ARRAY_LEN(range)), ARRAY_LEN(gaps));
    int64_t missing = 0;
    for (size_t i = 0; i < ARRAY_LEN(gaps); i++) {
        cr_assert(range[i].from == gaps[i].from && range[i].to == gaps[i].to, "gap %zu: %lld…%lld",
                  i, (long long)range[i].from, (long long)range[i].to);
        missing += gaps[i].to - gaps[i].from + 1;
    }
    cr_assert_eq(result_of(t).missing, missing);
    /* all that lies in pieces never touched is one range */
    cr_assert_eq(tally_expect(t, 301, TALLY_NUMBERS_MAX), 0);
    cr_assert_eq(tally_missing(t, range, ARRAY_LEN(range)), ARRAY_LEN(gaps) + 1);
    cr_assert_eq(range[ARRAY_LEN(gaps)].to, TALLY_NUMBERS_MAX - 1);
    tally_free(&t);
}

Test(tally, numbers_far_apart_cost_a_piece_each)
{
    struct tally *t = tally_new(RUN);
    for (int64_t n = TALLY_NUMBERS_MAX - 1; n > 0; n /= 2)
        cr_assert_eq(tally_add(t, 65535, n), 0);
    cr_assert_eq(tally_add(t, 65535, 0), 0);
    cr_assert_lt(tally_bytes(t), 40000);
    cr_assert_eq(tally_count(t).reach, TALLY_NUMBERS_MAX);
    tally_expect_seen(t);
    cr_assert_eq(result_of(t).missing, TALLY_NUMBERS_MAX - 34);
    tally_free(&t);
}

Test(tally, a_million_numbers_in_row_cost_little_more_than_a_bit_each)
{
    struct tally *t = tally_new(RUN);
    for (int64_t n = 0; n < 1000000; n++)
        cr_assert_eq(tally_add(t, 1, n), 0);
    cr_assert_lt(tally_bytes(t), 1000000 / 8 * 11 / 10);
    tally_free(&t);
}

Test(tally, a_text_in_parts_of_any_length_counts_the_same)
{
    struct buf b = BUF_INIT(1 << 20);
    for (unsigned i = 0; i < 200; i++)
        add_text(&b, RUN, i % 3, i * 37);
    b.n--; /* a mark at the very end */
    for (size_t part = 1; part < 300; part++) {
        struct tally *t = tally_new(RUN);
        size_t from = 0, to = 0;
        while (to < b.n) {
            to = MIN(to + part, b.n);
            size_t used = tally_part(t, view_of(b.p + from, to - from));
            cr_assert_leq(used, to - from);
            from += used;
            cr_assert_lt(to - from, MARK_MAX_BYTES);
        }
        tally_text(t, view_of(b.p + from, b.n - from));
        cr_assert_eq(tally_count(t).found, 200, "parts of %zu bytes", part);
        tally_free(&t);
    }
    buf_free(&b);
}

Test(tally, two_halves_counted_apart_are_one_when_merged)
{
    struct tally *a = tally_new(RUN), *b = tally_new(RUN);
    for (int64_t n = 0; n < 10000; n++)
        if (n != 4321)
            cr_assert_eq(tally_add(n % 2 ? a : b, 3, n), 0);
    for (int64_t n = 100; n < 110; n++)
        cr_assert_eq(tally_add(a, 3, n), 0); /* the odd ones a second time in a, the even in b */
    cr_assert_eq(tally_add(a, 70, 0), 0);
    cr_assert_eq(tally_add(b, 71, 1), 0);
    tally_merge(a, b);
    tally_expect_seen(a);
    struct tally_result r = result_of(a);
    cr_assert_eq(r.streams, 3);
    cr_assert_eq(r.found, 9999 + 2);
    cr_assert_eq(r.missing, 1 + 1);
    cr_assert_eq(r.duplicated, 10);
    struct tally_range range[4];
    cr_assert_eq(tally_duplicated(a, range, 4), 1);
    cr_assert(range[0].from == 100 && range[0].to == 109);
    cr_assert_eq(tally_missing(a, range, 4), 2);
    cr_assert(range[0].from == 4321 && range[1].stream == 71);
    tally_free(&a);
    tally_free(&b);
}

Test(tally, what_cannot_be_expected_is_refused)
{
    struct tally *t = tally_new(RUN);
    cr_assert_eq(tally_expect(t, TALLY_STREAMS_MAX, 1), -ERANGE);
    cr_assert_eq(tally_expect(t, 0, -1), -ERANGE);
    cr_assert_eq(tally_expect(t, 0, TALLY_NUMBERS_MAX + 1), -ERANGE);
    cr_assert_eq(tally_add(t, TALLY_STREAMS_MAX, 0), -ERANGE);
    cr_assert_eq(tally_add(t, 0, -1), -ERANGE);
    cr_assert_eq(tally_add(t, 0, TALLY_NUMBERS_MAX), -ERANGE);
    struct tally_result r = result_of(t);
    cr_assert_eq(r.streams, 0);
    cr_assert_eq(r.unexpected, 3);
    tally_free(&t);
}
