/* What a run will do, in order: every repetition of every test on every target.  Pure.
 *
 * Two targets are never measured in the same order twice in a row: A B, B A, A B …, so that a
 * machine that grows slower does so for both.  A test that searches (knee) is made once; where it
 * is a target's first, the warm-up is one trial at the rate that it begins with. */
#ifndef AZEKURA_BENCH_PLAN_H
#define AZEKURA_BENCH_PLAN_H

#include "bench/run/profile.h"

#define PLAN_TARGETS_MAX 16
/* A trial that sends as fast as it can is expected to reach this, for the disk. */
#define PLAN_UNLIMITED_RATE 400000.0

struct plan_step {
    int run; /* 0: warm-up */
    size_t test, target;
    double seconds;         /* expected, all told */
    double messages, bytes; /* expected at most; bytes on the disk of the target */
};

struct plan {
    struct plan_step *steps; /* owned */
    size_t n;
    double seconds, messages, bytes; /* of all; bytes: at most at one time on this machine */
};

/* `targets`: their names. */
void plan_make(const struct profile *p, const char *const *targets, size_t targets_n,
               struct plan *ret);
void plan_free(struct plan *p);
/* The search whose answer a later test's rate is a part of: it is no result of its own. */
bool plan_is_calibration(const struct profile *p, size_t test);
/* How long a warm-up trial of the test sends. */
double plan_warm_up_s(const struct profile_test *t);
/* Of one message, with what the target's own store adds. */
double plan_bytes_a_message(const char *target, const struct profile_test *t);

#endif
