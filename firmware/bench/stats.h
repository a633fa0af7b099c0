/* Statistics of a benchmark: exact, over samples kept in memory.  A sample that is NAN is none; NAN
 * where there is no sample. */
#ifndef AZEKURA_BENCH_STATS_H
#define AZEKURA_BENCH_STATS_H

#include "base/base.h"

double stats_mean(const double *x, size_t n);
double stats_max(const double *x, size_t n);
double stats_min(const double *x, size_t n);
double stats_median(const double *x, size_t n);
/* Median absolute deviation from the median, unscaled. */
double stats_mad(const double *x, size_t n);
/* Linear interpolation between closest ranks (type 7 of Hyndman & Fan 1996); p in 0…100. */
double stats_percentile(const double *x, size_t n, double p);
/* Sample standard deviation (Welford 1962), 0 for one sample. */
double stats_deviation(const double *x, size_t n);
/* Is the difference of two medians within the noise: |a - b| < 2 · max(MAD a, MAD b)? */
bool stats_within_noise(const double *a, size_t a_n, const double *b, size_t b_n);

#define BISECT_PRECISION_MIN 1e-6
#define BISECT_PASSES_MAX 64

/* Search by bisection for the highest load that passes (RFC 2544 §26.1; MLRsearch's loss ratio
 * goals).  Rates in messages/s.
 *
 * Trials are noisy: a rate that has failed stays failed, whatever a higher one does; a rate that
 * has passed and is tried again (a longer last trial) and fails takes its pass back, and the search
 * goes on below it from the next lower rate that passed.  So the answer has passed each of its
 * trials. */
struct bisect {
    double low;       /* passes (0: nothing is known to pass) */
    double high;      /* fails; INFINITY: nothing is known to fail */
    double precision; /* ends when high ≤ low × (1 + precision) */
    double max;       /* never asks for more */
    double min;       /* never asks for less */
    double start;
    double passes[BISECT_PASSES_MAX]; /* rates that passed below `high`, ascending */
    size_t passes_n;
};
/* 0 < min ≤ max; `start` is brought into them, `precision` is at least BISECT_PRECISION_MIN. */
void bisect_init(struct bisect *b, double start, double min, double max, double precision);
/* The next rate to try, or 0 when the search is over; b->low is the answer (0: even min fails). */
double bisect_next(const struct bisect *b);
void bisect_tell(struct bisect *b, double rate, bool passed);

#endif
