/* Why a message was refused: the part of arrived = stored + refused + queued that is not kept in
 * the store. */
#ifndef AZEKURA_STORE_REASON_H
#define AZEKURA_STORE_REASON_H

#include "base/base.h"

/* X(ID, name), the one list of reasons in C; `name` is what SQL, JSON and metrics call it.  In the
 * order of the columns of azekura.ledger and of the `refused` argument of azekura.count_unit().
 * The receiver keeps them in files by number: append only. */
#define REASON_LIST(X)                                                                         \
    X(NOT_ALLOWED, not_allowed) /* the sender is not one we listen to */                       \
    X(RATE_LIMIT, rate_limit)   /* the sender sent too many */                                 \
    X(OVERSIZE, oversize)       /* the frame is longer than a message can be */                \
    X(BAD_FRAME, bad_frame)     /* the stream cannot be cut into messages */                   \
    X(OVER_BUDGET, over_budget) /* the month's budget is used up */                            \
    X(QUEUE_FULL, queue_full)   /* the database was away and the memory for waiting is full */ \
    X(CRASH, crash)             /* the receiver was killed before it could store it */         \
    X(REJECTED, rejected)       /* the database refused its block, which is set aside in       \
                                   STATE/receiver/rejected/ */

#define REASON_MEMBER(id, name) REASON_##id,
enum reason { REASON_LIST(REASON_MEMBER) REASON_COUNT };
#undef REASON_MEMBER

const char *reason_name(unsigned reason); /* "not_allowed", …; NULL out of range */

#endif
