/* The knee: the highest rate that passes, by bisection (stats.h) of short trials; a long one
 * confirms. Pure: it says which rate is to be tried and is told what came of it.
 *
 *     short trials at rates of the bisection ─▶ long trial at the answer ─▶ passed: done
 *                                                       └ failed: a step lower, again
 * (KNEE_LOWER_MAX) */
#ifndef AZEKURA_BENCH_KNEE_H
#define AZEKURA_BENCH_KNEE_H

#include "bench/run/profile.h"
#include "bench/stats.h"

#define KNEE_TOLERANT_PERCENT 0.01 /* "99.99 %" */
#define KNEE_POINTS_MAX 64
#define KNEE_LOWER_MAX 5
#define KNEE_RETRIES_MAX 2 /* of a rate whose trial was not valid */

struct knee_point {
    double rate, loss_percent;
    int trial;
    bool is_held; /* the rate was reached */
    bool is_long;
};

struct knee {
    struct bisect lossless, tolerant;
    struct knee_point points[KNEE_POINTS_MAX];
    size_t points_n;
    enum { KNEE_LOSSLESS, KNEE_TOLERANT, KNEE_CONFIRM, KNEE_DONE } phase;
    double step;      /* factor of one step lower */
    double answer;    /* to be confirmed or confirmed; 0: nothing passes */
    int answer_trial; /* of the long trial; 0: none */
    int lower_n, retries_n;
};

void knee_init(struct knee *k, const struct profile_test *t);
/* The next rate, *is_long whether it is the confirming trial; 0 when the search is over. */
double knee_next(struct knee *k, bool *is_long);
/* What came of it.  A trial that is not valid is repeated, KNEE_RETRIES_MAX times. */
void knee_tell(struct knee *k, const struct knee_point *point, bool is_valid);
/* At most so many trials more, of the short kind (for the time left). */
int knee_most_left(const struct knee *k);
/* The highest rates that passed: 0 when none did. */
double knee_lossless(const struct knee *k);
double knee_tolerant(const struct knee *k);

#endif
