/* GET /sources, GET /sources/{address}, POST /sources/acknowledge: the senders ever heard, what is
 * said of them, and how their messages were understood. */
#include "web/handlers.h"

#include "base/limits.h"
#include "config/log.h"
#include "store/array.h"
#include "store/source.h"
#include "web/auth.h"
#include "web/body.h"
#include "web/json.h"
#include "web/params.h"

#define ANSWER_MAX_BYTES (32u << 20) /* 10,000 rows of 1 to 3 KB */
#define DEFAULT_SPAN_US US_PER_DAY
#define ROWS_MAX 10000
#define ADDRESSES_MAX 10000
#define ORDERS "busiest|silent|name|address|new"

static void add_source(void *context, const char *text)
{
    json_raw(context, view_str(text));
}

static int read_list(struct request *rq, const struct source_question *q, struct json *j,
                     struct err *err)
{
    struct source_answer answer;
    json_begin(j, '{');
    json_key(j, "from");
    json_time(j, q->from_us);
    json_key(j, "to");
    json_time(j, q->to_us);
    json_key(j, "sources");
    json_begin(j, '[');
    int rc = source_read(rq->db, q, add_source, j, &answer, err);
    json_end(j, ']');
    if (rc < 0)
        return rc;
    json_key_int(j, "total", answer.total);
    json_key_int(j, "new", answer.news);
    json_end(j, '}');
    return 0;
}

void sources_list(struct request *rq)
{
    struct params p;
    struct err err;
    struct source_question q = {0};
    params_parse(&p, &rq->arena, rq->query_string);
    q.to_us = params_time(&p, "to", clock_wall_us());
    q.from_us = params_time(&p, "from", q.to_us - DEFAULT_SPAN_US);
    q.limit = (int)params_int(&p, "limit", 1, ROWS_MAX, 100);
    q.order = (enum source_order)params_choice(&p, "order", ORDERS, SOURCE_BUSIEST);
    q.only = (enum source_only)params_choice(&p, "only", "all|new|silent|unhealthy", SOURCE_ALL);
    q.filter = params_text(&p, "filter", SOURCE_FILTER_MAX, NULL);
    if (q.filter && !*q.filter)
        q.filter = NULL;
    params_check_range(&p, q.from_us, q.to_us);
    struct buf body = BUF_INIT(ANSWER_MAX_BYTES);
    struct json j = JSON_INIT(&body);
    int rc = params_done(&p, &err);
    if (rc == 0)
        rc = request_db(rq, &err);
    if (rc == 0)
        rc = read_list(rq, &q, &j, &err);
    if (rc < 0) {
        buf_free(&body);
        reply_err(rq, rc, &err);
        return;
    }
    reply_json(rq, 200, NULL, &body);
}

/* ---- one ---- */

/* The address of the path as PostgreSQL writes it. */
static int path_address(const struct request *rq, char out[IP_TEXT_MAX], struct err *err)
{
    struct ip ip;
    if (ip_parse(view_str(rq->id), &ip) < 0)
        return err_set_field(err, EINVAL, "bad_value", "address",
                             "\"%.64s\" is not an address, such as 192.0.2.1", rq->id);
    ip_format(&ip, out);
    return 0;
}

static void keep_source(void *context, const char *text)
{
    buf_add_str(context, text);
}

/* The object of the list with one member more. */
static int read_one(struct request *rq, const char *address, struct buf *body, struct err *err)
{
    struct source_answer answer;
    int64_t now_us = clock_wall_us();
    struct source_question q = {
        .from_us = now_us - DEFAULT_SPAN_US, .to_us = now_us, .address = address, .limit = 1};
    int rc = source_read(rq->db, &q, keep_source, body, &answer, err);
    if (rc == 0 && answer.rows == 0)
        rc = err_set_field(err, ENOENT, "not_found", "address", "%s was never heard", address);
    if (rc < 0)
        return rc;
    while (body->n > 0 && body->p[body->n - 1] != '}')
        body->n--;
    CHECK(body->n > 0);
    body->n--;
    buf_add_str(body, ",\"recent\":");
    rc = source_recent(rq->db, address, body, err);
    buf_add_char(body, '}');
    return rc;
}

void sources_get(struct request *rq)
{
    struct err err;
    char address[IP_TEXT_MAX];
    struct buf body = BUF_INIT(ANSWER_MAX_BYTES);
    int rc = path_address(rq, address, &err);
    if (rc == 0)
        rc = request_db(rq, &err);
    if (rc == 0)
        rc = read_one(rq, address, &body, &err);
    if (rc < 0) {
        buf_free(&body);
        reply_err(rq, rc, &err);
        return;
    }
    reply_json(rq, 200, NULL, &body);
}

/* ---- acknowledging ---- */

static int read_addresses(const cJSON *list, struct buf *out, struct err *err)
{
    const cJSON *item;
    int n = cJSON_GetArraySize(list);
    if (!cJSON_IsArray(list) || n < 1 || n > ADDRESSES_MAX)
        return err_set_field(err, EINVAL, "bad_value", "addresses",
                             "addresses: it must be a list of 1..%d addresses, or \"all\" be true",
                             ADDRESSES_MAX);
    cJSON_ArrayForEach(item, list)
    {
        struct ip ip;
        char text[IP_TEXT_MAX];
        const char *value = cJSON_GetStringValue(item);
        if (!value || ip_parse(view_str(value), &ip) < 0)
            return err_set_field(err, EINVAL, "bad_value", "addresses",
                                 "addresses: \"%.64s\" is not an address, such as 192.0.2.1",
                                 value ? value : "");
        ip_format(&ip, text);
        array_add_text(out, text);
    }
    array_end(out);
    return 0;
}

static int64_t acknowledge(struct request *rq, const cJSON *body, struct err *err)
{
    char actor[AUTH_ACTOR_MAX];
    bool is_all = false;
    struct buf addresses = BUF_INIT(ADDRESSES_MAX * IP_TEXT_MAX);
    const cJSON *list = cJSON_GetObjectItemCaseSensitive(body, "addresses");
    int64_t rc = body_only(body, "addresses|all", err);
    if (rc == 0)
        rc = body_flag(body, "all", &is_all, err);
    if (rc == 0 && is_all && list)
        rc = err_set_field(err, EINVAL, "bad_value", "all",
                           "all: either all sources, or those of \"addresses\"");
    if (rc == 0 && !is_all)
        rc = read_addresses(list, &addresses, err);
    if (rc == 0)
        rc = request_db(rq, err);
    auth_actor(&rq->who, actor);
    if (rc == 0)
        rc = source_acknowledge(rq->db, actor, is_all ? NULL : buf_str(&addresses), err);
    if (rc > 0)
        log_line(LOG_INFO, "%s acknowledged %lld new sources", actor, (long long)rc);
    buf_free(&addresses);
    return rc;
}

void sources_acknowledge(struct request *rq)
{
    struct err err;
    cJSON *body = body_object(rq);
    if (!body)
        return;
    int64_t n = acknowledge(rq, body, &err);
    cJSON_Delete(body);
    if (n < 0) {
        reply_err(rq, (int)n, &err);
        return;
    }
    struct buf answer = BUF_INIT(256);
    struct json j = JSON_INIT(&answer);
    json_begin(&j, '{');
    json_key_int(&j, "acknowledged", n);
    json_end(&j, '}');
    reply_json(rq, 200, NULL, &answer);
}
