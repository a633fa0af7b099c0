/* The pool of connections.  Idle connections stand in a stack, so that the one used last, whose
 * server process has its catalogue cached, is used first. */
#include "web/pool.h"

#include <poll.h>
#include <pthread.h>
#include <time.h>

#include "base/clock.h"
#include "store/search.h"
#include "config/log.h"

#define POOL_LIMIT 64

struct pool {
    pthread_mutex_t lock;
    pthread_cond_t given; /* on the monotonic clock */
    char *conninfo;
    int max;
    int taken; /* lent, or being connected */
    PGconn *idle[POOL_LIMIT];
    int idle_n;
    int64_t timeout_ms;
    struct backoff backoff;
    int64_t next_try_mono_us; /* 0: try at once */
    struct err away;          /* why, while next_try_mono_us is set */
};

struct pool *pool_new(const char *conninfo, int max)
{
    CHECK(max >= 1 && max <= POOL_LIMIT);
    struct pool *p = xcalloc(1, sizeof(*p));
    pthread_condattr_t attr;
    CHECK(pthread_mutex_init(&p->lock, NULL) == 0 && pthread_condattr_init(&attr) == 0);
    CHECK(pthread_condattr_setclock(&attr, CLOCK_MONOTONIC) == 0);
    CHECK(pthread_cond_init(&p->given, &attr) == 0);
    pthread_condattr_destroy(&attr);
    p->conninfo = xstrdup(conninfo);
    p->max = max;
    return p;
}

void pool_free(struct pool **pp)
{
    struct pool *p = *pp;
    if (!p)
        return;
    *pp = NULL;
    CHECK(p->taken == 0);
    for (int i = 0; i < p->idle_n; i++)
        PQfinish(p->idle[i]);
    pthread_cond_destroy(&p->given);
    pthread_mutex_destroy(&p->lock);
    free(p->conninfo);
    free(p);
}

void pool_set_timeout(struct pool *p, int64_t timeout_ms)
{
    pthread_mutex_lock(&p->lock);
    p->timeout_ms = timeout_ms;
    pthread_mutex_unlock(&p->lock);
}

/* An idle connection has nothing to say, unless the server has closed it. */
static bool is_alive(PGconn *c)
{
    struct pollfd fd = {.fd = PQsocket(c), .events = POLLIN};
    if (poll(&fd, 1, 0) == 0)
        return true;
    return PQconsumeInput(c) && PQstatus(c) == CONNECTION_OK;
}

/* With the lock held: note that the database is away, and when to try again. */
static void went_away(struct pool *p, const struct err *err)
{
    if (p->next_try_mono_us == 0)
        log_line(LOG_WARNING, "%s; pages and log-in wait, trying again", err->message);
    p->away = *err;
    p->next_try_mono_us = clock_mono_us() + backoff_next_us(&p->backoff);
}

/* Without the lock; `taken` counts us already. */
static int open_one(struct pool *p, int64_t timeout_ms, PGconn **ret, struct err *err)
{
    PGconn *c = NULL;
    struct err why = {0};
    int rc = store_connect(p->conninfo, "azekura_web", "azekura-web", &c, &why);
    if (rc == 0) {
        rc = search_set_timeout(c, timeout_ms, &why);
        if (rc < 0)
            PQfinish(c);
    }
    pthread_mutex_lock(&p->lock);
    if (rc == 0) {
        if (p->next_try_mono_us != 0)
            log_line(LOG_INFO, "the database is back");
        p->next_try_mono_us = 0;
        p->backoff.failures = 0;
        *ret = c;
    } else {
        went_away(p, &why);
        *err = why;
        p->taken--;
        pthread_cond_signal(&p->given);
    }
    pthread_mutex_unlock(&p->lock);
    return rc;
}

/* With the lock held: wait for an idle connection or the right to open one. */
static int wait_turn(struct pool *p, int64_t wait_us, struct err *err)
{
    int64_t until = clock_mono_us() + wait_us;
    struct timespec at = {.tv_sec = until / US_PER_SECOND, .tv_nsec = until % US_PER_SECOND * 1000};
    while (p->taken == p->max) {
        if (pthread_cond_timedwait(&p->given, &p->lock, &at) == ETIMEDOUT && p->taken == p->max)
            return err_set(err, EAGAIN, "busy",
                           "all %d connections to the database are in use; try again", p->max);
    }
    return 0;
}

int pool_take(struct pool *p, int64_t wait_us, PGconn **ret, struct err *err)
{
    struct err why = {0};
    pthread_mutex_lock(&p->lock);
    int rc = wait_turn(p, wait_us, &why);
    if (rc < 0) {
        pthread_mutex_unlock(&p->lock);
        *err = why;
        return rc;
    }
    while (p->idle_n > 0) {
        PGconn *c = p->idle[--p->idle_n];
        if (is_alive(c)) {
            p->taken++;
            pthread_mutex_unlock(&p->lock);
            *ret = c;
            return 0;
        }
        PQfinish(c);
    }
    if (p->next_try_mono_us > clock_mono_us()) {
        *err = p->away;
        pthread_mutex_unlock(&p->lock);
        return strcmp(err->code, "database_refuses") == 0 ? -EACCES : -EAGAIN;
    }
    /* the others need not try while this one does */
    if (p->next_try_mono_us != 0)
        p->next_try_mono_us = clock_mono_us() + US_PER_SECOND;
    p->taken++;
    int64_t timeout_ms = p->timeout_ms;
    pthread_mutex_unlock(&p->lock);
    return open_one(p, timeout_ms, ret, err);
}

void pool_give(struct pool *p, PGconn *c)
{
    if (PQstatus(c) != CONNECTION_OK || PQtransactionStatus(c) != PQTRANS_IDLE) {
        PQfinish(c);
        c = NULL;
    }
    pthread_mutex_lock(&p->lock);
    p->taken--;
    if (c)
        p->idle[p->idle_n++] = c;
    pthread_cond_signal(&p->given);
    pthread_mutex_unlock(&p->lock);
}
