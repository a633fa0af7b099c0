/* The search for the highest rate without loss. */
#include "bench/run/knee.h"

#include <math.h>

static bool passes(const struct knee_point *p, double most_loss_percent)
{
    return p->is_held && p->loss_percent <= most_loss_percent;
}

void knee_init(struct knee *k, const struct profile_test *t)
{
    double precision = t->precision_percent / 100;
    *k = (struct knee){.step = 1 + precision};
    bisect_init(&k->lossless, t->start_rate, t->min_rate, t->max_rate, precision);
    bisect_init(&k->tolerant, t->start_rate, t->min_rate, t->max_rate, precision);
}

/* The second search knows what the first has seen: only what lies between is tried. */
static void seed_tolerant(struct knee *k)
{
    for (size_t i = 0; i < k->points_n; i++)
        bisect_tell(&k->tolerant, k->points[i].rate, passes(&k->points[i], KNEE_TOLERANT_PERCENT));
}

double knee_next(struct knee *k, bool *is_long)
{
    double rate = 0;
    *is_long = false;
    if (k->points_n == KNEE_POINTS_MAX)
        k->phase = KNEE_DONE;
    if (k->phase == KNEE_LOSSLESS) {
        if ((rate = bisect_next(&k->lossless)) > 0)
            return rate;
        k->phase = KNEE_TOLERANT;
        seed_tolerant(k);
    }
    if (k->phase == KNEE_TOLERANT) {
        if ((rate = bisect_next(&k->tolerant)) > 0)
            return rate;
        k->phase = KNEE_CONFIRM;
        k->answer = k->lossless.low;
    }
    if (k->phase == KNEE_CONFIRM && k->answer > 0) {
        *is_long = true;
        return k->answer;
    }
    k->phase = KNEE_DONE;
    return 0;
}

static void tell_confirm(struct knee *k, const struct knee_point *p)
{
    if (passes(p, 0)) {
        k->answer_trial = p->trial;
        k->phase = KNEE_DONE;
        return;
    }
    k->answer /= k->step;
    if (++k->lower_n > KNEE_LOWER_MAX || k->answer < k->lossless.min) {
        k->answer = 0;
        k->phase = KNEE_DONE;
    }
}

void knee_tell(struct knee *k, const struct knee_point *p, bool is_valid)
{
    if (!is_valid && k->retries_n < KNEE_RETRIES_MAX) {
        k->retries_n++;
        return;
    }
    k->retries_n = 0;
    if (k->points_n < KNEE_POINTS_MAX)
        k->points[k->points_n++] = *p;
    if (k->phase == KNEE_LOSSLESS)
        bisect_tell(&k->lossless, p->rate, passes(p, 0));
    else if (k->phase == KNEE_TOLERANT)
        bisect_tell(&k->tolerant, p->rate, passes(p, KNEE_TOLERANT_PERCENT));
    else if (k->phase == KNEE_CONFIRM)
        tell_confirm(k, p);
}

/* Trials of a bisection that is not bounded above double; then they halve. */
static int trials_left(const struct bisect *b)
{
    double low = MAX(b->low, b->min), high = isfinite(b->high) ? b->high : b->max;
    double width = MAX(high / low - 1, b->precision);
    int halves = (int)ceil(log2(width / b->precision)) + 1;
    return isfinite(b->high) ? halves : (int)ceil(log2(MAX(b->max / low, 2))) + 5;
}

int knee_most_left(const struct knee *k)
{
    switch (k->phase) {
    case KNEE_LOSSLESS:
        return MIN(trials_left(&k->lossless), 12) + 3;
    case KNEE_TOLERANT:
        return MIN(trials_left(&k->tolerant), 6);
    default:
        return 0;
    }
}

double knee_lossless(const struct knee *k)
{
    return k->phase == KNEE_DONE || k->phase == KNEE_CONFIRM ? k->answer : k->lossless.low;
}

double knee_tolerant(const struct knee *k)
{
    return MAX(k->tolerant.low, knee_lossless(k));
}
