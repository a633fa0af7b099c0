/* Connections to the database, and the few things every use of one needs. */
#ifndef AZEKURA_STORE_CONNECTION_H
#define AZEKURA_STORE_CONNECTION_H

#include <libpq-fe.h>

#include "base/err.h"

/* Connect as `role` (one of azekura's; NULL: as conninfo says).  Sets application_name,
 * client_encoding UTF8, TimeZone UTC, standard_conforming_strings on, TCP keepalives; waits 5 s at
 * most; notices are not printed.  0 and *ret (PQfinish), or -EAGAIN when the database is away or
 * starting ("database_away"), -EACCES when it refuses us (role, database or password:
 * "database_refuses"), -EINVAL when conninfo is none. */
MUST_USE int store_connect(const char *conninfo, const char *role, const char *application,
                           PGconn **ret, struct err *err);

/* Whether a connection string names a password, or is so broken that it cannot be told. */
bool store_conninfo_has_password(const char *conninfo);

/* How long a statement may go unanswered before the server is taken for hung; 0, as after
 * store_connect(): for ever.  It must be longer than the server's own statement time-out. */
void store_set_patience(PGconn *c, int64_t patience_ms);
/* Statements are waited for until `stop_fd` is readable (-1, as after store_connect(): no such
 * thing); then they end with -ECANCELED "stopping" and the server, left alone, stops working within
 * a second. Borrowed until PQfinish(). */
void store_set_stop(PGconn *c, int stop_fd);
/* Wait until PQgetResult() has something without blocking, or watch_fd (-1: none) hangs up.  0,
 * -ECANCELED "client_gone" or "stopping", or -EAGAIN "database_away" when patience or the
 * connection ended; the connection is then in the middle of a statement, of no use but for
 * PQfinish(). */
MUST_USE int store_wait_result(PGconn *c, int watch_fd, struct err *err);

/* Parameters are always text, never part of the SQL.  Runs one statement and gives its result
 * (PQclear; PGRES_COPY_IN for a COPY), or negative and *err: -EAGAIN the connection is gone
 * ("database_away"), -ETIMEDOUT statement timeout, -EEXIST unique violation, -EINVAL the caller's
 * value (class 22 and azekura's own query errors, SQLSTATE AZ001), -ESTALE what the caller says of
 * the store is no longer so (AZ002), -EPERM it is held or gone (AZ003), -EBUSY a lock was not to be
 * had within lock_timeout, -ECANCELED see store_set_stop(), -EIO anything else (the server's text
 * goes to *err). */
MUST_USE int store_query(PGconn *c, const char *sql, int n, const char *const *values,
                         PGresult **ret, struct err *err);
/* The same, for statements whose rows do not matter; returns rows affected. */
MUST_USE int64_t store_execute(PGconn *c, const char *sql, int n, const char *const *values,
                               struct err *err);

/* A whole number as the text of a parameter. */
struct number_text {
    char text[24];
};
struct number_text number_text(int64_t n);

/* A whole number of a result, 64 bits; 0 for null. */
int64_t store_number(const PGresult *r, int row, int column);

/* What a failed result of libpq's asynchronous calls means: the codes of store_query. */
MUST_USE int store_result_error(PGconn *c, const PGresult *r, struct err *err);

/* Growing pauses between tries: 100 ms, doubling to 10 s, with ±20 % of chance so that many clients
 * do not come at once.  Zero-initialised; reset by setting failures to 0. */
struct backoff {
    unsigned failures;
};
int64_t backoff_next_us(struct backoff *b);

#endif
