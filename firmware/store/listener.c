/* The lists of who may send and how fast (listener.h); the checks are the database's. */
#include "store/listener.h"

#define FAULTS "select row_number as row, field, code, message from "

static int write(PGconn *c, const char *sql, int n, const char *const *values, PGresult **ret,
                 struct err *err)
{
    PGresult *r = NULL;
    int rc = store_query(c, sql, n, values, &r, err);
    if (rc < 0)
        return rc;
    if (PQntuples(r) > 0) {
        *ret = r;
        return 1;
    }
    PQclear(r);
    return 0;
}

int listener_set_allow(PGconn *c, const char *actor, const char *rows, bool is_forced,
                       PGresult **ret, struct err *err)
{
    const char *values[] = {rows, is_forced ? "true" : "false", actor};
    return write(c, FAULTS "azekura.set_allow_list($1::jsonb, $2::boolean, $3)", 3, values, ret,
                 err);
}

int listener_set_limits(PGconn *c, const char *actor, const char *rows, PGresult **ret,
                        struct err *err)
{
    const char *values[] = {rows, actor};
    return write(c, FAULTS "azekura.set_limit_list($1::jsonb, $2)", 2, values, ret, err);
}
