/* Hostile columns.  Byte 0 chooses the column and whether the rest replaces its content (with a
 * right header and checksum, so that what is behind them is reached) or its stored bytes; byte 1
 * says how many rows the block has.  The other columns are those of a sound block of that many
 * rows.  Whatever is loaded must be usable to the last row and byte. */
#include <xxhash.h>

#include "base/arena.h"
#include "block/column.h"
#include "block/wire.h"
#include "../unit/block/block_support.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define MAX_ROWS 40

static struct block sound[MAX_ROWS + 1];
static struct block_builder *builder;

static void make_sound(uint32_t rows)
{
    uint64_t seed = rows;
    struct arena a = ARENA_INIT;
    if (sound[rows].messages > 0)
        return;
    if (builder == NULL)
        builder = block_builder_new();
    block_builder_clear(builder, 1000);
    for (uint32_t i = 0; i < rows; i++) {
        struct record r = random_record(&seed, &a, 1773144000000000 + i);
        CHECK(block_builder_add_seq(builder, &r, 1000 + i * (i % 3)) == 0);
    }
    block_builder_finish(builder, &sound[rows]);
    arena_done(&a);
}

static struct buf wrap(enum block_column column, enum column_codec codec, uint64_t n,
                       struct view payload)
{
    struct buf b = BUF_INIT(1u << 20);
    uint8_t header[COLUMN_HEADER_BYTES] = {COLUMN_VERSION, (uint8_t)codec};
    wire_store(header + 2, n, 4);
    wire_store(header + 6,
               XXH64(payload.p, payload.n, (uint64_t)column << 48 | wire_fetch(header, 6)), 8);
    CHECK(buf_add(&b, header, sizeof(header)) == 0 && buf_add_view(&b, payload) == 0);
    return b;
}

/* What the input says the column holds; to be freed unless it is the input itself. */
static struct buf make_column(uint8_t choice, enum block_column column, struct view rest,
                              bool *ret_is_owned)
{
    *ret_is_owned = choice < 128;
    if (choice < 96)
        return wrap(column, CODEC_STORED, rest.n, rest);
    if (choice < 128) {
        struct view frame =
            view_of(rest.p + MIN(rest.n, (size_t)2), rest.n - MIN(rest.n, (size_t)2));
        return wrap(column, CODEC_ZSTD, wire_fetch((const uint8_t *)rest.p, MIN(rest.n, (size_t)2)),
                    frame);
    }
    return (struct buf){.p = (char *)(uintptr_t)rest.p, .n = rest.n};
}

/* Reads every byte, so that a sanitizer sees those that are not there. */
static void touch(struct view v)
{
    unsigned sum = 0;
    for (size_t i = 0; i < v.n; i++)
        sum += (uint8_t)v.p[i];
    __asm__ volatile("" ::"r"(sum));
}

static void use_column(struct block_reader *r, enum block_column c)
{
    struct block_texts texts;
    struct ip ip;
    for (uint32_t i = 0; i < r->messages; i++) {
        switch (c) {
        case COLUMN_TIMES:
            CHECK(i == 0 || block_time(r, i) >= block_time(r, i - 1));
            (void)block_lower_bound(r, block_time(r, i));
            break;
        case COLUMN_REPORTED:
            (void)block_reported(r, i);
            break;
        case COLUMN_SOURCES:
            CHECK(block_dictionary_rows(r, c)[i] < block_dictionary_size(r, c));
            block_source(r, i, &ip);
            CHECK(ip.family == 0 || ip.family == 4 || ip.family == 6);
            break;
        case COLUMN_LISTENERS:
            CHECK(listener_name(block_listener(r, i)) != NULL);
            break;
        case COLUMN_PRI:
            CHECK(facility_name(block_pri(r, i) / 8) != NULL);
            break;
        case COLUMN_FORMATS:
            CHECK(record_format_name(block_format(r, i)) != NULL);
            break;
        case COLUMN_FLAGS:
            (void)block_flags(r, i);
            break;
        case COLUMN_SEQ: {
            uint32_t row;
            CHECK(block_row_of_seq(r, block_seq(r, i), &row));
            break;
        }
        case COLUMN_HOSTNAME:
        case COLUMN_APP_NAME:
        case COLUMN_PROCID:
        case COLUMN_MSGID:
        case COLUMN_LAYOUTS:
            CHECK(block_dictionary_rows(r, c)[i] < block_dictionary_size(r, c));
            touch(block_text(r, c, i));
            break;
        default:
            touch(block_text(r, c, i));
            texts = block_column_texts(r, c);
            touch(texts.all);
            CHECK(texts.offsets[i] <= texts.offsets[i + 1]);
            CHECK(texts.order == NULL || texts.order[i] < r->messages);
            break;
        }
    }
}

static void use_rows(struct block_reader *r, struct arena *a)
{
    struct buf raw = BUF_INIT(1u << 24);
    struct err err;
    struct record record;
    for (uint32_t i = 0; i < r->messages; i++) {
        buf_clear(&raw);
        int e = block_raw(r, i, &raw, &err);
        CHECK(e == 0 || e == -EBADMSG);
        touch(buf_view(&raw));
        if (block_record(r, i, a, &record, &err) == 0) {
            CHECK(e == 0);
            CHECK(record.raw.n == raw.n && (raw.n == 0 || memcmp(record.raw.p, raw.p, raw.n) == 0));
        }
    }
    buf_free(&raw);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 3 || size > 1u << 16)
        return 0;
    enum block_column column = data[0] % BLOCK_COLUMNS;
    uint32_t rows = 1 + data[1] % MAX_ROWS;
    struct view rest = view_of((const char *)data + 2, size - 2);
    make_sound(rows);
    struct block block = sound[rows];
    bool is_owned;
    struct buf hostile = make_column(data[0], column, rest, &is_owned);
    block.columns[column] = hostile;

    struct arena a = ARENA_INIT;
    struct block_reader r;
    struct err err;
    support_reader(&r, &block, &a);
    if (block_load(&r, column, &err) == 0) {
        for (unsigned c = 0; c < BLOCK_COLUMNS; c++)
            if (block_load(&r, c, &err) == 0)
                use_column(&r, c);
        use_rows(&r, &a);
    }
    int e = block_verify(&r, &block, &err);
    CHECK(e == 0 || e == -EBADMSG);
    if (is_owned)
        buf_free(&hostile);
    arena_done(&a);
    return 0;
}
