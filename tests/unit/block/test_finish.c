/* What a block costs. */
#include <criterion/criterion.h>

#include "unit/block/block_support.h"

#define START_US INT64_C(1773144000000000)

static const char raw[] =
    "<134>Mar 10 12:00:00 fw01 kernel[17]: DROP IN=eth0 SRC=192.0.2.7 DST=198.51.100.9 DPT=22";

static struct record usual_record(int64_t at_us)
{
    return (struct record){.received_at_us = at_us,
                           .reported_at_us = at_us - at_us % US_PER_SECOND,
                           .source = {4, {192, 0, 2, 1}},
                           .facility = 16,
                           .severity = 6,
                           .format = FORMAT_RFC3164,
                           .hostname = view_of(raw + 21, 4),
                           .app_name = view_of(raw + 26, 6),
                           .procid = view_of(raw + 33, 2),
                           .message = view_of(raw + 38, sizeof(raw) - 39),
                           .raw = view_of(raw, sizeof(raw) - 1),
                           .pri_text = view_of(raw + 1, 3),
                           .time_text = view_of(raw + 5, 15),
                           .time_form = TIME_FORM_BSD};
}

static size_t columns_bytes(const struct block *b)
{
    size_t n = 0;
    for (unsigned c = 0; c < BLOCK_COLUMNS; c++)
        n += b->columns[c].n;
    return n;
}

Test(finish, a_block_of_one_message_is_small)
{
    struct block_builder *b = block_builder_new();
    struct record r = usual_record(START_US + 1234);
    struct block block;
    block_builder_clear(b, 1);
    cr_assert_eq(block_builder_add(b, &r), 0);
    block_builder_finish(b, &block);
    cr_assert_lt(columns_bytes(&block), 400, "%zu bytes", columns_bytes(&block));
    cr_assert_eq(block.tokens.n, 64);
    cr_assert_eq(block.senders.n, 5);
    block_free(&block);
    block_builder_free(&b);
}

Test(finish, columns_that_are_constant_cost_next_to_nothing_and_defaults_nothing)
{
    struct block_builder *b = block_builder_new();
    struct block block;
    block_builder_clear(b, 1);
    for (unsigned i = 0; i < 10000; i++) {
        struct record r = usual_record(START_US + i);
        cr_assert_eq(block_builder_add(b, &r), 0);
    }
    block_builder_finish(b, &block);
    static const enum block_column absent[] = {COLUMN_LISTENERS,       COLUMN_FLAGS, COLUMN_MSGID,
                                               COLUMN_STRUCTURED_DATA, COLUMN_RAW,   COLUMN_SEQ};
    static const enum block_column constant[] = {COLUMN_SOURCES,  COLUMN_PRI,      COLUMN_FORMATS,
                                                 COLUMN_HOSTNAME, COLUMN_APP_NAME, COLUMN_PROCID,
                                                 COLUMN_REPORTED};
    for (size_t i = 0; i < ARRAY_LEN(absent); i++)
        cr_assert_eq(block.columns[absent[i]].n, 0, "%s", block_column_name(absent[i]));
    for (size_t i = 0; i < ARRAY_LEN(constant); i++)
        cr_assert(block.columns[constant[i]].n > 0 && block.columns[constant[i]].n <= 30,
                  "%s: %zu bytes", block_column_name(constant[i]), block.columns[constant[i]].n);
    cr_assert_leq(block.columns[COLUMN_LAYOUTS].n, 48, "%zu bytes of layouts",
                  block.columns[COLUMN_LAYOUTS].n);
    cr_assert_lt(columns_bytes(&block), 1000, "%zu bytes", columns_bytes(&block));
    block_free(&block);
    block_builder_free(&b);
}

Test(finish, metadata_say_what_the_rows_have)
{
    static const struct {
        struct ip source;
        uint8_t listener, facility, severity;
    } rows[] = {
        {{6, {0x20, 1, 0xd, 0xb8}}, LISTENER_TLS, 23, 7},
        {{4, {198, 51, 100, 9}}, LISTENER_UDP, 0, 0},
        {{4, {192, 0, 2, 1}}, LISTENER_UDP, 4, 3},
        {{0, {0}}, LISTENER_UDP, 4, 3},
        {{4, {198, 51, 100, 9}}, LISTENER_UDP, 4, 3},
    };
    struct block_builder *b = block_builder_new();
    struct block block;
    block_builder_clear(b, 900);
    for (unsigned i = 0; i < ARRAY_LEN(rows); i++) {
        struct record r = usual_record(START_US + i);
        r.source = rows[i].source;
        r.listener = rows[i].listener;
        r.facility = rows[i].facility;
        r.severity = rows[i].severity;
        cr_assert_eq(block_builder_add(b, &r), 0);
    }
    block_builder_finish(b, &block);
    cr_assert_eq(block.first_at_us, START_US);
    cr_assert_eq(block.last_at_us, START_US + 4);
    cr_assert_eq(block.first_seq, 900);
    cr_assert_eq(block.raw_bytes, 5 * (sizeof(raw) - 1));
    cr_assert_eq(block.severities, 1u << 7 | 1u << 0 | 1u << 3);
    cr_assert_eq(block.facilities, 1u << 23 | 1u << 0 | 1u << 4);
    cr_assert_eq(block.listeners, 1u << LISTENER_TLS | 1u << LISTENER_UDP);
    static const char senders[] = "\x04\xc0\x00\x02\x01\x04\xc6\x33\x64\x09"
                                  "\x06\x20\x01\x0d\xb8\0\0\0\0\0\0\0\0\0\0\0\0";
    cr_assert(view_eq(buf_view(&block.senders), view_of(senders, sizeof(senders) - 1)),
              "senders are sorted and distinct");
    block_free(&block);
    cr_assert_eq(block.messages, 0);
    block_builder_free(&b);
}
