/* Blocks of one piece in the place of others, in the calling transaction: what compaction and
 * parsing again have in common.
 *
 *   begin ─▶ old blocks are read ─▶ their messages become new blocks, in memory ─▶ swap
 *
 * swap deletes the old blocks and inserts the new ones.  Had another transaction deleted one of the
 * old blocks meanwhile, its messages would come back by that: so the number deleted must be the
 * number read, else all is undone by an ERROR.  Two exchanges in one piece wait for each other.  A
 * crash leaves the piece as it was.  Inside SPI_connect() all the time. */
#ifndef AZEKURA_EXCHANGE_H
#define AZEKURA_EXCHANGE_H

#include "pgext/blocks.h"
#include "base/arena.h"

struct new_block;

/* What is not palloc'd; freed with its memory context. */
struct exchange_memory {
    struct block_builder *builder;
    struct block block;
    struct arena arena; /* the caller's, for rows; exchange_add() clears it */
    MemoryContextCallback callback;
};

struct exchange {
    MemoryContext context; /* that of the call: outlives SPI's statements */
    Datum piece;           /* its name, a text */
    Datum group, lower, upper;
    struct exchange_memory *memory;
    /* the old blocks, in the order of exchange_take() */
    struct stored_block *old;
    Datum *ctids, *first_ats, *first_seqs;
    size_t old_n;
    uint64_t messages;
    /* the new ones */
    struct new_block *first, **last;
    size_t new_n;
    uint64_t written;
    int64_t last_first_at_us; /* first_at of the newest new block */
};

/* Lock and find the piece `name`, a text; ERROR when there is none.  Room for `old_max` blocks. */
void exchange_begin(struct exchange *x, Datum name);
void exchange_reserve(struct exchange *x, size_t old_max);
/* A row of `select *, ctid from azekura.log_block` is one of the old blocks. */
void exchange_take(struct exchange *x, const struct stored_block *s, Datum ctid);
/* The next message of the new blocks; a full one is closed and another begun. */
void exchange_add(struct exchange *x, const struct record *r, uint64_t seq);
/* Close the last new block. */
void exchange_finish(struct exchange *x);
void exchange_swap(struct exchange *x);

#endif
