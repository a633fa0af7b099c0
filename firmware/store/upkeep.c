/* The keeper's statements. */
#include "store/upkeep.h"

/* A number as a parameter. */
struct number {
    char text[24];
};

static struct number number_of(int64_t n)
{
    struct number s;
    snprintf(s.text, sizeof(s.text), "%lld", (long long)n);
    return s;
}

int64_t upkeep_partitions(PGconn *c, int64_t days, const char *zone, struct err *err)
{
    struct number n = number_of(days);
    PGresult *r;
    int error =
        store_query(c,
                    "select count(azekura.ensure_partition(now() + make_interval(days => d), $2))"
                    " from generate_series(0, $1::int) d",
                    2, (const char *const[]){n.text, zone}, &r, err);
    if (error < 0)
        return error;
    int64_t made = store_number(r, 0, 0);
    PQclear(r);
    return made;
}

/* A block is small when two of its kind fit into one.  Days that are over come first, oldest first,
 * since they will not change again. */
static const char pick_day[] =
    "select d.name from azekura.day_partition d,"
    " lateral (select count(*) n from azekura.log_block b"
    "   where b.first_at >= d.lower and b.first_at < d.upper and b.messages < 32768 and "
    "b.raw_bytes < 33554432"
    "     and b.last_at < now() - make_interval(secs => $2)) small"
    " where d.lower <= now() and d.upper > now() - make_interval(days => $3::int)"
    "   and d.lower > coalesce((select lower from azekura.day_partition where name = $4), "
    "'-infinity')"
    "   and small.n >= case when d.upper < now() then 2 else $1::bigint end"
    " order by d.lower limit 1";

static int pick(PGconn *c, int64_t days, const char *after, int64_t small_blocks,
                const char *quiet_seconds, char ret_day[UPKEEP_DAY_MAX], struct err *err)
{
    struct number small = number_of(small_blocks), history = number_of(days);
    PGresult *r;
    int rc = store_query(c, pick_day, 4,
                         (const char *const[]){small.text, quiet_seconds, history.text, after}, &r,
                         err);
    if (rc < 0)
        return rc;
    if (PQntuples(r) > 0)
        snprintf(ret_day, UPKEEP_DAY_MAX, "%s", PQgetvalue(r, 0, 0));
    PQclear(r);
    return 0;
}

int upkeep_compact(PGconn *c, int64_t days, const char *after, int64_t small_blocks,
                   int64_t quiet_seconds, int64_t max_blocks, char ret_day[UPKEEP_DAY_MAX],
                   struct err *err)
{
    struct number quiet = number_of(quiet_seconds), most = number_of(max_blocks);
    ret_day[0] = 0;
    int rc = pick(c, days, after, small_blocks, quiet.text, ret_day, err);
    if (rc < 0 || !ret_day[0])
        return rc;
    PGresult *merged;
    rc = store_query(c,
                     "select blocks_after < blocks_before from azekura.compact($1,"
                     " now() - make_interval(secs => $2), $3)",
                     3, (const char *const[]){ret_day, quiet.text, most.text}, &merged, err);
    if (rc < 0) {
        err_prefix(err, "compaction of %s: ", ret_day);
        return rc;
    }
    bool is_smaller = strcmp(PQgetvalue(merged, 0, 0), "t") == 0;
    PQclear(merged);
    return is_smaller;
}

int64_t upkeep_forget(PGconn *c, int64_t ledger_days, struct err *err)
{
    static const char *const statements[] = {
        "delete from azekura.session where expires_at < now() and $1::int is not null",
        "delete from azekura.login_failure where last_at < now() - interval '1 day' and $1::int is "
        "not null",
        "delete from azekura.ledger where (minute, listener, source) in"
        " (select minute, listener, source from azekura.ledger"
        "  where minute < now() - make_interval(days => $1::int) order by minute limit 50000)",
        "delete from azekura.kernel_drop where minute < now() - make_interval(days => $1::int)",
    };
    struct number days = number_of(ledger_days);
    int64_t total = 0;
    for (size_t i = 0; i < ARRAY_LEN(statements); i++) {
        int64_t n = store_execute(c, statements[i], 1, (const char *const[]){days.text}, err);
        if (n < 0)
            return n;
        total += n;
    }
    return total;
}
