/* Log-in, log-out, first set-up, who am I, accounts. */
#include "web/handlers.h"

#include "web/auth.h"
#include "web/body.h"
#include "web/json.h"
#include "web/params.h"
#include "web/password.h"

#define ANSWER_MAX_BYTES 4096
#define USERS_MAX_BYTES (4u << 20)
#define COOKIE_MAX 256

static void add_session(struct json *j, struct request *rq, const struct identity *who)
{
    struct config config;
    web_config(rq->web, &config);
    json_begin(j, '{');
    json_key(j, "name");
    json_str(j, who->name);
    json_key(j, "role");
    json_str(j, role_name(who->role));
    json_key(j, "kind");
    json_str(j, who->is_token ? "token" : "session");
    json_key(j, "csrf");
    json_str(j, who->is_token ? NULL : who->csrf);
    json_key(j, "expires_at");
    json_time(j, who->expires_at_us);
    json_key(j, "box");
    json_begin(j, '{');
    json_key(j, "name");
    json_str(j, config.box_name);
    json_key(j, "version");
    json_str(j, AZEKURA_VERSION);
    json_key(j, "time_zone");
    json_str(j, config.time_zone);
    json_end(j, '}');
    json_end(j, '}');
}

static void reply_session(struct request *rq, int status, const char *headers,
                          const struct identity *who)
{
    struct buf body = BUF_INIT(ANSWER_MAX_BYTES);
    struct json j = JSON_INIT(&body);
    add_session(&j, rq, who);
    reply_json(rq, status, headers, &body);
}

void access_session(struct request *rq)
{
    reply_session(rq, 200, NULL, &rq->who);
}

static void cookie_header(struct request *rq, const char *secret, int64_t seconds,
                          char out[COOKIE_MAX])
{
    snprintf(out, COOKIE_MAX,
             "Set-Cookie: " AUTH_COOKIE
             "=%s; Path=/; Max-Age=%lld; HttpOnly; SameSite=Strict%s\r\n",
             secret, (long long)seconds, request_is_https(rq) ? "; Secure" : "");
}

/* A fresh session and its cookie. */
static void log_in_as(struct request *rq, const char *name, const char *address, int status)
{
    char secret[SECRET_TEXT_MAX], header[COOKIE_MAX];
    struct identity who;
    struct config config;
    struct err err;
    web_config(rq->web, &config);
    int rc = account_login_done(rq->db, name, address, &err);
    if (rc == 0)
        rc = session_start(rq->db, name, config.session_hours, secret, &who, &err);
    if (rc < 0) {
        reply_err(rq, rc, &err);
        return;
    }
    cookie_header(rq, secret, config.session_hours * 3600, header);
    reply_session(rq, status, header, &who);
}

static void log_in(struct request *rq, struct view name, struct view password)
{
    char account[ACCOUNT_NAME_MAX + 1], address[IP_TEXT_MAX];
    struct err err;
    request_address(rq, address);
    /* a name that no account can have is tried like any other, but not remembered by itself */
    bool is_name = account_check_name(name, NULL) == 0;
    snprintf(account, sizeof(account), "%.*s", VIEW_ARG(name));
    int matches = password_check(rq, is_name ? account : NULL, address, password);
    if (matches < 0)
        return;
    if (!matches) {
        reply_error(rq, 401, "wrong_login", "", "the name or the password is wrong");
        return;
    }
    int rc = request_db(rq, &err);
    if (rc < 0)
        reply_err(rq, rc, &err);
    else
        log_in_as(rq, account, address, 200);
}

void access_log_in(struct request *rq)
{
    struct view name, password;
    struct err err;
    cJSON *body = body_object(rq);
    if (!body)
        return;
    int rc = body_only(body, "name|password", &err);
    if (rc == 0)
        rc = body_text(body, "name", ACCOUNT_NAME_MAX, &name, &err);
    if (rc == 0)
        rc = body_text(body, "password", PASSWORD_MAX_BYTES, &password, &err);
    if (rc < 0)
        reply_err(rq, rc, &err);
    else
        log_in(rq, name, password);
    cJSON_Delete(body);
}

void access_log_out(struct request *rq)
{
    char header[COOKIE_MAX];
    struct err err;
    if (rq->who.is_token) {
        reply_error(rq, 403, "no_session", "", "a token has no session to end");
        return;
    }
    int rc = request_db(rq, &err);
    if (rc == 0)
        rc = session_end(rq->db, view_str(rq->secret), &err);
    if (rc < 0) {
        reply_err(rq, rc, &err);
        return;
    }
    cookie_header(rq, "", 0, header);
    reply_empty(rq, 204, header);
}

void access_setup_state(struct request *rq)
{
    struct err err;
    int rc = request_db(rq, &err);
    if (rc == 0)
        rc = setup_is_needed(rq->db, &err);
    if (rc < 0) {
        reply_err(rq, rc, &err);
        return;
    }
    struct buf body = BUF_INIT(ANSWER_MAX_BYTES);
    struct json j = JSON_INIT(&body);
    json_begin(&j, '{');
    json_key(&j, "needed");
    json_bool(&j, rc == 1);
    json_end(&j, '}');
    reply_json(rq, 200, NULL, &body);
}

static void set_up(struct request *rq, struct view code, struct view name, struct view password)
{
    char address[IP_TEXT_MAX], account[ACCOUNT_NAME_MAX + 1];
    struct err err;
    request_address(rq, address);
    snprintf(account, sizeof(account), "%.*s", VIEW_ARG(name));
    int rc = request_db(rq, &err);
    if (rc < 0) {
        reply_err(rq, rc, &err);
        return;
    }
    if (password_begin_try(rq, NULL, address) < 0 || !password_begin_hashing(rq))
        return;
    rc = setup_finish(rq->db, code, name, password, &err);
    password_end_hashing(rq);
    if (rc < 0)
        reply_err(rq, rc, &err);
    else
        log_in_as(rq, account, address, 201);
}

void access_set_up(struct request *rq)
{
    struct view code, name, password;
    struct err err;
    cJSON *body = body_object(rq);
    if (!body)
        return;
    int rc = body_only(body, "code|name|password", &err);
    if (rc == 0)
        rc = body_text(body, "code", 64, &code, &err);
    if (rc == 0)
        rc = body_text(body, "name", ACCOUNT_NAME_MAX, &name, &err);
    if (rc == 0)
        rc = body_text(body, "password", PASSWORD_MAX_BYTES, &password, &err);
    if (rc == 0)
        rc = account_check_name(name, &err); /* told before a try at the code is counted */
    if (rc == 0)
        rc = account_check_password(password, &err);
    if (rc < 0)
        reply_err(rq, rc, &err);
    else
        set_up(rq, code, name, password);
    cJSON_Delete(body);
}

static void add_user(void *context, const struct account_row *r)
{
    struct json *j = context;
    json_begin(j, '{');
    json_key(j, "name");
    json_str(j, r->name);
    json_key(j, "role");
    json_str(j, role_name(r->role));
    json_key(j, "created_at");
    json_time(j, r->created_at_us);
    json_key(j, "last_login");
    json_time(j, r->last_login_us);
    json_end(j, '}');
}

void access_users(struct request *rq)
{
    struct buf body = BUF_INIT(USERS_MAX_BYTES);
    struct json j = JSON_INIT(&body);
    struct err err;
    json_begin(&j, '{');
    json_key(&j, "users");
    json_begin(&j, '[');
    int rc = request_db(rq, &err);
    if (rc == 0)
        rc = account_list(rq->db, add_user, &j, &err);
    if (rc < 0) {
        buf_free(&body);
        reply_err(rq, rc, &err);
        return;
    }
    json_end(&j, ']');
    json_end(&j, '}');
    reply_json(rq, 200, NULL, &body);
}
