/* Whole rows out of a reader: the bytes as received, and the record for compaction. */
#include "block/decoded.h"

#include "base/arena.h"
#include "base/limits.h"
#include "block/layout.h"

/* The columns that layouts refer to, by reference. */
static const enum block_column columns_of[LAYOUT_REFERENCES] = {
    [LAYOUT_PRI] = COLUMN_PRI,
    [LAYOUT_TIME] = COLUMN_REPORTED,
    [LAYOUT_HOSTNAME] = COLUMN_HOSTNAME,
    [LAYOUT_APP_NAME] = COLUMN_APP_NAME,
    [LAYOUT_PROCID] = COLUMN_PROCID,
    [LAYOUT_MSGID] = COLUMN_MSGID,
    [LAYOUT_STRUCTURED_DATA] = COLUMN_STRUCTURED_DATA,
    [LAYOUT_MESSAGE] = COLUMN_MESSAGE,
};

static int load_fields(struct block_reader *r, unsigned fields, struct err *err)
{
    for (unsigned reference = LAYOUT_PRI; reference < LAYOUT_REFERENCES; reference++) {
        if ((fields & 1u << reference) == 0)
            continue;
        int e = block_load(r, columns_of[reference], err);
        if (e < 0)
            return e;
    }
    return 0;
}

/* The fields named, which are loaded; the others stay null. */
static void get_fields(const struct block_reader *r, uint32_t row, unsigned fields,
                       struct record *ret)
{
    struct view *texts[LAYOUT_REFERENCES] = {
        [LAYOUT_HOSTNAME] = &ret->hostname,
        [LAYOUT_APP_NAME] = &ret->app_name,
        [LAYOUT_PROCID] = &ret->procid,
        [LAYOUT_MSGID] = &ret->msgid,
        [LAYOUT_STRUCTURED_DATA] = &ret->structured_data,
        [LAYOUT_MESSAGE] = &ret->message,
    };
    ret->reported_at_us = fields & 1u << LAYOUT_TIME ? block_reported(r, row) : TIME_NONE;
    if (fields & 1u << LAYOUT_PRI) {
        ret->facility = block_pri(r, row) / 8;
        ret->severity = block_pri(r, row) % 8;
    }
    for (unsigned i = LAYOUT_HOSTNAME; i < LAYOUT_REFERENCES; i++)
        if (fields & 1u << i)
            *texts[i] = block_text(r, columns_of[i], row);
}

static int bad_layout(struct err *err, uint32_t row)
{
    return err_set_field(err, EBADMSG, "damaged_block", block_column_name(COLUMN_LAYOUTS),
                         "the layout of row %u names a field that the row does not have", row);
}

static int no_room(struct err *err, uint32_t row, size_t max)
{
    return err_set(err, ENOSPC, "too_long", "the bytes of row %u are more than the %zu asked for",
                   row, max);
}

int block_raw(struct block_reader *r, uint32_t row, struct buf *out, struct err *err)
{
    CHECK(row < r->messages);
    int e = block_load(r, COLUMN_LAYOUTS, err);
    if (e < 0)
        return e;
    const struct block_decoded *layouts = r->decoded[COLUMN_LAYOUTS];
    uint16_t layout = layouts->rows[row];
    if (layout == 0) {
        e = block_load(r, COLUMN_RAW, err);
        if (e < 0)
            return e;
        struct view raw = block_text(r, COLUMN_RAW, row);
        return raw.n == 0 || buf_add_view(out, raw) == 0 ? 0 : no_room(err, row, out->max);
    }
    unsigned fields = layouts->layout_fields[layout];
    e = load_fields(r, fields, err);
    if (e < 0)
        return e;
    struct record record = {0};
    get_fields(r, row, fields, &record);
    e = layout_render(block_dictionary_text(r, COLUMN_LAYOUTS, layout), &record, out);
    return e == -ENOSPC ? no_room(err, row, out->max) : e < 0 ? bad_layout(err, row) : 0;
}

/* Bytes that a row can at most render to: each field at most once. */
static size_t rendered_max(const struct record *r)
{
    return LAYOUT_MAX_BYTES * 4 + r->hostname.n + r->app_name.n + r->procid.n + r->msgid.n +
           r->structured_data.n + r->message.n;
}

int block_record(struct block_reader *r, uint32_t row, struct arena *a, struct record *ret,
                 struct err *err)
{
    CHECK(row < r->messages);
    const unsigned all = (1u << LAYOUT_REFERENCES) - 2; /* from LAYOUT_PRI on */
    static const enum block_column others[] = {COLUMN_TIMES,   COLUMN_SOURCES, COLUMN_LISTENERS,
                                               COLUMN_FORMATS, COLUMN_FLAGS,   COLUMN_LAYOUTS};
    int e = load_fields(r, all, err);
    for (unsigned i = 0; e == 0 && i < ARRAY_LEN(others); i++)
        e = block_load(r, others[i], err);
    uint16_t layout = e == 0 ? r->decoded[COLUMN_LAYOUTS]->rows[row] : 0;
    if (e == 0 && layout == 0)
        e = block_load(r, COLUMN_RAW, err);
    if (e < 0)
        return e;

    struct record record = {.received_at_us = block_time(r, row),
                            .listener = block_listener(r, row),
                            .format = block_format(r, row),
                            .flags = block_flags(r, row)};
    block_source(r, row, &record.source);
    get_fields(r, row, all, &record);
    if (layout == 0) {
        record.raw = arena_copy(a, block_text(r, COLUMN_RAW, row));
        if (record.raw.p == NULL)
            record.raw = VIEW("");
        *ret = record;
        return 0;
    }
    /* A buffer over the arena's memory: large enough, so it never grows. */
    size_t max = rendered_max(&record);
    struct buf out = {.p = arena_alloc(a, max), .cap = max, .max = max};
    if (layout_place(block_dictionary_text(r, COLUMN_LAYOUTS, layout), &record, &out, ret) < 0)
        return bad_layout(err, row);
    return 0;
}
