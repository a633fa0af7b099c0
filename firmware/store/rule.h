/* The decisions of the 20 % rule, pure: no database, no clock.  What a preview shows is what the
 * keeper does. */
#ifndef AZEKURA_STORE_RULE_H
#define AZEKURA_STORE_RULE_H

#include "store/retention.h"

enum rule_reason {
    RULE_KEEP_DAYS,
    RULE_QUOTA,
    RULE_TRIM,
    RULE_BORROW,
    RULE_GUARD,
    RULE_REQUEST,
    RULE_REASONS
};
extern const char *const rule_reason_names[RULE_REASONS]; /* "keep_days" … */

struct rule_deletion {
    const struct piece *piece; /* of the struct retention */
    enum rule_reason reason;
};

struct rule_plan {
    struct rule_deletion *deletions; /* in the order they are done; at most one a piece */
    size_t deletions_n;
    int64_t messages, raw_bytes, bytes;   /* of all deletions */
    uint8_t shed_from[SOURCE_GROUPS_MAX]; /* by group: severities ≥ this are refused; 8: none */
    const struct piece *split[SOURCE_GROUPS_MAX]; /* the open piece of a group that has grown too
                                                     large to be dropped as one; or NULL */
    int64_t held_bytes;                           /* that should have gone and may not */
};

/* What the rule does now under `policy` (r->policy for the real thing).  Memory from the arena. */
void rule_plan(const struct retention *r, enum retention_policy policy, struct arena *arena,
               struct rule_plan *ret);

/* What goes some seconds later, once `plan` of rule_plan() has been carried out: of the open pieces
 * that it splits, what came up to now.  An open piece is no deletion of `plan`, and a preview that
 * left it out would say "nothing" of logs that are gone in a moment.  At most one piece a group, of
 * r; no piece of `plan` is among them. */
void rule_plan_open(const struct retention *r, enum retention_policy policy,
                    const struct rule_plan *plan, struct arena *arena, struct rule_plan *ret);

/* What a request "delete the days from…to (20261103, both included) of a group (-1: all logs)"
 * would delete: closed pieces that are not held; of the benchmark's group the open ones, too. */
void rule_plan_request(const struct retention *r, int32_t from_day, int32_t to_day, int group,
                       struct arena *arena, struct rule_plan *ret);

/* Bytes that may come before rule_plan() can say anything new, or the month be over, however they
 * are spread over the groups; 0: now.  (A new day, a hold or a setting may change it without any.)
 */
int64_t rule_headroom_bytes(const struct retention *r);

/* What is kept free in the month for the logs that come until the next look: a quarter of the
 * budget at most. */
int64_t rule_margin_bytes(const struct retention *r);
/* What the guard keeps free, the benchmark's messages included, since both fill the disk.  Bounded
 * by half of the high water alone: by the budget it would be less than what a fast box writes to a
 * small disk until the next look. */
int64_t rule_guard_margin_bytes(const struct retention *r);
/* What the guard counts.  The write-ahead log swings between its segments and its limit, and no
 * logs are deleted for that: it counts as what it may take.  Far beyond it something holds it (a
 * standby, an archive), and it counts as it is, up to an eighth of the capacity: deleting logs
 * would not make it smaller, and where the disk itself gets full the free space counts. */
int64_t rule_used_bytes(const struct retention *r);
/* Below so many free bytes of the file system (of others than us, too) the guard makes room. */
int64_t rule_free_limit_bytes(const struct retention *r);

/* The guard has not kept up: a quarter of what is left above the high water is used, or the file
 * system is short of room.  Then whoever is in the way of a deletion is ended, be it other people's
 * sessions. */
bool rule_is_in_need(const struct retention *r);

/* The state of the month; forecast_bytes < 0: not known. */
enum retention_state rule_state(const struct retention *r, int64_t forecast_bytes);

#endif
