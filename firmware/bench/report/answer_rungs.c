/* The rows of a profile's matrix, and which trial an answer rests on. */
#include "bench/report/answer.h"

#include <math.h>

#include "bench/facts.h"

double answer_about(double rate)
{
    if (!(rate >= 1000))
        return floor(rate);
    double step = pow(10, floor(log10(rate)) - 2);
    return floor(rate / step + 1e-9) * step;
}

/* What may be said of the rate: the one asked for when 99 % of it was sent, else what was sent. */
static double rate_of(const cJSON *trial)
{
    double asked = facts_number(trial, "load.rate"), sent = facts_number(trial, "rates.sent");
    double seconds = facts_number(trial, "duration_s");
    if (isnan(sent) && seconds > 0)
        sent = facts_number(trial, "stages.sent") / seconds;
    if (asked > 0 && (isnan(sent) || sent >= asked * 0.99))
        return asked;
    return answer_about(sent);
}

static void take(struct rung *r, const cJSON *trial)
{
    double loss = facts_loss_percent(trial), unaccounted;
    if (!r->first)
        r->first = trial;
    if (!facts_is_result(trial))
        return;
    unaccounted = facts_number(trial, "stages.unaccounted");
    if (!isnan(unaccounted) && fabs(unaccounted) > fabs(r->unaccounted))
        r->unaccounted = unaccounted;
    r->duplicated += facts_count(trial, "sequence.duplicated");
    r->sent += facts_count(trial, "stages.sent");
    r->others += facts_count(trial, "stages.others_dropped");
    r->lost += facts_lost(trial);
    /* what is not known is worse than any loss */
    if (!r->worst || isnan(loss) || loss > r->loss_percent) {
        if (r->worst && isnan(r->loss_percent))
            return;
        r->worst = trial;
        r->loss_percent = loss;
        r->rate = rate_of(trial);
    }
}

static int by_rate(const void *a, const void *b)
{
    const struct rung *x = a, *y = b;
    double rx = facts_count(x->first, "load.rate"), ry = facts_count(y->first, "load.rate");
    rx = rx > 0 ? rx : INFINITY;
    ry = ry > 0 ? ry : INFINITY;
    return rx != ry ? (rx > ry) - (rx < ry) : (x->test > y->test) - (x->test < y->test);
}

static int by_test(const void *a, const void *b)
{
    int x = facts_index(*(const cJSON *const *)a, "test"),
        y = facts_index(*(const cJSON *const *)b, "test");
    if (x != y)
        return (x > y) - (x < y);
    x = facts_index(*(const cJSON *const *)a, "number");
    y = facts_index(*(const cJSON *const *)b, "number");
    return (x > y) - (x < y);
}

size_t answer_rungs(const cJSON *report, const char *target, struct rung **ret)
{
    const cJSON *trials = facts_get(report, "trials"), *t;
    size_t n = 0, rungs = 0, all = trials ? (size_t)cJSON_GetArraySize(trials) : 0;
    const cJSON **list = xcalloc(all + 1, sizeof(*list));
    cJSON_ArrayForEach(t, trials)
    {
        if (facts_is(t, "target", target) && facts_index(t, "run") != 0)
            list[n++] = t;
    }
    qsort(list, n, sizeof(*list), by_test);
    struct rung *r = xcalloc(MIN(n, RUNGS_MAX) + 1, sizeof(*r));
    for (size_t i = 0; i < n; i++) {
        int test = facts_index(list[i], "test");
        if (rungs == 0 || r[rungs - 1].test != test) {
            if (rungs == RUNGS_MAX)
                break;
            r[rungs++].test = test;
        }
        take(&r[rungs - 1], list[i]);
    }
    free(list);
    qsort(r, rungs, sizeof(*r), by_rate);
    *ret = r;
    return rungs;
}

static const cJSON *fastest(const cJSON *report, const char *target)
{
    const cJSON *t, *best = NULL;
    cJSON_ArrayForEach(t, facts_get(report, "trials"))
    {
        double rate = facts_stored_rate(t);
        if (facts_is(t, "target", target) && facts_is_result(t) && !isnan(rate) &&
            (!best || rate > facts_stored_rate(best)))
            best = t;
    }
    return best;
}

static const cJSON *of_the_ladder(const cJSON *report, const char *target)
{
    struct rung *r;
    size_t n = answer_rungs(report, target, &r);
    const cJSON *best = n ? r[0].worst : NULL;
    for (size_t i = 0; i < n && r[i].worst && r[i].loss_percent == 0; i++)
        best = r[i].worst;
    free(r);
    return best;
}

const cJSON *answer_trial(const cJSON *report)
{
    const char *target = facts_first_target(report);
    const cJSON *knee;
    cJSON_ArrayForEach(knee, facts_get(report, "knees"))
    {
        const cJSON *t = facts_trial(report, facts_index(knee, "lossless_trial"));
        if (t && facts_is(knee, "target", target))
            return t;
    }
    if (facts_is(report, "profile", "sngbench"))
        return fastest(report, target);
    return of_the_ladder(report, target);
}
