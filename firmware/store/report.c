/* Reports (report.h). */
#include "store/report.h"

#define REPORT(name, parameters, is_one, sql) {parameters, is_one, sql},
static const struct {
    int parameters;
    bool is_one;
    const char *sql;
} reports[] = {
#include "store/report.def"
};
#undef REPORT

int report_rows(PGconn *c, enum report what, const char *const *values, PGresult **ret,
                struct err *err)
{
    return store_query(c, reports[what].sql, reports[what].parameters, values, ret, err);
}

int report_json(PGconn *c, enum report what, const char *const *values, struct buf *out,
                struct err *err)
{
    struct buf sql = BUF_INIT(16384);
    PGresult *r = NULL;
    /* json, not jsonb: the members stay in the order in which they are written down */
    buf_printf(&sql,
               reports[what].is_one ? "select row_to_json(x) from (%s) x limit 1"
                                    : "select coalesce(json_agg(row_to_json(x)), '[]') from (%s) x",
               reports[what].sql);
    CHECK(!sql.is_full);
    int rc = store_query(c, buf_str(&sql), reports[what].parameters, values, &r, err);
    buf_free(&sql);
    if (rc < 0)
        return rc;
    bool is_none = PQntuples(r) == 0 || PQgetisnull(r, 0, 0);
    rc = buf_add_str(out, is_none ? "null" : PQgetvalue(r, 0, 0));
    PQclear(r);
    return rc < 0
               ? err_set(err, E2BIG, "too_large", "the answer is larger than %zu bytes", out->max)
               : 0;
}
