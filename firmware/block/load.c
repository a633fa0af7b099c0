/* From the stored bytes of a column to a struct block_decoded that is safe to use.  Runs in
 * PostgreSQL and in the tools; a column is a stranger's bytes here.  All memory comes from the
 * reader's and nothing is held across an allocation, which may leave by longjmp. */
#include "block/decoded.h"
#include "block/grouping.h"

#include "base/limits.h"
#include "base/utf8.h"
#include "block/column.h"
#include "block/encoding.h"
#include "block/layout.h"
#include "block/numbers.h"

/* A column on its way to being loaded. */
struct loading {
    struct block_reader *r;
    enum block_column column;
    struct cursor content;
    struct block_decoded *to;
    struct err *err;
};

static void *take_memory(struct loading *l, size_t n, size_t size)
{
    size_t bytes;
    CHECK(!__builtin_mul_overflow(n, size, &bytes));
    return l->r->memory.alloc(l->r->memory.context, MAX(bytes, (size_t)1));
}

static void *take_zeroed(struct loading *l, size_t n, size_t size)
{
    return memset(take_memory(l, n, size), 0, n * size);
}

static int bad_numbers(struct loading *l, const char *what)
{
    return column_damaged(l->err, l->column, "%s are cut off or out of range", what);
}

/* ---- times ---- */

static int load_times(struct loading *l)
{
    uint32_t n = l->r->messages;
    int64_t at = (int64_t)cursor_number(&l->content, 8);
    uint64_t *deltas = take_memory(l, n, sizeof(*deltas));
    if (!numbers_get_u64(&l->content, n, INT64_MAX, deltas) || l->content.is_bad)
        return bad_numbers(l, "times");
    l->to->times = (int64_t *)deltas;
    for (uint32_t i = 0; i < n; i++) {
        if (__builtin_add_overflow(at, (int64_t)deltas[i], &at))
            return column_damaged(l->err, l->column, "the time of row %u overflows", i);
        l->to->times[i] = at;
    }
    return 0;
}

static int get_bytes(struct loading *l, uint8_t *ret)
{
    uint32_t n = l->r->messages;
    unsigned kind = (unsigned)cursor_number(&l->content, 1);
    if (kind == BYTES_CONSTANT) {
        memset(ret, (int)cursor_number(&l->content, 1), n);
    } else if (kind == BYTES_PLAIN) {
        const uint8_t *p = cursor_take(&l->content, n);
        if (p != NULL)
            memcpy(ret, p, n);
    } else {
        return column_damaged(l->err, l->column, "kind %u of bytes is unknown", kind);
    }
    return l->content.is_bad ? bad_numbers(l, "bytes") : 0;
}

static int load_reported(struct loading *l)
{
    uint32_t n = l->r->messages;
    int r = block_load(l->r, COLUMN_TIMES, l->err);
    if (r < 0)
        return r;
    const int64_t *received = l->r->decoded[COLUMN_TIMES]->times;
    uint8_t *units = take_memory(l, n, 1);
    uint64_t *values = take_memory(l, n, sizeof(*values));
    r = get_bytes(l, units);
    if (r < 0)
        return r;
    if (!numbers_get_u64(&l->content, n, UINT64_MAX, values))
        return bad_numbers(l, "times");
    l->to->times = (int64_t *)values;
    for (uint32_t i = 0; i < n; i++) {
        if (units[i] > UNIT_MICROSECOND)
            return column_damaged(l->err, l->column, "row %u has the unknown unit %u", i, units[i]);
        if (units[i] == UNIT_NONE) {
            l->to->times[i] = TIME_NONE;
            continue;
        }
        uint64_t in_units = encoding_in_units(received[i], units[i]) - wire_unzigzag(values[i]);
        if (__builtin_mul_overflow((int64_t)in_units, encoding_unit_us(units[i]), &l->to->times[i]))
            return column_damaged(l->err, l->column, "the time of row %u overflows", i);
    }
    return 0;
}

/* ---- bytes ---- */

static int load_bytes(struct loading *l)
{
    unsigned max = l->column == COLUMN_LISTENERS ? LISTENER_COUNT - 1
                   : l->column == COLUMN_FORMATS ? FORMAT_COUNT - 1
                   : l->column == COLUMN_PRI     ? MAX_PRI
                                                 : UINT8_MAX;
    l->to->bytes = take_memory(l, l->r->messages, 1);
    int r = get_bytes(l, l->to->bytes);
    for (uint32_t i = 0; r == 0 && i < l->r->messages; i++)
        if (l->to->bytes[i] > max)
            r = column_damaged(l->err, l->column, "row %u has %u, over %u", i, l->to->bytes[i],
                               max);
    return r;
}

/* ---- texts ---- */

/* Text that is shown or searched is clean UTF-8, and no row begins inside a character. */
static int check_clean(struct loading *l, struct view text, const uint32_t *offsets, uint32_t n)
{
    size_t clean = utf8_clean_prefix(text);
    if (clean < text.n)
        return column_damaged(l->err, l->column, "the text is not UTF-8 at byte %zu", clean);
    for (uint32_t i = 1; i < n; i++)
        if (offsets[i] < text.n && ((uint8_t)text.p[offsets[i]] & 0xc0) == 0x80)
            return column_damaged(l->err, l->column, "value %u begins inside a character", i);
    return 0;
}

/* lengths[0 … n) become offsets[0 … n], each length less `bias` where it is not 0.  False when they
 * come to more than max. */
static bool sum_lengths(uint32_t *v, uint32_t n, uint32_t bias, size_t max)
{
    uint64_t at = 0;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t length = v[i] > 0 ? v[i] - bias : 0;
        v[i] = (uint32_t)at;
        at += length;
        if (at > max)
            return false;
    }
    v[n] = (uint32_t)at;
    return true;
}

static void find_nulls(struct loading *l, const uint32_t *lengths)
{
    uint32_t n = l->r->messages, k = 0;
    while (k < n && lengths[k] > 0)
        k++;
    if (k == n)
        return;
    l->to->nulls = take_zeroed(l, (n + 7) / 8, 1);
    for (; k < n; k++) {
        uint32_t row = l->to->order != NULL ? l->to->order[k] : k;
        l->to->nulls[row / 8] |= (uint8_t)((lengths[k] == 0) << row % 8);
    }
}

/* The order of the texts, which app_name gives. */
static int find_order(struct loading *l)
{
    int r = block_load(l->r, COLUMN_APP_NAME, l->err);
    if (r < 0)
        return r;
    const struct block_decoded *apps = l->r->decoded[COLUMN_APP_NAME];
    uint32_t n = l->r->messages;
    uint32_t *starts = take_memory(l, apps->entries, sizeof(*starts));
    uint32_t *order = take_memory(l, n, sizeof(*order));
    if (!grouping_order(apps->rows, n, apps->entries, starts, order))
        return 0;
    l->to->order = order;
    l->to->place = take_memory(l, n, sizeof(*l->to->place));
    for (uint32_t k = 0; k < n; k++)
        l->to->place[order[k]] = k;
    return 0;
}

static int load_texts(struct loading *l)
{
    uint32_t n = l->r->messages;
    int r = find_order(l);
    if (r < 0)
        return r;
    uint32_t *offsets = take_memory(l, (size_t)n + 1, sizeof(*offsets));
    if (!numbers_get_u32(&l->content, n, BLOCK_MAX_TEXT_BYTES + 1, offsets))
        return bad_numbers(l, "lengths");
    if (l->column != COLUMN_MESSAGE)
        find_nulls(l, offsets);
    if (!sum_lengths(offsets, n, 1, l->content.n) || offsets[n] != l->content.n)
        return column_damaged(l->err, l->column, "the lengths do not come to the %zu bytes of text",
                              l->content.n);
    l->to->offsets = offsets;
    l->to->text = (const char *)cursor_take(&l->content, l->content.n);
    if (l->column == COLUMN_RAW)
        return 0;
    return check_clean(l, view_of(l->to->text, offsets[n]), offsets, n);
}

/* ---- dictionaries ---- */

static int get_rows(struct loading *l, unsigned mode, uint32_t entries)
{
    uint32_t n = l->r->messages, seen = 0;
    uint16_t *rows = take_memory(l, n, sizeof(*rows));
    l->to->rows = rows;
    if (mode > ROWS_RELATIVE)
        return column_damaged(l->err, l->column, "mode %u of rows is unknown", mode);
    uint32_t max = mode == ROWS_ABSOLUTE ? entries : MIN(entries + 1, (uint32_t)UINT16_MAX);
    if (!numbers_get_u16(&l->content, n, (uint16_t)max, rows))
        return bad_numbers(l, "rows");
    if (mode == ROWS_ABSOLUTE)
        return 0;
    for (uint32_t i = 0; i < n; i++) {
        if (rows[i] == 1)
            seen++;
        if (seen > entries || rows[i] > seen + 1)
            return column_damaged(l->err, l->column, "row %u names a value that is not there", i);
        if (rows[i] > 0)
            rows[i] = (uint16_t)(rows[i] == 1 ? seen : seen - rows[i] + 2);
    }
    return 0;
}

static int load_dictionary(struct loading *l)
{
    uint64_t entries = cursor_varint(&l->content);
    if (l->content.is_bad || entries < 1 || entries >= BLOCK_MAX_DICTIONARY)
        return column_damaged(l->err, l->column, "%llu values are out of 1..%d",
                              (unsigned long long)entries, BLOCK_MAX_DICTIONARY - 1);
    uint32_t n = (uint32_t)entries;
    uint32_t *offsets = take_memory(l, (size_t)n + 1, sizeof(*offsets));
    if (!numbers_get_u32(&l->content, n, BLOCK_MAX_TEXT_BYTES, offsets))
        return bad_numbers(l, "lengths");
    if (!sum_lengths(offsets, n, 0, l->content.n))
        return column_damaged(l->err, l->column, "values are longer than the %zu bytes left",
                              l->content.n);
    l->to->entries = n + 1;
    l->to->offsets = offsets;
    l->to->text = (const char *)cursor_take(&l->content, offsets[n]);
    unsigned mode = (unsigned)cursor_number(&l->content, 1);
    int r = l->content.is_bad ? bad_numbers(l, "rows") : get_rows(l, mode, n);
    if (r < 0 || l->column == COLUMN_LAYOUTS)
        return r;
    return check_clean(l, view_of(l->to->text, offsets[n]), offsets, n);
}

static int load_layouts(struct loading *l)
{
    int r = load_dictionary(l);
    if (r < 0)
        return r;
    l->to->layout_fields = take_zeroed(l, l->to->entries, sizeof(*l->to->layout_fields));
    for (uint32_t e = 1; e < l->to->entries; e++) {
        unsigned fields = 0;
        uint32_t from = l->to->offsets[e - 1];
        if (layout_fields(view_of(l->to->text + from, l->to->offsets[e] - from), &fields) < 0)
            return column_damaged(l->err, l->column, "layout %u does not parse", e);
        l->to->layout_fields[e] = (uint16_t)fields;
    }
    return 0;
}

static int load_sources(struct loading *l)
{
    uint64_t entries = cursor_varint(&l->content);
    if (l->content.is_bad || entries < 1 || entries > BLOCK_MAX_SOURCES)
        return column_damaged(l->err, l->column, "%llu addresses are out of 1..%d",
                              (unsigned long long)entries, BLOCK_MAX_SOURCES);
    uint32_t n = l->to->entries = (uint32_t)entries;
    l->to->sources = take_zeroed(l, n, sizeof(*l->to->sources));
    for (uint32_t i = 0; i < n; i++) {
        unsigned family = (unsigned)cursor_number(&l->content, 1);
        if (family != 0 && family != 4 && family != 6)
            return column_damaged(l->err, l->column, "address %u has the unknown family %u", i,
                                  family);
        size_t bytes = family == 4 ? 4 : family == 6 ? 16 : 0;
        const uint8_t *p = cursor_take(&l->content, bytes);
        if (p == NULL)
            return bad_numbers(l, "addresses");
        l->to->sources[i].family = (uint8_t)family;
        memcpy(l->to->sources[i].bytes, p, bytes);
    }
    return get_rows(l, ROWS_ABSOLUTE, n - 1);
}

/* ---- sequence numbers ---- */

static int load_seq(struct loading *l)
{
    uint64_t runs = cursor_varint(&l->content);
    if (l->content.is_bad || runs < 1 || runs > l->r->messages)
        return column_damaged(l->err, l->column, "%llu runs are out of 1..%u",
                              (unsigned long long)runs, l->r->messages);
    l->to->runs = take_memory(l, runs, sizeof(*l->to->runs));
    l->to->runs_n = (uint32_t)runs;
    uint64_t expected = l->r->first_seq;
    uint32_t row = 0;
    for (uint32_t i = 0; i < runs; i++) {
        uint64_t seq = expected + wire_unzigzag(cursor_varint(&l->content));
        uint64_t rows = cursor_varint(&l->content);
        if (l->content.is_bad || rows < 1 || rows > l->r->messages - row)
            return column_damaged(l->err, l->column, "run %u does not fit into %u rows", i,
                                  l->r->messages);
        l->to->runs[i] = (struct seq_run){seq, row};
        row += (uint32_t)rows;
        expected = seq + rows;
    }
    if (row != l->r->messages)
        return column_damaged(l->err, l->column, "the runs come to %u of %u rows", row,
                              l->r->messages);
    return 0;
}

/* ---- absent columns ---- */

static int load_absent(struct loading *l)
{
    uint32_t n = l->r->messages;
    switch (l->column) {
    case COLUMN_TIMES:
    case COLUMN_SOURCES:
    default:
        return column_damaged(l->err, l->column, "it is missing");
    case COLUMN_REPORTED:
        l->to->times = take_memory(l, n, sizeof(*l->to->times));
        for (uint32_t i = 0; i < n; i++)
            l->to->times[i] = TIME_NONE;
        return 0;
    case COLUMN_LISTENERS:
    case COLUMN_PRI:
    case COLUMN_FORMATS:
    case COLUMN_FLAGS:
        l->to->bytes = take_memory(l, n, 1);
        memset(l->to->bytes, encoding_default(l->column), n);
        return 0;
    case COLUMN_HOSTNAME:
    case COLUMN_APP_NAME:
    case COLUMN_PROCID:
    case COLUMN_MSGID:
    case COLUMN_LAYOUTS:
        l->to->rows = take_zeroed(l, n, sizeof(*l->to->rows));
        l->to->offsets = take_zeroed(l, 1, sizeof(*l->to->offsets));
        l->to->layout_fields = take_zeroed(l, 1, sizeof(*l->to->layout_fields));
        l->to->text = "";
        l->to->entries = 1;
        return 0;
    case COLUMN_STRUCTURED_DATA:
        l->to->nulls = take_memory(l, (n + 7) / 8, 1);
        memset(l->to->nulls, 0xff, (n + 7) / 8);
        /* fall through */
    case COLUMN_MESSAGE:
    case COLUMN_RAW:
        l->to->offsets = take_zeroed(l, (size_t)n + 1, sizeof(*l->to->offsets));
        l->to->text = "";
        return 0;
    case COLUMN_SEQ:
        l->to->runs = take_memory(l, 1, sizeof(*l->to->runs));
        l->to->runs[0] = (struct seq_run){l->r->first_seq, 0};
        l->to->runs_n = 1;
        return 0;
    }
}

/* ---- */

typedef int (*load_fn)(struct loading *l);

static const load_fn loaders[BLOCK_COLUMNS] = {
    [COLUMN_TIMES] = load_times,         [COLUMN_REPORTED] = load_reported,
    [COLUMN_SOURCES] = load_sources,     [COLUMN_LISTENERS] = load_bytes,
    [COLUMN_PRI] = load_bytes,           [COLUMN_FORMATS] = load_bytes,
    [COLUMN_FLAGS] = load_bytes,         [COLUMN_HOSTNAME] = load_dictionary,
    [COLUMN_APP_NAME] = load_dictionary, [COLUMN_PROCID] = load_dictionary,
    [COLUMN_MSGID] = load_dictionary,    [COLUMN_STRUCTURED_DATA] = load_texts,
    [COLUMN_MESSAGE] = load_texts,       [COLUMN_LAYOUTS] = load_layouts,
    [COLUMN_RAW] = load_texts,           [COLUMN_SEQ] = load_seq,
};

/* The most a sound content of the column may have: what is allocated before it is looked at. */
static size_t content_max(enum block_column c, size_t messages)
{
    switch (c) {
    case COLUMN_TIMES:
        return 8 + NUMBERS_MAX_BYTES(messages);
    case COLUMN_REPORTED:
        return 2 + messages + NUMBERS_MAX_BYTES(messages);
    case COLUMN_SOURCES:
        return WIRE_VARINT_MAX + BLOCK_MAX_SOURCES * 17 + NUMBERS_MAX_BYTES(messages);
    case COLUMN_LISTENERS:
    case COLUMN_PRI:
    case COLUMN_FORMATS:
    case COLUMN_FLAGS:
        return 2 + messages;
    case COLUMN_SEQ:
        return WIRE_VARINT_MAX * (1 + 2 * messages);
    case COLUMN_STRUCTURED_DATA:
    case COLUMN_MESSAGE:
    case COLUMN_RAW:
        return BLOCK_MAX_TEXT_BYTES + NUMBERS_MAX_BYTES(messages);
    default: /* dictionaries */
        return BLOCK_MAX_TEXT_BYTES + WIRE_VARINT_MAX + 1 +
               NUMBERS_MAX_BYTES(BLOCK_MAX_DICTIONARY) + NUMBERS_MAX_BYTES(messages);
    }
}

static int load_present(struct loading *l, struct view stored)
{
    struct view content = VIEW_NULL;
    int r = column_open(stored, l->column, content_max(l->column, l->r->messages), l->r->memory,
                        &content, l->err);
    if (r < 0)
        return r;
    l->content = (struct cursor){(const uint8_t *)content.p, content.n, false};
    r = loaders[l->column](l);
    if (r == 0 && l->content.n > 0)
        r = column_damaged(l->err, l->column, "%zu bytes stand after its end", l->content.n);
    return r;
}

int block_load(struct block_reader *r, enum block_column c, struct err *err)
{
    if (LIKELY(r->decoded[c] != NULL))
        return 0;
    if (r->messages < 1 || r->messages > BLOCK_MAX_MESSAGES)
        return err_set(err, EBADMSG, "damaged_block", "a block of %u messages is out of 1..%d",
                       r->messages, BLOCK_MAX_MESSAGES);
    struct loading l = {.r = r, .column = c, .err = err};
    struct view stored = r->fetch(r->fetch_context, c);
    l.to = take_zeroed(&l, 1, sizeof(*l.to));
    int e = stored.p == NULL ? load_absent(&l) : load_present(&l, stored);
    if (e == 0)
        r->decoded[c] = l.to;
    return e;
}
