/* The senders ever heard. */
#ifndef AZEKURA_STORE_SOURCE_H
#define AZEKURA_STORE_SOURCE_H

#include "store/connection.h"
#include "base/clock.h"

struct source_row {
    const char *source; /* address; valid inside the callback */
    int64_t first_heard_us, last_heard_us;
    int64_t messages, bytes; /* stored and as received, ever */
    /* within the range asked for */
    int64_t range_arrived, range_stored, range_refused, range_bytes;
    int64_t range_missing, range_repeated; /* by its sequence numbers */
};
enum source_order { SOURCE_BUSIEST, SOURCE_SILENT };

typedef void (*source_row_fn)(void *context, const struct source_row *r);
/* SOURCE_BUSIEST: most arrived in the range first; SOURCE_SILENT: longest unheard first. TIME_NONE:
 * open. Returns how many were given (at most limit), or negative; *ret_total: all senders ever
 * heard. */
MUST_USE int source_read(PGconn *c, int64_t from_us, int64_t to_us, enum source_order order,
                         int limit, source_row_fn each, void *context, int64_t *ret_total,
                         struct err *err);

#endif
