/* What people change of the 20 % rule, and what they read of it besides struct retention: source
 * groups, holds, requests to delete, receipts, the doubted clock.  Web and command line share it.
 *
 * Every change is one transaction with its entry in the audit log and its event; settings of the
 * rule are setting_write()'s.  Nothing here deletes messages: that is the keeper's alone. */
#ifndef AZEKURA_STORE_RETENTION_ADMIN_H
#define AZEKURA_STORE_RETENTION_ADMIN_H

#include "store/retention.h"

#define HOLD_REASON_MAX 500 /* characters */
#define PREFIX_TEXT_MAX 64

/* Who changes something, and through which connection. */
struct retention_hand {
    PGconn *db;
    const char *actor; /* "account:admin", "cli:root" */
};

/* ---- source groups ---- */

struct group_wish {
    struct view name;           /* 1…64 characters, none of control */
    double quota_percent;       /* of the month's budget, above 0 to 100; < 0: none */
    int64_t keep_days;          /* 0: for ever, to 36600; < 0: as retention.keep_days */
    const struct view *members; /* networks and addresses; each belongs to one group at most */
    size_t members_n;
};
/* A new group, or one that was removed and still has messages, under its old name.  0 and its id;
 * -EEXIST the name or a member is taken ("exists", of the benchmark's network "built_in");
 * -EEXIST "too_many", there are SOURCE_GROUPS_USER_MAX; -EINVAL. */
MUST_USE int retention_add_group(const struct retention_hand *h, const struct group_wish *wish,
                                 int *ret_id, struct err *err);
/* Everything of it anew.  Group 0 takes whatever no other group claims and has no members.
 * -ENOENT; -EEXIST "built_in" for the benchmark's; and as above. */
MUST_USE int retention_set_group(const struct retention_hand *h, int id,
                                 const struct group_wish *wish, struct err *err);
/* Nothing new goes to it; with its last piece and hold it is gone.  Its senders fall to group 0.
 * -ENOENT; -EEXIST "in_use" for group 0, "built_in" for the benchmark's. */
MUST_USE int retention_remove_group(const struct retention_hand *h, int id, struct err *err);

/* The id of a group by its name, removed ones too.  -ENOENT (field "group"). */
MUST_USE int retention_find_group(PGconn *c, struct view name, int *ret_id, struct err *err);

typedef void (*member_fn)(void *context, int group, const char *prefix);
/* By group and prefix; "192.0.2.1" for a single address.  Returns how many, or negative. */
MUST_USE int retention_read_members(PGconn *c, member_fn each, void *context, struct err *err);

/* ---- holds ---- */

struct hold_wish {
    int64_t from_us, to_us;
    int group;          /* id; -1: all logs */
    struct view reason; /* 1…HOLD_REASON_MAX characters */
};
/* 0 and the id; -EEXIST "too_many", there are HOLDS_MAX; -ENOENT no such group; -EINVAL, also for
 * the benchmark's, which no hold keeps. */
MUST_USE int retention_add_hold(const struct retention_hand *h, const struct hold_wish *wish,
                                int64_t *ret_id, struct err *err);
MUST_USE int retention_remove_hold(const struct retention_hand *h, int64_t id,
                                   struct err *err); /* -ENOENT */

struct hold_row {
    int64_t id, from_us, to_us, at_us;
    int group;                  /* -1: all */
    const char *reason, *actor; /* valid inside the callback */
    int64_t bytes, messages;    /* of the pieces that it pins */
};
typedef void (*hold_row_fn)(void *context, const struct hold_row *r);
/* Oldest range first.  Returns how many, or negative. */
MUST_USE int retention_read_holds(PGconn *c, hold_row_fn each, void *context, struct err *err);

/* ---- deletions ---- */

struct deletion_wish {
    int32_t from_day, to_day; /* 20261103, both included */
    int group;                /* id; -1: all */
    int64_t messages;         /* of the preview; with another number now the keeper refuses */
};
/* Ask the keeper, who answers at once: 0 and the request's id. */
MUST_USE int retention_request_deletion(const struct retention_hand *h,
                                        const struct deletion_wish *wish, int64_t *ret_id,
                                        struct err *err);

struct deletion_answer {
    char state[16];    /* "waiting", "done", "refused" */
    char message[512]; /* why refused */
    int64_t receipt;   /* id; 0: none */
};
MUST_USE int retention_read_request(PGconn *c, int64_t id, struct deletion_answer *ret,
                                    struct err *err); /* -ENOENT */

struct receipt_row {
    int64_t id, at_us, from_us, to_us;
    const char *actor, *reason, *group; /* valid inside the callback; group NULL: several */
    int64_t messages, raw_bytes, bytes, pieces;
};
typedef void (*receipt_row_fn)(void *context, const struct receipt_row *r);
/* Newest first, ids below `before` (0: all); with `only` > 0 that one alone.  Returns how many, or
 * negative. */
MUST_USE int retention_read_receipts(PGconn *c, int64_t before, int64_t only, int limit,
                                     receipt_row_fn each, void *context, struct err *err);

/* ---- the clock ---- */

struct clock_doubt {
    bool is_doubted;
    int64_t since_us, from_us, to_us; /* TIME_NONE when it is not */
};
MUST_USE int retention_read_clock(PGconn *c, struct clock_doubt *ret, struct err *err);
/* It is right as it is.  Says nothing when it is not doubted. */
MUST_USE int retention_confirm_clock(const struct retention_hand *h, struct err *err);

#endif
