/* The backlog: units that are packed and not confirmed, in memory or in the spool.
 *
 *   packers ──write queue──▶ backlog ──────direct──────▶ writer ──▶ PostgreSQL
 *                               │                          ▲
 *                               └──▶ spool ──oldest first──┘
 *
 * Straight to the database while it takes units.  When it does not (it is away, it refuses, the
 * oldest unit waits for more than a second, memory or journal are more than half used) all that
 * waits goes to the spool in order, and what comes after goes behind it, until the spool is empty
 * again.  A unit leaves the journal and its page of the ledger when it is confirmed, or when its
 * record is in the spool file; at most about a second later it is on disk.
 *
 * Two threads: the backlog's own, which appends to the spool and never waits for the database, and
 * the writer, which has one item at a time. */
#ifndef AZEKURA_RECEIVER_BACKLOG_H
#define AZEKURA_RECEIVER_BACKLOG_H

#include "receiver/shared.h"
#include "store/spool.h"

struct backlog;

/* `spool` is borrowed.  0, or -errno. */
MUST_USE int backlog_new(struct shared *s, struct spool *spool, struct backlog **ret);
void backlog_free(struct backlog **b);
/* Runs until the write queue has ended and everything is stored or in the spool; after
 * shared.give_up_mono_us what is left goes to the spool at once, and what the spool does not take
 * stays in ledger and journal.  For pthread_create. */
void *backlog_run(void *backlog);

/* ---- the writer thread ---- */

/* A unit to be written, with arrays of its own. */
struct backlog_item {
    struct unit unit;
    uint64_t messages, benchmark_messages; /* in its blocks, or lost with them */
    bool is_lost;                          /* its blocks will not be stored: counts only */
    bool is_of_earlier_run;
    struct ledger_page_counts counts; /* what unit.rows and unit.drops are */
    struct unit_block blocks[SOURCE_GROUPS_MAX];
    /* the backlog's */
    struct work *work; /* NULL: it was read from the spool */
    struct spool_unit spooled;
    uint64_t position; /* in the spool; 0: it is not there */
};

/* Readable when there may be something to take, or the end. */
int backlog_fd(const struct backlog *b);
/* The oldest unit; true when there is one. */
bool backlog_take(struct backlog *b, struct backlog_item *ret);
/* Nothing will follow: the receiver stops, and what is left need not be waited for, since it is in
 * the spool and the database does not take it. */
bool backlog_has_ended(struct backlog *b);
/* It is confirmed; its counts are in `stored` or `lost`. */
void backlog_confirm(struct backlog *b, struct backlog_item *i);
/* It was not taken, and may be taken again. */
void backlog_give_back(struct backlog *b, struct backlog_item *i);
/* The server will never take its blocks, and they are set aside: from here on its messages are
 * refused for `rejected`. */
void backlog_reject(struct backlog *b, struct backlog_item *i);
/* Whether the database takes units. */
void backlog_set_away(struct backlog *b, bool is_away);

/* ---- any thread ---- */

void backlog_status(struct backlog *b, struct spool_status *ret);
/* For spool_open(), with the struct shared as context: the log, and an event. */
void backlog_notice(void *context, const struct spool_notice *n);

#endif
