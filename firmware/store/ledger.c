/* The ledger, read.  Counts are 64-bit; sums of them are cast back, since numeric would come as
 * text of any length. */
#include "store/ledger.h"

#include "store/search.h"

/* The columns of struct ledger_counts, in its order. */
#define COUNT_COLUMNS (4 + REASON_COUNT)
#define COLUMN(id, name) ", " #name
#define COLUMNS "arrived, stored, bytes, truncated" REASON_LIST(COLUMN)
#define SUM(id, name) ", coalesce(sum(" #name "), 0)::bigint as " #name
#define SUMS SUM(0, arrived) SUM(0, stored) SUM(0, bytes) SUM(0, truncated) REASON_LIST(SUM)
#define ZERO(id, name) ", 0"
#define ZEROS "0, 0, 0, 0" REASON_LIST(ZERO)
/* $1 and $2: from, to; whole minutes. */
#define FROM "coalesce(date_trunc('minute', $1::timestamptz), '-infinity')"
#define TO "coalesce(date_trunc('minute', $2::timestamptz + interval '59.999999 s'), 'infinity')"
#define ROWS " from azekura.ledger_rows(" FROM ", " TO ")"

int64_t ledger_refused(const struct ledger_counts *c)
{
    int64_t n = 0;
    for (int i = 0; i < REASON_COUNT; i++)
        n += c->refused[i];
    return n;
}

void ledger_add(struct ledger_counts *to, const struct ledger_counts *c)
{
    to->arrived += c->arrived;
    to->stored += c->stored;
    to->bytes += c->bytes;
    to->truncated += c->truncated;
    for (int i = 0; i < REASON_COUNT; i++)
        to->refused[i] += c->refused[i];
}

bool ledger_is_balanced(const struct ledger_counts *c)
{
    return c->arrived == c->stored + ledger_refused(c);
}

bool ledger_receiver_is_balanced(const struct ledger_receiver *r)
{
    return r->arrived == r->stored + r->refused + r->queued;
}

static struct ledger_counts read_counts(const PGresult *r, int row, int column)
{
    struct ledger_counts c = {
        .arrived = store_number(r, row, column),
        .stored = store_number(r, row, column + 1),
        .bytes = store_number(r, row, column + 2),
        .truncated = store_number(r, row, column + 3),
    };
    for (int i = 0; i < REASON_COUNT; i++)
        c.refused[i] = store_number(r, row, column + 4 + i);
    return c;
}

/* The number of a listener's name; -1 for one this version does not know. */
static int listener_number(const char *name)
{
    for (int i = 0; i < LISTENER_COUNT; i++) {
        if (strcmp(name, listener_name((unsigned)i)) == 0)
            return i;
    }
    return -1;
}

/* Add a row of (listener, counts … from `column` on, kernel_dropped). */
static void add_to_totals(const PGresult *r, int row, int column, struct ledger_totals *t)
{
    struct ledger_counts c = read_counts(r, row, column);
    ledger_add(&t->all, &c);
    int l = listener_number(PQgetvalue(r, row, 0));
    if (l < 0)
        return;
    t->by_listener[l] = c;
    t->kernel_dropped[l] = store_number(r, row, column + COUNT_COLUMNS);
}

int ledger_read(PGconn *c, int64_t from_us, int64_t to_us, int limit, ledger_row_fn each,
                void *context, struct ledger_totals *ret, struct err *err)
{
    char from[RFC3339_MAX], to[RFC3339_MAX], n[16];
    snprintf(n, sizeof(n), "%d", limit);
    const char *values[] = {store_time_param(from_us, from), store_time_param(to_us, to), n};
    PGresult *r = NULL;
    /* in one statement: the senders' sums are made once, and the totals are theirs */
    int rc = store_query(c,
                         "with sender as materialized (select listener, source" SUMS ROWS
                         " group by listener, source), counts as ("
                         "select listener, " COLUMNS ", 0::bigint as dropped from sender"
                         " union all select listener, " ZEROS ", dropped from azekura.kernel_drop"
                         " where minute >= " FROM " and minute < " TO ")"
                         " select listener, host(source), " COLUMNS ", dropped from ("
                         "(select listener, source, " COLUMNS ", 0::bigint as dropped from sender"
                         " order by arrived desc, source, listener limit $3::integer)"
                         " union all select listener, null" SUMS
                         ", coalesce(sum(dropped), 0)::bigint from counts group by listener) x"
                         " order by source is null, arrived desc, source, listener",
                         3, values, &r, err);
    if (rc < 0)
        return rc;
    int rows = 0;
    struct ledger_totals totals = {0};
    for (int row = 0; row < PQntuples(r); row++) {
        if (PQgetisnull(r, row, 1)) {
            add_to_totals(r, row, 2, &totals);
            continue;
        }
        struct ledger_row l = {.listener = PQgetvalue(r, row, 0),
                               .source = PQgetvalue(r, row, 1),
                               .counts = read_counts(r, row, 2)};
        each(context, &l);
        rows++;
    }
    PQclear(r);
    *ret = totals;
    return rows;
}

int ledger_read_ever(PGconn *c, struct ledger_totals *ret, struct err *err)
{
    PGresult *r = NULL;
    int rc = store_query(c,
                         "select listener, " COLUMNS ", kernel_dropped from azekura.ledger_total",
                         0, NULL, &r, err);
    if (rc < 0)
        return rc;
    *ret = (struct ledger_totals){0};
    for (int row = 0; row < PQntuples(r); row++)
        add_to_totals(r, row, 1, ret);
    PQclear(r);
    return 0;
}

int ledger_read_stored(PGconn *c, int64_t *ret, struct err *err)
{
    PGresult *r = NULL;
    int rc = store_query(c, "select coalesce(sum(stored), 0)::bigint from azekura.ledger_total", 0,
                         NULL, &r, err);
    if (rc < 0)
        return rc;
    *ret = store_number(r, 0, 0);
    PQclear(r);
    return 0;
}

int ledger_read_receiver(PGconn *c, struct ledger_receiver *ret, struct err *err)
{
    PGresult *r = NULL;
    int rc = store_query(c,
                         "select receiver, run, started_at, at,"
                         " (extract(epoch from clock_timestamp() - at) * 1000000)::bigint,"
                         " arrived, stored, refused, queued, queue_bytes, connections,"
                         " udp_buffer_bytes, kernel_dropped"
                         " from azekura.receiver_status order by at desc limit 1",
                         0, NULL, &r, err);
    if (rc < 0)
        return rc;
    if (PQntuples(r) == 0) {
        PQclear(r);
        return 0;
    }
    snprintf(ret->receiver, sizeof(ret->receiver), "%s", PQgetvalue(r, 0, 0));
    snprintf(ret->run, sizeof(ret->run), "%s", PQgetvalue(r, 0, 1));
    ret->started_at_us = store_time_parse(PQgetvalue(r, 0, 2));
    ret->at_us = store_time_parse(PQgetvalue(r, 0, 3));
    ret->age_us = MAX(store_number(r, 0, 4), 0); /* the clock may have been set back */
    ret->arrived = store_number(r, 0, 5);
    ret->stored = store_number(r, 0, 6);
    ret->refused = store_number(r, 0, 7);
    ret->queued = store_number(r, 0, 8);
    ret->queue_bytes = store_number(r, 0, 9);
    ret->connections = store_number(r, 0, 10);
    ret->udp_buffer_bytes = store_number(r, 0, 11);
    ret->kernel_dropped = store_number(r, 0, 12);
    PQclear(r);
    return 1;
}

static int64_t hours_of(PGconn *c, const char *sql, struct err *err)
{
    PGresult *r = NULL;
    int rc = store_query(c, sql, 0, NULL, &r, err);
    if (rc < 0)
        return rc;
    int64_t hours = store_number(r, 0, 0);
    PQclear(r);
    return hours;
}

int64_t ledger_sum(PGconn *c, struct err *err)
{
    return hours_of(c, "select azekura.sum_ledger()", err);
}

int64_t ledger_merge(PGconn *c, struct err *err)
{
    return hours_of(c, "select azekura.merge_ledger()", err);
}
