/* Stored messages parsed again from their bytes, with the zone and charset that the rows about
 * their sources say: what it would change, asking for it, and the keeper's part. */
#ifndef AZEKURA_STORE_REPARSE_H
#define AZEKURA_STORE_REPARSE_H

#include "base/buf.h"
#include "base/clock.h"
#include "store/connection.h"

/* ---- people ---- */

struct preview_question {
    const char *network, *zone, *charset; /* NULL: as for all */
    const char *box_zone, *box_charset;   /* time.zone, receiver.charset */
    int64_t time_limit_ms;
};
/* What the newest 1,000 stored messages of the network would become: a JSON object, appended.  0;
 * -EINVAL "bad_value" with the field. */
MUST_USE int reparse_preview(PGconn *c, const struct preview_question *q, struct buf *out,
                             struct err *err);

struct reparse_wish {
    const char *network;
    int64_t from_us, to_us;             /* TIME_NONE: open */
    const char *box_zone, *box_charset; /* for rows that name none */
};
/* Ask the keeper, who begins within a second: 0 and the request's id; -EINVAL; -EEXIST "too_many",
 * "built_in". */
MUST_USE int reparse_ask(PGconn *c, const char *actor, const struct reparse_wish *w,
                         int64_t *ret_id, struct err *err);
/* -ENOENT; -EEXIST "over" when there is nothing left to be cancelled. */
MUST_USE int reparse_cancel(PGconn *c, const char *actor, int64_t id, struct err *err);

/* ---- the keeper ---- */

/* Work on the request whose turn it is for about `work_us`, a transaction a block.  Returns how
 * long the next step may wait, µs; REPARSE_NONE: there is no request; negative and *err. */
#define REPARSE_NONE INT64_MAX
MUST_USE int64_t reparse_work(PGconn *c, int64_t work_us, struct err *err);
/* Give back what the request at work has left as holes in a piece that it has done with.  1: a
 * piece was written anew; 0: there is none, or not now; negative and *err. */
MUST_USE int reparse_tidy(PGconn *c, struct err *err);
/* The request whose turn it is has failed for good, for this reason. */
MUST_USE int reparse_fail(PGconn *c, const char *reason, struct err *err);

#endif
