/* What the database will not take, ever: set aside as a file, so that nothing is lost and the units
 * behind it are not held up. */
#ifndef AZEKURA_RECEIVER_REJECTED_H
#define AZEKURA_RECEIVER_REJECTED_H

#include "receiver/state.h"
#include "store/unit.h"

/* Write STATE/receiver/rejected/RUN-NUMBER.copy, which psql can load later:
 *     \copy azekura.log_block (…) from FILE with (format binary)
 * and beside it RUN-NUMBER.counts, the ledger rows as text.  The path goes to ret_path (of the
 * block, or of the counts without one).  0, or negative and *err. */
MUST_USE int rejected_keep(const struct state *s, const struct unit *u,
                           char ret_path[STATE_PATH_MAX], struct err *err);

#endif
