/* Threads that search as users do: a rare word, an address, a severity, a device, a page of all. */
#include "bench/run/searcher.h"

#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

#include "bench/stats.h"

#define ANSWERS_MAX 1000000 /* kept for the percentiles: eight megabytes; more are only counted */
#define SPAN_S 900          /* how far back they look: longer than a trial of the profile */

/* What an administrator types, over the mix of mix.c: found often, seldom, never. */
static const char *const queries[] = {
    "\"Failed password\"", "severity:<=err",    "app_name:sshd user", "10.1.2.3", "",
    "UPDOWN -up",          "hostname:fw* deny", "nosuchwordanywhere",
};

struct searcher {
    struct target *target;
    pthread_t threads[SEARCHER_THREADS_MAX];
    int64_t threads_n;
    atomic_bool stop;
    atomic_int next;      /* threads begin at different questions */
    pthread_mutex_t lock; /* for the rest */
    double *ms;
    size_t ms_n;
    int64_t n, errors;
    char error[256];
};

static void keep(struct searcher *s, int rc, int64_t us, const struct err *err)
{
    pthread_mutex_lock(&s->lock);
    if (rc < 0) {
        if (s->errors++ == 0)
            snprintf(s->error, sizeof(s->error), "%.255s", err->message);
    } else {
        s->n++;
        if (s->ms_n < ANSWERS_MAX)
            s->ms[s->ms_n++] = (double)us / 1000;
    }
    pthread_mutex_unlock(&s->lock);
}

static void *search_main(void *context)
{
    struct searcher *s = context;
    size_t i = (size_t)atomic_fetch_add(&s->next, 1) * 3;
    for (; !atomic_load(&s->stop); i++) {
        int64_t us = 0, n = 0;
        struct err err;
        int rc = target_search(s->target, queries[i % ARRAY_LEN(queries)], SPAN_S, &us, &n, &err);
        keep(s, rc, us, &err);
        if (rc < 0) /* a refusal at once must not become a loop without a rest */
            nanosleep(&(struct timespec){.tv_nsec = 100000000}, NULL);
    }
    return NULL;
}

struct searcher *searcher_start(struct target *t, int64_t threads, struct err *err)
{
    if (!target_facts(t)->is_searchable) {
        err_set(err, ENOTSUP, "not_searchable", "%s cannot be searched", target_facts(t)->name);
        return NULL;
    }
    struct searcher *s = xcalloc(1, sizeof(*s));
    s->target = t;
    s->ms = xcalloc(ANSWERS_MAX, sizeof(*s->ms));
    pthread_mutex_init(&s->lock, NULL);
    for (; s->threads_n < MIN(threads, SEARCHER_THREADS_MAX); s->threads_n++) {
        int rc = pthread_create(&s->threads[s->threads_n], NULL, search_main, s);
        if (rc != 0) {
            struct searcher_result ignored;
            err_set(err, rc, "no_thread", "cannot start a thread that searches: %s", strerror(rc));
            searcher_stop(&s, &ignored);
            return NULL;
        }
    }
    return s;
}

void searcher_stop(struct searcher **ps, struct searcher_result *ret)
{
    struct searcher *s = *ps;
    *ps = NULL;
    atomic_store(&s->stop, true);
    for (int64_t i = 0; i < s->threads_n; i++)
        pthread_join(s->threads[i], NULL);
    *ret = (struct searcher_result){
        .n = s->n,
        .errors = s->errors,
        .p50_ms = stats_percentile(s->ms, s->ms_n, 50),
        .p99_ms = stats_percentile(s->ms, s->ms_n, 99),
        .max_ms = stats_max(s->ms, s->ms_n),
    };
    snprintf(ret->error, sizeof(ret->error), "%s", s->error);
    pthread_mutex_destroy(&s->lock);
    free(s->ms);
    free(s);
}
