/* GET /rates: messages in each step, by listener, and what was refused or dropped.  Steps of a
 * minute and more come from what was counted as it arrived, kept as minutes and then as hours;
 * shorter ones are counted in the blocks, which know every µs but only what is stored. */
#include "web/handlers.h"

#include "base/limits.h"
#include "store/rate.h"
#include "web/searching.h"

#define ANSWER_MAX_BYTES (1u << 20)
#define DEFAULT_SPAN_US (3600 * US_PER_SECOND)
#define STEP_MAX_S 31536000
#define HOUR_S 3600
#define DEFAULT_POINTS 1000 /* of a step that was not asked for */

struct rates {
    int64_t from_us, step_us;
    int n;
    bool is_complete, is_from_ledger;
    struct rate_point *points;
};

static void add_point(struct json *j, const struct rate_point *p, bool has_refused)
{
    int64_t total = 0;
    json_begin(j, '{');
    json_key(j, "at");
    json_time(j, p->at_us);
    for (unsigned l = 0; l < LISTENER_COUNT; l++) {
        json_key(j, listener_name(l));
        json_int(j, p->arrived[l]);
        total += p->arrived[l];
    }
    json_key(j, "total");
    json_int(j, total);
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
    json_end(j, '}');
}

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
    for (int i = 0; i < r->n; i++)
        add_point(&j, &r->points[i], r->is_from_ledger);
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

/* The smallest usual step that makes no more than DEFAULT_POINTS of a range. */
static int64_t default_step_s(int64_t span_us)
{
    static const int64_t steps_s[] = {60, 300, 900, HOUR_S, 4 * HOUR_S};
    for (size_t i = 0; i < ARRAY_LEN(steps_s); i++)
        if (span_us / (steps_s[i] * US_PER_SECOND) < DEFAULT_POINTS)
            return steps_s[i];
    return 24 * HOUR_S;
}

static int64_t cut_down(int64_t us, int64_t unit_us)
{
    return us - (us % unit_us + unit_us) % unit_us;
}

/* From `from` on, cut down to whole minutes (or hours, where no minutes are kept any more) for what
 * was counted, as many steps as reach `to`. */
static void plan(struct rates *r, struct params *p, int64_t from_us, int64_t to_us, int64_t step_s)
{
    if (step_s == 0)
        step_s = default_step_s(to_us - from_us);
    bool is_old = from_us < clock_wall_us() - RATE_MINUTES_DAYS * US_PER_DAY + US_PER_MINUTE;
    int64_t unit_s = is_old ? HOUR_S : 60;
    r->is_from_ledger = step_s >= 60;
    r->step_us = (r->is_from_ledger ? MAX(step_s / unit_s, INT64_C(1)) * unit_s : step_s) *
                 US_PER_SECOND;
    r->from_us = r->is_from_ledger ? cut_down(from_us, unit_s * US_PER_SECOND) : from_us;
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
    int64_t step_s = params_int(&p, "step", 1, STEP_MAX_S, 0);
    if (!p.is_bad)
        plan(&r, &p, q.from_us, q.to_us, step_s);
    if (searching_begin(rq, &p, &q) < 0)
        return;
    r.points = arena_alloc(&rq->arena, (size_t)r.n * sizeof(*r.points));
    int rc = r.is_from_ledger ? rate_read_points(rq->db, r.from_us, r.step_us, r.n, r.points, &err)
                              : from_blocks(rq, &q, &r, &err);
    if (rc < 0)
        reply_err(rq, rc, &err);
    else
        answer(rq, &r);
}
