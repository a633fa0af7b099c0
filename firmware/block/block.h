/* A block: up to 65,536 messages as compressed columns, one row of azekura.log_block.  This header
 * is what goes in and comes out; firmware/block/README.md is the format byte by byte. */
#ifndef AZEKURA_BLOCK_H
#define AZEKURA_BLOCK_H

#include "base/record.h"
#include "base/buf.h"
#include "base/err.h"

/* The columns, in the order of the table; never renumber, append only. */
enum block_column {
    COLUMN_TIMES,    /* received_at */
    COLUMN_REPORTED, /* reported_at */
    COLUMN_SOURCES,  /* dictionary of addresses, and an index a row */
    COLUMN_LISTENERS,
    COLUMN_PRI, /* facility × 8 + severity */
    COLUMN_FORMATS,
    COLUMN_FLAGS,
    COLUMN_HOSTNAME, /* dictionary columns … */
    COLUMN_APP_NAME,
    COLUMN_PROCID,
    COLUMN_MSGID,
    COLUMN_STRUCTURED_DATA, /* … text columns */
    COLUMN_MESSAGE,
    COLUMN_LAYOUTS, /* how to render the bytes as received from the fields */
    COLUMN_RAW,     /* the bytes as received, only of rows that cannot be rendered */
    COLUMN_SEQ,     /* runs of sequence numbers; absent while they are first_seq + row */
    BLOCK_COLUMNS
};

/* The SQL names of the columns: "times", "reported", … */
const char *block_column_name(enum block_column c);

struct block {
    int64_t first_at_us,
        last_at_us;      /* received_at of the first and last row; rows never go back in time */
    uint64_t first_seq;  /* of row 0 */
    uint32_t messages;   /* 1…BLOCK_MAX_MESSAGES */
    uint64_t raw_bytes;  /* bytes as received, all rows */
    uint8_t severities;  /* bit s: some row has severity s */
    uint32_t facilities; /* bit f */
    uint8_t listeners;   /* bit l */
    struct buf senders;  /* distinct source addresses, sorted (block/senders.h) */
    struct buf tokens;   /* token index (block/tokens.h) */
    struct buf columns[BLOCK_COLUMNS]; /* n == 0: absent, every row has the column's default */
};

void block_free(struct block *b); /* what finish gave; zeroes */

/* ---- building: one thread at a time ---- */

struct block_builder;

MUST_USE struct block_builder *block_builder_new(void);
void block_builder_free(struct block_builder **b);
/* Empty again, for `first_seq`; keeps its memory. */
void block_builder_clear(struct block_builder *b, uint64_t first_seq);
/* What a block of unusual size needed is given back.  To be cleared before it is used again. */
void block_builder_shrink(struct block_builder *b);
/* Copy one record in as the next row.  0; -ENOSPC when the block is full (messages, text bytes,
 * sources or dictionary entries) or -EDOM when received_at is before the last row's: nothing has
 * changed and the caller starts another block.  About 0.2 µs a message. */
MUST_USE int block_builder_add(struct block_builder *b, const struct record *r);
uint32_t block_builder_messages(const struct block_builder *b);
uint64_t block_builder_raw_bytes(const struct block_builder *b);
/* Text kept of all rows, ≤ BLOCK_MAX_TEXT_BYTES: what the builder's memory grows with. */
size_t block_builder_text_bytes(const struct block_builder *b);
int64_t block_builder_first_at_us(const struct block_builder *b); /* TIME_NONE when empty */
/* Compress into *ret (owned by the caller; block_free).  The builder is unchanged and may be
 * cleared. CHECKs that there is a message.  About 1 µs a message. */
void block_builder_finish(struct block_builder *b, struct block *ret);

/* ---- reading ---- */

/* Where the reader's memory comes from: never returns NULL, never freed one by one (a PostgreSQL
 * memory context, an arena). */
struct block_memory {
    void *(*alloc)(void *context, size_t n);
    void *context;
};

/* Gives the stored bytes of a column, or VIEW_NULL when the column is absent (SQL null). */
typedef struct view (*block_fetch_fn)(void *context, enum block_column c);

struct block_reader {
    uint32_t messages;
    uint64_t first_seq;
    struct block_memory memory;
    block_fetch_fn fetch;
    void *fetch_context;
    struct block_decoded *decoded[BLOCK_COLUMNS]; /* loaded on first use */
};

void block_reader_init(struct block_reader *r, uint32_t messages, uint64_t first_seq,
                       struct block_memory memory, block_fetch_fn fetch, void *fetch_context);
/* Fetch, check (checksum, sizes, every offset and index) and decompress a column, once.  0, or
 * -EBADMSG with *err naming the column and the fault.  The accessors below need their columns
 * loaded; after that they cannot fail. */
MUST_USE int block_load(struct block_reader *r, enum block_column c, struct err *err);

int64_t block_time(const struct block_reader *r, uint32_t row);
int64_t block_reported(const struct block_reader *r, uint32_t row); /* TIME_NONE: null */
void block_source(const struct block_reader *r, uint32_t row, struct ip *ret);
uint8_t block_listener(const struct block_reader *r, uint32_t row);
uint8_t block_pri(const struct block_reader *r, uint32_t row);
uint8_t block_format(const struct block_reader *r, uint32_t row);
uint8_t block_flags(const struct block_reader *r, uint32_t row);
uint64_t block_seq(const struct block_reader *r, uint32_t row); /* COLUMN_SEQ */
/* The row with the sequence number, if the block has it.  Needs COLUMN_SEQ. */
bool block_row_of_seq(const struct block_reader *r, uint64_t seq, uint32_t *ret_row);
/* HOSTNAME … MESSAGE; null view: SQL null. */
struct view block_text(const struct block_reader *r, enum block_column c, uint32_t row);
/* The bytes as received, rendered into *out (appended); loads the columns it needs.  0, -ENOSPC, or
 * -EBADMSG with *err. */
MUST_USE int block_raw(struct block_reader *r, uint32_t row, struct buf *out, struct err *err);

/* Whole-column access for filters.
 * Dictionary columns (HOSTNAME … MSGID; SOURCES): number of entries and the entry of each row;
 * entry 0 is null for text dictionaries. */
uint32_t block_dictionary_size(const struct block_reader *r, enum block_column c);
struct view block_dictionary_text(const struct block_reader *r, enum block_column c,
                                  uint32_t entry);
void block_dictionary_source(const struct block_reader *r, uint32_t entry, struct ip *ret);
const uint16_t *block_dictionary_rows(const struct block_reader *r, enum block_column c);
/* Text columns (STRUCTURED_DATA, MESSAGE): the texts of all rows one after another, as they are
 * stored, those of one app_name together.  The k-th is bytes offsets[k] … offsets[k + 1] and
 * belongs to row order[k], or to row k where order is NULL.  Null and empty look alike here. */
struct block_texts {
    struct view all;
    const uint32_t *offsets, *order;
};
struct block_texts block_column_texts(const struct block_reader *r, enum block_column c);

/* First row with received_at ≥ us (0…messages).  Needs COLUMN_TIMES. */
uint32_t block_lower_bound(const struct block_reader *r, int64_t us);

/* Check everything: every column loads, the metadata (first_at, last_at, severities, facilities,
 * listeners, senders, raw_bytes) agree with the rows, every row renders, and the token index
 * contains every token.  0, or -EBADMSG with *err. */
MUST_USE int block_verify(struct block_reader *r, const struct block *meta, struct err *err);

/* Copy rows of a reader into a builder, for compaction: the record of a row, with raw and field
 * views such that block_builder_add stores it again as it is (views valid until the arena is
 * cleared or the reader's memory goes).  0, or -EBADMSG with *err. */
struct arena;
MUST_USE int block_record(struct block_reader *r, uint32_t row, struct arena *a, struct record *ret,
                          struct err *err);
/* As block_builder_add, keeping the row's own sequence number instead of the next one. */
MUST_USE int block_builder_add_seq(struct block_builder *b, const struct record *r, uint64_t seq);

#endif
