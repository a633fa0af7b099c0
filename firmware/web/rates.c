/* GET /rates: messages in each step, by listener, and what was refused or dropped.  Steps of a
 * minute and more come from what was counted as it arrived, kept as minutes and then as hours;
 * shorter ones are counted in the blocks, which know every µs but only what is stored.  That
 * nothing came while the receiver did not run is not known, and so is a gap and no zero. */
#include "web/handlers.h"

#include "base/limits.h"
#include "store/load.h"
#include "store/rate.h"
#include "web/searching.h"

#define ANSWER_MAX_BYTES (1u << 20)
#define DEFAULT_SPAN_US (3600 * US_PER_SECOND)
#define STEP_MAX_S 31536000

struct rates {
    struct rate_plan plan;
    bool is_complete;
    struct rate_point *points;
    bool *is_gap; /* beside each point */
};

static int64_t arrived_in(const struct rate_point *p)
{
    int64_t total = 0;
    for (unsigned l = 0; l < LISTENER_COUNT; l++)
        total += p->arrived[l];
    return total;
}

static void add_point(struct json *j, const struct rate_point *p, bool is_gap, bool has_refused)
{
    json_begin(j, '{');
    json_key(j, "at");
    json_time(j, p->at_us);
    for (unsigned l = 0; l < LISTENER_COUNT; l++) {
        json_key(j, listener_name(l));
        json_int(j, p->arrived[l]);
    }
    json_key(j, "total");
    json_int(j, arrived_in(p));
    json_key(j, "refused");
    if (has_refused)
        json_int(j, p->refused);
    else
        json_str(j, NULL);
    json_key(j, "kernel_dropped");
    if (has_refused)
        json_int(j, p->kernel_dropped);
    else
        json_str(j, NULL);
    json_key(j, "is_gap");
    json_bool(j, is_gap);
    json_end(j, '}');
}

static void answer(struct request *rq, const struct rates *r)
{
    struct buf body = BUF_INIT(ANSWER_MAX_BYTES);
    struct json j = JSON_INIT(&body);
    json_begin(&j, '{');
    json_key(&j, "from");
    json_time(&j, r->plan.from_us);
    json_key(&j, "to");
    json_time(&j, r->plan.from_us + r->plan.n * r->plan.step_us);
    json_key(&j, "step_us");
    json_int(&j, r->plan.step_us);
    json_key(&j, "basis");
    json_str(&j, r->plan.is_counted ? "ledger" : "blocks");
    json_key(&j, "points");
    json_begin(&j, '[');
    for (int i = 0; i < r->plan.n; i++)
        add_point(&j, &r->points[i], r->is_gap[i], r->plan.is_counted);
    json_end(&j, ']');
    json_key(&j, "complete");
    json_bool(&j, r->is_complete);
    json_end(&j, '}');
    reply_json(rq, 200, NULL, &body);
}

static int from_blocks(struct request *rq, struct search_request *q, struct rates *r,
                       struct err *err)
{
    struct search_bucket *b = arena_alloc(&rq->arena, (size_t)r->plan.n * sizeof(*b));
    q->from_us = r->plan.from_us;
    q->to_us = r->plan.from_us + r->plan.n * r->plan.step_us;
    for (unsigned l = 0; l < LISTENER_COUNT; l++) {
        char query[32];
        struct search_scan scan;
        snprintf(query, sizeof(query), "listener:%s", listener_name(l));
        q->query = query;
        int n = search_histogram(rq->db, q, r->plan.n, b, &scan, err);
        if (n < 0)
            return n;
        r->is_complete = r->is_complete && scan.is_complete;
        for (int i = 0; i < n; i++) {
            r->points[i].at_us = r->plan.from_us + i * r->plan.step_us;
            r->points[i].arrived[l] = b[i].count;
        }
    }
    return 0;
}

/* Asked for between the first and the last step without a message only. */
static int find_gaps(struct request *rq, struct rates *r, struct err *err)
{
    int first = -1, last = -1;
    for (int i = 0; i < r->plan.n; i++) {
        const struct rate_point *p = &r->points[i];
        r->is_gap[i] = arrived_in(p) + p->refused + p->kernel_dropped == 0;
        first = r->is_gap[i] && first < 0 ? i : first;
        last = r->is_gap[i] ? i : last;
    }
    if (first < 0)
        return 0;
    int n = last - first + 1;
    bool *is_receiving = arena_alloc(&rq->arena, (size_t)n * sizeof(*is_receiving));
    int rc =
        load_read_receiving(rq->db, r->points[first].at_us, r->plan.step_us, n, is_receiving, err);
    for (int i = 0; rc == 0 && i < n; i++)
        r->is_gap[first + i] = r->is_gap[first + i] && !is_receiving[i];
    return rc;
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
    int64_t step_s = params_int(&p, "step", 1, STEP_MAX_S, 0);
    if (!p.is_bad)
        p.is_bad = rate_plan_make(q.from_us, q.to_us, step_s, clock_wall_us(),
                                  HISTOGRAM_BUCKETS_MAX, &r.plan, &p.err) < 0;
    if (searching_begin(rq, &p, &q) < 0)
        return;
    r.points = arena_alloc(&rq->arena, (size_t)r.plan.n * sizeof(*r.points));
    r.is_gap = arena_alloc(&rq->arena, (size_t)r.plan.n * sizeof(*r.is_gap));
    int rc = r.plan.is_counted ? rate_read_points(rq->db, r.plan.from_us, r.plan.step_us, r.plan.n,
                                                  r.points, &err)
                               : from_blocks(rq, &q, &r, &err);
    if (rc >= 0)
        rc = find_gaps(rq, &r, &err);
    if (rc < 0)
        reply_err(rq, rc, &err);
    else
        answer(rq, &r);
}
