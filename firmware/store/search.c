/* The functions of the extension, asked through libpq.  Rows are taken one by one as they arrive
 * (single-row mode), so that the memory of a page of ten thousand long messages is the caller's
 * choice, and while the server works the client's socket is watched: nobody waits for an answer
 * whose reader has left. */
#include "store/search.h"

#include "base/limits.h"

#define TIMEOUT_GRACE_MS                                                    \
    5000 /* the time limit ends a search well before the statement time-out \
          */
#define SEARCHED " from azekura.search($1, $2, $3, $4, $5, $6)"
#define ENTRY_COLUMNS                                                                 \
    "received_at, reported_at, host(source), listener, facility, severity, hostname," \
    " app_name, procid, msgid, structured_data, message, format, id"
#define SEARCH_ID_END_US                                                    \
    (253402300800 * US_PER_SECOND) /* year 10000: RFC 3339 has no later one \
                                    */
#define ID_HALF 16                 /* hex digits */

struct statement {
    const char *sql;
    int parameters;
    bool is_binary; /* of its result: bytea as bytes, in place of twice as many digits */
};

/* What one statement does with each row; as search_entry_fn. */
typedef int (*row_fn)(void *context, const PGresult *r, struct err *err);

static void cancel(PGconn *c)
{
    char why[256];
    PGcancel *handle = PQgetCancel(c);
    if (handle) {
        /* a cancel request that is not delivered leaves the statement time-out */
        (void)PQcancel(handle, why, sizeof(why));
        PQfreeCancel(handle);
    }
}

static int drain(PGconn *c, struct err *err)
{
    for (;;) {
        int rc = store_wait_result(c, -1, err);
        if (rc < 0)
            return rc;
        PGresult *r = PQgetResult(c);
        if (!r)
            return 0;
        PQclear(r);
    }
}

/* Run a statement and give each row to `each`.  Returns the rows given, or negative and *err. */
static int run_watched(PGconn *c, int watch_fd, const struct statement *s,
                       const char *const *values, row_fn each, void *context, struct err *err)
{
    if (!PQsendQueryParams(c, s->sql, s->parameters, NULL, values, NULL, NULL, s->is_binary))
        return store_result_error(c, NULL, err);
    CHECK(PQsetSingleRowMode(c));
    int rows = 0, rc;
    for (;;) {
        rc = store_wait_result(c, watch_fd, err);
        if (rc < 0)
            break;
        PGresult *r = PQgetResult(c);
        if (!r)
            return rows;
        ExecStatusType status = PQresultStatus(r);
        if (status == PGRES_SINGLE_TUPLE) {
            rc = each(context, r, err);
            rows += rc >= 0;
        } else if (status != PGRES_TUPLES_OK) {
            rc = store_result_error(c, r, err);
            PQclear(r);
            (void)!drain(c, NULL); /* else the connection is closed by its owner */
            return rc;
        }
        PQclear(r);
        if (rc != 0)
            break;
    }
    /* Failed, or nobody left to read it: the owner closes a connection that is left in the middle
     * of a statement, and the server notices within a second.  To ask a server that hangs to cancel
     * would hang as well. */
    if (rc < 0)
        return rc;
    cancel(c); /* enough */
    rc = drain(c, err);
    return rc < 0 ? rc : rows;
}

int64_t store_time_parse(const char *text)
{
    /* the session's zone is UTC, so the text ends in "+00", which RFC 3339 writes "+00:00" */
    char buffer[48];
    size_t n = strlen(text);
    if (n < 4 || n + 4 > sizeof(buffer) || memcmp(text + n - 3, "+00", 3) != 0)
        return TIME_NONE;
    memcpy(buffer, text, n);
    memcpy(buffer + n, ":00", 4);
    int64_t us;
    return rfc3339_parse(view_of(buffer, n + 3), &us) == 0 ? us : TIME_NONE;
}

const char *store_time_param(int64_t us, char out[RFC3339_MAX])
{
    if (us == TIME_NONE)
        return NULL;
    rfc3339_format(us, out);
    return out;
}

int search_set_timeout(PGconn *c, int64_t timeout_ms, struct err *err)
{
    char ms[24];
    snprintf(ms, sizeof(ms), "%lld", (long long)timeout_ms);
    const char *values[] = {ms};
    int64_t rc =
        store_execute(c, "select set_config('statement_timeout', $1, false)", 1, values, err);
    if (rc >= 0)
        store_set_patience(c, timeout_ms > 0 ? timeout_ms + TIMEOUT_GRACE_MS : 0);
    return rc < 0 ? (int)rc : 0;
}

static int set_limits(PGconn *c, const struct search_request *q, struct err *err)
{
    char limit[24], timeout[24];
    snprintf(limit, sizeof(limit), "%lld", (long long)q->time_limit_ms);
    snprintf(timeout, sizeof(timeout), "%lld",
             (long long)(q->time_limit_ms > 0 ? q->time_limit_ms + TIMEOUT_GRACE_MS : 0));
    const char *values[] = {limit, timeout};
    int64_t rc = store_execute(c,
                               "select set_config('azekura.time_limit_ms', $1, false),"
                               " set_config('statement_timeout', $2, false)",
                               2, values, err);
    if (rc >= 0)
        store_set_patience(c, q->time_limit_ms > 0 ? q->time_limit_ms + 2 * TIMEOUT_GRACE_MS : 0);
    return rc < 0 ? (int)rc : 0;
}

static int read_scan(PGconn *c, struct search_scan *ret, struct err *err)
{
    if (!ret)
        return 0;
    PGresult *r = NULL;
    int rc = store_query(c,
                         "select blocks_in_range, blocks_read, messages_examined, damaged,"
                         " elapsed_us, complete, coalesce(resume, '') from azekura.last_scan()",
                         0, NULL, &r, err);
    if (rc < 0)
        return rc;
    struct search_scan s = {.is_complete = true};
    if (PQntuples(r) > 0) {
        s.blocks_in_range = store_number(r, 0, 0);
        s.blocks_read = store_number(r, 0, 1);
        s.messages_examined = store_number(r, 0, 2);
        s.damaged = store_number(r, 0, 3);
        s.elapsed_us = store_number(r, 0, 4);
        s.is_complete = PQgetvalue(r, 0, 5)[0] == 't';
        snprintf(s.resume, sizeof(s.resume), "%s", PQgetvalue(r, 0, 6));
    }
    PQclear(r);
    *ret = s;
    return 0;
}

static struct view field(const PGresult *r, int column)
{
    if (PQgetisnull(r, 0, column))
        return VIEW_NULL;
    return view_of(PQgetvalue(r, 0, column), (size_t)PQgetlength(r, 0, column));
}

struct entry_context {
    search_entry_fn each;
    void *context;
};

/* The columns of ENTRY_COLUMNS. */
static struct search_entry entry_of_row(const PGresult *r)
{
    return (struct search_entry){
        .received_at_us = store_time_parse(PQgetvalue(r, 0, 0)),
        .reported_at_us = PQgetisnull(r, 0, 1) ? TIME_NONE : store_time_parse(PQgetvalue(r, 0, 1)),
        .source = field(r, 2),
        .listener = field(r, 3),
        .facility = (int)store_number(r, 0, 4),
        .severity = (int)store_number(r, 0, 5),
        .hostname = field(r, 6),
        .app_name = field(r, 7),
        .procid = field(r, 8),
        .msgid = field(r, 9),
        .structured_data = field(r, 10),
        .message = field(r, 11),
        .format = field(r, 12),
        .id = field(r, 13),
    };
}

static int each_entry(void *context, const PGresult *r, struct err *err)
{
    const struct entry_context *x = context;
    struct search_entry e = entry_of_row(r);
    return x->each(x->context, &e, err);
}

/* Whoever wants the bytes wants millions of them: nothing is made into text that nobody reads. */
static int each_raw(void *context, const PGresult *r, struct err *err)
{
    const struct entry_context *x = context;
    struct search_entry e = {.received_at_us = TIME_NONE,
                             .reported_at_us = TIME_NONE,
                             .id = field(r, 0),
                             .raw = field(r, 1)};
    return x->each(x->context, &e, err);
}

int search_run(PGconn *c, const struct search_request *q, search_entry_fn each, void *context,
               struct search_scan *ret_scan, struct err *err)
{
    static const struct statement raw = {"select id, azekura.raw(id)" SEARCHED, 6, true};
    static const struct statement entries = {"select " ENTRY_COLUMNS SEARCHED, 6, false};
    char from[RFC3339_MAX], to[RFC3339_MAX], limit[16];
    snprintf(limit, sizeof(limit), "%d", q->limit);
    const char *values[] = {
        q->query, store_time_param(q->from_us, from), store_time_param(q->to_us, to),
        limit,    q->is_ascending ? "asc" : "desc",   q->cursor};
    struct entry_context x = {each, context};
    int rc = set_limits(c, q, err);
    if (rc < 0)
        return rc;
    int rows = q->only_raw ? run_watched(c, q->watch_fd, &raw, values, each_raw, &x, err)
                           : run_watched(c, q->watch_fd, &entries, values, each_entry, &x, err);
    if (rows < 0)
        return rows;
    rc = read_scan(c, ret_scan, err);
    return rc < 0 ? rc : rows;
}

struct histogram_context {
    struct search_bucket *buckets;
    int n, max;
};

static int each_bucket(void *context, const PGresult *r, struct err *err)
{
    struct histogram_context *x = context;
    if (x->n == x->max)
        return err_set(err, EIO, "database_error", "the histogram has more than %d buckets",
                       x->max);
    struct search_bucket *b = &x->buckets[x->n++];
    b->at_us = store_time_parse(PQgetvalue(r, 0, 0));
    b->count = store_number(r, 0, 1);
    const char *p = PQgetvalue(r, 0, 2); /* "{0,0,1,…}" */
    for (size_t i = 0; i < ARRAY_LEN(b->by_severity); i++) {
        char *end;
        p += *p != 0;
        b->by_severity[i] = strtoll(p, &end, 10);
        p = end;
    }
    return 0;
}

int search_histogram(PGconn *c, const struct search_request *q, int buckets,
                     struct search_bucket *ret, struct search_scan *ret_scan, struct err *err)
{
    static const struct statement buckets_of = {
        "select at, count, by_severity from azekura.histogram($1, $2, $3, $4) order by at", 4,
        false};
    char from[RFC3339_MAX], to[RFC3339_MAX], n[16];
    snprintf(n, sizeof(n), "%d", buckets);
    const char *values[] = {q->query, store_time_param(q->from_us, from),
                            store_time_param(q->to_us, to), n};
    struct histogram_context x = {ret, 0, buckets};
    int rc = set_limits(c, q, err);
    if (rc < 0)
        return rc;
    rc = run_watched(c, q->watch_fd, &buckets_of, values, each_bucket, &x, err);
    if (rc < 0)
        return rc;
    rc = read_scan(c, ret_scan, err);
    return rc < 0 ? rc : x.n;
}

struct facets_context {
    search_value_fn each;
    void *context;
};

static int each_value(void *context, const PGresult *r, struct err *err)
{
    const struct facets_context *x = context;
    return x->each(x->context, field(r, 0), store_number(r, 0, 1), err);
}

int search_facets(PGconn *c, const struct search_request *q, const char *name, search_value_fn each,
                  void *context, struct search_scan *ret_scan, struct err *err)
{
    static const struct statement facets = {
        "select value, count from azekura.facets($1, $2, $3, $4, $5)", 5, false};
    char from[RFC3339_MAX], to[RFC3339_MAX], limit[16];
    snprintf(limit, sizeof(limit), "%d", q->limit);
    const char *values[] = {name, q->query, store_time_param(q->from_us, from),
                            store_time_param(q->to_us, to), limit};
    struct facets_context x = {each, context};
    int rc = set_limits(c, q, err);
    if (rc < 0)
        return rc;
    int rows = run_watched(c, q->watch_fd, &facets, values, each_value, &x, err);
    if (rows < 0)
        return rows;
    rc = read_scan(c, ret_scan, err);
    return rc < 0 ? rc : rows;
}

static bool is_hex(const char *p, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (!((p[i] >= '0' && p[i] <= '9') || (p[i] >= 'a' && p[i] <= 'f')))
            return false;
    }
    return true;
}

bool search_id_is_valid(struct view id)
{
    return id.n == 2 * ID_HALF + 1 && id.p[ID_HALF] == '-' && is_hex(id.p, ID_HALF) &&
           is_hex(id.p + ID_HALF + 1, ID_HALF);
}

int64_t search_id_time_us(struct view id)
{
    char digits[ID_HALF + 1];
    memcpy(digits, id.p, ID_HALF);
    digits[ID_HALF] = 0;
    return (int64_t)strtoull(digits, NULL, 16);
}

static int bad_id(const char *id, struct err *err)
{
    return err_set_field(err, EINVAL, "bad_value", "id", "\"%.64s\" is not the id of a message",
                         id);
}

static int no_such_id(const char *id, struct err *err)
{
    return err_set_field(err, ENOENT, "not_found", "id", "no message has the id %s", id);
}

int search_entry(PGconn *c, const char *id, search_marked_fn each, void *context, struct err *err)
{
    if (!search_id_is_valid(view_str(id)))
        return bad_id(id, err);
    int64_t at_us = search_id_time_us(view_str(id));
    char from[RFC3339_MAX], to[RFC3339_MAX];
    if (at_us < 0 || at_us >= SEARCH_ID_END_US)
        return no_such_id(id, err);
    PGresult *r = NULL;
    const char *values[] = {id, store_time_param(at_us, from), store_time_param(at_us + 1, to)};
    int rc = store_query(c,
                         "select " ENTRY_COLUMNS ", array_to_string(azekura.marks(id), ',')"
                         " from azekura.search('', $2, $3, null) where id = $1",
                         3, values, &r, err);
    if (rc < 0)
        return rc;
    if (PQntuples(r) == 0) {
        rc = no_such_id(id, err);
    } else {
        struct search_entry e = entry_of_row(r);
        rc = each(context, &e, PQgetvalue(r, 0, 14), err);
    }
    PQclear(r);
    return rc;
}

int search_raw(PGconn *c, const char *id, struct buf *out, struct err *err)
{
    if (!search_id_is_valid(view_str(id)))
        return bad_id(id, err);
    PGresult *r = NULL;
    const char *values[] = {id};
    int rc = store_query(c, "select azekura.raw($1)", 1, values, &r, err);
    if (rc < 0)
        return rc;
    if (PQntuples(r) == 0 || PQgetisnull(r, 0, 0)) {
        PQclear(r);
        return no_such_id(id, err);
    }
    size_t n;
    unsigned char *bytes = PQunescapeBytea((const unsigned char *)PQgetvalue(r, 0, 0), &n);
    CHECK(bytes);
    rc = buf_add(out, bytes, n);
    PQfreemem(bytes);
    PQclear(r);
    if (rc < 0)
        return err_set_field(err, ENOSPC, "too_large", "id", "the message is longer than %zu bytes",
                             out->max);
    return 0;
}
