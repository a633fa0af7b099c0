/* The write side of the store.  A unit is what is stored in one transaction or not at all: blocks
 * of messages (one a source group, or none) with the ledger rows that account for them and what the
 * kernel dropped meanwhile.  Its key (run, number) makes a second writing harmless, so that a unit
 * whose outcome is unknown is simply written again. */
#ifndef AZEKURA_STORE_UNIT_H
#define AZEKURA_STORE_UNIT_H

#include <libpq-fe.h>

#include "base/err.h"
#include "base/ip.h"
#include "base/limits.h"
#include "base/record.h"
#include "block/counts.h"
#include "store/reason.h"

#define UNIT_RUN_BYTES 16 /* a UUID */

/* Counts of one (minute, listener, source).  arrived = stored + all of refused. */
struct unit_row {
    int64_t minute_us; /* start of the minute, UTC */
    uint8_t listener;  /* enum listener */
    struct ip source;
    uint64_t arrived, stored;
    uint64_t bytes;     /* of the arrived */
    uint64_t truncated; /* of the stored */
    uint64_t refused[REASON_COUNT];
    uint64_t missing,
        repeated; /* what the sequence numbers of the source say: not of the arrived */
};

struct unit_drop {
    int64_t minute_us;
    uint8_t listener;
    uint64_t dropped; /* datagrams, by the kernel */
};

/* The messages of a unit that belong to one source group; each day of a group has its own
 * partition. */
struct unit_block {
    uint8_t source_group;
    const struct block *block;
    const struct block_counts *counts; /* of the same messages, for the receive rates */
};

/* Borrows everything.  No two blocks have the same group, no two rows the same minute, listener and
 * source. */
struct unit {
    uint8_t run[UNIT_RUN_BYTES];
    uint64_t number;
    const struct unit_block *blocks;
    size_t blocks_n; /* 0…SOURCE_GROUPS_MAX */
    const char
        *zone; /* of the box: whose days the store is parted by; NULL: as the database says */
    const struct unit_row *rows;
    size_t rows_n;
    const struct unit_drop *drops;
    size_t drops_n;
};

enum unit_outcome {
    UNIT_COMMITTED,
    UNIT_STORED_ALREADY, /* an earlier writing of the same key was committed after all */
    UNIT_NOT_COMMITTED,  /* nothing is stored; try again later */
    UNIT_UNKNOWN,        /* the connection was lost around COMMIT; write again under the same key */
    UNIT_REJECTED,       /* nothing is stored, and the server says it is the data's fault */
};

/* How long to wait for an answer of the server, and when to give up in spite of that. */
struct unit_patience {
    int64_t answer_us;                      /* per answer */
    const _Atomic int64_t *give_up_mono_us; /* may be moved by another thread; NULL: never */
};

/* Write a unit in one transaction as azekura_receiver on a connection that is not in one.  *err is
 * filled for every outcome but the first two; err->code is "database_away" when the connection is
 * of no use any more.  Otherwise the transaction has been rolled back and the connection can go on.
 */
MUST_USE enum unit_outcome unit_write(PGconn *c, const struct unit *u,
                                      const struct unit_patience *p, struct err *err);

/* Run one statement and wait with the same patience: 0, or negative and *err as store_query(). *ret
 * (PQclear) may be NULL when the rows do not matter. */
MUST_USE int unit_query(PGconn *c, const char *sql, int n, const char *const *values,
                        const struct unit_patience *p, PGresult **ret, struct err *err);

/* The statement that unit_encode_blocks() is the data of. */
extern const char unit_copy_sql[];

/* Blocks as the data of COPY … BINARY (header, a row each, trailer), appended to *out.  It is what
 * is sent and what rejected blocks are set aside as.  0, or -ENOSPC. */
MUST_USE int unit_encode_blocks(const struct unit_block *blocks, size_t n, struct buf *out);

/* A UUID's text, NUL-terminated. */
#define UNIT_RUN_TEXT_MAX 37
void unit_run_text(const uint8_t run[UNIT_RUN_BYTES], char out[UNIT_RUN_TEXT_MAX]);

#endif
