/* What the keeper does to the store: partitions ahead of time, compaction, forgetting what is over.
 */
#ifndef AZEKURA_STORE_UPKEEP_H
#define AZEKURA_STORE_UPKEEP_H

#include "store/connection.h"

/* Make sure that today and `days` days from it have a partition, days of `zone`.  Returns how many
 * days were looked at, or negative. */
MUST_USE int64_t upkeep_partitions(PGconn *c, int64_t days, const char *zone, struct err *err);

#define UPKEEP_DAY_MAX 64 /* bytes of a partition's name with its zero: PostgreSQL's limit */
/* Merge small blocks of one of the last `days` days into full ones: the oldest after `after` (name
 * of a day partition; "": from the first one on) that is over and has two small blocks, or today
 * when `small_blocks` have gathered.  Blocks younger than `quiet_seconds` are left alone.  One
 * transaction of at most `max_blocks` blocks. Returns 1 when something was merged (there may be
 * more in this day); 0 when there was nothing to be won in it (damaged blocks stay, and such that
 * do not fit together: go on after it); or negative.  ret_day, in all cases: the day, "" when there
 * is none left. */
MUST_USE int upkeep_compact(PGconn *c, int64_t days, const char *after, int64_t small_blocks,
                            int64_t quiet_seconds, int64_t max_blocks, char ret_day[UPKEEP_DAY_MAX],
                            struct err *err);

/* Forget ended sessions, failed log-ins older than a day, and the ledger's minutes older than
 * `ledger_days`, a bounded number a call.  Returns rows removed, or negative. */
MUST_USE int64_t upkeep_forget(PGconn *c, int64_t ledger_days, struct err *err);

#endif
