/* Who may do what: accounts with passwords, sessions, bearer tokens, the one-time setup code.
 * Passwords are kept as argon2id; every other secret is random (≥ 80 bits) and kept as its SHA-256.
 */
#ifndef AZEKURA_STORE_ACCOUNT_H
#define AZEKURA_STORE_ACCOUNT_H

#include "store/connection.h"
#include "base/clock.h"
#include "base/view.h"

enum role {
    ROLE_NONE,
    ROLE_VIEWER,
    ROLE_OPERATOR,
    ROLE_ADMIN
};                                                         /* each may do all the former may */
const char *role_name(enum role r);                        /* "viewer", …; "none" */
MUST_USE int role_parse(struct view text, enum role *ret); /* 0, or -EINVAL */

/* ---- secrets ---- */

#define ACCOUNT_NAME_MAX 64
#define PASSWORD_MIN_BYTES 10
#define PASSWORD_MAX_BYTES 256
#define PASSWORD_HASH_MAX 128 /* bytes of the PHC string, NUL included */
#define SECRET_TEXT_MAX 64    /* text of a session secret or token, NUL included */
#define SETUP_CODE_MAX 24     /* "XXXX-XXXX-XXXX-XXXX" and NUL */

/* 1…64 of A–Z a–z 0–9 . _ @ - ; 0, or -EINVAL and *err (field "name"). */
MUST_USE int account_check_name(struct view name, struct err *err);
/* 10…256 bytes of UTF-8 without NUL, no rule of composition; 0, or -EINVAL and *err (field
 * "password"). */
MUST_USE int account_check_password(struct view password, struct err *err);
/* argon2id, 64 MiB, 3 passes, one lane, random salt: a tenth of a second.  Callers bound how many
 * run at once. */
MUST_USE int account_hash_password(struct view password, char ret[PASSWORD_HASH_MAX],
                                   struct err *err);
/* With hash NULL (no such account) it takes as long and says false. */
bool account_password_matches(struct view password, const char *hash);
/* 256 random bits as base64url (43 characters). */
void account_new_secret(char ret[SECRET_TEXT_MAX]);
/* SHA-256 of the text. */
void account_secret_hash(struct view secret, uint8_t ret[32]);
/* Equal, in a time that says nothing about where they differ. */
bool account_secret_eq(struct view a, struct view b);

/* ---- accounts ---- */

/* -EEXIST "exists"; checks name and password. */
MUST_USE int account_add(PGconn *c, const char *actor, struct view name, enum role role,
                         struct view password, struct err *err);
/* -ENOENT "not_found"; -EPERM "last_admin": the last administrator stays. */
MUST_USE int account_remove(PGconn *c, const char *actor, const char *name, struct err *err);
/* A new password ends all sessions of the account.  -ENOENT. */
MUST_USE int account_set_password(PGconn *c, const char *actor, const char *name,
                                  struct view password, struct err *err);

struct account_row {
    const char *name; /* valid inside the callback */
    enum role role;
    int64_t created_at_us, last_login_us; /* TIME_NONE: never */
};
typedef void (*account_row_fn)(void *context, const struct account_row *r);
MUST_USE int account_list(PGconn *c, account_row_fn each, void *context, struct err *err);

/* ---- logging in ---- */

/* A try is counted as failed before the password is looked at, so that many at once gain nothing;
 * account_login_done() takes it back.  `address`: of the client; its /64 for IPv6.  After
 * LOGIN_FREE_TRIES the next must wait 1 s, doubling to 60 s, by account and by address.  0, or
 * -EBUSY "too_many_tries" with *ret_wait_s; name may be NULL (a try at the setup code). */
#define LOGIN_FREE_TRIES 5
#define LOGIN_WAIT_MAX_S 60
MUST_USE int account_login_begin(PGconn *c, const char *name, const char *address, int *ret_wait_s,
                                 struct err *err);
MUST_USE int account_login_done(PGconn *c, const char *name, const char *address, struct err *err);
/* Seconds to wait after so many failures. */
int account_login_wait_s(int failures);

struct identity {
    char name[ACCOUNT_NAME_MAX + 1]; /* of the account or token */
    enum role role;
    bool is_token;
    char csrf[SECRET_TEXT_MAX]; /* of the session; "" for a token */
    int64_t expires_at_us;      /* TIME_NONE for a token */
};

/* The account's hash and role: 1, or 0 when there is none. */
MUST_USE int account_find(PGconn *c, const char *name, char ret_hash[PASSWORD_HASH_MAX],
                          enum role *ret_role, struct err *err);
/* Start a session: its secret for the cookie, its csrf secret in *ret. */
MUST_USE int session_start(PGconn *c, const char *account, int64_t hours,
                           char ret_secret[SECRET_TEXT_MAX], struct identity *ret, struct err *err);
/* Who a secret belongs to: 1, or 0 when nobody (unknown, expired). */
MUST_USE int session_find(PGconn *c, struct view secret, struct identity *ret, struct err *err);
MUST_USE int session_end(PGconn *c, struct view secret, struct err *err);

/* ---- tokens ("azk_" and 43 characters) ---- */

MUST_USE int token_create(PGconn *c, const char *actor, struct view name, enum role role,
                          char ret_secret[SECRET_TEXT_MAX], struct err *err); /* -EEXIST */
MUST_USE int token_remove(PGconn *c, const char *actor, const char *name,
                          struct err *err); /* -ENOENT */
/* As session_find; notes the use at most once a minute. */
MUST_USE int token_find(PGconn *c, struct view secret, struct identity *ret, struct err *err);
struct token_row {
    const char *name; /* valid inside the callback */
    enum role role;
    int64_t created_at_us, last_used_us; /* TIME_NONE: never */
};
typedef void (*token_row_fn)(void *context, const struct token_row *r);
MUST_USE int token_list(PGconn *c, token_row_fn each, void *context, struct err *err);

/* ---- set-up ---- */

/* 1 while there is no account, else 0. */
MUST_USE int setup_is_needed(PGconn *c, struct err *err);
/* A new code, in place of the former: "7K2M-XW9P-4H8T-QBNC", 80 random bits; letters' case and
 * dashes do not matter when it is typed.  -EEXIST "already_set_up" when there is an account. */
MUST_USE int setup_new_code(PGconn *c, char ret_code[SETUP_CODE_MAX], struct err *err);
/* The first administrator: needs the code, and uses it up.  -EACCES "wrong_code", -EEXIST
 * "already_set_up". */
MUST_USE int setup_finish(PGconn *c, struct view code, struct view name, struct view password,
                          struct err *err);

#endif
