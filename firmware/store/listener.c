/* The lists of who may send and how fast (listener.h); the checks are the database's. */
#include "store/listener.h"

#include "store/list_version.h"

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

/* ---- a row ---- */

#define IS_ALLOW "(a.network = azekura.parse_network($1) and a.listener is not distinct from $2)"
#define OTHER_ALLOW                                                                 \
    "(select coalesce(jsonb_agg(to_jsonb(a) order by a.network, a.listener), '[]')" \
    " from azekura.listener_allow a where " IS_ALLOW " is not true)"
#define IS_LIMIT "(l.network = azekura.parse_network($1))"
#define OTHER_LIMITS                                                    \
    "(select coalesce(jsonb_agg(to_jsonb(l) order by l.network), '[]')" \
    " from azekura.sender_limit l where " IS_LIMIT " is not true)"

/* Locked before the list is read, so that nobody's change in between is lost. */
static const char *const locks[] = {
    [LISTENER_ALLOW] = "lock table azekura.listener_allow in share row exclusive mode",
    [LISTENER_LIMITS] = "lock table azekura.sender_limit in share row exclusive mode",
};

static int add_row(PGconn *c, const char *actor, enum listener_list list,
                   const struct listener_row *row, bool is_forced, PGresult **ret, struct err *err)
{
    const char *force = is_forced ? "true" : "false";
    if (list == LISTENER_ALLOW)
        return write(c,
                     FAULTS "azekura.set_allow_list(" OTHER_ALLOW
                            " || jsonb_build_object('network',"
                            " $1::text, 'listener', $2::text, 'note', $3::text), $4::boolean, $5)",
                     5, (const char *const[]){row->network, row->listener, row->note, force, actor},
                     ret, err);
    return write(c,
                 FAULTS "azekura.set_limit_list(" OTHER_LIMITS " || jsonb_build_object('network',"
                        " $1::text, 'rate', $2::bigint, 'burst', $3::bigint), $4)",
                 4, (const char *const[]){row->network, row->rate, row->burst, actor}, ret, err);
}

static int remove_row(PGconn *c, const char *actor, enum listener_list list,
                      const struct listener_row *row, bool is_forced, PGresult **ret,
                      struct err *err)
{
    bool is_allow = list == LISTENER_ALLOW;
    PGresult *r = NULL;
    const char *values[] = {row->network, row->listener, is_forced ? "true" : "false", actor};
    int rc =
        is_allow
            ? store_query(c,
                          "select exists (select from azekura.listener_allow a where " IS_ALLOW ")",
                          2, values, &r, err)
            : store_query(c,
                          "select exists (select from azekura.sender_limit l where " IS_LIMIT ")",
                          1, values, &r, err);
    if (rc == 0 && strcmp(PQgetvalue(r, 0, 0), "t") != 0)
        rc = err_set_field(err, ENOENT, "not_found", "network", "%.64s is not in the list%s%s",
                           row->network, is_allow ? " for " : "",
                           !is_allow       ? ""
                           : row->listener ? row->listener
                                           : "all listeners");
    PQclear(r);
    if (rc < 0)
        return rc;
    return is_allow ? write(c, FAULTS "azekura.set_allow_list(" OTHER_ALLOW ", $3::boolean, $4)", 4,
                            values, ret, err)
                    : write(c, FAULTS "azekura.set_limit_list(" OTHER_LIMITS ", $2)", 2,
                            (const char *const[]){row->network, actor}, ret, err);
}

static int change(PGconn *c, const char *actor, enum listener_list list,
                  const struct listener_row *row, bool is_added, bool is_forced, PGresult **ret,
                  struct err *err)
{
    int rc = list_version_begin(c, list == LISTENER_ALLOW ? LIST_ALLOW : LIST_LIMITS, NULL, err);
    if (rc < 0)
        return rc;
    int64_t locked = store_execute(c, locks[list], 0, NULL, err);
    if (locked < 0)
        rc = (int)locked;
    else
        rc = is_added ? add_row(c, actor, list, row, is_forced, ret, err)
                      : remove_row(c, actor, list, row, is_forced, ret, err);
    return list_version_end(c, rc, err);
}

int listener_add_row(PGconn *c, const char *actor, enum listener_list list,
                     const struct listener_row *row, bool is_forced, PGresult **ret,
                     struct err *err)
{
    return change(c, actor, list, row, true, is_forced, ret, err);
}

int listener_remove_row(PGconn *c, const char *actor, enum listener_list list,
                        const struct listener_row *row, bool is_forced, PGresult **ret,
                        struct err *err)
{
    return change(c, actor, list, row, false, is_forced, ret, err);
}
