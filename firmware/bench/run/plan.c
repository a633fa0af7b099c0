/* The order of trials, and what they will take. */
#include "bench/run/plan.h"

#include <math.h>

/* Beside the sending: connect, drain, read back. */
#define AROUND_S 6.0
#define READ_BACK_RATE 200000.0 /* messages/s */
#define KNEE_TRIALS 14          /* short ones: doubling up, halving between, some for 99.99 % */
#define KNEE_MEAN_OF_MAX 4.0    /* their mean rate lies well under four times the first */

bool plan_is_calibration(const struct profile *p, size_t test)
{
    if (p->tests[test].find != PROFILE_FIND_KNEE)
        return false;
    for (size_t i = test + 1; i < p->tests_n && p->tests[i].find != PROFILE_FIND_KNEE; i++)
        if (p->tests[i].rate_percent > 0)
            return true;
    return false;
}

double plan_warm_up_s(const struct profile_test *t)
{
    return fmin(t->find == PROFILE_FIND_KNEE ? t->short_time_s : t->time_s, 10);
}

double plan_bytes_a_message(const char *target, const struct profile_test *t)
{
    static const struct {
        const char *target;
        double factor, more;
    } stores[] = {
        /* compressed blocks, their log of changes beside them; files keep the line with a time and
         * a name; a row has a header, an index entry and its log of changes */
        {"box", 0.5, 16},
        {"azekura", 0.5, 16},
        {"rsyslog:pgsql", 2, 200},
    };
    double size = t->size > 0 ? (double)t->size : 250;
    for (size_t i = 0; i < ARRAY_LEN(stores); i++)
        if (strcmp(stores[i].target, target) == 0)
            return size * stores[i].factor + stores[i].more;
    return size + 60;
}

static void expect(const struct profile *p, const char *target, struct plan_step *s)
{
    const struct profile_test *t = &p->tests[s->test];
    double rate = t->rates.at[0] > 0 ? t->rates.at[0] : PLAN_UNLIMITED_RATE;
    double time = s->run == 0 ? plan_warm_up_s(t) : t->time_s;
    s->messages = rate * time;
    s->seconds = time + AROUND_S;
    if (t->rate_percent > 0)
        s->messages = PLAN_UNLIMITED_RATE / 8 * time;
    if (t->find == PROFILE_FIND_KNEE && s->run == 0) {
        s->messages = t->start_rate * plan_warm_up_s(t);
        s->seconds = plan_warm_up_s(t) + AROUND_S;
    } else if (t->find == PROFILE_FIND_KNEE) {
        double mean = fmin(t->start_rate * KNEE_MEAN_OF_MAX, t->max_rate);
        s->messages = mean * (KNEE_TRIALS * t->short_time_s + time);
        s->seconds = KNEE_TRIALS * (t->short_time_s + AROUND_S) + time + AROUND_S;
    }
    s->seconds += s->messages / READ_BACK_RATE;
    s->bytes = s->messages * plan_bytes_a_message(target, t);
}

/* Files are emptied between trials; a database goes on. */
static bool is_emptied(const char *target)
{
    return strncmp(target, "azekura", 7) != 0 && strcmp(target, "box") != 0 &&
           strcmp(target, "rsyslog:pgsql") != 0;
}

static void add(const struct profile *p, const char *const *targets, struct plan *ret, int run,
                size_t test, size_t target)
{
    struct plan_step *s = &ret->steps[ret->n];
    if (!profile_test_is_for(&p->tests[test], targets[target]))
        return;
    *s = (struct plan_step){.run = run, .test = test, .target = target};
    expect(p, targets[target], s);
    ret->n++;
}

/* One warm-up trial a target is enough, of the first test that is for it: it fills caches, nothing
 * else is asked of it. */
static void add_warm_ups(const struct profile *p, const char *const *targets, size_t targets_n,
                         struct plan *ret)
{
    for (size_t i = 0; i < targets_n; i++)
        for (size_t test = 0, before = ret->n; test < p->tests_n && ret->n == before; test++)
            add(p, targets, ret, 0, test, i);
}

static void sum(const char *const *targets, size_t targets_n, struct plan *ret)
{
    double most[PLAN_TARGETS_MAX] = {0};
    for (size_t i = 0; i < ret->n; i++) {
        const struct plan_step *s = &ret->steps[i];
        ret->seconds += s->seconds;
        ret->messages += s->messages;
        if (is_emptied(targets[s->target]))
            most[s->target] = fmax(most[s->target], s->bytes);
        else
            most[s->target] += s->bytes;
    }
    for (size_t i = 0; i < targets_n; i++)
        ret->bytes += most[i];
}

void plan_make(const struct profile *p, const char *const *targets, size_t targets_n,
               struct plan *ret)
{
    size_t rounds = (size_t)p->runs + 1, order = 0;
    CHECK(targets_n <= PLAN_TARGETS_MAX);
    *ret =
        (struct plan){.steps = xcalloc(rounds * p->tests_n * targets_n + 1, sizeof(*ret->steps))};
    if (p->warm_up) {
        add_warm_ups(p, targets, targets_n, ret);
        order++;
    }
    for (int run = 1; run <= p->runs; run++)
        for (size_t test = 0; test < p->tests_n; test++) {
            if (run > 1 && p->tests[test].find == PROFILE_FIND_KNEE)
                continue;
            for (size_t i = 0; i < targets_n; i++)
                add(p, targets, ret, run, test, order % 2 ? targets_n - 1 - i : i);
            order++;
        }
    sum(targets, targets_n, ret);
}

void plan_free(struct plan *p)
{
    free(p->steps);
    *p = (struct plan){0};
}
