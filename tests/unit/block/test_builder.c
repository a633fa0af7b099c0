/* Limits and order of a block being built. */
#include <criterion/criterion.h>

#include "base/limits.h"
#include "unit/block/block_support.h"

#define START_US INT64_C(1773144000000000)

static struct record plain_record(int64_t at_us)
{
    return (struct record){.received_at_us = at_us,
                           .reported_at_us = TIME_NONE,
                           .source = {4, {192, 0, 2, 1}},
                           .severity = 5,
                           .facility = 1,
                           .message = VIEW("m"),
                           .raw = VIEW("m")};
}

static void expect_whole(struct block_builder *b, uint32_t messages)
{
    struct arena a = ARENA_INIT;
    struct block block;
    struct block_reader r;
    struct err err;
    cr_assert_eq(block_builder_messages(b), messages);
    block_builder_finish(b, &block);
    cr_assert_eq(block.messages, messages);
    support_reader(&r, &block, &a);
    cr_assert_eq(block_verify(&r, &block, &err), 0, "%s", err.message);
    block_free(&block);
    arena_done(&a);
}

Test(builder, takes_65536_messages_and_not_one_more)
{
    struct block_builder *b = block_builder_new();
    struct record r = plain_record(START_US);
    block_builder_clear(b, 1);
    cr_assert_eq(block_builder_first_at_us(b), TIME_NONE);
    for (unsigned i = 0; i < BLOCK_MAX_MESSAGES; i++)
        cr_assert_eq(block_builder_add(b, &r), 0, "message %u", i);
    cr_assert_eq(block_builder_add(b, &r), -ENOSPC);
    cr_assert_eq(block_builder_raw_bytes(b), BLOCK_MAX_MESSAGES);
    cr_assert_eq(block_builder_first_at_us(b), START_US);
    expect_whole(b, BLOCK_MAX_MESSAGES);
    block_builder_free(&b);
    cr_assert_null(b);
    block_builder_free(&b);
}

Test(builder, refuses_a_message_from_before_the_last_one_and_goes_on)
{
    struct block_builder *b = block_builder_new();
    struct record first = plain_record(START_US), before = plain_record(START_US - 1);
    block_builder_clear(b, 1);
    cr_assert_eq(block_builder_add(b, &first), 0);
    cr_assert_eq(block_builder_add(b, &before), -EDOM);
    cr_assert_eq(block_builder_add(b, &first), 0, "the same time is in order");
    expect_whole(b, 2);
    block_builder_free(&b);
}

Test(builder, is_full_at_1024_senders_but_takes_more_of_those_it_has)
{
    struct block_builder *b = block_builder_new();
    struct record r = plain_record(START_US);
    block_builder_clear(b, 1);
    for (unsigned i = 0; i < BLOCK_MAX_SOURCES; i++) {
        r.source.bytes[2] = (uint8_t)(i >> 8);
        r.source.bytes[3] = (uint8_t)i;
        cr_assert_eq(block_builder_add(b, &r), 0, "sender %u", i);
    }
    r.source.bytes[1] = 1;
    cr_assert_eq(block_builder_add(b, &r), -ENOSPC);
    r.source.bytes[1] = 0;
    cr_assert_eq(block_builder_add(b, &r), 0);
    expect_whole(b, BLOCK_MAX_SOURCES + 1);
    block_builder_free(&b);
}

/* Every message has a process id of its own: the block is full one message before 65,536, not
 * sooner. */
Test(builder, takes_65535_values_of_a_field_and_null)
{
    struct block_builder *b = block_builder_new();
    struct record r = plain_record(START_US);
    char text[16];
    for (unsigned repeats = 0; repeats < 2; repeats++) {
        block_builder_clear(b, 1);
        for (unsigned i = 0; i < BLOCK_MAX_DICTIONARY - 1; i++) {
            int n = snprintf(text, sizeof(text), "%u", i);
            r.procid = view_of(text, (size_t)n);
            cr_assert_eq(block_builder_add(b, &r), 0, "value %u", i);
        }
        r.procid = VIEW("another");
        cr_assert_eq(block_builder_add(b, &r), -ENOSPC);
        r.procid = repeats ? VIEW("0") : VIEW_NULL; /* the oldest value: as far back as can be */
        cr_assert_eq(block_builder_add(b, &r), 0);
        expect_whole(b, BLOCK_MAX_MESSAGES);
    }
    block_builder_free(&b);
}

Test(builder, goes_on_when_every_message_has_a_layout_of_its_own)
{
    struct block_builder *b = block_builder_new();
    struct record r = plain_record(START_US);
    char raw[32];
    block_builder_clear(b, 1);
    for (unsigned i = 0; i < BLOCK_MAX_MESSAGES; i++) {
        int n = snprintf(raw, sizeof(raw), "%u: m", i);
        r.raw = view_of(raw, (size_t)n);
        r.message = view_of(raw + n - 1, 1);
        cr_assert_eq(block_builder_add(b, &r), 0, "message %u", i);
    }
    expect_whole(b, BLOCK_MAX_MESSAGES);
    block_builder_free(&b);
}

Test(builder, is_full_when_the_text_is_64_MiB_and_a_refused_message_changes_nothing)
{
    const size_t n = 1u << 20;
    struct block_builder *b = block_builder_new();
    struct record r = plain_record(START_US);
    char *text = xmalloc(n);
    memset(text, 'x', n);
    r.message = r.raw = view_of(text, n);
    r.hostname = VIEW("fw01");
    block_builder_clear(b, 1);
    unsigned added = 0;
    int e;
    while ((e = block_builder_add(b, &r)) == 0)
        added++;
    cr_assert_eq(e, -ENOSPC);
    cr_assert_eq(added, BLOCK_MAX_TEXT_BYTES / n - 1, "%u messages of 1 MiB", added);
    r.hostname = VIEW("fw02"); /* refused, so it may not be in the dictionary */
    cr_assert_eq(block_builder_add(b, &r), -ENOSPC);
    cr_assert_eq(block_builder_raw_bytes(b), (uint64_t)added * n);

    struct arena a = ARENA_INIT;
    struct block block;
    struct block_reader reader;
    struct err err;
    block_builder_finish(b, &block);
    support_reader(&reader, &block, &a);
    cr_assert_eq(block_load(&reader, COLUMN_HOSTNAME, &err), 0);
    cr_assert_eq(block_dictionary_size(&reader, COLUMN_HOSTNAME), 2);
    cr_assert_eq(block_verify(&reader, &block, &err), 0, "%s", err.message);
    block_free(&block);
    arena_done(&a);
    block_builder_free(&b);
    free(text);
}

Test(builder, text_that_is_not_clean_is_cleaned_rather_than_spoiling_the_block)
{
    struct block_builder *b = block_builder_new();
    struct record r = plain_record(START_US);
    struct arena a = ARENA_INIT;
    struct block block;
    struct block_reader reader;
    struct err err;
    struct buf raw = BUF_INIT(100);
    r.raw = VIEW("h\xff a caf\xe9");
    r.hostname = view_of(r.raw.p, 2);
    r.message = view_of(r.raw.p + 5, 4);
    block_builder_clear(b, 1);
    cr_assert_eq(block_builder_add(b, &r), 0);
    block_builder_finish(b, &block);
    support_reader(&reader, &block, &a);
    cr_assert_eq(block_verify(&reader, &block, &err), 0, "%s", err.message);
    cr_assert(view_eq(block_text(&reader, COLUMN_MESSAGE, 0), VIEW("caf\xef\xbf\xbd")));
    cr_assert(view_eq(block_text(&reader, COLUMN_HOSTNAME, 0), VIEW("h\xef\xbf\xbd")));
    cr_assert_eq(block_flags(&reader, 0), RECORD_INVALID_UTF8);
    cr_assert_eq(block_raw(&reader, 0, &raw, &err), 0);
    cr_assert(view_eq(buf_view(&raw), r.raw));
    buf_free(&raw);
    block_free(&block);
    arena_done(&a);
    block_builder_free(&b);
}

Test(builder, a_cleared_builder_gives_the_same_block_again)
{
    struct block_builder *b = block_builder_new();
    struct arena a = ARENA_INIT;
    struct block first, second;
    for (unsigned round = 0; round < 2; round++) {
        uint64_t seed = 77;
        block_builder_clear(b, 42);
        for (unsigned i = 0; i < 2000; i++) {
            struct record r = random_record(&seed, &a, START_US + i);
            cr_assert_eq(block_builder_add(b, &r), 0);
        }
        block_builder_finish(b, round ? &second : &first);
        if (round == 0) { /* something quite different in between */
            struct record r = plain_record(START_US);
            block_builder_clear(b, 7);
            cr_assert_eq(block_builder_add(b, &r), 0);
        }
    }
    for (unsigned c = 0; c < BLOCK_COLUMNS; c++)
        cr_assert(view_eq(buf_view(&first.columns[c]), buf_view(&second.columns[c])), "%s",
                  block_column_name(c));
    cr_assert(view_eq(buf_view(&first.tokens), buf_view(&second.tokens)));
    cr_assert(view_eq(buf_view(&first.senders), buf_view(&second.senders)));
    block_free(&first);
    block_free(&second);
    arena_done(&a);
    block_builder_free(&b);
}
