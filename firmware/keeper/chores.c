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
    static char done[UPKEEP_DAY_MAX]; /* in this round: nothing to be won up to this day */
    char day[UPKEEP_DAY_MAX];
    int r = upkeep_compact(c, days, done, SMALL_BLOCKS, config->compact_after_seconds,
                           COMPACT_BLOCKS, day, err);
    if (r > 0)
        return 0;
    if (r == 0 && !day[0]) {
        days = RECENT_DAYS;
        done[0] = 0;
        return MIN(config->compact_after_seconds, INT64_C(60)) * US_PER_SECOND;
    }
    /* also a day that fails: it must not keep the others from their turn */
    if (day[0])
        memcpy(done, day, sizeof(done));
    return r;
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
