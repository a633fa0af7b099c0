/* What all handlers that search have in common. */
#include "web/searching.h"

#include "base/limits.h"
#include "query/query.h"

#define ERROR_MAX_BYTES 4096

void searching_params(struct params *p, struct search_request *q, int64_t default_span_us)
{
    q->query = params_text(p, "query", QUERY_MAX_BYTES, "");
    q->from_us = params_time(p, "from", TIME_NONE);
    q->to_us = params_time(p, "to", TIME_NONE);
    if (default_span_us > 0 && q->to_us == TIME_NONE)
        q->to_us = clock_wall_us();
    if (default_span_us > 0 && q->from_us == TIME_NONE)
        q->from_us = q->to_us - default_span_us;
    params_check_range(p, q->from_us, q->to_us);
    q->watch_fd = -1;
}

/* A query that cannot be parsed: where, so that the page can mark it. */
static void reply_bad_query(struct request *rq, const struct query_error *e)
{
    struct buf body = BUF_INIT(ERROR_MAX_BYTES);
    struct json j = JSON_INIT(&body);
    json_begin(&j, '{');
    json_key(&j, "error");
    json_begin(&j, '{');
    json_key(&j, "code");
    json_str(&j, "bad_query");
    json_key(&j, "message");
    json_str(&j, e->message);
    json_key(&j, "field");
    json_str(&j, "query");
    json_key(&j, "at");
    json_int(&j, (int64_t)e->at);
    json_key(&j, "length");
    json_int(&j, (int64_t)e->length);
    json_end(&j, '}');
    json_end(&j, '}');
    reply_json(rq, 400, NULL, &body);
}

int searching_begin(struct request *rq, struct params *p, struct search_request *q)
{
    struct err err;
    const struct query_node *node;
    struct query_error why;
    int rc = params_done(p, &err);
    if (rc < 0) {
        reply_err(rq, rc, &err);
        return -1;
    }
    if (query_parse(&rq->arena, view_str(q->query), &node, &why) < 0) {
        reply_bad_query(rq, &why);
        return -1;
    }
    rc = request_db(rq, &err);
    if (rc < 0) {
        reply_err(rq, rc, &err);
        return -1;
    }
    struct config config;
    web_config(rq->web, &config);
    q->time_limit_ms = config.search_seconds * 1000;
    q->watch_fd = request_socket(rq);
    return 0;
}

void searching_entry(struct json *j, const struct search_entry *e)
{
    const struct {
        const char *key;
        struct view value;
    } texts[] = {
        {"hostname", e->hostname},
        {"app_name", e->app_name},
        {"procid", e->procid},
        {"msgid", e->msgid},
        {"structured_data", e->structured_data},
        {"message", e->message},
        {"format", e->format},
        {"id", e->id},
    };
    json_begin(j, '{');
    json_key(j, "received_at");
    json_time(j, e->received_at_us);
    json_key(j, "reported_at");
    json_time(j, e->reported_at_us);
    json_key(j, "source");
    json_view(j, e->source);
    json_key(j, "listener");
    json_view(j, e->listener);
    json_key(j, "facility");
    json_int(j, e->facility);
    json_key(j, "severity");
    json_int(j, e->severity);
    for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
        json_key(j, texts[i].key);
        json_view(j, texts[i].value);
    }
    json_end(j, '}');
}

void searching_scan(struct json *j, const struct search_scan *s)
{
    json_key(j, "complete");
    json_bool(j, s->is_complete);
    json_key(j, "scan");
    json_begin(j, '{');
    json_key(j, "blocks_in_range");
    json_int(j, s->blocks_in_range);
    json_key(j, "blocks_read");
    json_int(j, s->blocks_read);
    json_key(j, "messages_examined");
    json_int(j, s->messages_examined);
    json_key(j, "elapsed_us");
    json_int(j, s->elapsed_us);
    json_end(j, '}');
}
