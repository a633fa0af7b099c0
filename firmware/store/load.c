/* Load samples: adding, and reading them back at the step of a graph. */
#include "store/load.h"

#include <math.h>

#include "store/array.h"
#include "store/search.h"

#define YEAR_10000_US (INT64_C(253402300800) * US_PER_SECOND)
#define SAMPLE_MAX_BYTES 8192 /* the array literal */

const struct load_metric_type load_metrics[LOAD_METRICS] = {
#define METRIC(symbol, name, unit) [LOAD_##symbol] = {name, unit},
#include "store/load_metric.def"
#undef METRIC
};

int load_metric_of(struct view name)
{
    for (int i = 0; i < LOAD_METRICS; i++) {
        if (view_eq(view_str(load_metrics[i].name), name))
            return i;
    }
    return -1;
}

int load_add(PGconn *c, int64_t at_us, const float values[LOAD_METRICS], struct err *err)
{
    char at[RFC3339_MAX];
    struct buf list = BUF_INIT(SAMPLE_MAX_BYTES);
    for (int i = 0; i < LOAD_METRICS; i++)
        array_add_real(&list, (double)values[i]);
    array_end(&list);
    CHECK(!list.is_full);
    const char *parameters[] = {store_time_param(at_us, at), buf_str(&list)};
    int64_t rc = store_execute(c, "select azekura.add_load($1::timestamptz, $2::real[])", 2,
                               parameters, err);
    buf_free(&list);
    return rc < 0 ? (int)rc : 0;
}

/* ---- plan ---- */

/* azekura.load_rings() */
static const struct ring {
    int step_s;
    int64_t kept_s;
} rings[] = {{5, 34560LL * 5}, {60, 86400LL * 60}, {900, 70272LL * 900}, {21600, 2928LL * 21600}};

/* The ring that steps of `step_s` are made of: of the longest step that is not longer. */
static const struct ring *ring_of(int64_t step_s)
{
    const struct ring *r = &rings[0];
    for (size_t i = 1; i < ARRAY_LEN(rings) && rings[i].step_s <= step_s; i++)
        r = &rings[i];
    return r;
}

static int64_t floor_to(int64_t n, int64_t unit)
{
    return n - ((n % unit) + unit) % unit;
}

static void lay_out(struct load_plan *p, int64_t from_us, int64_t to_us, int64_t step_s,
                    int64_t *ret_points)
{
    p->step_us = step_s * US_PER_SECOND;
    p->from_us = floor_to(from_us, p->step_us);
    p->ring_s = ring_of(step_s)->step_s;
    *ret_points = (to_us - p->from_us + p->step_us - 1) / p->step_us;
}

static int64_t default_step(int64_t from_us, int64_t to_us, int64_t now_us)
{
    /* each a multiple of its ring's step, and readable on an axis */
    static const int64_t steps[] = {5,    10,   15,   30,    60,    120,   300,   600,   900,
                                    1800, 3600, 7200, 10800, 21600, 43200, 64800, 86400, 604800};
    struct load_plan p;
    int64_t points;
    for (size_t i = 0; i < ARRAY_LEN(steps); i++) {
        lay_out(&p, from_us, to_us, steps[i], &points);
        bool is_kept = now_us - from_us <= ring_of(steps[i])->kept_s * US_PER_SECOND ||
                       p.ring_s >= rings[2].step_s; /* the longest there is */
        if (points <= LOAD_POINTS_DEFAULT && is_kept)
            return steps[i];
    }
    /* longer than anything is kept: whole weeks */
    int64_t week_us = 604800 * US_PER_SECOND, weeks = (to_us - from_us) / week_us + 1;
    return (weeks + LOAD_POINTS_DEFAULT - 2) / (LOAD_POINTS_DEFAULT - 1) * 604800;
}

int load_plan(int64_t from_us, int64_t to_us, int64_t step_s, int64_t now_us, struct load_plan *ret,
              struct err *err)
{
    int64_t points;
    if (step_s == 0)
        step_s = default_step(from_us, to_us, now_us);
    const struct ring *r = ring_of(step_s);
    if (step_s < r->step_s || step_s % r->step_s != 0)
        return err_set_field(err, EINVAL, "bad_value", "step",
                             "step: %lld is not a multiple of %d: what is kept are steps of 5 s, "
                             "60 s, 900 s and 21600 s",
                             (long long)step_s, r->step_s);
    lay_out(ret, from_us, to_us, step_s, &points);
    if (points > LOAD_POINTS_MAX)
        return err_set_field(err, EINVAL, "bad_value", "step",
                             "step: from, to and step make %lld points, more than %d",
                             (long long)points, LOAD_POINTS_MAX);
    int64_t rows = MIN(points * (step_s / r->step_s), r->kept_s / r->step_s);
    if (rows > LOAD_ROWS_MAX)
        return err_set_field(err, EINVAL, "bad_value", "step",
                             "step: from, to and step need %lld samples of %d s, more than %d; a "
                             "longer step needs fewer",
                             (long long)rows, r->step_s, LOAD_ROWS_MAX);
    /* a time that can be written ends before the year 10000, so does what is widened */
    if (ret->from_us + points * ret->step_us >= YEAR_10000_US)
        points = (YEAR_10000_US - 1 - ret->from_us) / ret->step_us;
    if (points < 1)
        return err_set_field(err, EINVAL, "bad_value", "to",
                             "to: a step of %lld s from there ends after the year 9999",
                             (long long)step_s);
    ret->n = (int)points;
    return 0;
}

/* ---- reading ---- */

/* The elements of a one-dimensional array of numbers as text: "{1.5,NULL}".  Returns how many, of
 * which at most `max` are put into ret. */
static int parse_numbers(const char *text, double *ret, int max)
{
    int n = 0;
    const char *p = text;
    if (*p != '{' || p[1] == '}' || !p[1])
        return 0;
    do {
        p++;
        double value = *p == 'N' ? (double)NAN : strtod(p, NULL);
        if (n < max)
            ret[n++] = value;
        p += strcspn(p, ",}");
    } while (*p == ',');
    return n;
}

struct sum {
    double weighted, known; /* sum of means times samples, samples */
};

static void add_row(const PGresult *r, int row, const enum load_metric *metrics, int metrics_n,
                    int i, int n, struct sum *sums, double *ret_max)
{
    double mean[LOAD_METRICS], max[LOAD_METRICS], missing[LOAD_METRICS];
    int samples = (int)store_number(r, row, 1);
    int have = parse_numbers(PQgetvalue(r, row, 2), mean, LOAD_METRICS);
    int have_max = parse_numbers(PQgetvalue(r, row, 3), max, LOAD_METRICS);
    int have_missing = parse_numbers(PQgetvalue(r, row, 4), missing, LOAD_METRICS);
    for (int m = 0; m < metrics_n; m++) {
        int k = (int)metrics[m];
        size_t at = (size_t)m * (size_t)n + (size_t)i;
        if (k >= have || isnan(mean[k]))
            continue;
        double known = samples - (k < have_missing ? missing[k] : 0);
        double top = k < have_max && !isnan(max[k]) ? max[k] : mean[k];
        sums[at].weighted += mean[k] * known;
        sums[at].known += known;
        if (isnan(ret_max[at]) || top > ret_max[at])
            ret_max[at] = top;
    }
}

int load_read(PGconn *c, const struct load_plan *plan, const enum load_metric *metrics,
              int metrics_n, double *ret_mean, double *ret_max, struct err *err)
{
    char from[RFC3339_MAX], to[RFC3339_MAX], ring[16];
    int64_t to_us = plan->from_us + plan->n * plan->step_us;
    snprintf(ring, sizeof(ring), "%d", plan->ring_s);
    const char *values[] = {ring, store_time_param(plan->from_us, from),
                            store_time_param(to_us, to)};
    PGresult *r = NULL;
    int rc = store_query(c,
                         "select extract(epoch from at)::bigint, n, mean, max, missing"
                         " from azekura.load_rows($1::integer, $2::timestamptz, $3::timestamptz)",
                         3, values, &r, err);
    if (rc < 0)
        return rc;
    size_t cells = (size_t)metrics_n * (size_t)plan->n;
    struct sum *sums = xcalloc(cells, sizeof(*sums));
    for (size_t k = 0; k < cells; k++)
        ret_mean[k] = ret_max[k] = (double)NAN;
    for (int row = 0; row < PQntuples(r); row++) {
        int64_t i = (store_number(r, row, 0) * US_PER_SECOND - plan->from_us) / plan->step_us;
        if (i >= 0 && i < plan->n)
            add_row(r, row, metrics, metrics_n, (int)i, plan->n, sums, ret_max);
    }
    for (size_t k = 0; k < cells; k++) {
        if (sums[k].known > 0)
            ret_mean[k] = sums[k].weighted / sums[k].known;
    }
    free(sums);
    PQclear(r);
    return 0;
}

int load_read_receiving(PGconn *c, int64_t from_us, int64_t step_us, int n, bool *ret,
                        struct err *err)
{
    char from[RFC3339_MAX], to[RFC3339_MAX], ring[16], metric[16];
    int64_t ring_us = ring_of(step_us / US_PER_SECOND)->step_s * US_PER_SECOND;
    snprintf(ring, sizeof(ring), "%lld", (long long)(ring_us / US_PER_SECOND));
    snprintf(metric, sizeof(metric), "%d", LOAD_CPU_SYSLOG + 1);
    /* a sample that began before the range may reach into it */
    const char *values[] = {ring, store_time_param(from_us - ring_us + US_PER_SECOND, from),
                            store_time_param(from_us + n * step_us, to), metric};
    PGresult *r = NULL;
    memset(ret, 0, (size_t)n * sizeof(*ret));
    int rc = store_query(c,
                         "select extract(epoch from at)::bigint"
                         " from azekura.load_rows($1::integer, $2::timestamptz, $3::timestamptz)"
                         " where mean[$4::integer] is not null",
                         4, values, &r, err);
    if (rc < 0)
        return rc;
    for (int row = 0; row < PQntuples(r); row++) {
        int64_t begin_us = store_number(r, row, 0) * US_PER_SECOND - from_us;
        int64_t last = MIN((begin_us + ring_us - 1) / step_us, n - 1);
        for (int64_t i = MAX(begin_us, INT64_C(0)) / step_us; i <= last; i++)
            ret[i] = true;
    }
    PQclear(r);
    return 0;
}

/* ---- the server ---- */

const char *const load_daemons[LOAD_DAEMONS] = {"receiver", "web", "keeper"};

static int read_daemons(PGconn *c, struct load_server *s, struct err *err)
{
    PGresult *r = NULL;
    int rc = store_query(c,
                         "select daemon, pid, boot, started from azekura.daemon"
                         " where stopped_at is null",
                         0, NULL, &r, err);
    if (rc < 0)
        return rc;
    for (int row = 0; row < PQntuples(r); row++) {
        for (int d = 0; d < LOAD_DAEMONS; d++) {
            if (strcmp(PQgetvalue(r, row, 0), load_daemons[d]) != 0)
                continue;
            s->daemons[d].pid = (int32_t)store_number(r, row, 1);
            snprintf(s->daemons[d].boot, sizeof(s->daemons[d].boot), "%s", PQgetvalue(r, row, 2));
            s->daemons[d].started = store_number(r, row, 3);
        }
    }
    PQclear(r);
    return 0;
}

int load_read_server(PGconn *c, struct load_server *ret, struct err *err)
{
    PGresult *r = NULL;
    int rc = store_query(
        c,
        "select azekura.server_pid(), f.device, d.xact_commit, d.blks_hit, d.blks_read,"
        " pg_current_wal_insert_lsn() - '0/0'::pg_lsn,"
        " (select sum(numbackends) from pg_stat_database)"
        " from azekura.file_system() f, pg_stat_database d where d.datname = current_database()",
        0, NULL, &r, err);
    if (rc < 0)
        return rc;
    *ret = (struct load_server){0};
    if (PQntuples(r) == 1) {
        ret->server_pid = (int32_t)store_number(r, 0, 0);
        snprintf(ret->device, sizeof(ret->device), "%s", PQgetvalue(r, 0, 1));
        ret->commits = store_number(r, 0, 2);
        ret->blocks_hit = store_number(r, 0, 3);
        ret->blocks_read = store_number(r, 0, 4);
        ret->wal_bytes = store_number(r, 0, 5);
        ret->connections = store_number(r, 0, 6);
    }
    PQclear(r);
    return read_daemons(c, ret, err);
}
