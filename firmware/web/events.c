/* GET /events: what happened to the box, newest first. */
#include "store/event.h"

#include "base/record.h"
#include "web/handlers.h"
#include "web/json.h"
#include "web/params.h"
#include "web/request.h"

#define EVENTS_MAX 1000
#define KIND_MAX 64
#define ANSWER_MAX_BYTES (48u << 20) /* EVENTS_MAX of the longest there can be */
#define TEXT_MAX_BYTES 32768         /* of a sentence: 16 values of 1,024 characters */

struct page {
    struct json json;
    struct zone *zone;
    int64_t last_id;
};

static void add_text(struct page *p, const char *key, const struct event_row *e,
                     enum event_language language)
{
    struct buf text = BUF_INIT(TEXT_MAX_BYTES);
    event_text(e->kind, &e->params, p->zone, language, &text);
    json_key(&p->json, key);
    json_view(&p->json, buf_view(&text));
    buf_free(&text);
}

static void add_event(void *context, const struct event_row *e)
{
    struct page *p = context;
    struct json *j = &p->json;
    char id[24];
    snprintf(id, sizeof(id), "%lld", (long long)e->id);
    json_begin(j, '{');
    json_key(j, "id");
    json_str(j, id);
    json_key(j, "at");
    json_time(j, e->at_us);
    json_key(j, "severity");
    json_str(j, severity_name((unsigned)e->severity));
    json_key(j, "kind");
    json_str(j, e->kind);
    add_text(p, "text_en", e, EVENT_EN);
    add_text(p, "text_ja", e, EVENT_JA);
    json_key(j, "params");
    json_begin(j, '{');
    for (int i = 0; i < e->params.n; i++) {
        json_key(j, e->params.text[2 * i]);
        json_str(j, e->params.text[2 * i + 1]);
    }
    json_end(j, '}');
    json_end(j, '}');
    p->last_id = e->id;
}

static void take_filter(struct params *p, struct event_filter *f)
{
    f->from_us = params_time(p, "from", TIME_NONE);
    f->to_us = params_time(p, "to", TIME_NONE);
    params_check_range(p, f->from_us, f->to_us);
    f->kind_prefix = params_text(p, "kind", KIND_MAX, "");
    f->before_id = params_int(p, "cursor", 1, INT64_MAX, 0);
    const char *severity = params_text(p, "severity", 16, "debug");
    f->max_severity = severity_parse(view_str(severity));
    if (f->max_severity < 0 && !p->is_bad) {
        p->is_bad = true;
        (void)err_set_field(&p->err, EINVAL, "bad_value", "severity",
                            "severity: \"%.16s\" is not one of emerg to debug", severity);
    }
}

static void reply_page(struct request *rq, const struct event_filter *f, int limit)
{
    struct buf body = BUF_INIT(ANSWER_MAX_BYTES);
    struct page page = {.json = JSON_INIT(&body)};
    struct config config;
    struct err err;
    char next[24];
    web_config(rq->web, &config);
    if (zone_load(config.time_zone, &page.zone, NULL) < 0)
        page.zone = NULL; /* checked when it was set: tzdata is gone, so UTC */
    json_begin(&page.json, '{');
    json_key(&page.json, "entries");
    json_begin(&page.json, '[');
    int n = event_read(rq->db, f, limit, add_event, &page, &err);
    zone_free(&page.zone);
    if (n < 0) {
        buf_free(&body);
        reply_err(rq, n, &err);
        return;
    }
    json_end(&page.json, ']');
    json_key(&page.json, "next");
    snprintf(next, sizeof(next), "%lld", (long long)page.last_id);
    json_str(&page.json, n == limit ? next : NULL);
    json_end(&page.json, '}');
    reply_json(rq, 200, NULL, &body);
}

void events_get(struct request *rq)
{
    struct params p;
    struct event_filter f = {0};
    struct err err;
    params_parse(&p, &rq->arena, rq->query_string);
    take_filter(&p, &f);
    int limit = (int)params_int(&p, "limit", 1, EVENTS_MAX, 100);
    int rc = params_done(&p, &err);
    if (rc == 0)
        rc = request_db(rq, &err);
    if (rc < 0)
        reply_err(rq, rc, &err);
    else
        reply_page(rq, &f, limit);
}
