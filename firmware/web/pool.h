/* A bounded pool of connections to the database.  While the database is away every request is told
 * so at once; one tries to connect when the pause of the backoff is over. */
#ifndef AZEKURA_WEB_POOL_H
#define AZEKURA_WEB_POOL_H

#include "base/err.h"
#include "store/connection.h"

struct pool;

/* Never connects by itself.  `max`: connections at once. */
MUST_USE struct pool *pool_new(const char *conninfo, int max);
/* Nobody may hold a connection. */
void pool_free(struct pool **p);
/* Statements of every connection end after this; may be changed at any time. */
void pool_set_timeout(struct pool *p, int64_t timeout_ms);
/* Borrow a connection; waits up to `wait_us` for a free one.  0, or -EAGAIN "database_away" or
 * "busy", -EACCES "database_refuses". */
MUST_USE int pool_take(struct pool *p, int64_t wait_us, PGconn **ret, struct err *err);
/* Give it back; a broken one, or one inside a transaction, is closed. */
void pool_give(struct pool *p, PGconn *c);

#endif
