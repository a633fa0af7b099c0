/* The chores themselves. */
#include "keeper/keeper.h"

#include "base/clock.h"
#include "store/upkeep.h"

#define SMALL_BLOCKS \
    120 /* of today gather before they are merged: two minutes at one block a second */
#define ALL_DAYS 36500
#define RECENT_DAYS 3
#define COMPACT_BLOCKS 512 /* blocks one transaction merges: bounds its memory and its time */

static int64_t make_partitions(PGconn *c, const struct config *config, struct err *err)
{
    int64_t r = upkeep_partitions(c, config->partitions_ahead_days, config->time_zone, err);
    return r < 0 ? r : 10 * US_PER_MINUTE;
}

static int64_t compact(PGconn *c, const struct config *config, struct err *err)
{
    static int64_t days =
        ALL_DAYS; /* after a start everything is looked at once, later what still changes */
    struct upkeep_compacted merged = {0};
    int r = upkeep_compact(c, days, SMALL_BLOCKS, config->compact_after_seconds, COMPACT_BLOCKS,
                           &merged, err);
    if (r == 0)
        days = RECENT_DAYS;
    return r < 0 ? r : r > 0 ? 0 : MIN(config->compact_after_seconds, INT64_C(60)) * US_PER_SECOND;
}

static int64_t forget(PGconn *c, const struct config *config, struct err *err)
{
    int64_t r = upkeep_forget(c, config->ledger_minutes_days, err);
    return r < 0 ? r : 10 * US_PER_MINUTE;
}

struct chore keeper_chores[] = {
    {"making partitions", make_partitions, 10 * US_PER_SECOND, 0},
    {"compaction", compact, US_PER_MINUTE, 0},
    {"forgetting what is over", forget, US_PER_MINUTE, 0},
};
const size_t keeper_chores_n = ARRAY_LEN(keeper_chores);
