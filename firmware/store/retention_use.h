/* What the storage is used for, as web and command line show it: sums over the pieces of a struct
 * retention.  Pure. */
#ifndef AZEKURA_STORE_RETENTION_USE_H
#define AZEKURA_STORE_RETENTION_USE_H

#include "store/forecast.h"
#include "store/rule.h"

/* ---- the calendar: days as 20261130 ---- */

int32_t day_after(int32_t day, int days); /* days < 0: before */
/* "2026-11-30", a day that exists in 1970…9999.  0, or -EINVAL. */
MUST_USE int day_parse(struct view text, int32_t *ret);
#define DAY_TEXT_MAX 16
const char *day_format(int32_t day, char out[DAY_TEXT_MAX]);     /* "2026-11-30" */
const char *month_format(int32_t month, char out[DAY_TEXT_MAX]); /* 202611: "2026-11" */

/* ---- sums ---- */

struct use {
    int64_t bytes, messages, raw_bytes;
};

/* The benchmark's messages, which are in none of the other sums. */
void use_benchmark(const struct retention *r, struct use *ret);

struct month_use {
    int32_t month; /* 202611 */
    int days;      /* that have messages */
    struct use all;
    int64_t by_group[SOURCE_GROUPS_MAX]; /* bytes */
};
/* Newest first, this month always among them.  Returns how many; memory from the arena. */
size_t use_by_month(const struct retention *r, struct arena *arena, struct month_use **ret);

struct day_use {
    int32_t day;
    bool is_held, is_open; /* in part at least */
    struct use all;
    struct use by_group[SOURCE_GROUPS_MAX];
};
/* The days from…to (both included) that have a piece, oldest first. */
size_t use_by_day(const struct retention *r, int32_t from, int32_t to, struct arena *arena,
                  struct day_use **ret);

struct history {
    int64_t oldest_us; /* TIME_NONE: nothing is kept */
    double days;       /* from then to now */
    double
        fits_days; /* that fit below the high water at the forecast's bytes a day; < 0: unknown */
    double fits_low, fits_high;
};
void use_history(const struct retention *r, const struct forecast *f, struct history *ret);

/* forecast_month() of what is there. */
void use_forecast(const struct retention *r, struct forecast *ret);

/* Messages a second and bytes a message, as the last seven whole days had them (of a box younger
 * than a day, today): what sizing starts from.  All zero when nothing has come. */
struct use_figures {
    double rate, message_bytes, stored_bytes;
};
void use_figures(const struct retention *r, struct use_figures *ret);

/* ---- previews ---- */

/* Deletions of one group for one reason, of days that follow each other. */
struct deletion_range {
    int32_t from_day, to_day;
    uint8_t group;
    enum rule_reason reason;
    struct use all;
};
size_t use_deletions(const struct rule_plan *plan, struct arena *arena,
                     struct deletion_range **ret);
/* Severities ≥ this are refused by the plan in some group; 8: none. */
int use_shed_from(const struct retention *r, const struct rule_plan *plan);

/* The name of a group id; "group 7" for one that is not known. */
const char *use_group_name(const struct retention *r, int id, char out[GROUP_NAME_MAX]);
/* The id of a name, or -1. */
int use_group_id(const struct retention *r, struct view name);

#endif
