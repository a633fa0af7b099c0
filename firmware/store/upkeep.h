/* What the keeper does to the store: partitions ahead of time, compaction, forgetting what is over.
 */
#ifndef AZEKURA_STORE_UPKEEP_H
#define AZEKURA_STORE_UPKEEP_H

#include "store/connection.h"

/* Make sure that today and `days` days from it have a partition, days of `zone`.  Returns how many
 * days were looked at, or negative. */
MUST_USE int64_t upkeep_partitions(PGconn *c, int64_t days, const char *zone, struct err *err);

struct upkeep_compacted {
    int64_t blocks_before, blocks_after;
};
/* Merge small blocks of one of the last `days` days into full ones: the oldest that is over and
 * still has two mergeable blocks, or today when `small_blocks` have gathered.  Blocks younger than
 * `quiet_seconds` are left alone.  One transaction of at most `max_blocks` blocks. Returns 1 when
 * something was merged (call again), 0 when there is nothing to do, or negative. */
MUST_USE int upkeep_compact(PGconn *c, int64_t days, int64_t small_blocks, int64_t quiet_seconds,
                            int64_t max_blocks, struct upkeep_compacted *ret, struct err *err);

/* Forget ended sessions, failed log-ins older than a day, and the ledger's minutes older than
 * `ledger_days`, a bounded number a call.  Returns rows removed, or negative. */
MUST_USE int64_t upkeep_forget(PGconn *c, int64_t ledger_days, struct err *err);

#endif
