/* Checking stored blocks one by one, and how much is stored. */
#ifndef AZEKURA_STORE_VERIFY_H
#define AZEKURA_STORE_VERIFY_H

#include "base/clock.h"
#include "store/connection.h"

struct verify_step {
    int64_t done, total; /* blocks */
    int64_t messages;    /* in the blocks done */
    const char *fault;   /* of this block: a sentence; NULL: none.  Valid inside the callback */
    const char *partition;
    int64_t first_at_us; /* of the block */
};
typedef void (*verify_step_fn)(void *context, const struct verify_step *s);

struct verify_result {
    int64_t blocks, messages, damaged;
    int64_t gone; /* merged or deleted since the list was made: not looked at */
};

/* Check every block with a message in [from, to) (TIME_NONE: open), each in a statement of its own,
 * so that one that cannot even be fetched does not end the rest.  0, or negative and *err. */
MUST_USE int verify_blocks(PGconn *c, int64_t from_us, int64_t to_us, verify_step_fn each,
                           void *context, struct verify_result *ret, struct err *err);

struct stored_summary {
    int64_t blocks, messages, raw_bytes;
    int64_t database_bytes;          /* on disk, all of the database */
    int64_t first_at_us, last_at_us; /* TIME_NONE: nothing stored */
};
MUST_USE int verify_summary(PGconn *c, struct stored_summary *ret, struct err *err);

#endif
