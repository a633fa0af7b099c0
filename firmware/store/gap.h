/* What is missing and what came again, by the sequence numbers that senders give their messages. */
#ifndef AZEKURA_STORE_GAP_H
#define AZEKURA_STORE_GAP_H

#include "base/clock.h"
#include "base/record.h"
#include "store/connection.h"

struct gap_counts { /* messages */
    int64_t missing, repeated;
};
struct gap_totals {
    struct gap_counts by_listener[LISTENER_COUNT], all;
};
/* Between two times (whole minutes: from is cut down, to is rounded up; TIME_NONE: open).  0, or
 * negative and *err. */
MUST_USE int gap_read_totals(PGconn *c, int64_t from_us, int64_t to_us, struct gap_totals *ret,
                             struct err *err);

struct gap_row {
    int64_t at_us;                 /* the beginning of the step; TIME_NONE: of a sum */
    const char *listener, *source; /* valid inside the callback */
    struct gap_counts counts;
};
typedef void (*gap_row_fn)(void *context, const struct gap_row *r);
/* By step, listener and source, the latest first, at most `limit` rows; only what has a gap.
 * `from_us` and `to_us` are whole steps, which are minutes, hours or days of UTC.  `source`: of one
 * alone, or NULL.  Returns how many rows, or negative and *err (-EINVAL: `source` is no address).
 */
MUST_USE int gap_read(PGconn *c, int64_t from_us, int64_t to_us, int64_t step_us,
                      const char *source, int limit, gap_row_fn each, void *context,
                      struct err *err);
/* The sums of the range by listener and source, most missing first, at most `limit` rows. */
MUST_USE int gap_read_sums(PGconn *c, int64_t from_us, int64_t to_us, const char *source, int limit,
                           gap_row_fn each, void *context, struct err *err);

#endif
