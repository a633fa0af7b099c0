/* GET /load: how loaded the box was, as series of means and maxima, in JSON or as CSV. */
#include "store/load.h"

#include <math.h>
#include <unistd.h>

#include "web/handlers.h"
#include "web/json.h"
#include "web/params.h"
#include "web/request.h"

#define ANSWER_MAX_BYTES (8u << 20) /* all metrics at LOAD_POINTS_MAX: 3 MB */
#define DEFAULT_SPAN_US (3600 * US_PER_SECOND)
#define STEP_MAX_S 31536000
#define METRICS_TEXT_MAX 2048

struct answer {
    struct load_plan plan;
    enum load_metric metrics[LOAD_METRICS];
    int metrics_n;
    double *mean, *max; /* [metric * n + point] */
};

/* "a,b" → numbers; all of them when it is absent. */
static void take_metrics(struct params *p, struct answer *a)
{
    const char *text = params_text(p, "metrics", METRICS_TEXT_MAX, NULL);
    bool is_taken[LOAD_METRICS] = {false};
    a->metrics_n = 0;
    if (!text) {
        for (int m = 0; m < LOAD_METRICS; m++)
            a->metrics[a->metrics_n++] = (enum load_metric)m;
        return;
    }
    while (!p->is_bad) {
        size_t n = strcspn(text, ",");
        int m = load_metric_of(view_of(text, n));
        if (m < 0 || is_taken[m]) {
            p->is_bad = true;
            (void)err_set_field(&p->err, EINVAL, "bad_value", "metrics", "metrics: \"%.*s\" %s",
                                (int)MIN(n, (size_t)64), text,
                                m < 0 ? "is not one of them" : "is given twice");
            return;
        }
        is_taken[m] = true;
        a->metrics[a->metrics_n++] = (enum load_metric)m;
        text += n;
        if (!*text++)
            return;
    }
}

static void add_numbers(struct json *j, const char *key, const double *values, int n)
{
    json_key(j, key);
    json_begin(j, '[');
    for (int i = 0; i < n; i++)
        json_real(j, values[i]);
    json_end(j, ']');
}

static void reply_series(struct request *rq, const struct answer *a)
{
    struct buf body = BUF_INIT(ANSWER_MAX_BYTES);
    struct json j = JSON_INIT(&body);
    int n = a->plan.n;
    json_begin(&j, '{');
    json_key(&j, "from");
    json_time(&j, a->plan.from_us);
    json_key(&j, "to");
    json_time(&j, a->plan.from_us + n * a->plan.step_us);
    json_key(&j, "step_us");
    json_int(&j, a->plan.step_us);
    json_key(&j, "n");
    json_int(&j, n);
    json_key(&j, "hardware_threads");
    json_int(&j, sysconf(_SC_NPROCESSORS_ONLN));
    json_key(&j, "series");
    json_begin(&j, '[');
    for (int m = 0; m < a->metrics_n; m++) {
        json_begin(&j, '{');
        json_key(&j, "name");
        json_str(&j, load_metrics[a->metrics[m]].name);
        json_key(&j, "unit");
        json_str(&j, load_metrics[a->metrics[m]].unit);
        add_numbers(&j, "mean", a->mean + (size_t)m * (size_t)n, n);
        add_numbers(&j, "max", a->max + (size_t)m * (size_t)n, n);
        json_end(&j, '}');
    }
    json_end(&j, ']');
    json_end(&j, '}');
    reply_json(rq, 200, NULL, &body);
}

static void add_cell(struct buf *out, double value)
{
    buf_add_char(out, ',');
    if (isfinite(value))
        buf_printf(out, "%.9g", value);
}

/* A line a point: its beginning, then mean and maximum of each metric; empty where unknown. */
static void reply_csv(struct request *rq, const struct answer *a)
{
    struct buf body = BUF_INIT(ANSWER_MAX_BYTES);
    buf_add_str(&body, "at");
    for (int m = 0; m < a->metrics_n; m++)
        buf_printf(&body, ",%s_mean,%s_max", load_metrics[a->metrics[m]].name,
                   load_metrics[a->metrics[m]].name);
    buf_add_str(&body, "\r\n");
    for (int i = 0; i < a->plan.n; i++) {
        char at[RFC3339_MAX];
        buf_add(&body, at, rfc3339_format(a->plan.from_us + i * a->plan.step_us, at));
        for (int m = 0; m < a->metrics_n; m++) {
            size_t cell = (size_t)m * (size_t)a->plan.n + (size_t)i;
            add_cell(&body, a->mean[cell]);
            add_cell(&body, a->max[cell]);
        }
        buf_add_str(&body, "\r\n");
    }
    if (body.is_full)
        reply_error(rq, 500, "too_large", "", "the answer is larger than %zu bytes", body.max);
    else
        reply_bytes(rq, 200, "text/csv; charset=utf-8",
                    "Content-Disposition: attachment; filename=\"azekura-load.csv\"\r\n",
                    buf_view(&body));
    buf_free(&body);
}

void load_get(struct request *rq)
{
    struct params p;
    struct answer a = {0};
    struct err err;
    int64_t now_us = clock_wall_us();
    params_parse(&p, &rq->arena, rq->query_string);
    int64_t to_us = params_time(&p, "to", now_us);
    int64_t from_us = params_time(&p, "from", to_us - DEFAULT_SPAN_US);
    params_check_range(&p, from_us, to_us);
    int64_t step_s = params_int(&p, "step", 5, STEP_MAX_S, 0);
    bool is_csv = params_choice(&p, "format", "json|csv", 0) == 1;
    take_metrics(&p, &a);
    int rc = params_done(&p, &err);
    if (rc == 0)
        rc = load_plan(from_us, to_us, step_s, now_us, &a.plan, &err);
    if (rc == 0)
        rc = request_db(rq, &err);
    if (rc == 0) {
        size_t cells = (size_t)a.metrics_n * (size_t)a.plan.n;
        a.mean = xcalloc(cells, sizeof(*a.mean));
        a.max = xcalloc(cells, sizeof(*a.max));
        rc = load_read(rq->db, &a.plan, a.metrics, a.metrics_n, a.mean, a.max, &err);
    }
    if (rc < 0)
        reply_err(rq, rc, &err);
    else if (is_csv)
        reply_csv(rq, &a);
    else
        reply_series(rq, &a);
    free(a.mean);
    free(a.max);
}
