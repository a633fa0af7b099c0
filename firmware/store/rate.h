/* Receive rates, read: messages over time, the tables of who sends how much, and what it costs.
 * They come from rings of minutes (14 days), hours and days (2 years) and from what units have
 * brought since; sql/migrations/0008_rates.sql tells how those are filled. */
#ifndef AZEKURA_STORE_RATE_H
#define AZEKURA_STORE_RATE_H

#include "base/clock.h"
#include "base/record.h"
#include "store/connection.h"

#define RATE_MINUTES_DAYS 14 /* what is older is kept as hours */

/* ---- over time ---- */

struct rate_point {
    int64_t at_us;
    int64_t arrived[LISTENER_COUNT]; /* messages in the step, what was refused included */
    int64_t refused, kernel_dropped;
};
/* How a range is cut into points. */
struct rate_plan {
    int64_t from_us, step_us;
    int n;
    bool is_counted; /* from what was counted as it arrived; else the steps are too short for that,
                        and only the stored messages can tell */
};
/* From from_us on as many steps of `step_s` (0: the smallest usual one that makes at most 1,000
 * points) as reach to_us.  For what was counted, from_us and step are cut down to whole minutes, or
 * to hours where from_us lies before the minutes that are kept.  0, or -EINVAL beyond n_max points.
 */
MUST_USE int rate_plan_make(int64_t from_us, int64_t to_us, int64_t step_s, int64_t now_us,
                            int n_max, struct rate_plan *ret, struct err *err);

/* Each step from from_us on (steps of whole minutes; of whole hours from a whole hour on, where
 * from_us lies before the minutes that are kept), into ret[0…n). */
MUST_USE int rate_read_points(PGconn *c, int64_t from_us, int64_t step_us, int n,
                              struct rate_point *ret, struct err *err);

/* ---- tables ---- */

enum rate_field { RATE_SOURCE, RATE_HOSTNAME, RATE_APP_NAME, RATE_SEVERITY, RATE_LISTENER };
#define RATE_FIELDS "source|hostname|app_name|severity|listener"

enum rate_sort {
    RATE_SORT_VALUE,
    RATE_SORT_NOW,
    RATE_SORT_MINUTE,
    RATE_SORT_HOUR,
    RATE_SORT_DAY,
    RATE_SORT_MONTH,
    RATE_SORT_BYTES_DAY,
    RATE_SORT_BYTES_MONTH,
    RATE_SORT_DISK_MONTH,
    RATE_SORT_BUDGET_PERCENT,
    RATE_SORT_CHANGE_PERCENT,
    RATE_SORT_FIRST_HEARD,
    RATE_SORT_LAST_HEARD,
};
#define RATE_SORTS                                                                     \
    "value|now|minute|hour|day|month|bytes_day|bytes_month|disk_month|budget_percent|" \
    "change_percent|first_heard|last_heard"

struct rate_wish {
    enum rate_field field;
    const char *zone; /* of the box: whose month it is */
    enum rate_sort sort;
    bool is_descending;
    const char *filter; /* rows whose value has it inside, letters folded; "": all */
    int limit;
    int64_t month_disk_bytes; /* what the month takes: the rows' shares add up to it */
};

/* A field's value.  Rows are there for every value ever heard that is still known by name. */
struct rate_row {
    const char *value; /* NULL: messages without one, or others; valid inside the
                          callback */
    bool is_others;    /* all values together that are not counted by name */
    double now;        /* messages a second in the last ten */
    int64_t minute;    /* messages in the last 60 s … */
    int64_t hour, day; /* … 60 minutes, 24 hours up to now, from a whole minute on … */
    int64_t month;     /* … and this month */
    int64_t bytes_day, bytes_month;        /* as received */
    int64_t disk_month;                    /* share of month_disk_bytes */
    bool has_change;                       /* there is something to compare with */
    double change_percent;                 /* of the 24 hours against the same a week before */
    int64_t first_heard_us, last_heard_us; /* whole minutes mostly; TIME_NONE: of others */
};
typedef void (*rate_row_fn)(void *context, const struct rate_row *r);
/* Returns how many rows were given (at most limit), or negative; *ret_total: that the filter lets
 * through. */
MUST_USE int rate_read_table(PGconn *c, const struct rate_wish *wish, rate_row_fn each,
                             void *context, int64_t *ret_total, struct err *err);

/* ---- cost ---- */

enum rate_cost_by { RATE_COST_HOSTNAME, RATE_COST_APP_NAME };

struct rate_cost {
    const char *name; /* as rate_row.value */
    bool is_others;
    int severity;
    int64_t messages, bytes, disk_bytes;
    double share; /* of all that came this month, 0…1 */
};
typedef void (*rate_cost_fn)(void *context, const struct rate_cost *r);
/* What each hostname (or app_name) and severity took of this month, largest first.  Returns how
 * many rows (at most limit), or negative. */
MUST_USE int rate_read_cost(PGconn *c, enum rate_cost_by by, const char *zone,
                            int64_t month_disk_bytes, int limit, rate_cost_fn each, void *context,
                            struct err *err);

/* ---- the keeper ---- */

/* Take what units have brought into the rings, `most` rows at most.  With a doubted clock nothing
 * is forgotten or left out for its age.  Returns how many, or negative. */
MUST_USE int64_t rate_fold(PGconn *c, const char *zone, int64_t most, bool clock_is_doubted,
                           struct err *err);

#endif
