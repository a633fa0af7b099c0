/* GET /logs/{id}: one message with its marks and its pairs. */
#include "web/handlers.h"

#include "base/limits.h"
#include "query/pairs.h"
#include "web/searching.h"

#define ANSWER_MAX_BYTES (24u << 20) /* the longest message, escaped, twice */

struct detail {
    struct json json;
    struct arena *arena; /* of the request */
};

static bool add_pair(void *context, const struct pair *p)
{
    struct json *j = context;
    json_begin(j, '{');
    json_key(j, "name");
    json_view(j, p->name);
    json_key(j, "value");
    json_view(j, p->value);
    json_end(j, '}');
    return !j->out->is_full;
}

/* Of the body if it has any, else of the structured data. */
static void add_pairs(struct json *j, const struct search_entry *e, struct arena *arena)
{
    char *scratch = arena_alloc(arena, MAX(e->message.n, e->structured_data.n) + 1);
    enum pairs_form body = pairs_of_message(e->message, scratch, NULL, NULL);
    enum pairs_form data = pairs_of_structured_data(e->structured_data, scratch, NULL, NULL);
    json_key(j, "pairs_form");
    json_str(j, pairs_form_name(body != PAIRS_NONE ? body : data));
    json_key(j, "pairs");
    json_begin(j, '[');
    pairs_of_structured_data(e->structured_data, scratch, add_pair, j);
    pairs_of_message(e->message, scratch, add_pair, j);
    json_end(j, ']');
}

static void add_marks(struct json *j, const char *marks)
{
    json_key(j, "marks");
    json_begin(j, '[');
    while (*marks) {
        size_t n = strcspn(marks, ",");
        json_view(j, view_of(marks, n));
        marks += n + (marks[n] == ',');
    }
    json_end(j, ']');
}

static int add_detail(void *context, const struct search_entry *e, const char *marks,
                      struct err *err)
{
    struct detail *d = context;
    struct json *j = &d->json;
    (void)err;
    json_begin(j, '{');
    json_key(j, "entry");
    searching_entry(j, e);
    add_marks(j, marks);
    json_key(j, "skew_us");
    if (e->reported_at_us == TIME_NONE)
        json_str(j, NULL);
    else
        json_int(j, e->reported_at_us - e->received_at_us);
    add_pairs(j, e, d->arena);
    json_end(j, '}');
    return 0;
}

void logs_detail(struct request *rq)
{
    struct params p;
    struct err err;
    params_parse(&p, &rq->arena, rq->query_string);
    int rc = params_done(&p, &err);
    if (rc == 0)
        rc = request_db(rq, &err);
    struct buf body = BUF_INIT(ANSWER_MAX_BYTES);
    struct detail d = {.json = JSON_INIT(&body), .arena = &rq->arena};
    if (rc == 0)
        rc = search_entry(rq->db, rq->id, add_detail, &d, &err);
    if (rc < 0) {
        buf_free(&body);
        reply_err(rq, rc, &err);
        return;
    }
    reply_json(rq, 200, NULL, &body);
}
