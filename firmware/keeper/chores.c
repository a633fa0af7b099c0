/* The chores themselves. */
#include "keeper/keeper.h"

#include "base/clock.h"
#include "keeper/enforce.h"
#include "store/benchmark.h"
#include "store/ledger.h"
#include "store/rate.h"
#include "store/reparse.h"
#include "store/event.h"
#include "store/retention_clock.h"
#include "store/tls_admin.h"
#include "store/upkeep.h"

#define SMALL_BLOCKS \
    120 /* of today gather before they are merged: two minutes at one block a second */
#define ALL_DAYS 36500
#define EVENT_DAYS 731     /* two years of events are kept, */
#define EVENTS_KEPT 100000 /* but no more than this */
#define RECENT_DAYS 3
#define FOLD_ROWS 2000 /* a minute of one unit a second has 300: bounds a transaction */
#define TOLD_US (US_PER_SECOND / 20)        /* many writers say something at once */
#define REPARSE_WORK_US (US_PER_SECOND / 5) /* then others have their turn */
#define REPARSE_TIDY_US (10 * US_PER_SECOND)
#define REPARSE_TRIES 5
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
    static char done[UPKEEP_PIECE_MAX]; /* in this round: nothing to be won up to this day */
    char day[UPKEEP_PIECE_MAX];
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

/* One piece a call: others have their turn between the copies. */
static int64_t give_back(PGconn *c, const struct config *config, struct err *err)
{
    static char done[UPKEEP_PIECE_MAX]; /* in this round: looked at up to this piece */
    char piece[UPKEEP_PIECE_MAX];
    int64_t bytes;
    (void)config;
    int64_t r = upkeep_rewrite(c, done, piece, &bytes, err);
    if (piece[0])
        memcpy(done, piece, sizeof(done));
    if (r != 0)
        return r > 0 ? 0 : r;
    done[0] = 0;
    r = upkeep_drop_empty(c, err);
    return r < 0 ? r : 10 * US_PER_MINUTE;
}

/* What a wrong clock makes look old is not forgotten; the number of events is bounded all the same.
 */
static int64_t forget(PGconn *c, const struct config *config, struct err *err)
{
    int64_t r = upkeep_forget_access(c, err);
    int is_doubted = r < 0 ? (int)r : clock_is_doubted(c, err);
    if (is_doubted < 0)
        return is_doubted;
    r = event_forget(c, is_doubted ? TIME_NONE : clock_wall_us() - EVENT_DAYS * US_PER_DAY,
                     EVENTS_KEPT, err);
    if (r >= 0 && !is_doubted)
        r = upkeep_forget_ledger(c, config->ledger_minutes_days, err);
    return r < 0 ? r : 10 * US_PER_MINUTE;
}

static int64_t end_senders(PGconn *c, const struct config *config, struct err *err)
{
    (void)config;
    int64_t r = benchmark_end_senders(c, err);
    return r < 0 ? r : US_PER_MINUTE / 2;
}

static int64_t tidy_tls(PGconn *c, const struct config *config, struct err *err)
{
    (void)config;
    int64_t r = tls_tidy(c, err);
    return r < 0 ? r : 10 * US_PER_SECOND;
}

static int64_t fold_rates(PGconn *c, const struct config *config, struct err *err)
{
    int64_t r = clock_is_doubted(c, err);
    if (r >= 0)
        r = rate_fold(c, config->time_zone, FOLD_ROWS, r > 0, err);
    return r < 0 ? r : r == FOLD_ROWS ? 0 : US_PER_MINUTE;
}

static int64_t sum_ledger(PGconn *c, const struct config *config, struct err *err)
{
    (void)config;
    int64_t r = ledger_sum(c, err);
    return r < 0 ? r : r > 0 ? 0 : US_PER_MINUTE;
}

static int64_t merge_ledger(PGconn *c, const struct config *config, struct err *err)
{
    (void)config;
    int64_t r = clock_is_doubted(c, err);
    if (r > 0)
        return US_PER_MINUTE;
    if (r == 0)
        r = ledger_merge(c, err);
    return r < 0 ? r : r > 0 ? 0 : 10 * US_PER_MINUTE;
}

/* A block that cannot be dealt with for a passing reason (a full disk, somebody else's lock) is
 * tried again; a request that cannot go on at all must not keep the next one from its turn. */
static int64_t parse_again(PGconn *c, const struct config *config, struct err *err)
{
    static unsigned failures;
    static int64_t tidy_mono_us;
    (void)config;
    int64_t r = reparse_work(c, REPARSE_WORK_US, err);
    if (r >= 0) {
        failures = 0;
        if (r != REPARSE_NONE && clock_mono_us() >= tidy_mono_us) {
            int tidied = reparse_tidy(c, err);
            if (tidied < 0)
                return tidied;
            if (tidied == 0) /* none is over yet, or somebody reads for long */
                tidy_mono_us = clock_mono_us() + REPARSE_TIDY_US;
        }
        return MIN(r, US_PER_MINUTE);
    }
    bool is_passing = r == -EAGAIN || r == -ECANCELED || r == -ETIMEDOUT || r == -EBUSY;
    if (!is_passing && (r == -EINVAL || ++failures >= REPARSE_TRIES)) {
        struct err ignored, why = *err;
        failures = 0;
        (void)!reparse_fail(c, why.message, &ignored);
    }
    return r;
}

static struct enforcer enforcer; /* of the prompt lane alone */

static int64_t enforce(PGconn *c, const struct config *config, struct err *err)
{
    struct clock_reading now;
    int rc = clock_read(&now, err);
    return rc < 0 ? rc : enforce_step(&enforcer, c, config, &now, err);
}

struct chore keeper_chores[] = {
    {"making partitions", make_partitions, 10 * US_PER_SECOND, 0},
    {"compaction", compact, US_PER_MINUTE, 0},
    {"giving space back", give_back, 10 * US_PER_MINUTE, 0},
    {"forgetting what is over", forget, US_PER_MINUTE, 0},
    {"ending the benchmark's senders", end_senders, US_PER_MINUTE, 0},
    {"closing requests for certificates", tidy_tls, US_PER_MINUTE, 0},
    {"folding receive rates", fold_rates, 10 * US_PER_SECOND, 0},
    {"adding up the ledger's hours", sum_ledger, US_PER_MINUTE, 0},
    {"merging the ledger's minutes", merge_ledger, US_PER_MINUTE, 0},
    {"parsing messages again", parse_again, 10 * US_PER_SECOND, 0},
};
const size_t keeper_chores_n = ARRAY_LEN(keeper_chores);

struct chore keeper_prompt_chores[] = {
    {"the 20 % rule", enforce, US_PER_SECOND, 0},
};
const size_t keeper_prompt_chores_n = ARRAY_LEN(keeper_prompt_chores);

void keeper_patient_told(const char *channel)
{
    /* settings are read again: a chore looks at them when its time has come */
    for (size_t i = 0; i < keeper_chores_n && strcmp(channel, "azekura_reparse") == 0; i++)
        if (keeper_chores[i].run == parse_again)
            keeper_chores[i].due_mono_us = 0;
}

void keeper_prompt_told(const char *channel)
{
    struct chore *rule = &keeper_prompt_chores[0];
    int64_t soon = clock_mono_us() + TOLD_US;
    if (strcmp(channel, "azekura_written") != 0)
        enforce_tell(&enforcer);
    rule->due_mono_us = MIN(rule->due_mono_us, soon);
}
