/* What the handlers of one benchmark run share. */
#ifndef AZEKURA_WEB_BENCH_RUNS_H
#define AZEKURA_WEB_BENCH_RUNS_H

#include "web/bench_folder.h"
#include "web/request.h"

/* The folder of the run that the path names: both descriptors are the caller's (bench_runs_close).
 * 0, or negative and *err. */
struct bench_run {
    int root, dir; /* -1: not open */
};
MUST_USE int bench_runs_open(struct request *rq, const char *id, struct bench_run *ret,
                             struct err *err);
void bench_runs_close(struct bench_run *r);

#endif
