/* The ledger's memory: what has arrived and is not stored yet, in a file that survives kill -9.
 *
 * Each unit (store/unit.h) has a page from its beginning until the database has confirmed it.  A
 * page has a row for each (minute, listener, source) that is counted while the message is still on
 * its way. A receiver that finds pages at its start makes their units again from the journal
 * (journal.h) and writes them to the database under their keys: the database answers that a unit is
 * stored already, or takes it.  So every message is stored and accounted for exactly once, whatever
 * is killed when.  The format and what a crash at each step leaves is written above the code in
 * ledger.c. */
#ifndef AZEKURA_RECEIVER_LEDGER_H
#define AZEKURA_RECEIVER_LEDGER_H

#include "base/limits.h"
#include "store/unit.h"

enum {
    LEDGER_PAGES = 512,              /* 66 MiB of disk, taken in advance */
    LEDGER_ROWS = BLOCK_MAX_SOURCES, /* a page */
    /* pages that only refusals may use, so that they can be counted while everything waits */
    LEDGER_RESERVED_PAGES = 64,
};

struct ledger;
struct ledger_page; /* a page in memory: where it lies and the index of its rows */

struct ledger_found {
    unsigned pages;       /* of an earlier run, to be recovered: ledger_recovered */
    uint64_t aside_pages; /* in use in a file that could not be trusted … */
    uint64_t aside_messages;
    char aside_path[320]; /* … and was kept under this name; "" */
    char aside_reason[128];
};

/* Open or create the file.  What cannot be trusted (bad header, or another boot without orderly
 * stop, since pages that were in memory only may then be torn) is set aside.  0, or negative and
 * *err. */
MUST_USE int ledger_open(const char *path, struct ledger **ret, struct ledger_found *ret_found,
                         struct err *err);
/* Write it back to disk.  `is_orderly`: all pages are as they should be, the next boot may believe
 * them. */
void ledger_close(struct ledger **l, bool is_orderly);

/* The identity of this run, new at each start. */
const uint8_t *ledger_run(const struct ledger *l);

/* Pages of earlier runs: i in 0…pages-1.  Owned by the ledger, released like any other. */
struct ledger_page *ledger_recovered(struct ledger *l, unsigned i);

/* ---- lanes: each has its own pages ---- */

/* Begin the next unit.  NULL when no page is free (or only reserved ones and !is_for_refusals). One
 * lock a unit. */
MUST_USE struct ledger_page *ledger_begin(struct ledger *l, bool is_for_refusals);
unsigned ledger_free_pages(const struct ledger *l);
/* The sequence number of the first message of the unit's block number `block`, which is below
 * SOURCE_GROUPS_MAX: unique across restarts, also when the clock was put back. */
uint64_t ledger_first_seq(const struct ledger_page *p, unsigned block);

/* A row's place in its page, valid while the page is; or -ENOSPC when the page is full. */
MUST_USE int ledger_row(struct ledger_page *p, int64_t minute_us, uint8_t listener,
                        const struct ip *source);
/* Count the row under 0.0.0.0 or :: when the page is read, one row for all of them: its sender is
 * one of too many (senders_name).  The page itself keeps its address. */
void ledger_unname(struct ledger_page *p, int row);
/* A message that is in the unit's journal. */
void ledger_arrived(struct ledger_page *p, int row, size_t bytes);
/* A message that arrived and is in no journal: it is counted, as both. */
void ledger_refuse(struct ledger_page *p, int row, size_t bytes, enum reason reason);
void ledger_truncated(struct ledger_page *p, int row);
/* What the sequence numbers of the row's source say: so many are missing, so many came again. */
void ledger_gap(struct ledger_page *p, int row, uint32_t missing, uint32_t repeated);
/* Datagrams the kernel dropped: 0, or -ENOSPC. */
MUST_USE int ledger_dropped(struct ledger_page *p, int64_t minute_us, uint8_t listener,
                            uint64_t dropped);
bool ledger_is_empty(const struct ledger_page *p);

/* ---- any thread ---- */

/* The key of the unit: valid while the page is. */
const uint8_t *ledger_page_run(const struct ledger_page *p);
uint64_t ledger_page_number(const struct ledger_page *p);

/* Whose messages a row counts; false: there is no such row of messages. */
bool ledger_row_of(const struct ledger_page *p, int row, uint8_t *ret_listener,
                   struct ip *ret_source);

/* ---- at the start: pages of earlier runs ---- */

/* What was found in the journal of a row's messages. */
struct ledger_replay {
    uint64_t messages, truncated;
};
/* Make a recovered page agree with what was replayed of it: of each row arrived = refused +
 * messages; what had been counted and is not in the journal any more is refused for the reason that
 * the page gives (crash), and how many these are is returned.  Done again after a crash it does the
 * same, and returns 0. */
uint64_t ledger_replayed(struct ledger_page *p, const struct ledger_replay rows[LEDGER_ROWS]);
/* The page's block had been rejected and set aside (ledger_reject) by the earlier run. */
bool ledger_is_rejected(const struct ledger_page *p);

/* ---- any thread, after the unit was handed over ---- */

struct ledger_page_counts {
    uint8_t run[UNIT_RUN_BYTES];
    uint64_t number;
    struct unit_row rows[LEDGER_ROWS];
    size_t rows_n;
    struct unit_drop drops[LEDGER_ROWS];
    size_t drops_n;
    uint64_t arrived, refused; /* sums of the rows */
};

/* The counts of a page.  What was not refused counts as stored; with `is_lost` as refused, for the
 * reason that the page gives: crash, or rejected. */
void ledger_page_read(const struct ledger_page *p, bool is_lost, struct ledger_page_counts *ret);
/* The database refused the block, and it is set aside: what is lost of this page is refused for
 * `rejected`, also when a later run has to write it. */
void ledger_reject(struct ledger_page *p);
/* The unit is confirmed: the page is free again. */
void ledger_release(struct ledger *l, struct ledger_page **p);

/* Messages in pages that are in use: what a run that ends leaves to the next one. */
unsigned ledger_left(const struct ledger *l, uint64_t *ret_messages);

#endif
