/* Rows into a block being built: copies fields into columns, finds values in dictionaries, derives
 * the layout.  Runs in the receiver's network thread for every message, so compression and tokens
 * are left to finish.c, which runs in the writer's. */
#include "block/building.h"

#include "base/utf8.h"
#include "block/layout.h"

/* A layout that occurs once costs more than it saves beyond this many. */
#define LAYOUTS_MAX (BLOCK_MAX_DICTIONARY - 1)

/* Memory that a text column keeps for the next block: 256 bytes a message. */
#define KEPT_BYTES (16u << 20)

static uint32_t dict_limit(unsigned dict)
{
    /* Numbers fit in 16 bits; 0 is null but for sources, which have no null. */
    return dict == DICT_SOURCES ? BLOCK_MAX_SOURCES : BLOCK_MAX_DICTIONARY - 1;
}

struct block_builder *block_builder_new(void)
{
    struct block_builder *b = xcalloc(1, sizeof(*b));
    b->times = xcalloc(BLOCK_MAX_MESSAGES, sizeof(*b->times));
    b->reported = xcalloc(BLOCK_MAX_MESSAGES, sizeof(*b->reported));
    b->listener = xcalloc(BLOCK_MAX_MESSAGES, 1);
    b->pri = xcalloc(BLOCK_MAX_MESSAGES, 1);
    b->format = xcalloc(BLOCK_MAX_MESSAGES, 1);
    b->flags = xcalloc(BLOCK_MAX_MESSAGES, 1);
    b->raw_lengths = xcalloc(BLOCK_MAX_MESSAGES, sizeof(*b->raw_lengths));
    b->runs = xcalloc(BLOCK_MAX_MESSAGES, sizeof(*b->runs));
    b->numbers = xcalloc(BLOCK_MAX_MESSAGES, sizeof(*b->numbers));
    b->relative = xcalloc(BLOCK_MAX_MESSAGES, sizeof(*b->relative));
    b->order = xcalloc(BLOCK_MAX_MESSAGES, sizeof(*b->order));
    b->starts = xcalloc(BLOCK_MAX_MESSAGES, sizeof(*b->starts));
    for (unsigned i = 0; i < BUILDER_DICTS; i++)
        dict_init(&b->dicts[i]);
    for (unsigned i = 0; i < BUILDER_TEXTS; i++) {
        b->texts[i].text = BUF_INIT(BLOCK_MAX_TEXT_BYTES);
        b->texts[i].lengths = xcalloc(BLOCK_MAX_MESSAGES, sizeof(uint32_t));
    }
    b->layout = BUF_INIT(LAYOUT_MAX_BYTES);
    b->cleaned = BUF_INIT(3 * (size_t)BLOCK_MAX_TEXT_BYTES);
    content_init(&b->content);
    token_filter_init(&b->tokens);
    b->zstd = column_zstd_new();
    return b;
}

void block_builder_free(struct block_builder **pb)
{
    struct block_builder *b = *pb;
    if (b == NULL)
        return;
    free(b->times);
    free(b->reported);
    free(b->listener);
    free(b->pri);
    free(b->format);
    free(b->flags);
    free(b->raw_lengths);
    free(b->runs);
    free(b->numbers);
    free(b->relative);
    free(b->order);
    free(b->starts);
    for (unsigned i = 0; i < BUILDER_DICTS; i++)
        dict_done(&b->dicts[i]);
    for (unsigned i = 0; i < BUILDER_TEXTS; i++) {
        buf_free(&b->texts[i].text);
        free(b->texts[i].lengths);
    }
    buf_free(&b->layout);
    buf_free(&b->cleaned);
    content_done(&b->content);
    token_filter_done(&b->tokens);
    ZSTD_freeCCtx(b->zstd);
    free(b);
    *pb = NULL;
}

/* Its memory stays, but what a block of unusual size needed. */
static void clear_text(struct buf *b)
{
    if (b->cap > KEPT_BYTES)
        buf_free(b);
    buf_clear(b);
}

void block_builder_clear(struct block_builder *b, uint64_t first_seq)
{
    b->n = 0;
    b->next_seq = first_seq;
    b->raw_bytes = 0;
    b->text_bytes = 0;
    b->severities = b->listeners = 0;
    b->facilities = 0;
    b->runs_n = 0;
    for (unsigned i = 0; i < BUILDER_DICTS; i++)
        dict_clear(&b->dicts[i]);
    block_builder_shrink(b);
}

void block_builder_shrink(struct block_builder *b)
{
    for (unsigned i = 0; i < BUILDER_TEXTS; i++)
        clear_text(&b->texts[i].text);
    clear_text(&b->content.bytes);
    clear_text(&b->cleaned);
}

uint32_t block_builder_messages(const struct block_builder *b)
{
    return b->n;
}

uint64_t block_builder_raw_bytes(const struct block_builder *b)
{
    return b->raw_bytes;
}

size_t block_builder_text_bytes(const struct block_builder *b)
{
    return b->text_bytes;
}

int64_t block_builder_first_at_us(const struct block_builder *b)
{
    return b->n > 0 ? b->times[0] : TIME_NONE;
}

/* What a row will become, found out before anything changes. */
struct row {
    struct view values[BUILDER_DICTS];
    uint32_t numbers[BUILDER_DICTS];
    struct dict_key keys[BUILDER_DICTS];
    struct view texts[BUILDER_TEXTS];
    size_t text_bytes; /* that the row adds */
    char source[17];
};

/* Two steps, with other work between them: there may be more process numbers than the cache has
 * room for. */
static void look_for(struct block_builder *b, unsigned dict, struct view value, struct row *row)
{
    row->values[dict] = value;
    row->keys[dict] = dict_key(&b->dicts[dict], value);
}

static void find_value(struct block_builder *b, unsigned dict, struct row *row)
{
    struct view value = row->values[dict];
    row->numbers[dict] = dict_find(&b->dicts[dict], value, &row->keys[dict]);
    if (row->numbers[dict] == DICT_NEW)
        row->text_bytes += value.n;
}

/* Messages of one sender come in runs. */
static void find_source(struct block_builder *b, const struct ip *source, struct row *row)
{
    if (LIKELY(b->n > 0 && ip_eq(source, &b->last_source))) {
        row->numbers[DICT_SOURCES] = b->dicts[DICT_SOURCES].rows[b->n - 1];
        return;
    }
    size_t address = source->family == 4 ? 4 : source->family == 6 ? 16 : 0;
    row->source[0] = (char)(address > 0 ? source->family : 0);
    memcpy(row->source + 1, source->bytes, address);
    look_for(b, DICT_SOURCES, view_of(row->source, 1 + address), row);
    find_value(b, DICT_SOURCES, row);
}

/* The bytes as received: by a layout, or as they are. */
static void plan_raw(struct block_builder *b, const struct record *r, struct row *row)
{
    buf_clear(&b->layout);
    row->values[DICT_LAYOUTS] = row->texts[TEXTS_RAW] = VIEW_NULL;
    row->numbers[DICT_LAYOUTS] = 0;
    if (layout_derive_cached(r, &b->layout, &b->time_cache) == 0) {
        look_for(b, DICT_LAYOUTS, buf_view(&b->layout), row);
        find_value(b, DICT_LAYOUTS, row);
        if (row->numbers[DICT_LAYOUTS] != DICT_NEW || b->dicts[DICT_LAYOUTS].n < LAYOUTS_MAX)
            return;
        row->text_bytes -= b->layout.n;
        row->numbers[DICT_LAYOUTS] = 0;
    }
    row->texts[TEXTS_RAW] = r->raw.p ? r->raw : VIEW("");
    row->text_bytes += r->raw.n;
}

static int plan(struct block_builder *b, const struct record *r, struct row *row)
{
    if (b->n == BLOCK_MAX_MESSAGES)
        return -ENOSPC;
    if (b->n > 0 && r->received_at_us < b->times[b->n - 1])
        return -EDOM;
    row->text_bytes = 0;
    look_for(b, DICT_PROCID, r->procid, row);
    look_for(b, DICT_HOSTNAME, r->hostname, row);
    look_for(b, DICT_APP_NAME, r->app_name, row);
    look_for(b, DICT_MSGID, r->msgid, row);
    find_source(b, &r->source, row);
    row->texts[TEXTS_STRUCTURED_DATA] = r->structured_data;
    row->texts[TEXTS_MESSAGE] = r->message.p ? r->message : VIEW("");
    row->text_bytes += r->structured_data.n + r->message.n;
    plan_raw(b, r, row);
    for (unsigned i = DICT_HOSTNAME; i <= DICT_MSGID; i++)
        find_value(b, i, row);
    for (unsigned i = 0; i < BUILDER_DICTS; i++)
        if (row->numbers[i] == DICT_NEW && b->dicts[i].n >= dict_limit(i))
            return -ENOSPC;
    if (row->text_bytes > BLOCK_MAX_TEXT_BYTES - b->text_bytes)
        return -ENOSPC;
    return 0;
}

static void store_text(struct texts *t, uint32_t n, struct view v)
{
    t->lengths[n] = v.p ? (uint32_t)v.n + 1 : 0;
    if (v.n > 0)
        CHECK(buf_add(&t->text, v.p, v.n) == 0);
}

static void store_seq(struct block_builder *b, uint64_t seq)
{
    if (b->n == 0 || seq != b->next_seq)
        b->runs[b->runs_n++] = (struct run){seq, b->n};
    b->next_seq = seq + 1;
}

static void store(struct block_builder *b, const struct record *r, uint64_t seq,
                  const struct row *row)
{
    uint32_t n = b->n;
    b->times[n] = r->received_at_us;
    b->reported[n] = r->reported_at_us;
    b->listener[n] = r->listener;
    b->pri[n] = (uint8_t)(r->facility * 8 + r->severity);
    b->format[n] = r->format;
    b->flags[n] = r->flags;
    b->raw_lengths[n] = (uint32_t)r->raw.n;
    b->severities |= (uint8_t)(1u << r->severity);
    b->facilities |= 1u << r->facility;
    b->listeners |= (uint8_t)(1u << r->listener);
    for (unsigned i = 0; i < BUILDER_DICTS; i++) {
        uint32_t number = row->numbers[i];
        if (number == DICT_NEW)
            number = dict_add(&b->dicts[i], row->values[i], &row->keys[i]);
        b->dicts[i].rows[n] = (uint16_t)number;
    }
    for (unsigned i = 0; i < BUILDER_TEXTS; i++)
        store_text(&b->texts[i], n, row->texts[i]);
    store_seq(b, seq);
    b->last_source = r->source;
    b->raw_bytes += r->raw.n;
    b->text_bytes += row->text_bytes;
    b->n++;
}

/* Values that a dictionary knows were clean when they came. */
static bool row_is_clean(const struct record *r, const struct row *row)
{
    if (LIKELY(r->is_clean))
        return true;
    bool good = utf8_is_clean(row->texts[TEXTS_MESSAGE]) &&
                utf8_is_clean(row->texts[TEXTS_STRUCTURED_DATA]);
    for (unsigned i = DICT_HOSTNAME; i <= DICT_MSGID; i++)
        good = good && (LIKELY(row->numbers[i] != DICT_NEW) || utf8_is_clean(row->values[i]));
    return good;
}

/* A reader refuses a column with text that is not clean, and a whole block with it; so a row from a
 * parser that let some through is cleaned here rather than losing all its neighbours. */
static void clean_fields(struct block_builder *b, struct record *r)
{
    struct view *fields[] = {&r->hostname, &r->app_name,        &r->procid,
                             &r->msgid,    &r->structured_data, &r->message};
    size_t from[ARRAY_LEN(fields)], to[ARRAY_LEN(fields)];
    buf_clear(&b->cleaned);
    for (unsigned i = 0; i < ARRAY_LEN(fields); i++) {
        from[i] = b->cleaned.n;
        if (fields[i]->p != NULL && !utf8_is_clean(*fields[i])) {
            CHECK(utf8_clean(*fields[i], &b->cleaned) == 0);
            r->flags |= RECORD_INVALID_UTF8;
        }
        to[i] = b->cleaned.n;
    }
    for (unsigned i = 0; i < ARRAY_LEN(fields); i++)
        if (to[i] > from[i])
            *fields[i] = view_of(b->cleaned.p + from[i], to[i] - from[i]);
}

int block_builder_add_seq(struct block_builder *b, const struct record *r, uint64_t seq)
{
    struct row row;
    struct record cleaned;
    CHECK(r->facility <= 23 && r->severity <= 7 && r->listener < LISTENER_COUNT &&
          r->format < FORMAT_COUNT);
    int e = plan(b, r, &row);
    if (e < 0)
        return e;
    if (UNLIKELY(!row_is_clean(r, &row))) {
        cleaned = *r;
        clean_fields(b, &cleaned);
        r = &cleaned;
        e = plan(b, r, &row);
        if (e < 0)
            return e;
    }
    store(b, r, seq, &row);
    return 0;
}

int block_builder_add(struct block_builder *b, const struct record *r)
{
    return block_builder_add_seq(b, r, b->next_seq);
}
