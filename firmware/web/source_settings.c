/* GET /sources/settings, PUT and DELETE /sources/settings/{network}, GET /zones: what is said of
 * sources, a row a network. */
#include "web/handlers.h"

#include "config/log.h"
#include "store/source_setting.h"
#include "web/auth.h"
#include "web/body.h"
#include "web/reports.h"
#include "web/zones.h"

#define ANSWER_MAX_BYTES (4u << 20) /* 1,000 rows of less than 2 KB */

static int add_version(struct request *rq, struct json *j, struct err *err)
{
    PGresult *r = NULL;
    int rc = report_rows(rq->db, REPORT_SOURCE_SETTINGS_VERSION, NULL, &r, err);
    if (rc < 0)
        return rc;
    json_key(j, "version");
    json_str(j, PQgetvalue(r, 0, 0));
    PQclear(r);
    return 0;
}

void source_settings_get(struct request *rq)
{
    static const char *const framings[] = {"auto", "counted", "delimited"};
    struct err err;
    struct buf body = BUF_INIT(ANSWER_MAX_BYTES);
    struct json j = JSON_INIT(&body);
    json_begin(&j, '{');
    int rc = request_db(rq, &err);
    if (rc == 0)
        rc = add_version(rq, &j, &err);
    if (rc == 0)
        rc = reports_add(rq, &j, "rows", REPORT_SOURCE_SETTINGS, NULL, &err);
    if (rc == 0)
        rc = reports_add(rq, &j, "charsets", REPORT_CHARSETS, NULL, &err);
    if (rc < 0) {
        buf_free(&body);
        reply_err(rq, rc, &err);
        return;
    }
    json_key(&j, "framings");
    json_begin(&j, '[');
    for (size_t i = 0; i < ARRAY_LEN(framings); i++)
        json_str(&j, framings[i]);
    json_end(&j, ']');
    json_end(&j, '}');
    reply_json(rq, 200, NULL, &body);
}

/* ---- changing ---- */

/* If-Match: the version with or without the quotes of an entity tag, or "*" for any. */
static const char *version_of(const struct request *rq, char out[SOURCE_VERSION_MAX])
{
    struct view v = view_trim(request_header(rq, "If-Match"));
    if (v.n >= 2 && v.p[0] == '"' && v.p[v.n - 1] == '"')
        v = view_of(v.p + 1, v.n - 2);
    if (view_is_null(v) || view_eq(v, VIEW("*")))
        return NULL;
    /* one that is too long is no version of ours, and so is not that of now */
    snprintf(out, SOURCE_VERSION_MAX, "%.*s", (int)MIN(v.n, (size_t)SOURCE_VERSION_MAX - 1), v.p);
    return out;
}

static int hand(struct request *rq, struct source_hand *h, char actor[AUTH_ACTOR_MAX],
                char version[SOURCE_VERSION_MAX], struct err *err)
{
    int rc = request_db(rq, err);
    auth_actor(&rq->who, actor);
    *h = (struct source_hand){rq->db, actor, version_of(rq, version)};
    return rc;
}

static int check_network(const struct request *rq, struct err *err)
{
    return strlen(rq->id) < SOURCE_NETWORK_MAX
               ? 0
               : err_set_field(err, EINVAL, "bad_value", "network",
                               "\"%.64s…\" is not a network or address", rq->id);
}

static int put_row(struct request *rq, const cJSON *body, struct err *err)
{
    char actor[AUTH_ACTOR_MAX], version[SOURCE_VERSION_MAX];
    struct source_hand h;
    const char *zone = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(body, "zone"));
    int rc = check_network(rq, err);
    if (rc == 0)
        rc = body_only(body, "name|zone|charset|framing|source_group|note", err);
    if (rc == 0 && zone && *zone)
        rc = source_zone_check(view_str(zone), err);
    if (rc == 0)
        rc = hand(rq, &h, actor, version, err);
    if (rc < 0)
        return rc;
    char *row = cJSON_PrintUnformatted(body);
    CHECK(row); /* there is memory */
    rc = source_setting_put(&h, rq->id, row, err);
    cJSON_free(row);
    if (rc == 0)
        log_line(LOG_INFO, "%s changed what is said of sources in %s", actor, rq->id);
    return rc;
}

void source_settings_put(struct request *rq)
{
    struct err err;
    struct buf answer = BUF_INIT(ANSWER_MAX_BYTES);
    cJSON *body = body_object(rq);
    if (!body)
        return;
    int rc = put_row(rq, body, &err);
    cJSON_Delete(body);
    if (rc == 0)
        rc = source_setting_json(rq->db, rq->id, &answer, &err);
    if (rc < 0) {
        buf_free(&answer);
        reply_err(rq, rc, &err);
        return;
    }
    reply_json(rq, 200, NULL, &answer);
}

void source_settings_remove(struct request *rq)
{
    struct err err;
    char actor[AUTH_ACTOR_MAX], version[SOURCE_VERSION_MAX];
    struct source_hand h;
    int rc = check_network(rq, &err);
    if (rc == 0)
        rc = hand(rq, &h, actor, version, &err);
    if (rc == 0)
        rc = source_setting_remove(&h, rq->id, &err);
    if (rc < 0) {
        reply_err(rq, rc, &err);
        return;
    }
    log_line(LOG_INFO, "%s removed what is said of sources in %s", actor, rq->id);
    reply_empty(rq, 204, NULL);
}

/* ---- zones ---- */

void zones_get(struct request *rq)
{
    struct err err;
    struct buf body = BUF_INIT(ANSWER_MAX_BYTES);
    struct json j = JSON_INIT(&body);
    json_begin(&j, '{');
    json_key(&j, "zones");
    json_begin(&j, '[');
    int rc = zones_add(&j, &err);
    json_end(&j, ']');
    json_end(&j, '}');
    if (rc < 0) {
        buf_free(&body);
        reply_err(rq, rc, &err);
        return;
    }
    reply_json(rq, 200, NULL, &body);
}
