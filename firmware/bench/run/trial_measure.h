/* From the seconds of a trial to its figures. */
#ifndef AZEKURA_BENCH_TRIAL_MEASURE_H
#define AZEKURA_BENCH_TRIAL_MEASURE_H

#include "bench/run/trial.h"

struct trial_seconds {
    struct trial_second *at; /* owned */
    size_t n, cap;
};
void trial_seconds_add(struct trial_seconds *s, const struct trial_second *second);
void trial_seconds_free(struct trial_seconds *s);

/* Rates over the window, CPU, load, memory; `time_s`: how long it was to send. */
void trial_measure(const struct trial_seconds *s, double warm_up_percent, struct trial *t);
/* The part of it that is of the machine. */
void trial_measure_machine(const struct trial_seconds *s, struct trial *t);
/* What was stored a second, and the drain: `until_s` after the first message the store had stopped
 * growing.  The drain begins when the sending ends: what the kernel holds by then is stored while
 * connections are closed. */
void trial_measure_stored(double until_s, struct trial *t);

#endif
