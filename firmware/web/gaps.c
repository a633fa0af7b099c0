/* GET /gaps: what is missing and what came again, by the sequence numbers of senders. */
#include "web/handlers.h"

#include "base/ip.h"
#include "store/gap.h"
#include "web/json.h"
#include "web/params.h"
#include "web/request.h"

#define ANSWER_MAX_BYTES (16u << 20) /* 20,000 rows of some hundred bytes */
#define ROWS_MAX 10000
#define MINUTES_SPAN_US (360 * US_PER_MINUTE) /* up to it steps of minutes, */
#define HOURS_SPAN_US (14 * US_PER_DAY)       /* up to it hours */

static void add_gap(void *context, const struct gap_row *r)
{
    struct json *j = context;
    json_begin(j, '{');
    if (r->at_us != TIME_NONE)
        json_key_time(j, "at", r->at_us);
    json_key(j, "listener");
    json_str(j, r->listener);
    json_key(j, "source");
    json_str(j, r->source);
    json_key_int(j, "missing", r->counts.missing);
    json_key_int(j, "repeated", r->counts.repeated);
    json_end(j, '}');
}

struct gaps {
    int64_t from_us, to_us, step_us;
    const char *source; /* in canonical form; NULL: all */
    int limit;
    char address[IP_TEXT_MAX];
};

static int read_params(struct request *rq, struct gaps *g, struct err *err)
{
    struct params p;
    struct ip ip;
    params_parse(&p, &rq->arena, rq->query_string);
    g->to_us = params_time(&p, "to", clock_wall_us());
    g->from_us = params_time(&p, "from", g->to_us - US_PER_DAY);
    g->limit = (int)params_int(&p, "limit", 1, ROWS_MAX, 1000);
    const char *source = params_text(&p, "source", IP_TEXT_MAX, NULL);
    static const int64_t steps[] = {0, US_PER_MINUTE, 60 * US_PER_MINUTE, US_PER_DAY};
    g->step_us = steps[params_choice(&p, "step", "auto|minute|hour|day", 0)];
    params_check_range(&p, g->from_us, g->to_us);
    int rc = params_done(&p, err);
    if (rc < 0)
        return rc;
    if (source && ip_parse(view_str(source), &ip) < 0)
        return err_set_field(err, EINVAL, "bad_value", "source",
                             "source: \"%.64s\" is not an address", source);
    if (source) {
        ip_format(&ip, g->address);
        g->source = g->address;
    }
    int64_t span_us = g->to_us - g->from_us;
    if (g->step_us == 0)
        g->step_us = span_us <= MINUTES_SPAN_US ? US_PER_MINUTE
                     : span_us <= HOURS_SPAN_US ? 60 * US_PER_MINUTE
                                                : US_PER_DAY;
    /* whole steps, so that the sums of hours and days are enough */
    g->from_us -= g->from_us % g->step_us;
    g->to_us += (g->step_us - g->to_us % g->step_us) % g->step_us;
    return 0;
}

void gaps_get(struct request *rq)
{
    struct err err;
    struct gaps g = {0};
    int rc = read_params(rq, &g, &err);
    if (rc == 0)
        rc = request_db(rq, &err);
    if (rc < 0) {
        reply_err(rq, rc, &err);
        return;
    }
    struct buf body = BUF_INIT(ANSWER_MAX_BYTES);
    struct json j = JSON_INIT(&body);
    json_begin(&j, '{');
    json_key_time(&j, "from", g.from_us);
    json_key_time(&j, "to", g.to_us);
    json_key_int(&j, "step_us", g.step_us);
    json_key(&j, "rows");
    json_begin(&j, '[');
    int rows =
        gap_read(rq->db, g.from_us, g.to_us, g.step_us, g.source, g.limit, add_gap, &j, &err);
    json_end(&j, ']');
    json_key(&j, "totals");
    json_begin(&j, '[');
    int sums =
        rows < 0 ? rows
                 : gap_read_sums(rq->db, g.from_us, g.to_us, g.source, g.limit, add_gap, &j, &err);
    json_end(&j, ']');
    if (sums < 0) {
        buf_free(&body);
        reply_err(rq, sums, &err);
        return;
    }
    json_key(&j, "complete");
    json_bool(&j, rows < g.limit && sums < g.limit);
    json_end(&j, '}');
    reply_json(rq, 200, NULL, &body);
}
