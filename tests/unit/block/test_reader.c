/* Whole columns for filters. */
#include <criterion/criterion.h>

#include "unit/block/block_support.h"

#define START_US INT64_C(1773144000000000)
#define ROWS 1000

struct fixture {
    struct arena a;
    struct block block;
    struct block_reader r;
};

static void make(struct fixture *f)
{
    struct block_builder *b = block_builder_new();
    struct err err;
    *f = (struct fixture){.a = ARENA_INIT};
    block_builder_clear(b, 50);
    for (unsigned i = 0; i < ROWS; i++) {
        static const char *const apps[] = {"sshd", "kernel", NULL, "sshd", "cron"};
        char host[16], text[32];
        int host_n = snprintf(host, sizeof(host), "fw%02u", i % 7);
        int text_n = snprintf(text, sizeof(text), "row %u", i);
        struct record r = {.received_at_us = START_US + i / 10 * 1000, /* ten rows at once */
                           .reported_at_us = TIME_NONE,
                           .source = {4, {10, 0, 0, (uint8_t)(i % 5)}},
                           .hostname = i % 3 ? view_of(host, (size_t)host_n) : VIEW_NULL,
                           .app_name = view_str(apps[i % ARRAY_LEN(apps)]),
                           .message = view_of(text, (size_t)text_n),
                           .raw = view_of(text, (size_t)text_n)};
        cr_assert_eq(block_builder_add(b, &r), 0);
    }
    block_builder_finish(b, &f->block);
    support_reader(&f->r, &f->block, &f->a);
    for (unsigned c = 0; c < BLOCK_COLUMNS; c++)
        cr_assert_eq(block_load(&f->r, c, &err), 0, "%s", err.message);
    block_builder_free(&b);
}

static void done(struct fixture *f)
{
    block_free(&f->block);
    arena_done(&f->a);
}

Test(reader, dictionaries_give_each_row_its_entry)
{
    struct fixture f;
    make(&f);
    const uint16_t *hosts = block_dictionary_rows(&f.r, COLUMN_HOSTNAME);
    const uint16_t *sources = block_dictionary_rows(&f.r, COLUMN_SOURCES);
    cr_assert_eq(block_dictionary_size(&f.r, COLUMN_HOSTNAME), 8);
    cr_assert_eq(block_dictionary_size(&f.r, COLUMN_SOURCES), 5);
    cr_assert_null(block_dictionary_text(&f.r, COLUMN_HOSTNAME, 0).p);
    for (uint32_t i = 0; i < ROWS; i++) {
        struct ip ip;
        cr_assert(view_eq(block_dictionary_text(&f.r, COLUMN_HOSTNAME, hosts[i]),
                          block_text(&f.r, COLUMN_HOSTNAME, i)));
        cr_assert_eq(hosts[i] == 0, i % 3 == 0);
        block_dictionary_source(&f.r, sources[i], &ip);
        cr_assert_eq(ip.bytes[3], i % 5);
    }
    done(&f);
}

Test(reader, a_text_column_is_one_text_with_offsets_and_the_row_of_each)
{
    struct fixture f;
    bool is_seen[ROWS] = {false};
    make(&f);
    struct block_texts t = block_column_texts(&f.r, COLUMN_MESSAGE);
    cr_assert_not_null(t.order, "messages of several programs are stored by program");
    cr_assert_eq(t.offsets[0], 0);
    cr_assert_eq(t.offsets[ROWS], t.all.n);
    for (uint32_t k = 0; k < ROWS; k++) {
        uint32_t row = t.order != NULL ? t.order[k] : k;
        cr_assert(row < ROWS && !is_seen[row], "text %u", k);
        is_seen[row] = true;
        cr_assert(view_eq(view_of(t.all.p + t.offsets[k], t.offsets[k + 1] - t.offsets[k]),
                          block_text(&f.r, COLUMN_MESSAGE, row)));
    }
    done(&f);
}

Test(reader, the_lower_bound_of_a_time_is_the_first_row_not_before_it)
{
    struct fixture f;
    make(&f);
    static const struct {
        int64_t us;
        uint32_t row;
    } cases[] = {
        {INT64_MIN, 0},           {START_US, 0},         {START_US + 1, 10},
        {START_US + 1000, 10},    {START_US + 1001, 20}, {START_US + 99000, 990},
        {START_US + 99001, ROWS}, {INT64_MAX, ROWS},
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++)
        cr_assert_eq(block_lower_bound(&f.r, cases[i].us), cases[i].row, "case %zu", i);
    done(&f);
}

static unsigned fetched;

static struct view counting_fetch(void *context, enum block_column c)
{
    fetched++;
    return support_fetch(context, c);
}

Test(reader, a_column_is_fetched_once_and_only_when_it_is_needed)
{
    struct fixture f;
    struct err err;
    struct block_reader r;
    struct buf raw = BUF_INIT(100);
    make(&f);
    block_reader_init(&r, f.block.messages, f.block.first_seq,
                      (struct block_memory){support_alloc, &f.a}, counting_fetch, &f.block);
    cr_assert_eq(fetched, 0);
    for (unsigned i = 0; i < 3; i++)
        cr_assert_eq(block_load(&r, COLUMN_HOSTNAME, &err), 0);
    cr_assert_eq(fetched, 1);
    for (unsigned i = 0; i < 3; i++)
        cr_assert_eq(block_raw(&r, i, &raw, &err), 0);
    cr_assert_eq(fetched, 4, "layouts, message, and app_name, which orders the messages");
    buf_free(&raw);
    done(&f);
}

Test(reader, raw_bytes_that_do_not_fit_are_an_error_that_says_so)
{
    struct fixture f;
    struct err err;
    struct buf raw = BUF_INIT(3);
    make(&f);
    cr_assert_eq(block_raw(&f.r, 5, &raw, &err), -ENOSPC);
    cr_assert_eq(raw.n, 0);
    cr_assert(strstr(err.message, "row 5") && strstr(err.message, "3"), "%s", err.message);
    buf_free(&raw);
    done(&f);
}
