/* Order statistics over a sorted copy, moments in one numerically stable pass, and the search for
 * the knee. */
#include "bench/stats.h"

#include <math.h>

double stats_mean(const double *x, size_t n)
{
    long double sum = 0;
    size_t samples = 0;
    for (size_t i = 0; i < n; i++)
        if (!isnan(x[i])) {
            sum += x[i];
            samples++;
        }
    return samples > 0 ? (double)(sum / (long double)samples) : NAN;
}

double stats_max(const double *x, size_t n)
{
    double max = NAN;
    for (size_t i = 0; i < n; i++)
        max = fmax(max, x[i]);
    return max;
}

double stats_min(const double *x, size_t n)
{
    double min = NAN;
    for (size_t i = 0; i < n; i++)
        min = fmin(min, x[i]);
    return min;
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* What is no NAN; the caller owns it. */
static double *sorted_copy(const double *x, size_t n, size_t *ret_n)
{
    double *copy = xcalloc(n + 1, sizeof(*copy));
    size_t samples = 0;
    for (size_t i = 0; i < n; i++)
        if (!isnan(x[i]))
            copy[samples++] = x[i];
    qsort(copy, samples, sizeof(*copy), compare);
    *ret_n = samples;
    return copy;
}

double stats_percentile(const double *x, size_t n, double p)
{
    double *s = sorted_copy(x, n, &n), value = NAN;
    if (n > 0 && !isnan(p)) {
        double rank = fmin(fmax(p, 0), 100) / 100 * (double)(n - 1);
        size_t below = (size_t)rank;
        size_t above = MIN(below + 1, n - 1);
        value = s[below] + (rank - (double)below) * (s[above] - s[below]);
    }
    free(s);
    return value;
}

double stats_median(const double *x, size_t n)
{
    return stats_percentile(x, n, 50);
}

double stats_mad(const double *x, size_t n)
{
    double median = stats_median(x, n);
    double *away = xcalloc(n + 1, sizeof(*away));
    for (size_t i = 0; i < n; i++)
        away[i] = fabs(x[i] - median);
    double mad = stats_median(away, n);
    free(away);
    return mad;
}

double stats_deviation(const double *x, size_t n)
{
    /* long double: the differences of samples that are large and close keep their digits */
    long double mean = 0, squares = 0;
    size_t samples = 0;
    for (size_t i = 0; i < n; i++) {
        if (isnan(x[i]))
            continue;
        long double from_old = x[i] - mean;
        mean += from_old / (long double)++samples;
        squares += from_old * (x[i] - mean);
    }
    if (samples == 0)
        return NAN;
    return samples > 1 ? (double)sqrtl(squares / (long double)(samples - 1)) : 0;
}

bool stats_within_noise(const double *a, size_t a_n, const double *b, size_t b_n)
{
    double noise = fmax(stats_mad(a, a_n), stats_mad(b, b_n));
    /* false where one has no sample: comparisons with NAN are */
    return fabs(stats_median(a, a_n) - stats_median(b, b_n)) < 2 * noise;
}

void bisect_init(struct bisect *b, double start, double min, double max, double precision)
{
    CHECK(min > 0 && max >= min && isfinite(max));
    *b = (struct bisect){.high = INFINITY,
                         .precision = fmax(precision, BISECT_PRECISION_MIN),
                         .max = max,
                         .min = min,
                         .start = fmin(fmax(start, min), max)};
}

double bisect_next(const struct bisect *b)
{
    if (b->low >= b->max || b->high <= b->min)
        return 0;
    if (b->low == 0)
        return isinf(b->high) ? b->start : fmax(b->high / 2, b->min);
    if (isinf(b->high))
        return fmin(b->low * 2, b->max);
    return b->high <= b->low * (1 + b->precision) ? 0 : b->low + (b->high - b->low) / 2;
}

static void add_pass(struct bisect *b, double rate)
{
    if (b->passes_n == ARRAY_LEN(b->passes)) { /* the lowest is of least use */
        memmove(b->passes, b->passes + 1, sizeof(b->passes) - sizeof(b->passes[0]));
        b->passes_n--;
    }
    b->passes[b->passes_n++] = rate;
}

void bisect_tell(struct bisect *b, double rate, bool passed)
{
    if (passed) {
        if (rate > b->low && rate < b->high)
            add_pass(b, rate);
    } else if (rate < b->high) {
        b->high = rate;
        while (b->passes_n > 0 && b->passes[b->passes_n - 1] >= rate)
            b->passes_n--;
    }
    b->low = b->passes_n > 0 ? b->passes[b->passes_n - 1] : 0;
}
