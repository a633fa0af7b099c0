/* Columns out of a block being built: chooses encodings, compresses, makes the token index.  Runs
 * in the receiver's writer thread and in the keeper's compaction.  README.md has the bytes. */
#include "block/building.h"
#include "block/grouping.h"

#include "block/encoding.h"
#include "block/numbers.h"
#include "block/token_stream.h"
#include "block/tokens.h"

static void seal(struct block_builder *b, struct block *ret, enum block_column column)
{
    column_seal(b->zstd, column, &b->content, &ret->columns[column]);
}

static bool all_are(const uint8_t *rows, uint32_t n, uint8_t value)
{
    uint8_t other = 0;
    for (uint32_t i = 0; i < n; i++)
        other |= rows[i] ^ value;
    return other == 0;
}

/* u8 0 and the byte of all rows, or u8 1 and a byte a row. */
static void put_bytes(struct block_builder *b, const uint8_t *rows)
{
    if (all_are(rows, b->n, rows[0])) {
        content_u8(&b->content, 0);
        content_u8(&b->content, rows[0]);
        return;
    }
    content_u8(&b->content, 1);
    content_cut(&b->content);
    memcpy(content_room(&b->content, b->n), rows, b->n);
    content_cut(&b->content);
}

static void finish_bytes(struct block_builder *b, struct block *ret, enum block_column column,
                         const uint8_t *rows)
{
    if (all_are(rows, b->n, encoding_default(column)))
        return;
    content_clear(&b->content);
    put_bytes(b, rows);
    seal(b, ret, column);
}

static void finish_times(struct block_builder *b, struct block *ret)
{
    content_clear(&b->content);
    content_u64(&b->content, (uint64_t)b->times[0]);
    b->numbers[0] = 0;
    for (uint32_t i = 1; i < b->n; i++)
        b->numbers[i] = (uint64_t)b->times[i] - (uint64_t)b->times[i - 1];
    numbers_put(&b->content, b->numbers, b->n);
    seal(b, ret, COLUMN_TIMES);
}

static void finish_reported(struct block_builder *b, struct block *ret)
{
    uint8_t units[BLOCK_MAX_MESSAGES];
    bool is_absent = true;
    for (uint32_t i = 0; i < b->n; i++) {
        int64_t reported = b->reported[i];
        unsigned unit = encoding_unit_of(reported);
        units[i] = (uint8_t)unit;
        b->numbers[i] = unit == UNIT_NONE ? 0
                                          : wire_zigzag(encoding_in_units(b->times[i], unit) -
                                                        encoding_in_units(reported, unit));
        is_absent &= unit == UNIT_NONE;
    }
    if (is_absent)
        return;
    content_clear(&b->content);
    put_bytes(b, units);
    numbers_put(&b->content, b->numbers, b->n);
    seal(b, ret, COLUMN_REPORTED);
}

/* ---- dictionaries ---- */

/* 0 null, 1 a value that was not there before, else 2 + how many values have come since the row's:
 * where most values are new (procid) this is nearly constant. */
static void relative_rows(struct block_builder *b, const struct dict *d)
{
    uint32_t seen = 0;
    for (uint32_t i = 0; i < b->n; i++) {
        uint32_t number = d->rows[i];
        if (number > seen) {
            b->relative[i] = 1;
            seen = number;
        } else {
            b->relative[i] = (uint16_t)(number == 0 ? 0 : seen - number + 2);
        }
    }
}

/* 256 × log2(x), near enough for a choice. */
static uint64_t log2_256(uint64_t x)
{
    unsigned whole = 63 - (unsigned)__builtin_clzll(x);
    return whole * 256 + (((x << 8) >> whole) & 255);
}

/* What an entropy coder needs for the two byte planes of the numbers, in 1/256 bit. */
static uint64_t planes_cost(const uint16_t *v, uint32_t n)
{
    uint32_t count[2][256] = {{0}};
    for (uint32_t i = 0; i < n; i++) {
        count[0][v[i] & 0xff]++;
        count[1][v[i] >> 8]++;
    }
    uint64_t cost = 0;
    for (unsigned k = 0; k < 2; k++)
        for (unsigned i = 0; i < 256; i++)
            if (count[k][i] > 0)
                cost += count[k][i] * (log2_256(n) - log2_256(count[k][i]));
    return cost;
}

/* The numbers that code shorter. */
static enum rows_mode choose_rows(struct block_builder *b, const struct dict *d,
                                  const uint16_t **ret_rows)
{
    *ret_rows = d->rows;
    /* A relative number may be one more than there are values, and must fit in 16 bits. */
    if (d->n < 256 || (d->n == UINT16_MAX && b->n > d->n))
        return ROWS_ABSOLUTE;
    relative_rows(b, d);
    if (planes_cost(d->rows, b->n) <= planes_cost(b->relative, b->n))
        return ROWS_ABSOLUTE;
    *ret_rows = b->relative;
    return ROWS_RELATIVE;
}

static void finish_dict(struct block_builder *b, struct block *ret, enum block_column column,
                        unsigned dict)
{
    const struct dict *d = &b->dicts[dict];
    if (d->n == 0)
        return;
    CHECK(d->n < BLOCK_MAX_DICTIONARY);
    const uint16_t *rows;
    content_clear(&b->content);
    for (uint32_t i = 0; i < d->n; i++)
        b->numbers[i] = d->offsets[i + 1] - d->offsets[i];
    content_varint(&b->content, d->n);
    numbers_put(&b->content, b->numbers, d->n);
    content_text(&b->content, buf_view(&d->text));
    content_u8(&b->content, choose_rows(b, d, &rows));
    numbers_put_u16(&b->content, rows, b->n, 0);
    seal(b, ret, column);
}

static void finish_sources(struct block_builder *b, struct block *ret)
{
    const struct dict *d = &b->dicts[DICT_SOURCES];
    content_clear(&b->content);
    content_varint(&b->content, d->n);
    content_text(&b->content, buf_view(&d->text));
    numbers_put_u16(&b->content, d->rows, b->n, 1);
    seal(b, ret, COLUMN_SOURCES);
}

static int compare_senders(const void *a, const void *b)
{
    const struct view *x = a, *y = b;
    int order = memcmp(x->p, y->p, MIN(x->n, y->n));
    return order != 0 ? order : (x->n > y->n) - (x->n < y->n);
}

/* The dictionary's values are the list's already: family and address. */
static void finish_senders(const struct block_builder *b, struct block *ret)
{
    const struct dict *d = &b->dicts[DICT_SOURCES];
    struct view senders[BLOCK_MAX_SOURCES] = {{NULL, 0}};
    uint32_t n = 0;
    for (uint32_t i = 1; i <= d->n; i++) {
        struct view v = dict_value(d, i);
        if (v.n > 1)
            senders[n++] = v;
    }
    qsort(senders, n, sizeof(senders[0]), compare_senders);
    ret->senders = BUF_INIT(BLOCK_MAX_SOURCES * 17);
    for (uint32_t i = 0; i < n; i++)
        CHECK(buf_add_view(&ret->senders, senders[i]) == 0);
}

/* ---- texts ---- */

static void order_texts(struct block_builder *b)
{
    const struct dict *apps = &b->dicts[DICT_APP_NAME];
    b->is_grouped = grouping_order(apps->rows, b->n, apps->n + 1, b->starts, b->order);
}

static void add_hashes(void *filter, const uint64_t *hashes, size_t n)
{
    token_filter_add_many(filter, hashes, n);
}

/* Texts that are asked for ahead, and the bytes of each. */
#define AHEAD_TEXTS 8
#define AHEAD_BYTES 192

/* The texts of one program are far from each other: no processor guesses where the next one is. */
static inline void ask_for(const char *p)
{
    for (unsigned i = 0; i < AHEAD_BYTES; i += 64)
        __builtin_prefetch(p + i);
}

/* The texts one after another, in their order; b->numbers has their lengths in that order. */
static void put_texts(struct block_builder *b, const struct texts *t)
{
    if (!b->is_grouped) {
        content_text(&b->content, buf_view(&t->text));
        return;
    }
    uint32_t *offsets = b->starts, at = 0;
    for (uint32_t i = 0; i < b->n; i++) {
        offsets[i] = at;
        at += t->lengths[i] > 0 ? t->lengths[i] - 1 : 0;
    }
    content_cut(&b->content);
    char *to = (char *)content_room(&b->content, t->text.n);
    for (uint32_t k = 0; k < b->n; k++) {
        size_t bytes = b->numbers[k] > 0 ? b->numbers[k] - 1 : 0;
        if (k + AHEAD_TEXTS < b->n)
            ask_for(t->text.p + offsets[b->order[k + AHEAD_TEXTS]]);
        if (bytes > 0)
            memcpy(to, t->text.p + offsets[b->order[k]], bytes);
        to += bytes;
    }
    content_cut(&b->content);
}

static void finish_texts(struct block_builder *b, struct block *ret, enum block_column column,
                         unsigned texts, uint32_t absent)
{
    const struct texts *t = &b->texts[texts];
    struct content *c = &b->content;
    bool is_absent = true;
    for (uint32_t k = 0; k < b->n; k++) {
        b->numbers[k] = t->lengths[b->is_grouped ? b->order[k] : k];
        is_absent &= b->numbers[k] == absent;
    }
    if (is_absent)
        return;
    content_clear(&b->content);
    numbers_put(&b->content, b->numbers, b->n);
    put_texts(b, t);
    if (texts != TEXTS_RAW) {
        /* Texts of one program together have the same words, which are then found in the cache. */
        CHECK(buf_reserve(&c->bytes, TOKEN_STREAM_SLACK) == 0);
        memset(c->bytes.p + c->bytes.n, 0, TOKEN_STREAM_SLACK);
        struct view all = view_of(c->bytes.p + c->bytes.n - t->text.n, t->text.n);
        token_stream(all, b->numbers, b->n, add_hashes, &b->tokens);
    }
    seal(b, ret, column);
}

/* ---- sequence numbers ---- */

static void finish_seq(struct block_builder *b, struct block *ret)
{
    if (b->runs_n == 1)
        return;
    content_clear(&b->content);
    content_varint(&b->content, b->runs_n);
    uint64_t expected = b->runs[0].seq;
    for (uint32_t i = 0; i < b->runs_n; i++) {
        uint32_t end = i + 1 < b->runs_n ? b->runs[i + 1].row : b->n;
        uint32_t rows = end - b->runs[i].row;
        content_varint(&b->content, wire_zigzag(b->runs[i].seq - expected));
        content_varint(&b->content, rows);
        expected = b->runs[i].seq + rows;
    }
    seal(b, ret, COLUMN_SEQ);
}

/* ---- token index ---- */

static void add_dict_tokens(struct token_filter *f, const struct dict *d, enum block_column column)
{
    for (uint32_t i = 1; i <= d->n; i++) {
        token_filter_add_text(f, dict_value(d, i));
        token_filter_add(f, token_of_value(column, dict_value(d, i)));
    }
}

/* Those of the texts are added with their columns. */
static void start_tokens(struct block_builder *b)
{
    struct token_filter *f = &b->tokens;
    token_filter_start(f, b->text_bytes);
    add_dict_tokens(f, &b->dicts[DICT_HOSTNAME], COLUMN_HOSTNAME);
    add_dict_tokens(f, &b->dicts[DICT_APP_NAME], COLUMN_APP_NAME);
    add_dict_tokens(f, &b->dicts[DICT_PROCID], COLUMN_PROCID);
    add_dict_tokens(f, &b->dicts[DICT_MSGID], COLUMN_MSGID);
}

void block_builder_finish(struct block_builder *b, struct block *ret)
{
    CHECK(b->n > 0);
    *ret = (struct block){.first_at_us = b->times[0],
                          .last_at_us = b->times[b->n - 1],
                          .first_seq = b->runs[0].seq,
                          .messages = b->n,
                          .raw_bytes = b->raw_bytes,
                          .severities = b->severities,
                          .facilities = b->facilities,
                          .listeners = b->listeners};
    finish_senders(b, ret);
    start_tokens(b);
    finish_times(b, ret);
    finish_reported(b, ret);
    finish_sources(b, ret);
    finish_bytes(b, ret, COLUMN_LISTENERS, b->listener);
    finish_bytes(b, ret, COLUMN_PRI, b->pri);
    finish_bytes(b, ret, COLUMN_FORMATS, b->format);
    finish_bytes(b, ret, COLUMN_FLAGS, b->flags);
    finish_dict(b, ret, COLUMN_HOSTNAME, DICT_HOSTNAME);
    finish_dict(b, ret, COLUMN_APP_NAME, DICT_APP_NAME);
    finish_dict(b, ret, COLUMN_PROCID, DICT_PROCID);
    finish_dict(b, ret, COLUMN_MSGID, DICT_MSGID);
    finish_dict(b, ret, COLUMN_LAYOUTS, DICT_LAYOUTS);
    order_texts(b);
    finish_texts(b, ret, COLUMN_STRUCTURED_DATA, TEXTS_STRUCTURED_DATA, 0);
    finish_texts(b, ret, COLUMN_MESSAGE, TEXTS_MESSAGE, 1);
    finish_texts(b, ret, COLUMN_RAW, TEXTS_RAW, 0);
    finish_seq(b, ret);
    token_filter_finish(&b->tokens, &ret->tokens);
}

void block_free(struct block *b)
{
    buf_free(&b->senders);
    buf_free(&b->tokens);
    for (unsigned c = 0; c < BLOCK_COLUMNS; c++)
        buf_free(&b->columns[c]);
    *b = (struct block){0};
}
