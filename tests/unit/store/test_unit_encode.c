/* Units in PostgreSQL's formats.  That the server takes them is seen in tests/scenario/receiver_*.
 */
#include <criterion/criterion.h>

#include <endian.h>

#include "store/unit_encode.h"

static uint16_t be16(const char *p)
{
    uint16_t v;
    memcpy(&v, p, 2);
    return be16toh(v);
}

static uint32_t be32(const char *p)
{
    uint32_t v;
    memcpy(&v, p, 4);
    return be32toh(v);
}

static uint64_t be64(const char *p)
{
    uint64_t v;
    memcpy(&v, p, 8);
    return be64toh(v);
}

static struct block small_block(void)
{
    struct block b = {
        .first_at_us = INT64_C(946684800000001), /* a µs after PostgreSQL's epoch */
        .last_at_us = INT64_C(946684799999999),
        .first_seq = UINT64_C(0xfedcba9876543210),
        .messages = 65536,
        .raw_bytes = 123456789012,
        .severities = 0x81,
        .facilities = 0x00800001,
        .listeners = 3,
    };
    b.senders = b.tokens = BUF_INIT(100);
    (void)buf_add(&b.senders, "\4\300\0\2\1", 5);
    for (int i = 0; i < BLOCK_COLUMNS; i++)
        b.columns[i] = BUF_INIT(100);
    (void)buf_add(&b.columns[COLUMN_TIMES], "times", 5);
    (void)buf_add(&b.columns[COLUMN_SEQ], "s", 1);
    return b;
}

/* A row from its number of fields on; returns what follows it. */
static const char *expect_row(const char *p, const struct block *b, uint64_t source_group)
{
    cr_expect_eq(be16(p), 27);
    p += 2;
    const struct {
        uint32_t n;
        uint64_t value;
    } numbers[] = {
        {2, source_group}, {8, 1},          {8, UINT64_MAX},
        {8, b->first_seq}, {4, 65536},      {8, 123456789012},
        {2, 0x81},         {4, 0x00800001}, {2, 3},
    };
    for (size_t i = 0; i < ARRAY_LEN(numbers); i++) {
        cr_assert_eq(be32(p), numbers[i].n, "field %zu", i);
        uint64_t v = numbers[i].n == 8   ? be64(p + 4)
                     : numbers[i].n == 4 ? be32(p + 4)
                                         : be16(p + 4);
        cr_expect_eq(v, numbers[i].value, "field %zu: %llu", i, (unsigned long long)v);
        p += 4 + numbers[i].n;
    }
    const struct {
        int32_t n;
        const char *bytes;
    } columns[18] = {
        [0] = {5, "\4\300\0\2\1"}, [1] = {-1, ""}, [2] = {5, "times"}, [17] = {1, "s"}};
    for (size_t i = 0; i < ARRAY_LEN(columns); i++) {
        int32_t want = columns[i].bytes ? columns[i].n : -1;
        cr_assert_eq((int32_t)be32(p), want, "column %zu", i);
        p += 4;
        if (want > 0) {
            cr_expect_eq(memcmp(p, columns[i].bytes, (size_t)want), 0);
            p += want;
        }
    }
    return p;
}

Test(unit, a_block_is_one_row_of_binary_copy_with_its_source_group)
{
    struct block b = small_block(), c = small_block();
    const struct unit_block blocks[] = {{0, &b, NULL}, {31, &c, NULL}, {7, &b, NULL}};
    for (size_t n = 0; n <= ARRAY_LEN(blocks); n++) {
        struct buf out = BUF_INIT(10000);
        cr_assert_eq(unit_encode_blocks(blocks, n, &out), 0);
        cr_assert_eq(memcmp(out.p, "PGCOPY\n\377\r\n\0\0\0\0\0\0\0\0\0", 19), 0);
        const char *p = out.p + 19;
        for (size_t i = 0; i < n; i++)
            p = expect_row(p, blocks[i].block, blocks[i].source_group);
        cr_expect_eq(be16(p), 0xffff, "the trailer");
        cr_expect_eq(p + 2, out.p + out.n, "%zu blocks", n);
        buf_free(&out);
    }
    block_free(&b);
    block_free(&c);
}

Test(unit, a_unit_is_claimed_with_arrays_of_an_element_a_block)
{
    struct block b = small_block(), c = small_block();
    c.first_at_us += US_PER_SECOND;
    c.messages = 1;
    c.raw_bytes = 0;
    buf_clear(&c.columns[COLUMN_TIMES]);
    const struct unit_block blocks[] = {{3, &b, NULL}, {0, &c, NULL}};
    static const char *const want[][CLAIM_ARRAYS] = {
        {"{}", "{}", "{}", "{}", "{}"},
        {"{3}", "{2000-01-01T00:00:00.000001Z}", "{65536}", "{123456789012}", "{11}"},
        {"{3,0}", "{2000-01-01T00:00:00.000001Z,2000-01-01T00:00:01.000001Z}", "{65536,1}",
         "{123456789012,0}", "{11,6}"},
    };
    for (size_t n = 0; n < ARRAY_LEN(want); n++) {
        struct claim_arrays a;
        claim_arrays_make(blocks, n, &a);
        for (unsigned i = 0; i < CLAIM_ARRAYS; i++)
            cr_expect_str_eq(buf_str(&a.text[i]), want[n][i], "%zu blocks, array %u", n, i);
        claim_arrays_free(&a);
    }
    block_free(&b);
    block_free(&c);
}

Test(unit, the_arrays_of_all_groups_fit)
{
    struct block b = small_block();
    struct unit_block blocks[SOURCE_GROUPS_MAX];
    b.raw_bytes = INT64_MAX;
    for (unsigned i = 0; i < SOURCE_GROUPS_MAX; i++)
        blocks[i] = (struct unit_block){(uint8_t)i, &b, NULL};
    struct claim_arrays a;
    claim_arrays_make(blocks, SOURCE_GROUPS_MAX, &a); /* checks that they do */
    cr_expect_eq(a.text[0].n, 2 + 10 + 2 * 23 + 32);
    claim_arrays_free(&a);
    block_free(&b);
}

Test(unit, a_block_that_does_not_fit_leaves_the_buffer_as_it_was)
{
    struct block b = small_block();
    struct buf out = BUF_INIT(60);
    (void)buf_add_str(&out, "before");
    cr_expect_eq(unit_encode_blocks(&(struct unit_block){0, &b, NULL}, 1, &out), -ENOSPC);
    cr_expect(view_eq(buf_view(&out), VIEW("before")));
    block_free(&b);
    buf_free(&out);
}

Test(unit, the_copy_statement_names_as_many_columns_as_a_row_has)
{
    int columns = 1;
    const char *p = strchr(unit_copy_sql, '(');
    for (; *p != ')'; p++)
        columns += *p == ',';
    cr_expect_eq(columns, 27);
}

Test(unit, counts_are_parallel_arrays)
{
    static const struct unit_row rows[] = {
        {.minute_us = INT64_C(1793355660000000),
         .listener = LISTENER_UDP,
         .source = {4, {192, 0, 2, 1}},
         .arrived = 13,
         .stored = 7,
         .bytes = 1000,
         .truncated = 1,
         .refused = {[REASON_NOT_ALLOWED] = 1, [REASON_CRASH] = 2, [REASON_REJECTED] = 3}},
        {.minute_us = INT64_C(1793355720000000),
         .listener = LISTENER_TLS,
         .source = {6, {0x20, 1, 0xd, 0xb8, [15] = 1}},
         .arrived = UINT64_C(9000000000)},
    };
    static const char *const want[COUNT_PARAMETERS] = {
        "{2026-10-30T10:21:00.000000Z,2026-10-30T10:22:00.000000Z}",
        "{udp,tls}",
        "{192.0.2.1,2001:db8::1}",
        "{13,9000000000}",
        "{7,0}",
        "{1000,0}",
        "{1,0}",
        "{1,0,0,0,0,0,2,3,0,0,0,0,0,0,0,0}",
    };
    struct count_parameters p;
    cr_assert_eq(count_parameters_make(rows, ARRAY_LEN(rows), &p), 0);
    for (int i = 0; i < COUNT_PARAMETERS; i++)
        cr_expect_str_eq(buf_str(&p.text[i]), want[i], "parameter %d", i + 1);
    count_parameters_free(&p);
}

Test(unit, gaps_are_arrays_of_the_rows_that_have_any)
{
    const struct unit_row rows[] = {
        {.minute_us = 0, .listener = LISTENER_TCP, .source = {4, {192, 0, 2, 1}}, .missing = 3},
        {.minute_us = 0, .listener = LISTENER_UDP, .source = {4, {192, 0, 2, 2}}, .arrived = 7},
        {.minute_us = US_PER_MINUTE,
         .listener = LISTENER_UDP,
         .source = {6, {0x20, 1, 0xd, 0xb8, [15] = 1}},
         .missing = UINT64_C(9000000000),
         .repeated = 1},
    };
    static const char *const want[GAP_PARAMETERS] = {
        "{1970-01-01T00:00:00.000000Z,1970-01-01T00:01:00.000000Z}",
        "{tcp,udp}",
        "{192.0.2.1,2001:db8::1}",
        "{3,9000000000}",
        "{0,1}",
    };
    struct gap_parameters p;
    cr_assert_eq(gap_parameters_make(rows, ARRAY_LEN(rows), &p), 0);
    cr_expect_eq(p.n, 2);
    for (int i = 0; i < GAP_PARAMETERS; i++)
        cr_expect_str_eq(buf_str(&p.text[i]), want[i], "parameter %d", i + 1);
    gap_parameters_free(&p);
    cr_assert_eq(gap_parameters_make(&rows[1], 1, &p), 0);
    cr_expect_eq(p.n, 0, "nothing to be counted");
    gap_parameters_free(&p);
}

Test(unit, a_run_is_written_as_a_uuid)
{
    static const uint8_t run[UNIT_RUN_BYTES] = {0,    1, 2,  3,  4,  5,  0x46, 7,
                                                0x88, 9, 10, 11, 12, 13, 14,   255};
    char text[UNIT_RUN_TEXT_MAX];
    unit_run_text(run, text);
    cr_expect_str_eq(text, "00010203-0405-4607-8809-0a0b0c0d0eff");
}
