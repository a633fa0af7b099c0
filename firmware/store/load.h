/* The load of the box in the database: rings of samples (sql/migrations/0007_load.sql), mean and
 * maximum by every step, in bounded space.  The keeper adds, the web reads. */
#ifndef AZEKURA_STORE_LOAD_H
#define AZEKURA_STORE_LOAD_H

#include "base/clock.h"
#include "store/connection.h"

enum load_metric {
#define METRIC(symbol, name, unit) LOAD_##symbol,
#include "store/load_metric.def"
#undef METRIC
    LOAD_METRICS,
};

struct load_metric_type {
    const char *name, *unit;
};
extern const struct load_metric_type load_metrics[LOAD_METRICS];
/* -1 when there is none of that name. */
int load_metric_of(struct view name);

#define LOAD_BEAT_S 5 /* seconds of one sample */
/* Keep a sample, NAN where a value is not known.  `at_us`: when its five seconds began. */
MUST_USE int load_add(PGconn *c, int64_t at_us, const float values[LOAD_METRICS], struct err *err);

/* ---- reading ---- */

/* Rings and what a request is made of: pure. */
#define LOAD_POINTS_MAX 2000
#define LOAD_POINTS_DEFAULT 1000
#define LOAD_ROWS_MAX 24000 /* of a ring that one answer is made of: bounds its memory and time */
struct load_plan {
    int64_t from_us, step_us; /* whole steps since the epoch */
    int n;                    /* points */
    int ring_s;               /* the step of the ring they are made of */
};
/* From `from` to `to`, both widened to whole steps.  step_s 0: the shortest that gives no more than
 * LOAD_POINTS_DEFAULT points and is still kept for `from`.  0, or -EINVAL and *err (field "step").
 */
MUST_USE int load_plan(int64_t from_us, int64_t to_us, int64_t step_s, int64_t now_us,
                       struct load_plan *ret, struct err *err);

/* mean[m * n + i] and max[…]: metric m of `metrics` at point i; NAN where nothing is known. */
MUST_USE int load_read(PGconn *c, const struct load_plan *plan, const enum load_metric *metrics,
                       int metrics_n, double *ret_mean, double *ret_max, struct err *err);

/* ret[i]: a sample shows the receiver running in some part of step i, counted from from_us on.
 * `step_us`: whole seconds.  Where neither box nor keeper ran there is no sample. */
MUST_USE int load_read_receiving(PGconn *c, int64_t from_us, int64_t step_us, int n, bool *ret,
                                 struct err *err);

/* ---- what the keeper asks the server for a sample ---- */

#define LOAD_DAEMONS 3
extern const char *const load_daemons[LOAD_DAEMONS]; /* receiver, web, keeper */
struct load_server {
    int32_t server_pid; /* of the postmaster */
    char device[32];    /* "major:minor" of the database's file system; "" when it is none */
    int64_t commits, blocks_hit, blocks_read, wal_bytes; /* counted up */
    int64_t connections;
    struct load_daemon {
        int32_t pid; /* 0: it does not run */
        char boot[64];
        int64_t started; /* clock ticks since that boot */
    } daemons[LOAD_DAEMONS];
};
MUST_USE int load_read_server(PGconn *c, struct load_server *ret, struct err *err);

#endif
