/* GET /logs, /logs/{id}/raw, /logs/histogram, /logs/facets. */
#include "web/handlers.h"

#include "base/limits.h"
#include "web/searching.h"

#define PAGE_MAX_BYTES (16u << 20)   /* entries of a page: it ends early, `next` goes on */
#define ANSWER_MAX_BYTES (24u << 20) /* the page and one more message, escaped */
#define HISTOGRAM_MAX_BYTES (1u << 20)
#define FACETS_MAX 1000
#define DEFAULT_SPAN_US (3600 * US_PER_SECOND)

struct page {
    struct json json;
    bool is_cut; /* by PAGE_MAX_BYTES */
    char last_id[48];
};

static int add_entry(void *context, const struct search_entry *e, struct err *err)
{
    struct page *p = context;
    (void)err;
    searching_entry(&p->json, e);
    snprintf(p->last_id, sizeof(p->last_id), "%.*s", VIEW_ARG(e->id));
    p->is_cut = p->json.out->n > PAGE_MAX_BYTES;
    return p->is_cut;
}

void logs_search(struct request *rq)
{
    struct params p;
    struct search_request q = {0};
    struct err err;
    params_parse(&p, &rq->arena, rq->query_string);
    searching_params(&p, &q, 0);
    q.limit = (int)params_int(&p, "limit", 1, SEARCH_LIMIT_MAX, 100);
    q.is_ascending = params_choice(&p, "order", "asc|desc", 1) == 0;
    q.cursor = params_text(&p, "cursor", 64, NULL);
    if (q.cursor && !search_id_is_valid(view_str(q.cursor)) && !p.is_bad) {
        p.is_bad = true;
        (void)err_set_field(&p.err, EINVAL, "bad_value", "cursor",
                            "cursor: \"%s\" is not the `next` of a page", q.cursor);
    }
    if (searching_begin(rq, &p, &q) < 0)
        return;

    struct buf body = BUF_INIT(ANSWER_MAX_BYTES);
    struct page page = {.json = JSON_INIT(&body)};
    struct search_scan scan;
    json_begin(&page.json, '{');
    json_key(&page.json, "entries");
    json_begin(&page.json, '[');
    int n = search_run(rq->db, &q, add_entry, &page, &scan, &err);
    if (n < 0) {
        buf_free(&body);
        reply_err(rq, n, &err);
        return;
    }
    json_end(&page.json, ']');
    const char *next = n == q.limit || page.is_cut ? page.last_id
                       : scan.is_complete          ? NULL
                                                   : scan.resume;
    json_key(&page.json, "next");
    json_str(&page.json, next && next[0] ? next : NULL);
    searching_scan(&page.json, &scan);
    json_end(&page.json, '}');
    reply_json(rq, 200, NULL, &body);
}

void logs_raw(struct request *rq)
{
    struct params p;
    struct err err;
    params_parse(&p, &rq->arena, rq->query_string);
    int rc = params_done(&p, &err);
    if (rc == 0 && !search_id_is_valid(view_str(rq->id)))
        rc = err_set_field(&err, EINVAL, "bad_value", "id", "\"%.64s\" is not the id of a message",
                           rq->id);
    if (rc == 0)
        rc = request_db(rq, &err);
    struct buf raw = BUF_INIT(MESSAGE_MAX_BYTES_LIMIT);
    if (rc == 0)
        rc = search_raw(rq->db, rq->id, &raw, &err);
    if (rc < 0) {
        reply_err(rq, rc, &err);
    } else {
        char headers[128]; /* the id is hexadecimal digits and a dash: safe in a file name */
        snprintf(headers, sizeof(headers),
                 "Content-Disposition: attachment; filename=\"azekura-%s.log\"\r\n", rq->id);
        reply_bytes(rq, 200, "application/octet-stream", headers, buf_view(&raw));
    }
    buf_free(&raw);
}

void logs_histogram(struct request *rq)
{
    struct params p;
    struct search_request q = {0};
    struct search_scan scan;
    struct err err;
    params_parse(&p, &rq->arena, rq->query_string);
    searching_params(&p, &q, DEFAULT_SPAN_US);
    int buckets = (int)params_int(&p, "buckets", 1, HISTOGRAM_BUCKETS_MAX, 60);
    if (searching_begin(rq, &p, &q) < 0)
        return;
    buckets = (int)MIN(buckets, q.to_us - q.from_us); /* of a microsecond at least */
    struct search_bucket *b = arena_alloc(&rq->arena, (size_t)buckets * sizeof(*b));
    int n = search_histogram(rq->db, &q, buckets, b, &scan, &err);
    if (n < 0) {
        reply_err(rq, n, &err);
        return;
    }
    struct buf body = BUF_INIT(HISTOGRAM_MAX_BYTES);
    struct json j = JSON_INIT(&body);
    json_begin(&j, '{');
    json_key(&j, "from");
    json_time(&j, q.from_us);
    json_key(&j, "to");
    json_time(&j, q.to_us);
    json_key(&j, "bucket_us");
    json_int(&j, n > 1 ? b[1].at_us - b[0].at_us : q.to_us - q.from_us);
    json_key(&j, "buckets");
    json_begin(&j, '[');
    for (int i = 0; i < n; i++) {
        json_begin(&j, '{');
        json_key(&j, "at");
        json_time(&j, b[i].at_us);
        json_key(&j, "count");
        json_int(&j, b[i].count);
        json_key(&j, "by_severity");
        json_begin(&j, '[');
        for (size_t s = 0; s < ARRAY_LEN(b[i].by_severity); s++)
            json_int(&j, b[i].by_severity[s]);
        json_end(&j, ']');
        json_end(&j, '}');
    }
    json_end(&j, ']');
    searching_scan(&j, &scan);
    json_end(&j, '}');
    reply_json(rq, 200, NULL, &body);
}

static int add_value(void *context, struct view value, int64_t count, struct err *err)
{
    struct json *j = context;
    (void)err;
    json_begin(j, '{');
    json_key(j, "value");
    json_view(j, value);
    json_key(j, "count");
    json_int(j, count);
    json_end(j, '}');
    return 0;
}

/* A field with facets, or kv.NAME; bad values are noted in the parameters. */
static const char *facets_field(struct params *p)
{
    static const char *const fields[] = {"source",   "listener", "facility", "severity", "hostname",
                                         "app_name", "procid",   "msgid",    "format",   "mark"};
    const char *field = params_text(p, "field", PAIRS_NAME_MAX + 3, "");
    if (strncmp(field, "kv.", 3) == 0 && field[3])
        return field;
    for (size_t i = 0; i < ARRAY_LEN(fields); i++) {
        if (strcmp(field, fields[i]) == 0)
            return field;
    }
    if (!p->is_bad) {
        p->is_bad = true;
        (void)err_set_field(&p->err, EINVAL, "bad_value", "field",
                            "field: \"%.64s\" is not one of source, listener, facility, severity, "
                            "hostname, app_name, procid, msgid, format, mark, kv.NAME",
                            field);
    }
    return field;
}

void logs_facets(struct request *rq)
{
    struct params p;
    struct search_request q = {0};
    struct search_scan scan;
    struct err err;
    params_parse(&p, &rq->arena, rq->query_string);
    const char *field = facets_field(&p);
    searching_params(&p, &q, 0);
    q.limit = (int)params_int(&p, "limit", 1, FACETS_MAX, 10);
    if (searching_begin(rq, &p, &q) < 0)
        return;
    struct buf body = BUF_INIT(ANSWER_MAX_BYTES);
    struct json j = JSON_INIT(&body);
    json_begin(&j, '{');
    json_key(&j, "field");
    json_str(&j, field);
    json_key(&j, "values");
    json_begin(&j, '[');
    int n = search_facets(rq->db, &q, field, add_value, &j, &scan, &err);
    if (n < 0) {
        buf_free(&body);
        reply_err(rq, n, &err);
        return;
    }
    json_end(&j, ']');
    searching_scan(&j, &scan);
    json_end(&j, '}');
    reply_json(rq, 200, NULL, &body);
}
