/* What a block holds, counted: messages and bytes by source, hostname and app_name, for each minute
 * of arrival.  Made on the packer thread from the builder of a block that has been finished, where
 * the dictionaries and their rows are at hand; a few ns a message. */
#ifndef AZEKURA_BLOCK_COUNTS_H
#define AZEKURA_BLOCK_COUNTS_H

#include "base/clock.h"
#include "base/limits.h"
#include "block/block.h"

enum counts_by {
    COUNTS_SOURCE,   /* severity is 0 in all rows */
    COUNTS_HOSTNAME, /* and severity */
    COUNTS_APP_NAME, /* and severity */
    COUNTS_BY
};

enum counts_kind {
    COUNTS_VALUE,  /* `name` is the value */
    COUNTS_NONE,   /* the messages that have no such value */
    COUNTS_OTHERS, /* values beyond RATE_NAMES_A_UNIT or RATE_NAME_MAX_BYTES, together */
};

struct counts_row {
    struct view name; /* an address is its text; borrowed from the struct block_counts */
    uint8_t kind;     /* enum counts_kind */
    uint8_t severity;
    uint32_t messages;
    uint64_t bytes; /* as received */
};

/* Messages that arrived in one minute.  The rows of each list add up to the minute's messages and
 * bytes; no two of a list have the same kind, name and severity. */
struct counts_minute {
    int64_t minute_us;  /* its start, UTC */
    int64_t last_at_us; /* received_at of its last message */
    uint32_t messages;
    uint64_t bytes;
    struct counts_row *rows[COUNTS_BY];
    uint32_t rows_n[COUNTS_BY];
};

struct block_counts {
    struct counts_minute *minutes; /* oldest first, 1…RATE_MINUTES_A_BLOCK; what is later than that
                                      counts in the last one */
    uint32_t minutes_n;
    char *names;  /* what the rows' names borrow from */
    size_t bytes; /* of memory, all together */
};

/* Count the messages of `b`, which is not changed: between block_builder_finish() and
 * block_builder_clear().  Owned by the caller; block_counts_free. */
void block_counts_make(const struct block_builder *b, struct block_counts *ret);
void block_counts_free(struct block_counts *c); /* zeroes; a zeroed one is harmless */

#endif
