/* Rows of azekura.log_block in time order, read straight from its pieces, those of all source
 * groups together. */
#ifndef AZEKURA_BLOCKS_H
#define AZEKURA_BLOCKS_H

#include "pgext/pgext.h"

struct stored_block {
    HeapTuple tuple; /* palloc'd in the context of blocks_open; blocks_free_tuple */
    int16_t source_group;
    int64_t first_at_us, last_at_us;
    uint64_t first_seq;
    int32_t messages;
    int64_t raw_bytes;
    uint8_t severities;
    uint32_t facilities;
    uint8_t listeners;
    /* as stored, columns mostly pointers into TOAST; valid as long as `tuple` */
    Datum senders, tokens, columns[BLOCK_COLUMNS];
    bool has_tokens, has_column[BLOCK_COLUMNS];
};

struct blocks;

/* All blocks of all groups with first_at < to_us and last_at ≥ from_us: newest_first by falling
 * last_at, else by rising first_at.  ERROR when `user` may not select from azekura.log_block. Lives
 * in CurrentMemoryContext; an ERROR closes it. */
struct blocks *blocks_open(Snapshot snapshot, Oid user, int64_t from_us, int64_t to_us,
                           bool newest_first);
bool blocks_next(struct blocks *b, struct stored_block *ret);
/* Copy a row into CurrentMemoryContext; columns in TOAST stay there. */
void blocks_copy(struct stored_block *ret, const struct stored_block *from);
void blocks_free_tuple(struct stored_block *s);
void blocks_close(struct blocks *b);

/* Count the blocks in a range and their messages, exactly up to `exact` blocks; from there on the
 * mean and PostgreSQL's own statistics of the remaining pieces serve. */
void blocks_estimate(Snapshot snapshot, Oid user, int64_t from_us, int64_t to_us, uint32_t exact,
                     double *ret_blocks, double *ret_messages);

/* The oid of azekura.log_block: it stands in the schema of the extension. */
Oid blocks_relation(void);

/* Reads rows (or composites) whose descriptor is that of log_block or of a partition, which may
 * have its own order of attributes.  palloc'd. */
struct blocks_row {
    TupleDesc desc; /* borrowed */
    Datum *values;
    bool *nulls;
    int *meanings;
};
struct blocks_row *blocks_row_of(TupleDesc desc);
/* Whether all columns of log_block are there, with their types. */
bool blocks_row_is_whole(const struct blocks_row *row);
/* The views in *ret borrow from `tuple`. */
void blocks_read_row(struct blocks_row *row, HeapTuple tuple, struct stored_block *ret);

#endif
