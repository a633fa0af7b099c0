/* What the keeper does for the rule: measuring, splitting and dropping pieces, refusing severities,
 * and remembering what it said last.  As azekura_keeper. */
#ifndef AZEKURA_STORE_RETENTION_ACT_H
#define AZEKURA_STORE_RETENTION_ACT_H

#include "store/rule.h"

/* Measure the pieces that have changed, and what else the rule's quick look needs. */
struct retention_glance {
    int64_t pieces_bytes, benchmark_bytes; /* all pieces; those of the benchmark */
    int64_t wal_bytes, fs_total_bytes, fs_free_bytes;
    char fs_device[32]; /* "major:minor" of the file system that holds the database */
    bool has_request;   /* a deletion request waits */
};
MUST_USE int retention_look(PGconn *c, struct retention_glance *ret, struct err *err);

/* End an open piece right after what is in it, provided that is older than `latest_us` (what is
 * later was dated by another clock); what comes then goes to a new one.
 *
 * Both this and retention_drop() need the messages for themselves for a moment.  They cancel
 * searches, exports and compactions that are in the way, and say so in the log; with
 * rule_is_in_need() other people's sessions, too.  0, or negative and *err: -EALREADY when somebody
 * whom they may not cancel has been reading for a while, and nothing was tried; -EBUSY when
 * somebody was in the way, and others have waited for that a moment; -ESTALE when there is already
 * something later in the piece, … */
MUST_USE int retention_split(PGconn *c, const struct retention *r, const struct piece *piece,
                             int64_t latest_us, struct err *err);

/* What a person asks to delete. */
struct retention_request {
    int64_t id;
    int64_t messages;         /* that are still to go, as the preview said */
    int32_t from_day, to_day; /* 20261103 */
    int group;                /* -1: all */
    char actor[128];
};

/* Drop pieces of one plan, all or none, with a receipt and one event.  They have the same reason
 * and group.  `request`: whose it is, and it is noted there what has been done; NULL: the rule's
 * own.  Returns the id of the receipt, or negative and *err: -ESTALE when a piece has got more
 * messages since it was planned, -EPERM when one is held or gone, -EALREADY, -EBUSY. */
#define RETENTION_DROP_MAX 64 /* pieces at once: bounds the locks of a transaction */
MUST_USE int64_t retention_drop(PGconn *c, const struct retention *r,
                                const struct rule_deletion *deletions, size_t n,
                                const struct retention_request *request, struct err *err);

/* Refuse severities ≥ `from` of a group from now on (8: none). */
MUST_USE int retention_shed(PGconn *c, uint8_t group, int from, int64_t now_us, struct err *err);

struct retention_status {
    int32_t month; /* 0: the keeper has never looked */
    enum retention_state state;
    int64_t growth_bytes_s;
    int64_t guarded_us, full_since_us; /* TIME_NONE: never, not */
    bool is_held;
};
MUST_USE int retention_status_read(PGconn *c, struct retention_status *ret, struct err *err);
MUST_USE int retention_status_write(PGconn *c, const struct retention_status *s, int64_t now_us,
                                    struct err *err);

/* The oldest request that waits: 1, 0: none, or negative. */
MUST_USE int retention_request_next(PGconn *c, struct retention_request *ret, struct err *err);
/* Done, or (`refusal` not NULL: one sentence) not. */
MUST_USE int retention_request_answer(PGconn *c, int64_t id, const char *refusal, struct err *err);

/* Keep the write-ahead log below a part of a small capacity (ALTER SYSTEM).  With a larger one the
 * limits that stood there before come back; what an administrator sets himself is left alone, as
 * long as it is small enough.  1 when that has changed something, 0, or negative. */
MUST_USE int retention_fit_wal(PGconn *c, int64_t capacity_bytes, struct err *err);

#endif
