/* Accounts and the counting of failed log-ins, in the database.  Each change is one statement or
 * one transaction together with its entry in the audit log. */
#include "store/account.h"

#include "base/ip.h"
#include "store/search.h"

#define FAILURES_FORGOTTEN_US \
    (3600 * US_PER_SECOND) /* the count starts again after an hour of peace */

int account_add(PGconn *c, const char *actor, struct view name, enum role role,
                struct view password, struct err *err)
{
    char hash[PASSWORD_HASH_MAX], text[ACCOUNT_NAME_MAX + 1];
    int rc = account_check_name(name, err);
    if (rc == 0)
        rc = account_check_password(password, err);
    if (rc == 0)
        rc = account_hash_password(password, hash, err);
    if (rc < 0)
        return rc;
    snprintf(text, sizeof(text), "%.*s", VIEW_ARG(name));
    const char *values[] = {actor, text, role_name(role), hash};
    int64_t n =
        store_execute(c,
                      "with a as (insert into azekura.account (name, role, password_hash)"
                      " values ($2, $3, $4) on conflict (name) do nothing returning name, role)"
                      " insert into azekura.audit (actor, action, detail) select $1, 'account.add',"
                      " jsonb_build_object('name', name, 'role', role) from a",
                      4, values, err);
    if (n == 0)
        return err_set_field(err, EEXIST, "exists", "name", "there is an account %s already", text);
    return n < 0 ? (int)n : 0;
}

static int no_account(const char *name, struct err *err)
{
    return err_set_field(err, ENOENT, "not_found", "name", "there is no account %.64s", name);
}

static int remove_locked(PGconn *c, const char *actor, const char *name, struct err *err)
{
    const char *values[] = {actor, name};
    /* so that two administrators cannot remove each other at once */
    int64_t rc =
        store_execute(c, "lock table azekura.account in share row exclusive mode", 0, NULL, err);
    if (rc < 0)
        return (int)rc;
    rc = store_execute(
        c,
        "with a as (delete from azekura.account where name = $2 and (role <> 'admin'"
        " or exists (select from azekura.account where role = 'admin' and name <> $2))"
        " returning name)"
        " insert into azekura.audit (actor, action, detail)"
        " select $1, 'account.remove', jsonb_build_object('name', name) from a",
        2, values, err);
    if (rc != 0)
        return rc < 0 ? (int)rc : 0;
    char hash[PASSWORD_HASH_MAX];
    enum role role;
    int found = account_find(c, name, hash, &role, err);
    if (found <= 0)
        return found < 0 ? found : no_account(name, err);
    return err_set_field(err, EPERM, "last_admin", "name",
                         "%s is the last administrator; make another one first", name);
}

int account_remove(PGconn *c, const char *actor, const char *name, struct err *err)
{
    int64_t rc = store_execute(c, "begin", 0, NULL, err);
    if (rc < 0)
        return (int)rc;
    int done = remove_locked(c, actor, name, err);
    rc = store_execute(c, done < 0 ? "rollback" : "commit", 0, NULL, done < 0 ? NULL : err);
    return done < 0 ? done : rc < 0 ? (int)rc : 0;
}

int account_set_password(PGconn *c, const char *actor, const char *name, struct view password,
                         struct err *err)
{
    char hash[PASSWORD_HASH_MAX];
    int rc = account_check_password(password, err);
    if (rc == 0)
        rc = account_hash_password(password, hash, err);
    if (rc < 0)
        return rc;
    const char *values[] = {actor, name, hash};
    int64_t n = store_execute(
        c,
        "with a as (update azekura.account set password_hash = $3 where name = $2 returning name),"
        " s as (delete from azekura.session using a where account = a.name)"
        " insert into azekura.audit (actor, action, detail)"
        " select $1, 'account.password', jsonb_build_object('name', name) from a",
        3, values, err);
    if (n == 0)
        return no_account(name, err);
    return n < 0 ? (int)n : 0;
}

int account_list(PGconn *c, account_row_fn each, void *context, struct err *err)
{
    PGresult *r = NULL;
    int rc = store_query(
        c, "select name, role, created_at, last_login from azekura.account order by name", 0, NULL,
        &r, err);
    if (rc < 0)
        return rc;
    int rows = PQntuples(r);
    for (int row = 0; row < rows; row++) {
        struct account_row a = {
            .name = PQgetvalue(r, row, 0),
            .created_at_us = store_time_parse(PQgetvalue(r, row, 2)),
            .last_login_us = PQgetisnull(r, row, 3) ? TIME_NONE
                                                    : store_time_parse(PQgetvalue(r, row, 3)),
        };
        if (role_parse(view_str(PQgetvalue(r, row, 1)), &a.role) < 0)
            a.role = ROLE_NONE;
        each(context, &a);
    }
    PQclear(r);
    return rows;
}

int account_find(PGconn *c, const char *name, char ret_hash[PASSWORD_HASH_MAX], enum role *ret_role,
                 struct err *err)
{
    PGresult *r = NULL;
    const char *values[] = {name};
    int rc = store_query(c, "select password_hash, role from azekura.account where name = $1", 1,
                         values, &r, err);
    if (rc < 0)
        return rc;
    int found = PQntuples(r);
    if (found) {
        snprintf(ret_hash, PASSWORD_HASH_MAX, "%s", PQgetvalue(r, 0, 0));
        if (role_parse(view_str(PQgetvalue(r, 0, 1)), ret_role) < 0)
            *ret_role = ROLE_NONE;
    }
    PQclear(r);
    return found;
}

/* ---- failed log-ins ---- */

int account_login_wait_s(int failures)
{
    if (failures < LOGIN_FREE_TRIES)
        return 0;
    int doublings = failures - LOGIN_FREE_TRIES;
    return doublings >= 6 ? LOGIN_WAIT_MAX_S : MIN(1 << doublings, LOGIN_WAIT_MAX_S);
}

/* 'address:…' of an IPv4 address or an IPv6 /64: one customer of a provider has the whole of that.
 */
static void address_subject(const char *address, char *out, size_t size)
{
    struct ip ip;
    char text[IP_TEXT_MAX];
    snprintf(text, sizeof(text), "%s", address);
    if (ip_parse(view_str(address), &ip) == 0) {
        if (ip.family == 6)
            memset(ip.bytes + 8, 0, 8);
        ip_format(&ip, text);
    }
    snprintf(out, size, "address:%s", text);
}

/* Count one more failure of the subject unless it must still wait.  In the caller's transaction:
 * the row stays locked, so that tries at the same time are counted one after another. */
static int count_failure(PGconn *c, const char *subject, int *ret_wait_s, struct err *err)
{
    const char *values[] = {subject, NULL};
    int64_t rc = store_execute(c,
                               "insert into azekura.login_failure (subject, failures, last_at)"
                               " values ($1, 0, clock_timestamp()) on conflict do nothing",
                               1, values, err);
    if (rc < 0)
        return (int)rc;
    PGresult *r = NULL;
    rc = store_query(c,
                     "select failures, (extract(epoch from clock_timestamp() - last_at)"
                     " * 1000000)::bigint from azekura.login_failure where subject = $1 for update",
                     1, values, &r, err);
    if (rc < 0)
        return (int)rc;
    int failures = PQntuples(r) ? (int)strtol(PQgetvalue(r, 0, 0), NULL, 10) : 0;
    int64_t since_us = PQntuples(r) ? store_number(r, 0, 1) : 0;
    PQclear(r);
    if (since_us > FAILURES_FORGOTTEN_US)
        failures = 0;
    int64_t left_us = account_login_wait_s(failures) * US_PER_SECOND - since_us;
    if (left_us > 0) {
        *ret_wait_s = (int)((left_us + US_PER_SECOND - 1) / US_PER_SECOND);
        return err_set(err, EBUSY, "too_many_tries",
                       "too many failed log-ins; the next try is possible in %d s", *ret_wait_s);
    }
    char count[16];
    snprintf(count, sizeof(count), "%d", failures + 1);
    values[1] = count;
    rc = store_execute(c,
                       "update azekura.login_failure set failures = $2::integer,"
                       " last_at = clock_timestamp() where subject = $1",
                       2, values, err);
    return rc < 0 ? (int)rc : 0;
}

int account_login_begin(PGconn *c, const char *name, const char *address, int *ret_wait_s,
                        struct err *err)
{
    char account[ACCOUNT_NAME_MAX + 16], from[IP_TEXT_MAX + 16];
    address_subject(address, from, sizeof(from));
    /* names that were only tried must not fill the table */
    int64_t rc =
        store_execute(c,
                      "delete from azekura.login_failure where subject in (select subject"
                      " from azekura.login_failure where last_at < now() - interval '1 day'"
                      " for update skip locked)",
                      0, NULL, err);
    if (rc >= 0)
        rc = store_execute(c, "begin", 0, NULL, err);
    if (rc < 0)
        return (int)rc;
    int done = 0;
    if (name) {
        snprintf(account, sizeof(account), "account:%s", name);
        done = count_failure(c, account, ret_wait_s, err);
    }
    if (done == 0)
        done = count_failure(c, from, ret_wait_s, err);
    rc = store_execute(c, done < 0 ? "rollback" : "commit", 0, NULL, done < 0 ? NULL : err);
    return done < 0 ? done : rc < 0 ? (int)rc : 0;
}

int account_login_done(PGconn *c, const char *name, const char *address, struct err *err)
{
    char account[ACCOUNT_NAME_MAX + 16], from[IP_TEXT_MAX + 16];
    address_subject(address, from, sizeof(from));
    snprintf(account, sizeof(account), "account:%s", name);
    const char *values[] = {account, from};
    int64_t rc = store_execute(c, "delete from azekura.login_failure where subject in ($1, $2)", 2,
                               values, err);
    return rc < 0 ? (int)rc : 0;
}
