/* GET /tls and what changes it: POST /tls/csr, /tls/self-signed, /tls/certificate, /tls/client-cas,
 * DELETE /tls/client-cas/{fingerprint}, PUT /tls/allowed; GET /tls/csr, /tls/requests/{id}.
 *
 *   browser ── a wish ──▶ here ── azekura.tls_request ──▶ receiver, which has the keys
 *                202 {"id"} ◀──┘        … GET /tls/requests/{id} … until it is done or refused
 *
 * A private key passes through in a body, once: it is wiped from our memory when the database has
 * it, and is in no log, no answer and no entry of the audit log. */
#include "web/handlers.h"

#include "base/limits.h"
#include "config/log.h"
#include "store/list_version.h"
#include "store/tls_admin.h"
#include "web/auth.h"
#include "web/body.h"
#include "web/reports.h"

#define ANSWER_MAX_BYTES (8u << 20) /* 1,000 senders, 4,096 names, 64 authorities */

void certificates_get(struct request *rq)
{
    static const struct {
        const char *key;
        enum report what;
    } members[] = {
        {"certificate", REPORT_TLS_CERTIFICATE}, {"pending_csr", REPORT_TLS_CSR},
        {"client_cas", REPORT_TLS_CLIENT_CAS},   {"senders", REPORT_TLS_SENDERS},
        {"allowed", REPORT_TLS_ALLOWED},
    };
    struct err err;
    struct buf body = BUF_INIT(ANSWER_MAX_BYTES);
    struct json j = JSON_INIT(&body);
    char version[LIST_VERSION_MAX];
    json_begin(&j, '{');
    int rc = request_db(rq, &err);
    if (rc == 0)
        rc = list_version_read(rq->db, LIST_TLS_ALLOWED, version, &err);
    for (size_t i = 0; i < ARRAY_LEN(members) && rc == 0; i++)
        rc = reports_add(rq, &j, members[i].key, members[i].what, NULL, &err);
    if (rc < 0) {
        buf_free(&body);
        reply_err(rq, rc, &err);
        return;
    }
    json_key(&j, "allowed_version");
    json_str(&j, version);
    json_end(&j, '}');
    reply_json(rq, 200, NULL, &body);
}

void certificates_csr_file(struct request *rq)
{
    struct err err;
    PGresult *r = NULL;
    int rc = request_db(rq, &err);
    if (rc == 0)
        rc = report_rows(rq->db, REPORT_TLS_CSR, NULL, &r, &err);
    int column = rc < 0 ? -1 : PQfnumber(r, "pem");
    if (rc == 0 && PQntuples(r) == 0)
        rc = err_set(&err, ENOENT, "not_found",
                     "no request for a certificate is pending; POST /api/v1/tls/csr makes one");
    if (rc < 0)
        reply_err(rq, rc, &err);
    else
        reply_bytes(rq, 200, "application/pkcs10",
                    "Content-Disposition: attachment; filename=\"azekura.csr\"\r\n",
                    view_str(PQgetvalue(r, 0, column)));
    PQclear(r);
}

void certificates_request(struct request *rq)
{
    struct err err;
    uint64_t id;
    struct buf body = BUF_INIT(ANSWER_MAX_BYTES);
    int rc = request_db(rq, &err);
    if (rc == 0 && view_u64(view_str(rq->id), INT64_MAX, &id) < 0)
        rc = err_set(&err, ENOENT, "not_found", "there is no request \"%.64s\"", rq->id);
    if (rc == 0) {
        struct number_text number = number_text((int64_t)id);
        rc = report_json(rq->db, REPORT_TLS_REQUEST, (const char *const[]){number.text}, &body,
                         &err);
    }
    if (rc == 0 && view_eq(buf_view(&body), VIEW("null")))
        rc = err_set(&err, ENOENT, "not_found", "there is no request %.64s", rq->id);
    if (rc < 0) {
        buf_free(&body);
        reply_err(rq, rc, &err);
        return;
    }
    reply_json(rq, 200, NULL, &body);
}

/* ---- asking ---- */

/* What was asked for has the number `id`, or the error of `rc`. */
static void reply_asked(struct request *rq, int rc, const char *what, int64_t id,
                        const struct err *err)
{
    char text[24], actor[AUTH_ACTOR_MAX];
    if (rc < 0) {
        reply_err(rq, rc, err);
        return;
    }
    auth_actor(&rq->who, actor);
    log_line(LOG_INFO, "%s asked the receiver to %s (request %lld)", actor, what, (long long)id);
    struct buf body = BUF_INIT(256);
    struct json j = JSON_INIT(&body);
    snprintf(text, sizeof(text), "%lld", (long long)id);
    json_begin(&j, '{');
    json_key(&j, "id");
    json_str(&j, text);
    json_end(&j, '}');
    reply_json(rq, 202, NULL, &body);
}

/* Text that may be missing or null. */
static int optional(const cJSON *body, const char *name, size_t max, struct view *ret,
                    struct err *err)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(body, name);
    *ret = VIEW_NULL;
    return !item || cJSON_IsNull(item) ? 0 : body_text(body, name, max, ret, err);
}

static int read_names(struct request *rq, const cJSON *body, struct tls_subject *s, struct err *err)
{
    const cJSON *list = cJSON_GetObjectItemCaseSensitive(body, "names"), *item;
    if (!list || cJSON_IsNull(list))
        return 0;
    if (!cJSON_IsArray(list))
        return err_set_field(err, EINVAL, "bad_value", "names",
                             "names: it must be a list of DNS names and addresses");
    struct view *names =
        arena_alloc(&rq->arena, ((size_t)cJSON_GetArraySize(list) + 1) * sizeof(*names));
    cJSON_ArrayForEach(item, list)
    {
        if (!cJSON_IsString(item))
            return err_set_field(err, EINVAL, "bad_value", "names", "names: number %zu is not text",
                                 s->names_n + 1);
        names[s->names_n++] = view_str(item->valuestring);
    }
    s->names = names;
    return 0;
}

static int read_subject(struct request *rq, const cJSON *body, struct tls_subject *s,
                        struct err *err)
{
    *s = (struct tls_subject){0};
    int rc = body_only(body, "common_name|names|organization|country|key", err);
    if (rc == 0)
        rc = body_text(body, "common_name", 256, &s->common_name, err);
    if (rc == 0)
        rc = optional(body, "organization", 256, &s->organization, err);
    if (rc == 0)
        rc = optional(body, "country", 16, &s->country, err);
    if (rc == 0)
        rc = optional(body, "key", 16, &s->key, err);
    return rc < 0 ? rc : read_names(rq, body, s, err);
}

static void ask_subject(struct request *rq, bool is_csr)
{
    struct err err;
    struct tls_subject s;
    char actor[AUTH_ACTOR_MAX];
    int64_t id = 0;
    cJSON *body = body_object(rq);
    if (!body)
        return;
    auth_actor(&rq->who, actor);
    int rc = read_subject(rq, body, &s, &err);
    if (rc == 0)
        rc = request_db(rq, &err);
    if (rc == 0)
        rc = is_csr ? tls_ask_csr(rq->db, actor, &s, &id, &err)
                    : tls_ask_self_signed(rq->db, actor, &s, &id, &err);
    cJSON_Delete(body);
    reply_asked(rq, rc,
                is_csr ? "make a key and a request for a certificate"
                       : "make a key and sign its own certificate",
                id, &err);
}

void certificates_csr(struct request *rq)
{
    ask_subject(rq, true);
}

void certificates_self_signed(struct request *rq)
{
    ask_subject(rq, false);
}

/* The body as it came and as it was parsed. */
static void wipe_body(struct request *rq, cJSON *body)
{
    cJSON *item;
    cJSON_ArrayForEach(item, body)
    {
        if (cJSON_IsString(item))
            explicit_bzero(item->valuestring, strlen(item->valuestring));
    }
    cJSON_Delete(body);
    if (rq->body.n > 0)
        explicit_bzero((char *)(uintptr_t)rq->body.p, rq->body.n); /* the arena's, so ours */
}

static int read_upload(const cJSON *body, struct tls_upload *u, struct err *err)
{
    int rc = body_only(body, "pem|pkcs12_b64|key_pem|password", err);
    if (rc == 0)
        rc = optional(body, "pem", HTTP_MAX_BODY_BYTES, &u->pem, err);
    if (rc == 0)
        rc = optional(body, "pkcs12_b64", HTTP_MAX_BODY_BYTES, &u->pkcs12_base64, err);
    if (rc == 0)
        rc = optional(body, "key_pem", HTTP_MAX_BODY_BYTES, &u->key_pem, err);
    if (rc == 0)
        rc = optional(body, "password", HTTP_MAX_BODY_BYTES, &u->password, err);
    return rc;
}

void certificates_install(struct request *rq)
{
    struct err err;
    struct tls_upload u = {0};
    char actor[AUTH_ACTOR_MAX];
    int64_t id = 0;
    cJSON *body = body_object(rq);
    if (!body)
        return;
    auth_actor(&rq->who, actor);
    int rc = read_upload(body, &u, &err);
    if (rc == 0)
        rc = request_db(rq, &err);
    if (rc == 0)
        rc = tls_ask_install(rq->db, actor, &u, &id, &err);
    wipe_body(rq, body);
    reply_asked(rq, rc, "install a certificate", id, &err);
}

void certificates_ca_add(struct request *rq)
{
    struct err err;
    struct view pem;
    char actor[AUTH_ACTOR_MAX];
    int64_t id = 0;
    cJSON *body = body_object(rq);
    if (!body)
        return;
    auth_actor(&rq->who, actor);
    int rc = body_only(body, "pem", &err);
    if (rc == 0)
        rc = body_text(body, "pem", HTTP_MAX_BODY_BYTES, &pem, &err);
    if (rc == 0)
        rc = request_db(rq, &err);
    if (rc == 0)
        rc = tls_ask_client_ca(rq->db, actor, pem, &id, &err);
    wipe_body(rq, body);
    reply_asked(rq, rc, "add an authority of senders", id, &err);
}

void certificates_ca_remove(struct request *rq)
{
    struct err err;
    char actor[AUTH_ACTOR_MAX];
    int64_t id = 0;
    auth_actor(&rq->who, actor);
    int rc = request_db(rq, &err);
    if (rc == 0)
        rc = tls_ask_client_ca_removal(rq->db, actor, view_str(rq->id), &id, &err);
    reply_asked(rq, rc, "remove an authority of senders", id, &err);
}

/* ---- who may send ---- */

static int read_allowed(const cJSON *item, size_t number, struct tls_allowed *ret, struct err *err)
{
    struct view kind = VIEW_NULL;
    struct err why;
    int rc = cJSON_IsObject(item) ? body_only(item, "kind|value|note", &why) : -EINVAL;
    if (rc < 0)
        return err_set_field(err, EINVAL, "bad_value", "allowed", "allowed: number %zu, %s", number,
                             cJSON_IsObject(item) ? why.message : "it must be an object");
    rc = body_text(item, "kind", 16, &kind, &why);
    if (rc == 0 && !view_eq(kind, VIEW("name")) && !view_eq(kind, VIEW("fingerprint")))
        rc = err_set(&why, EINVAL, "bad_value", "kind: \"%.*s\" is not name or fingerprint",
                     VIEW_ARG(kind));
    if (rc == 0)
        rc = body_text(item, "value", 1024, &ret->value, &why);
    if (rc == 0)
        rc = optional(item, "note", 1024, &ret->note, &why);
    ret->is_fingerprint = view_eq(kind, VIEW("fingerprint"));
    return rc == 0 ? 0
                   : err_set_field(err, EINVAL, "bad_value", "allowed", "allowed: number %zu, %s",
                                   number, why.message);
}

static int apply_allowed(struct request *rq, const cJSON *body, struct err *err)
{
    char actor[AUTH_ACTOR_MAX];
    const cJSON *list = cJSON_GetObjectItemCaseSensitive(body, "allowed"), *item;
    size_t n = 0;
    bool is_forced = false;
    const char *seen = NULL;
    int rc = body_only(body, "allowed|force|version", err);
    if (rc == 0)
        rc = body_version(body, &seen, err);
    if (rc == 0)
        rc = body_flag(body, "force", &is_forced, err);
    if (rc == 0 && !cJSON_IsArray(list))
        rc = err_set_field(err, EINVAL, "bad_value", "allowed",
                           "allowed: it must be a list of {\"kind\", \"value\", \"note\"}");
    if (rc < 0)
        return rc;
    struct tls_allowed *allowed =
        arena_alloc(&rq->arena, ((size_t)cJSON_GetArraySize(list) + 1) * sizeof(*allowed));
    cJSON_ArrayForEach(item, list)
    {
        rc = read_allowed(item, n + 1, &allowed[n], err);
        if (rc < 0)
            return rc;
        n++;
    }
    struct config *config = arena_alloc(&rq->arena, sizeof(*config));
    web_config(rq->web, config);
    auth_actor(&rq->who, actor);
    rc = request_db(rq, err);
    if (rc == 0)
        rc = list_version_begin(rq->db, LIST_TLS_ALLOWED, seen, err);
    if (rc < 0)
        return rc;
    rc = tls_set_allowed(rq->db, actor, config->tls_clients, allowed, n, is_forced, err);
    rc = list_version_end(rq->db, rc, err);
    if (rc == 0)
        log_line(LOG_INFO, "%s changed who may send by TLS: %zu names and fingerprints", actor, n);
    return rc;
}

void certificates_set_allowed(struct request *rq)
{
    body_apply(rq, apply_allowed, certificates_get);
}
