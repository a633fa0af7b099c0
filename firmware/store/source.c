/* The senders ever heard, with their counts in a range of the ledger. */
#include "store/source.h"

#include "store/search.h"

#define RANGE                                                                             \
    "(coalesce(date_trunc('minute', $1::timestamptz), '-infinity'), coalesce(date_trunc(" \
    "'minute', $2::timestamptz + interval '59.999999 s'), 'infinity'))"
#define IN_RANGE "azekura.ledger_rows" RANGE
/* once for all senders: few have gaps */
#define GAPS                                                                            \
    " left join (select source, sum(missing)::bigint as missing, sum(repeated)::bigint" \
    " as repeated from azekura.gap_totals" RANGE " group by source) g on g.source = s.address"
#define COLUMNS                                                        \
    "select host(s.address), s.first_heard, s.last_heard, s.messages," \
    " s.bytes, coalesce(l.arrived, 0), coalesce(l.stored, 0),"         \
    " coalesce(l.refused, 0), coalesce(l.bytes, 0),"                   \
    " (select count(*) from azekura.source), coalesce(g.missing, 0), coalesce(g.repeated, 0)"
#define SUMS                                                           \
    " sum(arrived)::bigint as arrived, sum(stored)::bigint as stored," \
    " sum(refused)::bigint as refused, sum(bytes)::bigint as bytes from " IN_RANGE

int source_read(PGconn *c, int64_t from_us, int64_t to_us, enum source_order order, int limit,
                source_row_fn each, void *context, int64_t *ret_total, struct err *err)
{
    static const char *const sql[] = {
        [SOURCE_BUSIEST] = COLUMNS " from azekura.source s left join (select source," SUMS
                                   " group by source) l on l.source = s.address" GAPS
                                   " order by coalesce(l.arrived, 0) desc, s.messages desc,"
                                   " s.address limit $3::integer",
        /* those are few: only theirs are summed */
        [SOURCE_SILENT] = COLUMNS " from (select * from azekura.source"
                                  " order by last_heard, address limit $3::integer) s" GAPS
                                  " cross join lateral (select" SUMS " where source = s.address) l"
                                  " order by s.last_heard, s.address",
    };
    char from[RFC3339_MAX], to[RFC3339_MAX], n[16];
    snprintf(n, sizeof(n), "%d", limit);
    const char *values[] = {store_time_param(from_us, from), store_time_param(to_us, to), n};
    PGresult *r = NULL;
    int rc = store_query(c, sql[order], 3, values, &r, err);
    if (rc < 0)
        return rc;
    int rows = PQntuples(r);
    *ret_total = rows > 0 ? store_number(r, 0, 9) : 0;
    for (int row = 0; row < rows; row++) {
        struct source_row s = {
            .source = PQgetvalue(r, row, 0),
            .first_heard_us = store_time_parse(PQgetvalue(r, row, 1)),
            .last_heard_us = store_time_parse(PQgetvalue(r, row, 2)),
            .messages = store_number(r, row, 3),
            .bytes = store_number(r, row, 4),
            .range_arrived = store_number(r, row, 5),
            .range_stored = store_number(r, row, 6),
            .range_refused = store_number(r, row, 7),
            .range_bytes = store_number(r, row, 8),
            .range_missing = store_number(r, row, 10),
            .range_repeated = store_number(r, row, 11),
        };
        each(context, &s);
    }
    PQclear(r);
    return rows;
}
