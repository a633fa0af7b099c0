/* Who is asking, and may they. */
#include "web/auth.h"

#include "base/clock.h"
#include "web/origin.h"
#include "web/route.h"

#define SECRET_MAX_BYTES (SECRET_TEXT_MAX - 1)

void auth_actor(const struct identity *who, char out[AUTH_ACTOR_MAX])
{
    snprintf(out, AUTH_ACTOR_MAX, "%s:%s", who->is_token ? "token" : "account", who->name);
}

struct view auth_cookie(struct view header, const char *name)
{
    size_t name_n = strlen(name);
    while (header.n > 0) {
        const char *end = memchr(header.p, ';', header.n);
        size_t n = end ? (size_t)(end - header.p) : header.n;
        struct view pair = view_trim(view_of(header.p, n));
        if (pair.n > name_n && memcmp(pair.p, name, name_n) == 0 && pair.p[name_n] == '=')
            return view_of(pair.p + name_n + 1, pair.n - name_n - 1);
        n += end != NULL;
        header = view_of(header.p + n, header.n - n);
    }
    return VIEW_NULL;
}

static bool is_change(const struct request *rq)
{
    return strcmp(rq->method, "GET") != 0 && strcmp(rq->method, "HEAD") != 0;
}

int auth_check_site(struct request *rq)
{
    struct config config;
    web_config(rq->web, &config);
    struct view host = request_header(rq, "Host");
    if (!origin_host_is_allowed(host, rq->web->machine, config.web_host_names)) {
        reply_error(rq, 421, "wrong_host", "",
                    "this console does not answer to the name %.*s; use its address, or add the "
                    "name to web.host_names",
                    (int)MIN(host.n, 100), host.p);
        return -1;
    }
    /* a token is never sent by a browser on its own */
    if (!is_change(rq) || !view_is_null(request_header(rq, "Authorization")))
        return 0;
    struct view origin = request_header(rq, "Origin");
    struct view forwarded = request_header(rq, "X-Forwarded-Host"); /* set by a proxy; pages of
                                                                       other sites cannot send it */
    bool is_ours = origin_is_same(origin, host) ||
                   (!view_is_null(forwarded) && origin_is_same(origin, forwarded));
    if (is_ours && origin_fetch_site_is_ours(request_header(rq, "Sec-Fetch-Site")))
        return 0;
    reply_error(rq, 403, "cross_site", "", "the request comes from a page of another site");
    return -1;
}

static enum role needed_role(const struct request *rq)
{
    switch (rq->route->access) {
    case ACCESS_OPEN:
        return ROLE_NONE;
    case ACCESS_LOCAL:
        return request_is_local(rq) ? ROLE_NONE : ROLE_VIEWER;
    case ACCESS_VIEWER:
        return ROLE_VIEWER;
    case ACCESS_OPERATOR:
        return ROLE_OPERATOR;
    case ACCESS_ADMIN:
        return ROLE_ADMIN;
    }
    return ROLE_ADMIN;
}

/* 1 and rq->who; 0 nobody, the reply says why; negative: the reply has been given. */
static int identify(struct request *rq)
{
    struct view header = request_header(rq, "Authorization");
    struct view bearer = VIEW("Bearer ");
    bool is_token = !view_is_null(header);
    struct view secret = auth_cookie(request_header(rq, "Cookie"), AUTH_COOKIE);
    if (is_token) {
        bool is_bearer = header.n > bearer.n && view_eq_nocase(view_of(header.p, bearer.n), bearer);
        secret = is_bearer ? view_trim(view_of(header.p + bearer.n, header.n - bearer.n))
                           : VIEW("");
    }
    if (view_is_null(secret)) {
        reply_error(rq, 401, "not_logged_in", "", "log in, or send a bearer token");
        return 0;
    }
    struct err err;
    int found = 0;
    if (secret.n > 0 && secret.n <= SECRET_MAX_BYTES) {
        found = request_db(rq, &err);
        if (found == 0)
            found = is_token ? token_find(rq->db, secret, &rq->who, &err)
                             : session_find(rq->db, secret, &rq->who, &err);
    }
    if (found < 0)
        reply_err(rq, found, &err);
    else if (found == 0 && is_token)
        reply_error(rq, 401, "bad_token", "", "the bearer token is unknown");
    else if (found == 0)
        reply_error(rq, 401, "session_expired", "", "the session has ended; log in again");
    else
        snprintf(rq->secret, sizeof(rq->secret), "%.*s", VIEW_ARG(secret));
    return found;
}

int auth_check(struct request *rq)
{
    enum role needed = needed_role(rq);
    if (needed == ROLE_NONE)
        return 0;
    if (identify(rq) <= 0)
        return -1;
    if (is_change(rq) && !rq->who.is_token &&
        !account_secret_eq(request_header(rq, "X-CSRF-Token"), view_str(rq->who.csrf))) {
        reply_error(rq, 403, "csrf", "", "X-CSRF-Token is not the session's; load the page again");
        return -1;
    }
    if (rq->who.role < needed) {
        reply_error(rq, 403, "forbidden", "", "this needs the role %s; %s has %s",
                    role_name(needed), rq->who.name, role_name(rq->who.role));
        return -1;
    }
    return 0;
}

bool auth_is_still_allowed(struct request *rq, int64_t *last_mono_us)
{
    if (clock_mono_us() - *last_mono_us < AUTH_RECHECK_US)
        return true;
    *last_mono_us = clock_mono_us();
    struct err err;
    struct identity who = {0};
    int found = request_db(rq, &err);
    if (found == 0)
        found = rq->who.is_token ? token_find(rq->db, view_str(rq->secret), &who, &err)
                                 : session_find(rq->db, view_str(rq->secret), &who, &err);
    request_release_db(rq);
    return found < 0 || (found > 0 && who.role >= needed_role(rq));
}
