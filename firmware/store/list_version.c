/* Versions of the lists of who may send.  One lock for all of them: they are changed by hand. */
#include "store/list_version.h"

#include <stdio.h>

#define ROWS(table, order) \
    "select md5(coalesce(jsonb_agg(to_jsonb(t) order by " order "), '[]')::text) from " table " t"

static const struct {
    const char *version; /* statement */
    const char *action;  /* of the audit log */
    const char *what;    /* for people */
} lists[LIST_KINDS] = {
    [LIST_ALLOW] = {ROWS("azekura.listener_allow", "t.network, t.listener"), "listeners.allow",
                    "the list of who may send"},
    [LIST_LIMITS] = {ROWS("azekura.sender_limit", "t.network"), "listeners.limits",
                     "the list of limits"},
    [LIST_TLS_ALLOWED] = {ROWS("azekura.tls_allowed", "t.kind, t.value"), "tls.allowed",
                          "the list of who may send by TLS"},
};

int list_version_read(PGconn *c, enum list_kind k, char ret[LIST_VERSION_MAX], struct err *err)
{
    PGresult *r = NULL;
    int rc = store_query(c, lists[k].version, 0, NULL, &r, err);
    if (rc == 0)
        snprintf(ret, LIST_VERSION_MAX, "%s", PQgetvalue(r, 0, 0));
    PQclear(r);
    return rc;
}

/* Who was first: the newest entry of the audit log. */
static int changed(PGconn *c, enum list_kind k, struct err *err)
{
    PGresult *r = NULL;
    int rc = store_query(c,
                         "select actor, to_char(at at time zone 'UTC', 'YYYY-MM-DD HH24:MI:SS')"
                         " from azekura.audit where action = $1 order by at desc limit 1",
                         1, (const char *const[]){lists[k].action}, &r, err);
    if (rc < 0)
        return rc;
    if (PQntuples(r) > 0)
        rc = err_set_field(err, EEXIST, "changed", "version",
                           "%s was changed by %.200s at %s UTC, after it was read: read it again, "
                           "and change that",
                           lists[k].what, PQgetvalue(r, 0, 0), PQgetvalue(r, 0, 1));
    else
        rc = err_set_field(err, EEXIST, "changed", "version",
                           "%s is another than the one that was read: read it again, and change "
                           "that",
                           lists[k].what);
    PQclear(r);
    return rc;
}

static int check(PGconn *c, enum list_kind k, const char *seen, struct err *err)
{
    char now[LIST_VERSION_MAX];
    int rc = list_version_read(c, k, now, err);
    return rc == 0 && strcmp(now, seen) != 0 ? changed(c, k, err) : rc;
}

int list_version_begin(PGconn *c, enum list_kind k, const char *seen, struct err *err)
{
    PGresult *r = NULL;
    int64_t begun = store_execute(c, "begin", 0, NULL, err);
    if (begun < 0)
        return (int)begun;
    int rc = store_query(c, "select pg_advisory_xact_lock(hashtext('azekura: lists of senders'))",
                         0, NULL, &r, err);
    PQclear(r);
    if (rc == 0 && seen)
        rc = check(c, k, seen, err);
    return rc < 0 ? list_version_end(c, rc, err) : 0;
}

int list_version_end(PGconn *c, int rc, struct err *err)
{
    if (rc == 0) {
        int64_t committed = store_execute(c, "commit", 0, NULL, err);
        return committed < 0 ? (int)committed : 0;
    }
    if (PQtransactionStatus(c) != PQTRANS_IDLE)
        (void)!store_execute(c, "rollback", 0, NULL, NULL);
    return rc;
}
