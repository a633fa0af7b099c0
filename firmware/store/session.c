/* Sessions of the console, bearer tokens, and the first administrator's set-up (account.h). */
#include "store/account.h"

#include <openssl/rand.h>

#include "base/utf8.h"
#include "store/search.h"

#define TOKEN_PREFIX "azk_"
#define SESSIONS_MAX "100" /* of one account; the oldest ends */
#define HASH_TEXT_MAX 68   /* "\x" and 64 hex digits */

/* The hash of a secret as a parameter for bytea. */
static const char *hash_param(struct view secret, char out[HASH_TEXT_MAX])
{
    uint8_t hash[32];
    account_secret_hash(secret, hash);
    out[0] = '\\';
    out[1] = 'x';
    for (size_t i = 0; i < sizeof(hash); i++)
        snprintf(out + 2 + 2 * i, 3, "%02x", hash[i]);
    return out;
}

int session_start(PGconn *c, const char *account, int64_t hours, char ret_secret[SECRET_TEXT_MAX],
                  struct identity *ret, struct err *err)
{
    char secret[SECRET_TEXT_MAX], csrf[SECRET_TEXT_MAX], hash[HASH_TEXT_MAX], h[24];
    account_new_secret(secret);
    account_new_secret(csrf);
    snprintf(h, sizeof(h), "%lld", (long long)hours);
    const char *values[] = {hash_param(view_str(secret), hash), account, csrf, h};
    PGresult *r = NULL;
    int rc = store_query(
        c,
        "with a as (update azekura.account set last_login = now() where name = $2"
        "  returning name, role),"
        " old as (delete from azekura.session where expires_at < now() or secret_hash in"
        "  (select secret_hash from azekura.session where account = $2"
        "   order by created_at desc offset " SESSIONS_MAX ")),"
        " s as (insert into azekura.session (secret_hash, account, csrf, expires_at)"
        "  select $1::bytea, name, $3, now() + make_interval(hours => $4::integer) from a"
        "  returning expires_at),"
        " log as (insert into azekura.audit (actor, action) select 'account:' || name,"
        "  'session.start' from a)"
        " select a.name, a.role, s.expires_at from a, s",
        4, values, &r, err);
    if (rc < 0)
        return rc;
    if (PQntuples(r) == 0) {
        PQclear(r);
        return err_set_field(err, ENOENT, "not_found", "name", "there is no account %.64s",
                             account);
    }
    struct identity who = {.expires_at_us = store_time_parse(PQgetvalue(r, 0, 2))};
    snprintf(who.name, sizeof(who.name), "%s", PQgetvalue(r, 0, 0));
    snprintf(who.csrf, sizeof(who.csrf), "%s", csrf);
    if (role_parse(view_str(PQgetvalue(r, 0, 1)), &who.role) < 0)
        who.role = ROLE_NONE;
    PQclear(r);
    memcpy(ret_secret, secret, sizeof(secret));
    *ret = who;
    return 0;
}

int session_find(PGconn *c, struct view secret, struct identity *ret, struct err *err)
{
    char hash[HASH_TEXT_MAX];
    const char *values[] = {hash_param(secret, hash)};
    PGresult *r = NULL;
    int rc = store_query(c,
                         "select a.name, a.role, s.csrf, s.expires_at from azekura.session s"
                         " join azekura.account a on a.name = s.account"
                         " where s.secret_hash = $1::bytea and s.expires_at > now()",
                         1, values, &r, err);
    if (rc < 0)
        return rc;
    int found = PQntuples(r);
    if (found) {
        *ret = (struct identity){.expires_at_us = store_time_parse(PQgetvalue(r, 0, 3))};
        snprintf(ret->name, sizeof(ret->name), "%s", PQgetvalue(r, 0, 0));
        snprintf(ret->csrf, sizeof(ret->csrf), "%s", PQgetvalue(r, 0, 2));
        if (role_parse(view_str(PQgetvalue(r, 0, 1)), &ret->role) < 0)
            ret->role = ROLE_NONE;
    }
    PQclear(r);
    return found;
}

int session_end(PGconn *c, struct view secret, struct err *err)
{
    char hash[HASH_TEXT_MAX];
    const char *values[] = {hash_param(secret, hash)};
    int64_t rc = store_execute(
        c,
        "with s as (delete from azekura.session where secret_hash = $1::bytea returning account)"
        " insert into azekura.audit (actor, action) select 'account:' || account, 'session.end'"
        " from s",
        1, values, err);
    return rc < 0 ? (int)rc : 0;
}

/* ---- tokens ---- */

static int check_token_name(struct view name, struct err *err)
{
    if (name.n < 1 || name.n > ACCOUNT_NAME_MAX || !utf8_is_clean(name))
        return err_set_field(err, EINVAL, "bad_value", "name",
                             "name: a token's name is text of 1 to %d bytes, this has %zu",
                             ACCOUNT_NAME_MAX, name.n);
    for (size_t i = 0; i < name.n; i++) {
        if ((uint8_t)name.p[i] < ' ' || name.p[i] == 0x7f)
            return err_set_field(err, EINVAL, "bad_value", "name",
                                 "name: byte %zu is a control character", i + 1);
    }
    return 0;
}

int token_create(PGconn *c, const char *actor, struct view name, enum role role,
                 char ret_secret[SECRET_TEXT_MAX], struct err *err)
{
    int rc = check_token_name(name, err);
    if (rc < 0)
        return rc;
    char random[SECRET_TEXT_MAX], secret[SECRET_TEXT_MAX], hash[HASH_TEXT_MAX];
    char text[ACCOUNT_NAME_MAX + 1];
    account_new_secret(random);
    snprintf(secret, sizeof(secret), TOKEN_PREFIX "%.*s",
             (int)(sizeof(secret) - sizeof(TOKEN_PREFIX)), random);
    snprintf(text, sizeof(text), "%.*s", VIEW_ARG(name));
    const char *values[] = {actor, text, role_name(role), hash_param(view_str(secret), hash)};
    int64_t n = store_execute(
        c,
        "with t as (insert into azekura.token (name, role, secret_hash)"
        " values ($2, $3, $4::bytea) on conflict (name) do nothing returning name, role)"
        " insert into azekura.audit (actor, action, detail) select $1, 'token.create',"
        " jsonb_build_object('name', name, 'role', role) from t",
        4, values, err);
    if (n == 0)
        return err_set_field(err, EEXIST, "exists", "name", "there is a token %s already", text);
    if (n < 0)
        return (int)n;
    memcpy(ret_secret, secret, sizeof(secret));
    return 0;
}

int token_remove(PGconn *c, const char *actor, const char *name, struct err *err)
{
    const char *values[] = {actor, name};
    int64_t n = store_execute(c,
                              "with t as (delete from azekura.token where name = $2 returning name)"
                              " insert into azekura.audit (actor, action, detail)"
                              " select $1, 'token.remove', jsonb_build_object('name', name) from t",
                              2, values, err);
    if (n == 0)
        return err_set_field(err, ENOENT, "not_found", "name", "there is no token %.64s", name);
    return n < 0 ? (int)n : 0;
}

int token_find(PGconn *c, struct view secret, struct identity *ret, struct err *err)
{
    char hash[HASH_TEXT_MAX];
    const char *values[] = {hash_param(secret, hash)};
    PGresult *r = NULL;
    int rc = store_query(
        c,
        "with used as (update azekura.token set last_used = now() where secret_hash = $1::bytea"
        " and (last_used is null or last_used < now() - interval '1 minute'))"
        " select name, role from azekura.token where secret_hash = $1::bytea",
        1, values, &r, err);
    if (rc < 0)
        return rc;
    int found = PQntuples(r);
    if (found) {
        *ret = (struct identity){.is_token = true, .expires_at_us = TIME_NONE};
        snprintf(ret->name, sizeof(ret->name), "%s", PQgetvalue(r, 0, 0));
        if (role_parse(view_str(PQgetvalue(r, 0, 1)), &ret->role) < 0)
            ret->role = ROLE_NONE;
    }
    PQclear(r);
    return found;
}

int token_list(PGconn *c, token_row_fn each, void *context, struct err *err)
{
    PGresult *r = NULL;
    int rc =
        store_query(c, "select name, role, created_at, last_used from azekura.token order by name",
                    0, NULL, &r, err);
    if (rc < 0)
        return rc;
    int rows = PQntuples(r);
    for (int row = 0; row < rows; row++) {
        struct token_row t = {
            .name = PQgetvalue(r, row, 0),
            .created_at_us = store_time_parse(PQgetvalue(r, row, 2)),
            .last_used_us = PQgetisnull(r, row, 3) ? TIME_NONE
                                                   : store_time_parse(PQgetvalue(r, row, 3)),
        };
        if (role_parse(view_str(PQgetvalue(r, row, 1)), &t.role) < 0)
            t.role = ROLE_NONE;
        each(context, &t);
    }
    PQclear(r);
    return rows;
}

/* ---- set-up ---- */

int setup_is_needed(PGconn *c, struct err *err)
{
    PGresult *r = NULL;
    int rc = store_query(c, "select not exists (select from azekura.account)", 0, NULL, &r, err);
    if (rc < 0)
        return rc;
    rc = PQgetvalue(r, 0, 0)[0] == 't';
    PQclear(r);
    return rc;
}

static int already_set_up(struct err *err)
{
    return err_set(err, EEXIST, "already_set_up", "there is an account already; log in instead");
}

int setup_new_code(PGconn *c, char ret_code[SETUP_CODE_MAX], struct err *err)
{
    /* 32 characters, without those that look like others */
    static const char digits[] = "23456789ABCDEFGHJKLMNPQRSTUVWXYZ";
    uint8_t random[16];
    char plain[17], code[SETUP_CODE_MAX], hash[HASH_TEXT_MAX];
    if (RAND_bytes(random, sizeof(random)) != 1)
        return err_set(err, EIO, "no_random", "the system gives no random numbers");
    for (size_t i = 0; i < sizeof(random); i++)
        plain[i] = digits[random[i] & 31];
    plain[16] = 0;
    snprintf(code, sizeof(code), "%.4s-%.4s-%.4s-%.4s", plain, plain + 4, plain + 8, plain + 12);
    const char *values[] = {hash_param(view_str(plain), hash)};
    int64_t n = store_execute(
        c,
        "insert into azekura.setup (code_hash) select $1::bytea"
        " where not exists (select from azekura.account)"
        " on conflict (only_one) do update set code_hash = excluded.code_hash, created_at = now()",
        1, values, err);
    if (n <= 0)
        return n < 0 ? (int)n : already_set_up(err);
    memcpy(ret_code, code, sizeof(code));
    return 0;
}

/* As it was hashed: capitals, without dashes and blanks.  "" when it is too long. */
static void plain_code(struct view code, char out[SETUP_CODE_MAX])
{
    size_t n = 0;
    for (size_t i = 0; i < code.n; i++) {
        char ch = code.p[i];
        if (ch == '-' || ch == ' ' || ch == '\t' || ch == '\n' || ch == '\r')
            continue;
        if (n + 1 == SETUP_CODE_MAX) {
            n = 0;
            break;
        }
        out[n++] = (char)(ch >= 'a' && ch <= 'z' ? ch - 'a' + 'A' : ch);
    }
    out[n] = 0;
}

/* 1 when the code is the one that waits, 0 when not; -EEXIST when set up already. */
static int code_matches(PGconn *c, const char *hash, struct err *err)
{
    PGresult *r = NULL;
    int rc = store_query(c,
                         "select coalesce((select code_hash::text from azekura.setup), ''),"
                         " exists (select from azekura.account)",
                         0, NULL, &r, err);
    if (rc < 0)
        return rc;
    if (PQgetvalue(r, 0, 1)[0] == 't')
        rc = already_set_up(err);
    else
        rc = account_secret_eq(view_str(PQgetvalue(r, 0, 0)), view_str(hash));
    PQclear(r);
    return rc;
}

int setup_finish(PGconn *c, struct view code, struct view name, struct view password,
                 struct err *err)
{
    char plain[SETUP_CODE_MAX], hash[HASH_TEXT_MAX], password_hash[PASSWORD_HASH_MAX];
    char text[ACCOUNT_NAME_MAX + 1];
    plain_code(code, plain);
    hash_param(view_str(plain), hash);
    int rc = code_matches(c, hash, err);
    if (rc < 0)
        return rc;
    if (rc == 0)
        return err_set_field(err, EACCES, "wrong_code", "code",
                             "this is not the setup code of this box");
    rc = account_check_name(name, err);
    if (rc == 0)
        rc = account_check_password(password, err);
    if (rc == 0)
        rc = account_hash_password(password, password_hash, err);
    if (rc < 0)
        return rc;
    snprintf(text, sizeof(text), "%.*s", VIEW_ARG(name));
    const char *values[] = {hash, text, password_hash};
    /* whoever deletes the code makes the account: of two at once, one finds no row */
    int64_t n = store_execute(
        c,
        "with code as (delete from azekura.setup where code_hash = $1::bytea"
        "  and not exists (select from azekura.account) returning true),"
        " a as (insert into azekura.account (name, role, password_hash)"
        "  select $2, 'admin', $3 from code returning name)"
        " insert into azekura.audit (actor, action, detail)"
        " select 'account:' || name, 'setup', jsonb_build_object('name', name) from a",
        3, values, err);
    if (n == 0)
        return already_set_up(err);
    return n < 0 ? (int)n : 0;
}
