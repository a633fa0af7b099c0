/* The ledger, read: arrived = stored + refused (by reason) + queued, and what the kernel dropped.
 */
#ifndef AZEKURA_STORE_LEDGER_H
#define AZEKURA_STORE_LEDGER_H

#include "store/connection.h"
#include "store/reason.h"
#include "base/clock.h"
#include "base/record.h"

struct ledger_counts { /* messages but for bytes */
    int64_t arrived, stored, bytes, truncated;
    int64_t refused[REASON_COUNT];
};
int64_t ledger_refused(const struct ledger_counts *c); /* all reasons together */
void ledger_add(struct ledger_counts *to, const struct ledger_counts *c);
/* arrived = stored + refused.  What is queued is in no row of the ledger: it stands in
 * ledger_receiver. */
bool ledger_is_balanced(const struct ledger_counts *c);

struct ledger_totals {
    struct ledger_counts by_listener[LISTENER_COUNT], all;
    int64_t kernel_dropped[LISTENER_COUNT];
};
/* Since the store was made, also of minutes the ledger no longer keeps: for counters that never
 * fall. */
MUST_USE int ledger_read_ever(PGconn *c, struct ledger_totals *ret, struct err *err);
/* Messages stored since then; it grows with the transaction that stores them. */
MUST_USE int ledger_read_stored(PGconn *c, int64_t *ret, struct err *err);

struct ledger_row {
    const char *listener, *source; /* valid inside the callback */
    struct ledger_counts counts;
};
typedef void (*ledger_row_fn)(void *context, const struct ledger_row *r);
/* Between two times (whole minutes: from is cut down, to is rounded up; TIME_NONE: open): the
 * totals, and by listener and source, most arrived first, at most `limit` rows (0: none, and `each`
 * may be NULL).  Returns how many rows, or negative. */
MUST_USE int ledger_read(PGconn *c, int64_t from_us, int64_t to_us, int limit, ledger_row_fn each,
                         void *context, struct ledger_totals *ret, struct err *err);

/* What the receiver says of itself; live while `at_us` is a few seconds old. */
struct ledger_receiver {
    char receiver[256], run[40];
    int64_t started_at_us, at_us;
    int64_t age_us; /* of at_us, by the database's clock */
    int64_t arrived, stored, refused, queued, queue_bytes, connections, udp_buffer_bytes,
        kernel_dropped;
};
/* arrived = stored + refused + queued */
bool ledger_receiver_is_balanced(const struct ledger_receiver *r);
/* The one that reported last: 1, or 0 when none ever did. */
MUST_USE int ledger_read_receiver(PGconn *c, struct ledger_receiver *ret, struct err *err);

/* Add up the next hour that is over, so that reading a long range costs little.  Returns how many
 * were (0: none is due), or negative. */
MUST_USE int64_t ledger_sum(PGconn *c, struct err *err);

/* Merge minutes older than 14 days into hours, a few at most; a time that lies within an hour
 * then counts from its beginning.  Returns hours looked at (0: none left), or negative. */
MUST_USE int64_t ledger_merge(PGconn *c, struct err *err);

#endif
