/* GET /listeners, PUT /listeners/allow, PUT /listeners/limits: where the receiver listens, from
 * whom it takes messages, how many, and whom it turned away.  Addresses and framing are settings.
 */
#include "web/handlers.h"

#include "config/log.h"
#include "store/list_version.h"
#include "store/listener.h"
#include "web/auth.h"
#include "web/body.h"
#include "web/reports.h"

#define ANSWER_MAX_BYTES (16u << 20) /* three lists of 1,000 rows; a payload has up to 4 KiB */
#define FAULTS_MAX_BYTES (1u << 20)
#define MEMBERS_MAX 8 /* of a row: more is refused for what they are called */

static const struct {
    const char *name, *address, *framing; /* the settings; NULL: a datagram is a message */
} listeners[] = {
    {"udp", "listen.udp", NULL},
    {"tcp", "listen.tcp", "receiver.tcp_framing"},
    {"tls", "listen.tls", "receiver.tls_framing"},
};

static void add_setting(struct json *j, const char *key, const struct config *config,
                        const char *name)
{
    struct buf value = BUF_INIT(CONFIG_STRING_MAX * 2);
    json_key(j, key);
    if (name) {
        const struct setting *s = config_find(view_str(name), NULL);
        CHECK(s);
        config_get(config, s, &value);
    }
    json_view(j, name ? buf_view(&value) : VIEW_NULL);
    buf_free(&value);
}

/* A member of the receiver's detail of this listener, as it stands; `absent` where there is none.
 */
static void add_detail(struct json *j, const char *key, const cJSON *of, const char *absent)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(of, key);
    char *text = item ? cJSON_PrintUnformatted(item) : NULL;
    json_key(j, key);
    json_raw(j, view_str(text ? text : absent));
    cJSON_free(text);
}

static const cJSON *find_listener(const cJSON *detail, const char *name)
{
    const cJSON *list = cJSON_GetObjectItemCaseSensitive(detail, "listeners"), *item;
    cJSON_ArrayForEach(item, list)
    {
        const char *text = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(item, "name"));
        if (text && strcmp(text, name) == 0)
            return item;
    }
    return NULL;
}

static int add_listeners(struct request *rq, struct json *j, struct err *err)
{
    struct config *config = arena_alloc(&rq->arena, sizeof(*config));
    PGresult *r = NULL;
    web_config(rq->web, config);
    int rc = report_rows(rq->db, REPORT_RECEIVER_DETAIL, NULL, &r, err);
    if (rc < 0)
        return rc;
    bool has_detail = PQntuples(r) > 0;
    cJSON *detail = has_detail ? body_parse(view_str(PQgetvalue(r, 0, PQfnumber(r, "detail"))))
                               : NULL;
    json_key(j, "listeners");
    json_begin(j, '[');
    for (size_t i = 0; i < ARRAY_LEN(listeners); i++) {
        const cJSON *of = find_listener(detail, listeners[i].name);
        json_begin(j, '{');
        json_key(j, "name");
        json_str(j, listeners[i].name);
        add_setting(j, "wanted", config, listeners[i].address);
        add_detail(j, "bound", of, "[]");
        add_detail(j, "error", of, "null");
        add_setting(j, "framing", config, listeners[i].framing);
        add_setting(j, "default", &rq->web->file, listeners[i].address);
        json_end(j, '}');
    }
    json_end(j, ']');
    json_key(j, "age_us");
    if (has_detail)
        json_int(j, store_number(r, 0, PQfnumber(r, "age_us")));
    else
        json_str(j, NULL);
    cJSON_Delete(detail);
    PQclear(r);
    return 0;
}

/* What a change of a list is made of. */
static int add_versions(struct request *rq, struct json *j, struct err *err)
{
    char allow[LIST_VERSION_MAX], limits[LIST_VERSION_MAX];
    int rc = list_version_read(rq->db, LIST_ALLOW, allow, err);
    if (rc == 0)
        rc = list_version_read(rq->db, LIST_LIMITS, limits, err);
    if (rc < 0)
        return rc;
    json_key(j, "versions");
    json_begin(j, '{');
    json_key(j, "allow");
    json_str(j, allow);
    json_key(j, "limits");
    json_str(j, limits);
    json_end(j, '}');
    return 0;
}

void listeners_get(struct request *rq)
{
    static const struct {
        const char *key;
        enum report what;
    } members[] = {
        {"allow", REPORT_LISTENER_ALLOW},
        {"limits", REPORT_SENDER_LIMITS},
        {"refused_senders", REPORT_REFUSED_SENDERS},
    };
    struct err err;
    struct buf body = BUF_INIT(ANSWER_MAX_BYTES);
    struct json j = JSON_INIT(&body);
    json_begin(&j, '{');
    int rc = request_db(rq, &err);
    if (rc == 0)
        rc = add_listeners(rq, &j, &err);
    if (rc == 0)
        rc = add_versions(rq, &j, &err);
    for (size_t i = 0; i < ARRAY_LEN(members) && rc == 0; i++)
        rc = reports_add(rq, &j, members[i].key, members[i].what, NULL, &err);
    json_end(&j, '}');
    if (rc < 0) {
        buf_free(&body);
        reply_err(rq, rc, &err);
        return;
    }
    reply_json(rq, 200, NULL, &body);
}

/* ---- lists ---- */

static void add_fault(struct json *j, const PGresult *r, int row)
{
    json_begin(j, '{');
    json_key(j, "row");
    if (PQgetisnull(r, row, 0))
        json_str(j, NULL);
    else
        json_int(j, store_number(r, row, 0));
    json_key(j, "field");
    json_str(j, PQgetisnull(r, row, 1) ? NULL : PQgetvalue(r, row, 1));
    json_key(j, "message");
    json_str(j, PQgetvalue(r, row, 3));
    json_end(j, '}');
}

/* What is wrong, a row each; the first in the sentence. */
static void reply_faults(struct request *rq, const char *list, const PGresult *r)
{
    bool is_shut_out = strcmp(PQgetvalue(r, 0, 2), "shuts_out") == 0;
    struct buf body = BUF_INIT(FAULTS_MAX_BYTES), message = BUF_INIT(4096);
    struct json j = JSON_INIT(&body);
    if (!PQgetisnull(r, 0, 0))
        buf_printf(&message, "%s: row %lld: ", list, (long long)store_number(r, 0, 0) + 1);
    buf_printf(&message, "%.1000s", PQgetvalue(r, 0, 3));
    json_begin(&j, '{');
    json_key(&j, "error");
    json_begin(&j, '{');
    json_key(&j, "code");
    json_str(&j, is_shut_out ? "would_shut_out" : "bad_value");
    json_key(&j, "message");
    json_view(&j, buf_view(&message));
    json_key(&j, "field");
    json_str(&j, is_shut_out ? "force" : list);
    json_key(&j, "rows");
    json_begin(&j, '[');
    for (int row = 0; row < PQntuples(r); row++)
        add_fault(&j, r, row);
    json_end(&j, ']');
    json_end(&j, '}');
    json_end(&j, '}');
    buf_free(&message);
    reply_json(rq, is_shut_out ? 409 : 400, NULL, &body);
}

/* The database would take the last of two members of a name. */
static int check_members(const char *name, const cJSON *list, struct err *err)
{
    const cJSON *row;
    size_t number = 0;
    cJSON_ArrayForEach(row, list)
    {
        struct err why;
        number++;
        if (cJSON_IsObject(row) && cJSON_GetArraySize(row) <= MEMBERS_MAX &&
            body_only(row, NULL, &why) < 0)
            return err_set_field(err, EINVAL, "bad_value", name, "%s: row %zu: %s", name, number,
                                 why.message);
    }
    return 0;
}

/* Put the list `name` of the body in place of what is there.  0, 1 and *ret_faults, or negative. */
static int apply_list(struct request *rq, const char *name, const cJSON *body,
                      PGresult **ret_faults, struct err *err)
{
    char actor[AUTH_ACTOR_MAX];
    bool is_allow = strcmp(name, "allow") == 0;
    const cJSON *list = cJSON_GetObjectItemCaseSensitive(body, name);
    bool is_forced = false;
    const char *seen = NULL;
    int rc = body_only(body, is_allow ? "allow|force|version" : "limits|version", err);
    if (rc == 0)
        rc = body_version(body, &seen, err);
    if (rc == 0)
        rc = body_flag(body, "force", &is_forced, err);
    if (rc == 0 && !cJSON_IsArray(list))
        rc = err_set_field(err, EINVAL, "bad_value", name, "%s: it must be a list", name);
    if (rc == 0)
        rc = check_members(name, list, err);
    if (rc == 0)
        rc = request_db(rq, err);
    if (rc == 0)
        rc = list_version_begin(rq->db, is_allow ? LIST_ALLOW : LIST_LIMITS, seen, err);
    if (rc < 0)
        return rc;
    char *rows = cJSON_PrintUnformatted(list);
    CHECK(rows); /* there is memory */
    auth_actor(&rq->who, actor);
    rc = is_allow ? listener_set_allow(rq->db, actor, rows, is_forced, ret_faults, err)
                  : listener_set_limits(rq->db, actor, rows, ret_faults, err);
    cJSON_free(rows);
    rc = list_version_end(rq->db, rc, err);
    if (rc == 0)
        log_line(LOG_INFO, "%s changed %s: %d rows", actor,
                 is_allow ? "who may send" : "how fast senders may send", cJSON_GetArraySize(list));
    return rc;
}

static void set_list(struct request *rq, const char *name)
{
    struct err err;
    PGresult *faults = NULL;
    cJSON *body = body_object(rq);
    if (!body)
        return;
    int rc = apply_list(rq, name, body, &faults, &err);
    cJSON_Delete(body);
    if (rc < 0)
        reply_err(rq, rc, &err);
    else if (rc > 0)
        reply_faults(rq, name, faults);
    else
        listeners_get(rq);
    PQclear(faults);
}

void listeners_set_allow(struct request *rq)
{
    set_list(rq, "allow");
}

void listeners_set_limits(struct request *rq)
{
    set_list(rq, "limits");
}
