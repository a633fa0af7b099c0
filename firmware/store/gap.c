/* Gaps in sequence numbers, read. */
#include "store/gap.h"

#include "store/search.h"

#define FROM "coalesce(date_trunc('minute', $1::timestamptz), '-infinity')"
#define TO "coalesce(date_trunc('minute', $2::timestamptz + interval '59.999999 s'), 'infinity')"

int gap_read_totals(PGconn *c, int64_t from_us, int64_t to_us, struct gap_totals *ret,
                    struct err *err)
{
    char from[RFC3339_MAX], to[RFC3339_MAX];
    const char *values[] = {store_time_param(from_us, from), store_time_param(to_us, to)};
    PGresult *r = NULL;
    int rc = store_query(c,
                         "select listener, sum(missing)::bigint, sum(repeated)::bigint"
                         " from azekura.gap_totals(" FROM ", " TO ") group by listener",
                         2, values, &r, err);
    if (rc < 0)
        return rc;
    *ret = (struct gap_totals){0};
    for (int row = 0; row < PQntuples(r); row++) {
        struct gap_counts n = {store_number(r, row, 1), store_number(r, row, 2)};
        ret->all.missing += n.missing;
        ret->all.repeated += n.repeated;
        for (unsigned l = 0; l < LISTENER_COUNT; l++)
            if (strcmp(PQgetvalue(r, row, 0), listener_name(l)) == 0)
                ret->by_listener[l] = n;
    }
    PQclear(r);
    return 0;
}

/* Rows of (at or null, listener, source, missing, repeated). */
static int read_rows(PGconn *c, const char *sql, int n, const char *const *values, gap_row_fn each,
                     void *context, struct err *err)
{
    PGresult *r = NULL;
    int rc = store_query(c, sql, n, values, &r, err);
    if (rc < 0)
        return rc;
    int rows = PQntuples(r);
    for (int row = 0; row < rows; row++) {
        struct gap_row g = {
            .at_us = PQgetisnull(r, row, 0) ? TIME_NONE : store_time_parse(PQgetvalue(r, row, 0)),
            .listener = PQgetvalue(r, row, 1),
            .source = PQgetvalue(r, row, 2),
            .counts = {store_number(r, row, 3), store_number(r, row, 4)},
        };
        each(context, &g);
    }
    PQclear(r);
    return rows;
}

int gap_read(PGconn *c, int64_t from_us, int64_t to_us, int64_t step_us, const char *source,
             int limit, gap_row_fn each, void *context, struct err *err)
{
    char from[RFC3339_MAX], to[RFC3339_MAX];
    struct number_text step = number_text(step_us / US_PER_SECOND), most = number_text(limit);
    const char *values[] = {store_time_param(from_us, from), store_time_param(to_us, to), step.text,
                            source, most.text};
    return read_rows(c,
                     "select g.at, g.listener, g.source, g.missing, g.repeated from azekura.gaps("
                     "$1::timestamptz, $2::timestamptz, $3::integer, $4::inet) g"
                     " order by g.at desc, g.missing desc, g.source, g.listener limit $5::integer",
                     5, values, each, context, err);
}

int gap_read_sums(PGconn *c, int64_t from_us, int64_t to_us, const char *source, int limit,
                  gap_row_fn each, void *context, struct err *err)
{
    char from[RFC3339_MAX], to[RFC3339_MAX];
    struct number_text most = number_text(limit);
    const char *values[] = {store_time_param(from_us, from), store_time_param(to_us, to), source,
                            most.text};
    return read_rows(c,
                     "select null::timestamptz, g.listener, host(g.source), g.missing, g.repeated"
                     " from azekura.gap_totals(" FROM ", " TO ") g"
                     " where $3::inet is null or g.source = $3::inet"
                     " order by g.missing desc, g.repeated desc, g.source, g.listener"
                     " limit $4::integer",
                     4, values, each, context, err);
}
