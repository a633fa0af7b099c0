/* The keeper's statements. */
#include "store/upkeep.h"

#include "base/limits.h"

int64_t upkeep_partitions(PGconn *c, int64_t days, const char *zone, struct err *err)
{
    /* the benchmark's are made when one runs */
    struct number_text n = number_text(days), benchmark = number_text(SOURCE_GROUP_BENCHMARK);
    PGresult *r;
    int error = store_query(
        c,
        "select count(azekura.ensure_partition(now() + make_interval(days => d), $2, g.id))"
        " from azekura.source_group g, generate_series(0, $1::int) d"
        " where g.retired_at is null and g.id <> $3::smallint",
        3, (const char *const[]){n.text, zone, benchmark.text}, &r, err);
    if (error < 0)
        return error;
    int64_t made = store_number(r, 0, 0);
    PQclear(r);
    return made;
}

/* One text, "" for none or null. */
static int pick(PGconn *c, const char *sql, int n, const char *const *values,
                char ret_piece[UPKEEP_PIECE_MAX], struct err *err)
{
    PGresult *r;
    ret_piece[0] = 0;
    int rc = store_query(c, sql, n, values, &r, err);
    if (rc < 0)
        return rc;
    if (PQntuples(r) > 0)
        snprintf(ret_piece, UPKEEP_PIECE_MAX, "%s", PQgetvalue(r, 0, 0));
    PQclear(r);
    return 0;
}

int upkeep_compact(PGconn *c, int64_t days, const char *after, int64_t small_blocks,
                   int64_t quiet_seconds, int64_t max_blocks, char ret_piece[UPKEEP_PIECE_MAX],
                   struct err *err)
{
    struct number_text quiet = number_text(quiet_seconds), most = number_text(max_blocks);
    struct number_text small = number_text(small_blocks), history = number_text(days);
    int rc = pick(c,
                  "select azekura.next_to_compact($1, $2::int, now() - make_interval(secs => $3),"
                  " now() - make_interval(days => $4::int))",
                  4, (const char *const[]){after, small.text, quiet.text, history.text}, ret_piece,
                  err);
    if (rc < 0 || !ret_piece[0])
        return rc;
    PGresult *merged;
    rc = store_query(c,
                     "select c.blocks_after < c.blocks_before from azekura.day_partition d,"
                     " azekura.compact(d.name, now() - make_interval(secs => $2), $3) c"
                     " where d.name = $1",
                     3, (const char *const[]){ret_piece, quiet.text, most.text}, &merged, err);
    if (rc < 0) {
        err_prefix(err, "compaction of %s: ", ret_piece);
        return rc;
    }
    /* no row: dropped meanwhile */
    bool is_smaller = PQntuples(merged) > 0 && strcmp(PQgetvalue(merged, 0, 0), "t") == 0;
    PQclear(merged);
    return is_smaller;
}

int upkeep_rewrite(PGconn *c, const char *after, char ret_piece[UPKEEP_PIECE_MAX],
                   int64_t *ret_bytes, struct err *err)
{
    int rc = pick(c,
                  "select d.name from azekura.day_partition d"
                  " left join azekura.day_partition a on a.name = $1"
                  " where d.upper < now() and d.merged_at = d.changed_at"
                  " and d.tidied_at is distinct from d.changed_at and (a.name is null"
                  "  or (d.lower, d.source_group) > (a.lower, a.source_group))"
                  " order by d.lower, d.source_group limit 1",
                  1, (const char *const[]){after}, ret_piece, err);
    if (rc < 0 || !ret_piece[0])
        return rc;
    PGresult *r;
    rc = store_query(c, "select azekura.rewrite_piece($1)", 1, (const char *const[]){ret_piece}, &r,
                     err);
    if (rc < 0) {
        err_prefix(err, "rewriting %s: ", ret_piece);
        return rc;
    }
    *ret_bytes = PQgetisnull(r, 0, 0) ? 0 : store_number(r, 0, 0);
    PQclear(r);
    return 1;
}

int64_t upkeep_drop_empty(PGconn *c, struct err *err)
{
    PGresult *r;
    int rc = store_query(c, "select azekura.drop_empty_pieces()", 0, NULL, &r, err);
    if (rc < 0)
        return rc;
    int64_t n = store_number(r, 0, 0);
    PQclear(r);
    return n;
}

/* One after another with the same parameters; rows in all, or negative. */
static int64_t execute_all(PGconn *c, const char *const *statements, size_t statements_n, int n,
                           const char *const *values, struct err *err)
{
    int64_t total = 0;
    for (size_t i = 0; i < statements_n; i++) {
        int64_t rows = store_execute(c, statements[i], n, values, err);
        if (rows < 0)
            return rows;
        total += rows;
    }
    return total;
}

int64_t upkeep_forget_access(PGconn *c, struct err *err)
{
    static const char *const statements[] = {
        "delete from azekura.session where expires_at < now()",
        "delete from azekura.login_failure where last_at < now() - interval '1 day'",
    };
    return execute_all(c, statements, ARRAY_LEN(statements), 0, NULL, err);
}

int64_t upkeep_forget_ledger(PGconn *c, int64_t days, struct err *err)
{
    static const char *const statements[] = {
        "delete from azekura.ledger where (minute, listener, source) in"
        " (select minute, listener, source from azekura.ledger"
        "  where minute < now() - make_interval(days => $1::int) order by minute limit 50000)",
        "delete from azekura.kernel_drop where minute < now() - make_interval(days => $1::int)",
        "select azekura.forget_ledger_sums(now() - make_interval(days => $1::int))",
        "select azekura.forget_gaps(now() - make_interval(days => $1::int))",
    };
    struct number_text n = number_text(days);
    return execute_all(c, statements, ARRAY_LEN(statements), 1, (const char *const[]){n.text}, err);
}
