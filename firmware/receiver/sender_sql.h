/* The rules for senders in the database, and what is told it of those who were refused.  Runs on
 * the writer thread. */
#ifndef AZEKURA_RECEIVER_SENDER_SQL_H
#define AZEKURA_RECEIVER_SENDER_SQL_H

#include "config/config.h"
#include "receiver/shared.h"
#include "store/unit.h"

/* The rules that hold before any database was asked: the benchmark's network is known, so that what
 * is sent before the first connection is not stored among the logs.  Not sealed. */
MUST_USE struct sender_rules *sender_sql_first_rules(void);

/* The rules as they are now, sealed: groups, what they shed, the allow-list, limits by network,
 * settings of sources, and the limit and charset of `now` for everyone else.  A row that is none
 * was put there past the product: it is said and left out.  0, or negative and *err as
 * unit_query(). */
MUST_USE int sender_sql_rules(PGconn *c, const struct unit_patience *p, const struct config *now,
                              struct sender_rules **ret, struct err *err);

/* Add what the lanes have refused since the last call to azekura.refused_sender, and say it; at
 * most once in SENDER_SQL_REPORT_US, and at a stop.  0, or negative and *err: what was not taken is
 * told of next time. */
#define SENDER_SQL_REPORT_US (10 * US_PER_SECOND)
MUST_USE int sender_sql_report(PGconn *c, const struct unit_patience *p, struct shared *s,
                               int64_t *next_mono_us, struct err *err);

#endif
