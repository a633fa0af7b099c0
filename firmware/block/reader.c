/* The accessors of a reader: what block_load has checked is handed out without another look. */
#include "block/decoded.h"

void block_reader_init(struct block_reader *r, uint32_t messages, uint64_t first_seq,
                       struct block_memory memory, block_fetch_fn fetch, void *fetch_context)
{
    *r = (struct block_reader){.messages = messages,
                               .first_seq = first_seq,
                               .memory = memory,
                               .fetch = fetch,
                               .fetch_context = fetch_context};
}

static const struct block_decoded *loaded(const struct block_reader *r, enum block_column c)
{
    CHECK(r->decoded[c] != NULL);
    return r->decoded[c];
}

static const struct block_decoded *loaded_row(const struct block_reader *r, enum block_column c,
                                              uint32_t row)
{
    CHECK(row < r->messages);
    return loaded(r, c);
}

int64_t block_time(const struct block_reader *r, uint32_t row)
{
    return loaded_row(r, COLUMN_TIMES, row)->times[row];
}

int64_t block_reported(const struct block_reader *r, uint32_t row)
{
    return loaded_row(r, COLUMN_REPORTED, row)->times[row];
}

void block_source(const struct block_reader *r, uint32_t row, struct ip *ret)
{
    const struct block_decoded *d = loaded_row(r, COLUMN_SOURCES, row);
    *ret = d->sources[d->rows[row]];
}

uint8_t block_listener(const struct block_reader *r, uint32_t row)
{
    return loaded_row(r, COLUMN_LISTENERS, row)->bytes[row];
}

uint8_t block_pri(const struct block_reader *r, uint32_t row)
{
    return loaded_row(r, COLUMN_PRI, row)->bytes[row];
}

uint8_t block_format(const struct block_reader *r, uint32_t row)
{
    return loaded_row(r, COLUMN_FORMATS, row)->bytes[row];
}

uint8_t block_flags(const struct block_reader *r, uint32_t row)
{
    return loaded_row(r, COLUMN_FLAGS, row)->bytes[row];
}

uint64_t block_seq(const struct block_reader *r, uint32_t row)
{
    const struct block_decoded *d = loaded_row(r, COLUMN_SEQ, row);
    uint32_t low = 0, high = d->runs_n; /* runs[low].row ≤ row < runs[high].row */
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (d->runs[middle].row <= row)
            low = middle;
        else
            high = middle;
    }
    return d->runs[low].seq + (row - d->runs[low].row);
}

bool block_row_of_seq(const struct block_reader *r, uint64_t seq, uint32_t *ret_row)
{
    const struct block_decoded *d = loaded(r, COLUMN_SEQ);
    for (uint32_t i = 0; i < d->runs_n; i++) {
        uint32_t end = i + 1 < d->runs_n ? d->runs[i + 1].row : r->messages;
        uint64_t distance = seq - d->runs[i].seq;
        if (distance < end - d->runs[i].row) {
            *ret_row = d->runs[i].row + (uint32_t)distance;
            return true;
        }
    }
    return false;
}

static bool is_text_column(enum block_column c)
{
    return c == COLUMN_STRUCTURED_DATA || c == COLUMN_MESSAGE || c == COLUMN_RAW;
}

struct view block_text(const struct block_reader *r, enum block_column c, uint32_t row)
{
    const struct block_decoded *d = loaded_row(r, c, row);
    if (!is_text_column(c))
        return block_dictionary_text(r, c, d->rows[row]);
    if (d->nulls != NULL && d->nulls[row / 8] >> row % 8 & 1)
        return VIEW_NULL;
    uint32_t k = d->place != NULL ? d->place[row] : row;
    return view_of(d->text + d->offsets[k], d->offsets[k + 1] - d->offsets[k]);
}

uint32_t block_dictionary_size(const struct block_reader *r, enum block_column c)
{
    return loaded(r, c)->entries;
}

struct view block_dictionary_text(const struct block_reader *r, enum block_column c, uint32_t entry)
{
    const struct block_decoded *d = loaded(r, c);
    CHECK(entry < d->entries && d->offsets != NULL);
    if (entry == 0)
        return VIEW_NULL;
    return view_of(d->text + d->offsets[entry - 1], d->offsets[entry] - d->offsets[entry - 1]);
}

void block_dictionary_source(const struct block_reader *r, uint32_t entry, struct ip *ret)
{
    const struct block_decoded *d = loaded(r, COLUMN_SOURCES);
    CHECK(entry < d->entries);
    *ret = d->sources[entry];
}

const uint16_t *block_dictionary_rows(const struct block_reader *r, enum block_column c)
{
    return loaded(r, c)->rows;
}

struct block_texts block_column_texts(const struct block_reader *r, enum block_column c)
{
    CHECK(is_text_column(c));
    const struct block_decoded *d = loaded(r, c);
    return (struct block_texts){view_of(d->text, d->offsets[r->messages]), d->offsets, d->order};
}

uint32_t block_lower_bound(const struct block_reader *r, int64_t us)
{
    const int64_t *times = loaded(r, COLUMN_TIMES)->times;
    uint32_t low = 0, high = r->messages;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (times[middle] < us)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}
