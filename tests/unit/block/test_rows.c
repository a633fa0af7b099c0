/* What went into a block comes out of it. */
#include <criterion/criterion.h>

#include "unit/block/block_support.h"

static void expect_text(struct view is, struct view should_be, const char *field, uint32_t row)
{
    cr_assert(view_eq(is, should_be), "%s of row %u: '%.*s'%s instead of '%.*s'%s", field, row,
              VIEW_ARG(is), is.p ? "" : " (null)", VIEW_ARG(should_be),
              should_be.p ? "" : " (null)");
}

/* Every field and the raw bytes of the row are those of the record. */
static void expect_row(struct block_reader *r, uint32_t row, const struct record *record)
{
    struct err err;
    struct ip source;
    struct buf raw = BUF_INIT(4u << 20);
    for (unsigned c = 0; c < BLOCK_COLUMNS; c++)
        cr_assert_eq(block_load(r, c, &err), 0, "%s", err.message);
    cr_assert_eq(block_time(r, row), record->received_at_us);
    cr_assert_eq(block_reported(r, row), record->reported_at_us,
                 "reported_at of row %u: %ld, not %ld", row, (long)block_reported(r, row),
                 (long)record->reported_at_us);
    block_source(r, row, &source);
    cr_assert(ip_eq(&source, &record->source), "source of row %u", row);
    cr_assert_eq(block_listener(r, row), record->listener);
    cr_assert_eq(block_pri(r, row), record->facility * 8 + record->severity);
    cr_assert_eq(block_format(r, row), record->format);
    cr_assert_eq(block_flags(r, row), record->flags);
    expect_text(block_text(r, COLUMN_HOSTNAME, row), record->hostname, "hostname", row);
    expect_text(block_text(r, COLUMN_APP_NAME, row), record->app_name, "app_name", row);
    expect_text(block_text(r, COLUMN_PROCID, row), record->procid, "procid", row);
    expect_text(block_text(r, COLUMN_MSGID, row), record->msgid, "msgid", row);
    expect_text(block_text(r, COLUMN_STRUCTURED_DATA, row), record->structured_data,
                "structured_data", row);
    expect_text(block_text(r, COLUMN_MESSAGE, row), record->message, "message", row);
    cr_assert_eq(block_raw(r, row, &raw, &err), 0, "%s", err.message);
    cr_assert(raw.n == record->raw.n && (raw.n == 0 || memcmp(raw.p, record->raw.p, raw.n) == 0),
              "raw of row %u: %zu bytes instead of %zu", row, raw.n, record->raw.n);
    buf_free(&raw);
}

Test(rows, any_record_comes_back_with_every_field_and_byte)
{
    uint64_t seed = 1;
    struct block_builder *b = block_builder_new();
    struct arena a = ARENA_INIT, reading = ARENA_INIT;
    for (unsigned round = 0; round < 60; round++) {
        uint32_t n = 1 + (uint32_t)chance_below(&seed, round < 20 ? 3 : 700);
        struct record *records = arena_alloc(&a, n * sizeof(*records));
        int64_t at = round % 7 == 0 ? INT64_MIN + 10000000 : 1773144000000000;
        block_builder_clear(b, round * 1000000);
        for (uint32_t i = 0; i < n; i++) {
            at += chance_below(&seed, 10) == 0 ? (int64_t)chance_below(&seed, 1u << 30) : 3;
            records[i] = random_record(&seed, &a, at);
            cr_assert_eq(block_builder_add(b, &records[i]), 0);
        }
        struct block block;
        struct block_reader r;
        struct err err;
        block_builder_finish(b, &block);
        support_reader(&r, &block, &reading);
        for (uint32_t i = 0; i < n; i++) {
            expect_row(&r, i, &records[i]);
            cr_assert_eq(block_seq(&r, i), round * 1000000 + i);
        }
        cr_assert_eq(block_verify(&r, &block, &err), 0, "%s", err.message);
        block_free(&block);
        arena_clear(&a);
        arena_clear(&reading);
    }
    arena_done(&a);
    arena_done(&reading);
    block_builder_free(&b);
}

/* Ten blocks of two receivers, merged by time as compaction does. */
#define PIECES 10
#define ROWS 150

Test(rows, ten_small_blocks_merge_into_one_that_has_every_message_again)
{
    uint64_t seed = 7;
    struct block_builder *b = block_builder_new(), *merged = block_builder_new();
    struct arena a = ARENA_INIT, rows = ARENA_INIT;
    struct record records[PIECES * ROWS];
    uint64_t seqs[PIECES * ROWS];
    struct block blocks[PIECES];
    struct block_reader readers[PIECES];
    struct err err;

    for (unsigned k = 0; k < PIECES; k++) {
        /* Odd ones come from another receiver and lie in the same time. */
        int64_t at = 1773144000000000 + (k / 2) * 1000000 + (k % 2) * 7;
        uint64_t seq = (k % 2 ? UINT64_C(1) << 40 : 5000) + k * 1000;
        block_builder_clear(b, seq);
        for (unsigned i = 0; i < ROWS; i++, at += 100) {
            records[k * ROWS + i] = random_record(&seed, &a, at);
            seqs[k * ROWS + i] = seq + i;
            cr_assert_eq(block_builder_add(b, &records[k * ROWS + i]), 0);
        }
        block_builder_finish(b, &blocks[k]);
        support_reader(&readers[k], &blocks[k], &a);
    }

    uint32_t next[PIECES] = {0}, order[PIECES * ROWS];
    block_builder_clear(merged, 0);
    for (unsigned done = 0; done < PIECES * ROWS; done++) {
        unsigned best = PIECES;
        for (unsigned k = 0; k < PIECES; k++) {
            if (next[k] == ROWS)
                continue;
            cr_assert_eq(block_load(&readers[k], COLUMN_TIMES, &err), 0);
            if (best == PIECES ||
                block_time(&readers[k], next[k]) < block_time(&readers[best], next[best]))
                best = k;
        }
        struct record record;
        cr_assert_eq(block_record(&readers[best], next[best], &rows, &record, &err), 0, "%s",
                     err.message);
        cr_assert_eq(block_load(&readers[best], COLUMN_SEQ, &err), 0);
        cr_assert_eq(block_builder_add_seq(merged, &record, block_seq(&readers[best], next[best])),
                     0);
        order[done] = best * ROWS + next[best]++;
        arena_clear(&rows);
    }

    struct block block;
    struct block_reader r;
    block_builder_finish(merged, &block);
    support_reader(&r, &block, &a);
    cr_assert_eq(block_verify(&r, &block, &err), 0, "%s", err.message);
    cr_assert_gt(block.columns[COLUMN_SEQ].n, 0);
    for (uint32_t i = 0; i < PIECES * ROWS; i++) {
        uint32_t row;
        expect_row(&r, i, &records[order[i]]);
        cr_assert_eq(block_seq(&r, i), seqs[order[i]]);
        cr_assert(block_row_of_seq(&r, seqs[order[i]], &row) && row == i);
    }
    uint32_t row;
    cr_assert_not(block_row_of_seq(&r, 4999, &row));
    block_free(&block);
    for (unsigned k = 0; k < PIECES; k++)
        block_free(&blocks[k]);
    arena_done(&a);
    arena_done(&rows);
    block_builder_free(&b);
    block_builder_free(&merged);
}

Test(rows, a_row_taken_out_and_added_again_keeps_its_layout)
{
    static const char raw[] = "<34>Oct 11 22:14:15 fw01 su[123]: failed for root";
    struct record record = {.received_at_us = 1760220856000000,
                            .reported_at_us = 1760220855000000, /* 2025-10-11T22:14:15Z */
                            .source = {4, {192, 0, 2, 1}},
                            .facility = 4,
                            .severity = 2,
                            .format = FORMAT_RFC3164,
                            .hostname = view_of(raw + 20, 4),
                            .app_name = view_of(raw + 25, 2),
                            .procid = view_of(raw + 28, 3),
                            .message = view_of(raw + 34, 15),
                            .raw = view_of(raw, sizeof(raw) - 1),
                            .pri_text = view_of(raw + 1, 2),
                            .time_text = view_of(raw + 4, 15),
                            .time_form = TIME_FORM_BSD};
    struct arena a = ARENA_INIT;
    struct block_builder *b = block_builder_new();
    struct block first, second;
    struct block_reader r;
    struct record again;
    struct err err;
    block_builder_clear(b, 9);
    cr_assert_eq(block_builder_add(b, &record), 0);
    block_builder_finish(b, &first);
    cr_assert_eq(first.columns[COLUMN_RAW].n, 0, "the bytes as received cost nothing");
    support_reader(&r, &first, &a);
    cr_assert_eq(block_record(&r, 0, &a, &again, &err), 0, "%s", err.message);
    block_builder_clear(b, 9);
    cr_assert_eq(block_builder_add_seq(b, &again, 9), 0);
    block_builder_finish(b, &second);
    for (unsigned c = 0; c < BLOCK_COLUMNS; c++)
        cr_assert(view_eq(buf_view(&first.columns[c]), buf_view(&second.columns[c])),
                  "the column %s differs", block_column_name(c));
    block_free(&first);
    block_free(&second);
    block_builder_free(&b);
    arena_done(&a);
}
