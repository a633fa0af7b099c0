/* Messages parsed again (reparse.h). */
#include "store/reparse.h"

#include "store/search.h"
#include "store/source_fault.h"

int reparse_preview(PGconn *c, const struct preview_question *q, struct buf *out, struct err *err)
{
    struct number_text limit = number_text(q->time_limit_ms);
    const char *values[] = {q->network, q->zone, q->charset, q->box_zone, q->box_charset};
    PGresult *r = NULL;
    int64_t set = store_execute(c, "select set_config('azekura.time_limit_ms', $1, false)", 1,
                                (const char *const[]){limit.text}, err);
    int rc = set < 0 ? (int)set
                     : store_query(c,
                                   "select code, field, message, preview from"
                                   " azekura.source_preview($1, $2, $3, $4, $5)",
                                   5, values, &r, err);
    if (rc == 0)
        rc = source_fault(r, err);
    if (rc == 0 && buf_add_str(out, PQgetvalue(r, 0, 3)) < 0)
        rc = err_set(err, E2BIG, "too_large", "the answer is larger than %zu bytes", out->max);
    PQclear(r);
    return rc;
}

int reparse_ask(PGconn *c, const char *actor, const struct reparse_wish *w, int64_t *ret_id,
                struct err *err)
{
    char from[RFC3339_MAX], to[RFC3339_MAX];
    const char *values[] = {w->network,
                            store_time_param(w->from_us, from),
                            store_time_param(w->to_us, to),
                            w->box_zone,
                            w->box_charset,
                            actor};
    PGresult *r = NULL;
    int rc = store_query(c,
                         "select code, field, message, id from azekura.ask_reparse($1,"
                         " $2::timestamptz, $3::timestamptz, $4, $5, $6)",
                         6, values, &r, err);
    if (rc == 0)
        rc = source_fault(r, err);
    if (rc == 0)
        *ret_id = store_number(r, 0, 3);
    PQclear(r);
    return rc;
}

int reparse_cancel(PGconn *c, const char *actor, int64_t id, struct err *err)
{
    struct number_text n = number_text(id);
    const char *values[] = {n.text, actor};
    PGresult *r = NULL;
    int rc = store_query(c, "select azekura.cancel_reparse($1::bigint, $2)", 2, values, &r, err);
    if (rc == 0 && PQgetisnull(r, 0, 0))
        rc = err_set(err, ENOENT, "not_found", "there is no request %s", n.text);
    else if (rc == 0 && PQgetvalue(r, 0, 0)[0] != 't')
        rc = err_set(err, EEXIST, "over", "request %s is over: there is nothing left to cancel",
                     n.text);
    PQclear(r);
    return rc;
}

int64_t reparse_work(PGconn *c, int64_t work_us, struct err *err)
{
    int64_t began_us = clock_mono_us();
    for (;;) {
        PGresult *r = NULL;
        int rc = store_query(c, "select azekura.reparse_step()", 0, NULL, &r, err);
        if (rc < 0)
            return rc;
        bool is_none = PQgetisnull(r, 0, 0);
        int64_t wait_us = store_number(r, 0, 0);
        PQclear(r);
        if (is_none)
            return REPARSE_NONE;
        int64_t worked_us = clock_mono_us() - began_us;
        if (wait_us > 0)
            return wait_us;
        /* as long as it worked: receiving and searching have the other half */
        if (worked_us >= work_us)
            return worked_us;
    }
}

int reparse_tidy(PGconn *c, struct err *err)
{
    PGresult *r = NULL;
    int rc = store_query(c, "select azekura.reparse_tidy()", 0, NULL, &r, err);
    if (rc < 0) {
        err_prefix(err, "giving back what was parsed again: ");
        return rc;
    }
    bool is_done = PQntuples(r) > 0 && !PQgetisnull(r, 0, 0);
    PQclear(r);
    return is_done;
}

int reparse_fail(PGconn *c, const char *reason, struct err *err)
{
    int64_t rc = store_execute(
        c, "select azekura.end_reparse(azekura.reparse_at_work(), 'failed', $1)", 1, &reason, err);
    return rc < 0 ? (int)rc : 0;
}
