/* Searching the store: what GET /logs, its export and tail and `azekura search` ask the database.
 * The functions of the extension (firmware/pgext) do the work; this is their C face. */
#ifndef AZEKURA_STORE_SEARCH_H
#define AZEKURA_STORE_SEARCH_H

#include "store/connection.h"
#include "base/buf.h"
#include "base/clock.h"
#include "base/view.h"

struct search_request {
    const char *query;     /* the search language; "" for everything */
    int64_t from_us;       /* inclusive; TIME_NONE: open */
    int64_t to_us;         /* exclusive; TIME_NONE: open */
    int limit;             /* entries, at least 1 */
    bool is_ascending;     /* oldest first */
    const char *cursor;    /* id of the last entry seen, or NULL */
    int64_t time_limit_ms; /* the search answers with what it has after this; 0: no limit */
    bool only_raw;         /* entries are their bytes as received and their id, nothing else */
    int watch_fd; /* socket of the client: when it hangs up the search is cancelled; -1: none */
};

/* One message; the names are those of SQL and JSON.  Views borrow from the row and are valid inside
 * the callback only; null views are SQL null. */
struct search_entry {
    int64_t received_at_us;
    int64_t reported_at_us; /* TIME_NONE: null */
    struct view source, listener;
    int facility, severity;
    struct view hostname, app_name, procid, msgid, structured_data, message, format, id;
    struct view raw; /* null unless only_raw */
};

/* How much work it was. */
struct search_scan {
    int64_t blocks_in_range, blocks_read, messages_examined, damaged, elapsed_us;
    bool is_complete; /* false: the time limit ended it */
    char resume[48];  /* not complete: the cursor to go on from, else "" */
};

/* 0: go on; positive: enough, the rest is not wanted; negative: fail with this and *err. */
typedef int (*search_entry_fn)(void *context, const struct search_entry *e, struct err *err);

/* Statements of the connection end after this, -ETIMEDOUT, and a server that does not even say that
 * is away (store_set_patience); 0: never. */
MUST_USE int search_set_timeout(PGconn *c, int64_t timeout_ms, struct err *err);

/* Give the entries in (received_at, seq) order to `each`, row by row as they come off the wire.
 * Returns the number given, or negative and *err: as store_query, and -ECANCELED "client_gone" when
 * the watched socket hung up.  *ret_scan may be NULL. */
MUST_USE int search_run(PGconn *c, const struct search_request *q, search_entry_fn each,
                        void *context, struct search_scan *ret_scan, struct err *err);

struct search_bucket {
    int64_t at_us;
    int64_t count;
    int64_t by_severity[8];
};
/* Buckets of equal width, empty ones included, into ret[0…buckets).  Returns how many, or negative.
 */
MUST_USE int search_histogram(PGconn *c, const struct search_request *q, int buckets,
                              struct search_bucket *ret, struct search_scan *ret_scan,
                              struct err *err);

typedef int (*search_value_fn)(void *context, struct view value, int64_t count, struct err *err);
/* The most frequent values of a field (q->limit of them), most frequent first; a null value is a
 * null view.  Returns how many, or negative. */
MUST_USE int search_facets(PGconn *c, const struct search_request *q, const char *field,
                           search_value_fn each, void *context, struct search_scan *ret_scan,
                           struct err *err);

/* One message by its id, and its marks ("clock_skew,decoded", "" when it has none), given to
 * `each`, whose result is returned.  -ENOENT "not_found" when no message has the id, -EINVAL when
 * it is no id. */
typedef int (*search_marked_fn)(void *context, const struct search_entry *e, const char *marks,
                                struct err *err);
MUST_USE int search_entry(PGconn *c, const char *id, search_marked_fn each, void *context,
                          struct err *err);

/* The bytes of a message exactly as received, appended to *out.  -ENOENT "not_found" when no
 * message has the id, -EINVAL when it is no id, -ENOSPC beyond out->max. */
MUST_USE int search_raw(PGconn *c, const char *id, struct buf *out, struct err *err);
/* 16 hex digits, '-', 16 hex digits. */
bool search_id_is_valid(struct view id);
/* received_at of a valid id. */
int64_t search_id_time_us(struct view id);

/* PostgreSQL's text of a timestamptz in UTC ("2026-03-10 12:00:00.5+00") → µs; TIME_NONE for
 * anything else, "infinity" among it. */
int64_t store_time_parse(const char *text);
/* µs as a parameter for timestamptz; NULL for TIME_NONE. */
const char *store_time_param(int64_t us, char out[RFC3339_MAX]);

#endif
