/* Searches while a target receives, as users make them: threads of their own, each asks, waits for
 * the whole answer and asks again. */
#ifndef AZEKURA_BENCH_SEARCHER_H
#define AZEKURA_BENCH_SEARCHER_H

#include "bench/target/target.h"

#define SEARCHER_THREADS_MAX 64

struct searcher;

struct searcher_result {
    int64_t n, errors;             /* answers; questions without one */
    double p50_ms, p99_ms, max_ms; /* NAN without any */
    char error[256];               /* the first one's */
};

/* `threads` begin to search.  NULL and *err when the target cannot be searched. */
struct searcher *searcher_start(struct target *t, int64_t threads, struct err *err);
/* End them after the question in hand; frees. */
void searcher_stop(struct searcher **ps, struct searcher_result *ret);

#endif
