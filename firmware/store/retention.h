/* The 20 % rule: what is there, what the rule says of it, and what would go.
 *
 *   retention_load()   SQL ─▶ struct retention      (any of azekura's roles but the receiver)
 *   rule_plan()        pure: struct retention ─▶ struct rule_plan: the keeper carries it out,
 *                      previews show it (rule.h)
 *   forecast_month()   pure: days' bytes ─▶ end of the month (forecast.h)
 *
 * A *piece* is a partition of azekura.log_block: the blocks of one source group in one day of the
 * box's zone, or of a part of a day where many bytes came.  Pieces are dropped whole, which gives
 * their space back at once. */
#ifndef AZEKURA_STORE_RETENTION_H
#define AZEKURA_STORE_RETENTION_H

#include "base/arena.h"
#include "base/clock.h"
#include "base/limits.h"
#include "config/config.h"
#include "store/connection.h"
#include "store/forecast.h"

#define PIECE_NAME_MAX 64
#define GROUP_NAME_MAX 257 /* bytes with the zero: 64 characters of UTF-8 */

/* Pieces of SOURCE_GROUP_BENCHMARK are no logs: they take room on the disk, and that is all.  They
 * are in no sum over all groups (a month, a day, the forecast, the history), the guard takes them
 * before any log, and the rule has nothing else to say of them but their age. */
struct piece {
    char name[PIECE_NAME_MAX];
    uint8_t group;   /* id, 0…SOURCE_GROUPS_MAX-1; 0: the default group */
    int32_t day;     /* 20261130, local day of the box when it was made; its month is what the rule
                        counts it to */
    int32_t age_day; /* from which its age counts: later than `day` where a wrong clock dated it or
                        it ends on a later day in today's zone; 0: as `day` */
    int64_t lower_us, upper_us; /* [lower, upper) */
    int64_t messages, raw_bytes;
    int64_t bytes; /* physical: heap, TOAST, indexes */
    bool is_held;  /* a hold overlaps it: counted, never deleted */
};

struct source_group {
    uint8_t id;
    char name[GROUP_NAME_MAX];
    double quota_percent; /* of the month's budget; < 0: none */
    int64_t keep_days;    /* 0: for ever; < 0: as retention.keep_days */
    bool is_retired;      /* nothing new goes to it; gone with its last piece */
};

enum retention_policy { POLICY_TRIM, POLICY_SHED, POLICY_BORROW, POLICY_WARN, POLICIES };
enum retention_state {
    RETENTION_OK,
    RETENTION_WATCH,
    RETENTION_OVER_FORECAST,
    RETENTION_OVER,
    RETENTION_STATES
};
extern const char *const retention_policy_names[POLICIES]; /* "trim" … */
extern const char *const retention_state_names[RETENTION_STATES];

struct shedding {
    uint8_t from; /* severities ≥ this; 0: none (emergencies are never refused) */
    int64_t since_us;
};

struct retention {
    int64_t now_us;
    const char *zone;                      /* borrowed from the configuration */
    int32_t today, month;                  /* 20261130, 202611 in the zone */
    int64_t month_start_us, month_end_us;  /* in the zone */
    int64_t fs_total_bytes, fs_free_bytes; /* of the file system that holds the database */
    int64_t capacity_bytes, budget_bytes, high_water_bytes;
    int64_t database_bytes, wal_bytes, spool_bytes; /* database: all of it, pieces included */
    int64_t wal_limit_bytes; /* max_wal_size: above it a checkpoint is made; 0: not known */
    int64_t growth_bytes_s;  /* of logs, of late: what comes until the next look; 0: unknown */
    int64_t benchmark_growth_bytes_s; /* the same of the benchmark's messages */
    enum retention_policy policy;
    int64_t keep_days; /* 0: for ever */
    int shed_floor;    /* the most severe severity that `shed` may refuse */
    struct shedding shed_now[SOURCE_GROUPS_MAX]; /* by group id: what the receiver refuses now */
    enum retention_state
        state_before; /* as of the keeper's last look, of month state_month (0: none):
                         a state is left a little below where it is entered */
    int32_t state_month;
    bool is_clock_doubted;
    struct piece *pieces; /* oldest first (lower, then group) */
    size_t pieces_n;
    struct source_group groups[SOURCE_GROUPS_MAX];
    size_t groups_n;
};

/* Everything as of `now_us`, memory from the arena.  0, or negative and *err. */
MUST_USE int retention_load(PGconn *c, const struct config *config, int64_t now_us,
                            struct arena *arena, struct retention *ret, struct err *err);

static inline bool piece_is_benchmark(const struct piece *p)
{
    return p->group == SOURCE_GROUP_BENCHMARK;
}

/* Made ahead of time for a day that comes: its few kilobytes are no logs, and of no month yet. */
static inline bool piece_is_ahead(const struct retention *r, const struct piece *p)
{
    return p->messages == 0 && p->day > r->today;
}

/* Physical bytes of a month (202611), of one group or (-1) of all logs; without what was made
 * ahead, as use_by_month. */
int64_t retention_month_bytes(const struct retention *r, int32_t month, int group);
int64_t retention_used_bytes(const struct retention *r);   /* database + WAL + spool */
int64_t retention_pieces_bytes(const struct retention *r); /* the benchmark's included */

/* What forecast_month() asks for, from the pieces that are kept: `day_bytes` has FORECAST_DAYS
 * places and is borrowed by *ret.  A day without any piece, or whose beginning has been deleted, is
 * taken as one that is not known. */
void retention_forecast_input(const struct retention *r, int64_t *day_bytes,
                              struct forecast_input *ret);

#endif
