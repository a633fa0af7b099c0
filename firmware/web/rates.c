/* GET /rates: messages in each step, by listener.  Steps of a minute and more come from the ledger,
 * which has one row a minute and sender; shorter ones are counted in the blocks, which know every
 * µs. */
#include "web/handlers.h"

#include "base/limits.h"
#include "store/ledger.h"
#include "web/searching.h"

#define ANSWER_MAX_BYTES (1u << 20)
#define DEFAULT_SPAN_US (3600 * US_PER_SECOND)
#define STEP_MAX_S 31536000

struct rates {
    int64_t from_us, step_us;
    int n;
    bool is_complete, is_from_ledger;
    struct ledger_rate *points;
};

static void answer(struct request *rq, const struct rates *r)
{
    struct buf body = BUF_INIT(ANSWER_MAX_BYTES);
    struct json j = JSON_INIT(&body);
    json_begin(&j, '{');
    json_key(&j, "from");
    json_time(&j, r->from_us);
    json_key(&j, "to");
    json_time(&j, r->from_us + r->n * r->step_us);
    json_key(&j, "step_us");
    json_int(&j, r->step_us);
    json_key(&j, "basis");
    json_str(&j, r->is_from_ledger ? "ledger" : "blocks");
    json_key(&j, "points");
    json_begin(&j, '[');
    for (int i = 0; i < r->n; i++) {
        int64_t total = 0;
        json_begin(&j, '{');
        json_key(&j, "at");
        json_time(&j, r->points[i].at_us);
        for (unsigned l = 0; l < LISTENER_COUNT; l++) {
            json_key(&j, listener_name(l));
            json_int(&j, r->points[i].arrived[l]);
            total += r->points[i].arrived[l];
        }
        json_key(&j, "total");
        json_int(&j, total);
        json_end(&j, '}');
    }
    json_end(&j, ']');
    json_key(&j, "complete");
    json_bool(&j, r->is_complete);
    json_end(&j, '}');
    reply_json(rq, 200, NULL, &body);
}

static int from_blocks(struct request *rq, struct search_request *q, struct rates *r,
                       struct err *err)
{
    struct search_bucket *b = arena_alloc(&rq->arena, (size_t)r->n * sizeof(*b));
    q->from_us = r->from_us;
    q->to_us = r->from_us + r->n * r->step_us;
    for (unsigned l = 0; l < LISTENER_COUNT; l++) {
        char query[32];
        struct search_scan scan;
        snprintf(query, sizeof(query), "listener:%s", listener_name(l));
        q->query = query;
        int n = search_histogram(rq->db, q, r->n, b, &scan, err);
        if (n < 0)
            return n;
        r->is_complete = r->is_complete && scan.is_complete;
        for (int i = 0; i < n; i++) {
            r->points[i].at_us = r->from_us + i * r->step_us;
            r->points[i].arrived[l] = b[i].count;
        }
    }
    return 0;
}

/* From `from` on, cut down to whole minutes for the ledger, as many steps as reach `to`. */
static void plan(struct rates *r, struct params *p, int64_t from_us, int64_t to_us, int64_t step_s)
{
    r->is_from_ledger = step_s >= 60;
    r->step_us = (r->is_from_ledger ? step_s / 60 * 60 : step_s) * US_PER_SECOND;
    r->from_us = r->is_from_ledger
                     ? from_us - ((from_us % US_PER_MINUTE) + US_PER_MINUTE) % US_PER_MINUTE
                     : from_us;
    int64_t n = (to_us - r->from_us + r->step_us - 1) / r->step_us;
    if (n > HISTOGRAM_BUCKETS_MAX && !p->is_bad) {
        p->is_bad = true;
        (void)err_set_field(&p->err, EINVAL, "bad_value", "step",
                            "step: from, to and step make %lld points, more than %d", (long long)n,
                            HISTOGRAM_BUCKETS_MAX);
    }
    r->n = (int)MIN(n, HISTOGRAM_BUCKETS_MAX);
}

void rates_get(struct request *rq)
{
    struct params p;
    struct search_request q = {0};
    struct rates r = {.is_complete = true};
    struct err err;
    params_parse(&p, &rq->arena, rq->query_string);
    q.query = "";
    q.to_us = params_time(&p, "to", clock_wall_us());
    q.from_us = params_time(&p, "from", q.to_us - DEFAULT_SPAN_US);
    params_check_range(&p, q.from_us, q.to_us);
    int64_t step_s = params_int(&p, "step", 1, STEP_MAX_S, 60);
    if (!p.is_bad)
        plan(&r, &p, q.from_us, q.to_us, step_s);
    if (searching_begin(rq, &p, &q) < 0)
        return;
    r.points = arena_alloc(&rq->arena, (size_t)r.n * sizeof(*r.points));
    int rc = r.is_from_ledger ? ledger_read_rates(rq->db, r.from_us, r.step_us, r.n, r.points, &err)
                              : from_blocks(rq, &q, &r, &err);
    if (rc < 0)
        reply_err(rq, rc, &err);
    else
        answer(rq, &r);
}
