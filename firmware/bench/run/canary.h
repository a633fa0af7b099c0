/* The delay from sending to findable, by canaries: some messages a second that are looked for.
 * canary_found() is called by the target's watching thread; the rest by the trial's. */
#ifndef AZEKURA_BENCH_CANARY_H
#define AZEKURA_BENCH_CANARY_H

#include "bench/load/load.h"

struct canary;

/* For numbers 0…max-1. */
struct canary *canary_new(int64_t max);
void canary_free(struct canary **pc);
/* A target_found_fn; the first finding of a number counts, numbers beyond are ignored. */
void canary_found(void *context, int64_t number, int64_t mono_ns);

/* Delays of what was found since the last call, in microseconds from the moment it was due; *ret is
 * to be freed, NULL when there is none.  Canaries that `load` did not send are ignored. */
size_t canary_take(struct canary *c, const struct load *load, double **ret);

struct canary_result {
    int64_t n, lost;      /* found; sent and not found */
    double p50, p99, max; /* microseconds; NAN without any */
};
/* Over all that were taken. */
void canary_result(struct canary *c, const struct load *load, struct canary_result *ret);

#endif
