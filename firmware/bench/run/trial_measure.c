/* Figures from the seconds of a trial: rates over the window, the rest over all of it. */
#include "bench/run/trial_measure.h"

#include <math.h>

#include "bench/stats.h"

/* The rest of a second at the end says nothing of a second: of some milliseconds one tick of the
 * kernel's clock is a whole core. */
#define PEAK_MIN_S 0.5

void trial_seconds_add(struct trial_seconds *s, const struct trial_second *second)
{
    if (s->n == s->cap) {
        s->cap = s->cap ? 2 * s->cap : 64;
        s->at = xrealloc(s->at, s->cap, sizeof(*s->at));
    }
    s->at[s->n++] = *second;
}

void trial_seconds_free(struct trial_seconds *s)
{
    free(s->at);
    *s = (struct trial_seconds){0};
}

/* Mean, weighed by the length of the seconds, and greatest of a member of `sample`: of those that
 * took at least `peak_min_s`. */
static struct trial_figure figure_of(const struct trial_seconds *s, size_t offset,
                                     double peak_min_s)
{
    struct trial_figure f = {NAN, NAN};
    double sum = 0, weight = 0;
    for (size_t i = 0; i < s->n; i++) {
        double x = *(const double *)(const void *)((const char *)&s->at[i].sample + offset);
        double seconds = s->at[i].sample.seconds;
        if (!isfinite(x) || !(seconds > 0))
            continue;
        sum += x * seconds;
        weight += seconds;
        if (seconds >= peak_min_s && !(x <= f.max))
            f.max = x;
    }
    if (weight > 0)
        f.mean = sum / weight;
    return f;
}

/* What was used in a time, and what is there at a moment. */
#define RATE(member) figure_of(s, offsetof(struct sample, member), PEAK_MIN_S)
#define LEVEL(member) figure_of(s, offsetof(struct sample, member), 0)

/* The rate that was asked for is without the canaries. */
static int64_t sent_of(const struct trial_second *s)
{
    return s->load.sent - s->load.canaries;
}

/* From the end of the warm-up to the end of the sending.  The seconds go on while connections
 * close: what was sent by then was sent by the end. */
static void measure_window(const struct trial_seconds *s, double warm_up_percent, struct trial *t)
{
    const struct trial_second start = {0}, *from = &start, *to = &s->at[s->n - 1];
    for (size_t i = 0; i < s->n; i++)
        if (s->at[i].at_s >= t->duration_s) {
            to = &s->at[i];
            break;
        }
    t->to_s = t->duration_s > 0 ? fmin(to->at_s, t->duration_s) : to->at_s;
    double begin = t->to_s * warm_up_percent / 100;
    for (const struct trial_second *i = s->at; i < to && from->at_s < begin; i++)
        from = i;
    t->from_s = from->at_s;
    double seconds = t->to_s - t->from_s;
    if (seconds > 0) {
        t->offered = (double)(to->load.scheduled - to->load.canaries -
                              (from->load.scheduled - from->load.canaries)) /
                     seconds;
        t->sent = (double)(sent_of(to) - sent_of(from)) / seconds;
    }
}

static void measure_peak(const struct trial_seconds *s, struct trial *t)
{
    const struct trial_second start = {0}, *before = &start;
    t->most_in_a_second = NAN;
    for (size_t i = 0; i < s->n; before = &s->at[i++]) {
        double seconds = s->at[i].at_s - before->at_s;
        double rate = (double)(sent_of(&s->at[i]) - sent_of(before)) / seconds;
        if (seconds >= PEAK_MIN_S && !(rate <= t->most_in_a_second))
            t->most_in_a_second = rate;
    }
}

void trial_measure(const struct trial_seconds *s, double warm_up_percent, struct trial *t)
{
    t->offered = t->sent = t->most_in_a_second = NAN;
    if (s->n > 0) {
        measure_window(s, warm_up_percent, t);
        measure_peak(s, t);
    }
    trial_measure_machine(s, t);
}

void trial_measure_machine(const struct trial_seconds *s, struct trial *t)
{
    t->cpu_syslog = RATE(cpu_syslog);
    t->cpu_database = RATE(cpu_database);
    t->cpu_generator = RATE(cpu_generator);
    t->cpu_host = RATE(cpu_host);
    t->cpu_foreign = RATE(cpu_foreign);
    t->cpu_steal = RATE(cpu_steal);
    t->load1 = LEVEL(load1);
    t->load5 = LEVEL(load5);
    t->load15 = LEVEL(load15);
    t->syslog_bytes = LEVEL(syslog_bytes).max;
    t->database_bytes = LEVEL(database_bytes).max;
}

static double rate_of(int64_t n, double seconds)
{
    return n >= 0 && seconds > 0 ? (double)n / seconds : NAN;
}

void trial_measure_stored(double until_s, struct trial *t)
{
    double seconds = until_s > 0 ? fmax(until_s, t->duration_s) : NAN;
    t->stored = rate_of(t->stages.stored, seconds);
    t->visible = rate_of(t->stages.visible, seconds);
    t->drain_s = fmax(until_s - t->duration_s, 0);
}
