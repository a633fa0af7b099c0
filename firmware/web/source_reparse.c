/* POST /sources/preview, and /sources/reparse: what other settings would make of stored messages,
 * and making it so. */
#include "web/handlers.h"

#include "config/log.h"
#include "store/reparse.h"
#include "store/source_setting.h"
#include "web/auth.h"
#include "web/body.h"
#include "web/reports.h"

#define ANSWER_MAX_BYTES (64u << 20) /* 40 messages of 1 MiB at most */
#define PREVIEW_LIMIT_MS 5000

/* A member that is text, null or missing. */
static int body_maybe(const cJSON *body, const char *name, size_t max, const char **ret,
                      struct err *err)
{
    struct view v;
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(body, name);
    *ret = NULL;
    if (!item || cJSON_IsNull(item))
        return 0;
    int rc = body_text(body, name, max, &v, err);
    if (rc == 0 && v.n > 0)
        *ret = cJSON_GetStringValue(item);
    return rc;
}

/* What holds where a row says nothing, in the arena. */
static void box_defaults(struct request *rq, const char **ret_zone, const char **ret_charset)
{
    struct config *config = arena_alloc(&rq->arena, sizeof(*config));
    web_config(rq->web, config);
    *ret_zone = config->time_zone;
    *ret_charset = config->charset;
}

static int preview(struct request *rq, const cJSON *body, struct buf *out, struct err *err)
{
    struct view network;
    struct preview_question q = {.time_limit_ms = PREVIEW_LIMIT_MS};
    int rc = body_only(body, "network|zone|charset", err);
    if (rc == 0)
        rc = body_text(body, "network", SOURCE_NETWORK_MAX, &network, err);
    if (rc == 0)
        rc = body_maybe(body, "zone", 64, &q.zone, err);
    if (rc == 0)
        rc = body_maybe(body, "charset", 64, &q.charset, err);
    if (rc == 0 && q.zone)
        rc = source_zone_check(view_str(q.zone), err);
    if (rc == 0)
        rc = request_db(rq, err);
    if (rc < 0)
        return rc;
    q.network = network.p;
    box_defaults(rq, &q.box_zone, &q.box_charset);
    return reparse_preview(rq->db, &q, out, err);
}

void source_preview(struct request *rq)
{
    struct err err;
    struct buf answer = BUF_INIT(ANSWER_MAX_BYTES);
    cJSON *body = body_object(rq);
    if (!body)
        return;
    int rc = preview(rq, body, &answer, &err);
    cJSON_Delete(body);
    if (rc < 0) {
        buf_free(&answer);
        reply_err(rq, rc, &err);
        return;
    }
    reply_json(rq, 200, NULL, &answer);
}

/* ---- making it so ---- */

static int read_time(const cJSON *body, const char *name, int64_t *ret, struct err *err)
{
    const char *text;
    *ret = TIME_NONE;
    int rc = body_maybe(body, name, RFC3339_MAX, &text, err);
    if (rc == 0 && text && (rfc3339_parse(view_str(text), ret) < 0 || *ret < 0))
        rc = err_set_field(err, EINVAL, "bad_value", name,
                           "%s: \"%s\" is not a time like 2026-03-10T12:00:00Z, from 1970 on", name,
                           text);
    return rc;
}

static int ask(struct request *rq, const cJSON *body, int64_t *ret_id, struct err *err)
{
    char actor[AUTH_ACTOR_MAX];
    struct view network;
    struct reparse_wish w;
    int rc = body_only(body, "network|from|to", err);
    if (rc == 0)
        rc = body_text(body, "network", SOURCE_NETWORK_MAX, &network, err);
    if (rc == 0)
        rc = read_time(body, "from", &w.from_us, err);
    if (rc == 0)
        rc = read_time(body, "to", &w.to_us, err);
    if (rc == 0)
        rc = request_db(rq, err);
    if (rc < 0)
        return rc;
    auth_actor(&rq->who, actor);
    w.network = network.p;
    box_defaults(rq, &w.box_zone, &w.box_charset);
    rc = reparse_ask(rq->db, actor, &w, ret_id, err);
    if (rc == 0)
        log_line(LOG_INFO, "%s asked for the messages of %s to be parsed again, request %lld",
                 actor, w.network, (long long)*ret_id);
    return rc;
}

void source_reparse_ask(struct request *rq)
{
    struct err err;
    int64_t id = 0;
    struct buf answer = BUF_INIT(ANSWER_MAX_BYTES);
    cJSON *body = body_object(rq);
    if (!body)
        return;
    int rc = ask(rq, body, &id, &err);
    cJSON_Delete(body);
    struct number_text n = number_text(id);
    if (rc == 0)
        rc = report_json(rq->db, REPORT_REPARSE_REQUEST, (const char *const[]){n.text}, &answer,
                         &err);
    if (rc < 0) {
        buf_free(&answer);
        reply_err(rq, rc, &err);
        return;
    }
    reply_json(rq, 202, NULL, &answer);
}

void source_reparse_list(struct request *rq)
{
    struct err err;
    struct buf answer = BUF_INIT(ANSWER_MAX_BYTES);
    struct json j = JSON_INIT(&answer);
    json_begin(&j, '{');
    int rc = reports_add(rq, &j, "requests", REPORT_REPARSE_REQUESTS, NULL, &err);
    json_end(&j, '}');
    if (rc < 0) {
        buf_free(&answer);
        reply_err(rq, rc, &err);
        return;
    }
    reply_json(rq, 200, NULL, &answer);
}

void source_reparse_cancel(struct request *rq)
{
    struct err err;
    char actor[AUTH_ACTOR_MAX];
    uint64_t id;
    int rc = view_u64(view_str(rq->id), INT64_MAX, &id) == 0
                 ? request_db(rq, &err)
                 : err_set(&err, ENOENT, "not_found", "there is no request \"%.32s\"", rq->id);
    auth_actor(&rq->who, actor);
    if (rc == 0)
        rc = reparse_cancel(rq->db, actor, (int64_t)id, &err);
    if (rc < 0) {
        reply_err(rq, rc, &err);
        return;
    }
    log_line(LOG_INFO, "%s cancelled request %s to parse messages again", actor, rq->id);
    reply_empty(rq, 204, NULL);
}
