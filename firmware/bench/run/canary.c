/* Delays by canaries.  Findings wait in a list under a lock until the trial takes them. */
#include "bench/run/canary.h"

#include <math.h>
#include <pthread.h>

#include "bench/stats.h"

struct finding {
    int64_t number, mono_ns;
};

struct canary {
    pthread_mutex_t lock;
    int64_t max;
    bool *is_found;
    struct finding *waiting; /* not more than max: each number once */
    size_t waiting_n;
    double *delays_us; /* taken */
    size_t delays_n;
};

struct canary *canary_new(int64_t max)
{
    struct canary *c = xcalloc(1, sizeof(*c));
    pthread_mutex_init(&c->lock, NULL);
    c->max = max;
    c->is_found = xcalloc((size_t)max + 1, sizeof(*c->is_found));
    c->waiting = xcalloc((size_t)max + 1, sizeof(*c->waiting));
    c->delays_us = xcalloc((size_t)max + 1, sizeof(*c->delays_us));
    return c;
}

void canary_free(struct canary **pc)
{
    struct canary *c = *pc;
    *pc = NULL;
    if (c == NULL)
        return;
    pthread_mutex_destroy(&c->lock);
    free(c->is_found);
    free(c->waiting);
    free(c->delays_us);
    free(c);
}

void canary_found(void *context, int64_t number, int64_t mono_ns)
{
    struct canary *c = context;
    if (number < 0 || number >= c->max)
        return;
    pthread_mutex_lock(&c->lock);
    if (!c->is_found[number]) {
        c->is_found[number] = true;
        c->waiting[c->waiting_n++] = (struct finding){number, mono_ns};
    }
    pthread_mutex_unlock(&c->lock);
}

size_t canary_take(struct canary *c, const struct load *load, double **ret)
{
    pthread_mutex_lock(&c->lock);
    size_t found = c->waiting_n, n = 0;
    double *us = found ? xcalloc(found, sizeof(*us)) : NULL;
    for (size_t i = 0; i < found; i++) {
        int64_t due = load_canary_due_ns(load, c->waiting[i].number);
        if (due >= 0)
            us[n++] = (double)MAX(c->waiting[i].mono_ns - due, 0) / 1000;
    }
    c->waiting_n = 0;
    pthread_mutex_unlock(&c->lock);
    if (n > 0)
        memcpy(c->delays_us + c->delays_n, us, n * sizeof(*us));
    c->delays_n += n;
    if (n == 0) {
        free(us);
        us = NULL;
    }
    *ret = us;
    return n;
}

void canary_result(struct canary *c, const struct load *load, struct canary_result *ret)
{
    int64_t sent = 0;
    for (int64_t i = 0; i < c->max; i++)
        sent += load_canary_due_ns(load, i) >= 0;
    *ret = (struct canary_result){
        .n = (int64_t)c->delays_n,
        .lost = sent - (int64_t)c->delays_n,
        .p50 = stats_percentile(c->delays_us, c->delays_n, 50),
        .p99 = stats_percentile(c->delays_us, c->delays_n, 99),
        .max = stats_max(c->delays_us, c->delays_n),
    };
}
