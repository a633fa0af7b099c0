/* The thread that samples: on every fifth second of the clock it asks the database what only that
 * knows, reads /proc, and puts the sample into a queue that goes to the database when it is there.
 */
#include "keeper/load.h"

#include <poll.h>
#include <pthread.h>
#include <unistd.h>

#include "config/log.h"
#include "store/event.h"

#define BEAT_US (LOAD_BEAT_S * US_PER_SECOND)
#define PATIENCE_MS 2000            /* shorter than a beat */
#define STEP_MIN_US (US_PER_SECOND) /* between two clocks: more is a step of one */

struct load {
    const struct config *config;
    int stop_fd;
    pthread_t thread;
    PGconn *db; /* NULL: away */
    struct backoff backoff;
    int64_t connect_mono_us; /* not before */
    bool is_reported;        /* the database knows that the keeper runs */
    struct log_limit failures;
    struct load_counters before;
    int64_t last_tick_us, last_mono_us;
    struct load_waiting waiting;
};

/* ---- what the rule tells ---- */

static pthread_mutex_t storage_lock = PTHREAD_MUTEX_INITIALIZER;
static struct load_storage storage; /* both under storage_lock */
static int64_t storage_mono_us;     /* when told; 0: never */

void load_tell_storage(const struct load_storage *s)
{
    pthread_mutex_lock(&storage_lock);
    storage = *s;
    storage_mono_us = clock_mono_us();
    pthread_mutex_unlock(&storage_lock);
}

static bool known_storage(struct load_storage *ret)
{
    pthread_mutex_lock(&storage_lock);
    *ret = storage;
    bool is_known = storage_mono_us != 0 &&
                    clock_mono_us() - storage_mono_us <= LOAD_STORAGE_AGE_MAX_US;
    pthread_mutex_unlock(&storage_lock);
    return is_known;
}

/* ---- pure parts ---- */

int load_slots(int64_t last_tick_us, int64_t tick_us, int64_t mono_us, int64_t ret[LOAD_SLOTS_MAX])
{
    int64_t n = 1;
    if (last_tick_us != TIME_NONE) {
        int64_t wall_us = tick_us - last_tick_us, off_us = wall_us - mono_us;
        /* a tick is noticed up to a beat late, so the two may differ by that */
        bool is_steady = off_us > -BEAT_US - STEP_MIN_US && off_us < BEAT_US + STEP_MIN_US;
        if (is_steady && wall_us / BEAT_US > 1 && wall_us / BEAT_US <= LOAD_SLOTS_MAX)
            n = wall_us / BEAT_US;
    }
    for (int64_t i = 0; i < n; i++)
        ret[i] = tick_us - (n - i) * BEAT_US;
    return (int)n;
}

void load_waiting_add(struct load_waiting *w, int64_t at_us, const float values[LOAD_METRICS])
{
    if (w->n == LOAD_WAITING_MAX)
        load_waiting_drop(w);
    struct load_waiting_sample *s = &w->samples[(w->first + w->n++) % LOAD_WAITING_MAX];
    s->at_us = at_us;
    memcpy(s->values, values, sizeof(s->values));
}

const struct load_waiting_sample *load_waiting_first(const struct load_waiting *w)
{
    return w->n > 0 ? &w->samples[w->first] : NULL;
}

void load_waiting_drop(struct load_waiting *w)
{
    w->first = (w->first + 1) % LOAD_WAITING_MAX;
    w->n--;
}

/* ---- the database ---- */

static void failed(struct load *l, const char *what, const struct err *err)
{
    uint64_t times;
    if (log_limit_due(&l->failures, clock_mono_us(), &times))
        log_line(LOG_WARNING, "%s failed (%llu times), %zu samples of the load wait: %s", what,
                 (unsigned long long)times, l->waiting.n, err->message);
    /* after a time-out it is in the middle of a statement */
    if (PQstatus(l->db) != CONNECTION_OK || PQtransactionStatus(l->db) != PQTRANS_IDLE) {
        PQfinish(l->db);
        l->db = NULL;
        l->connect_mono_us = clock_mono_us() + backoff_next_us(&l->backoff);
    }
}

static void connect_when_due(struct load *l)
{
    struct err err;
    if (l->db || clock_mono_us() < l->connect_mono_us)
        return;
    if (store_connect(l->config->database, "azekura_keeper", "azekura-keeper load", &l->db, &err) <
        0) {
        l->db = NULL; /* keeper_run() says so */
        l->connect_mono_us = clock_mono_us() + backoff_next_us(&l->backoff);
        return;
    }
    l->backoff.failures = 0;
    store_set_patience(l->db, PATIENCE_MS);
}

static void report(struct load *l)
{
    struct err err;
    if (!l->db || l->is_reported)
        return;
    l->is_reported = event_daemon_started(l->db, "keeper", &err) == 0;
    if (!l->is_reported)
        failed(l, "saying that the keeper runs", &err);
}

static void store_waiting(struct load *l)
{
    const struct load_waiting_sample *s;
    while (l->db && (s = load_waiting_first(&l->waiting))) {
        struct err err;
        int rc = load_add(l->db, s->at_us, s->values, &err);
        if (rc < 0)
            failed(l, "storing the load", &err);
        if (rc < 0 && rc != -EINVAL) /* a sample that is refused would be refused for ever */
            return;
        load_waiting_drop(&l->waiting);
    }
}

/* ---- the beat ---- */

static void sample(struct load *l, int64_t tick_us)
{
    struct load_counters now;
    struct load_server server;
    struct load_storage told;
    struct err err;
    bool has_server = l->db != NULL;
    if (has_server && load_read_server(l->db, &server, &err) < 0) {
        has_server = false;
        failed(l, "asking the database for its load", &err);
    }
    load_counters_read("/proc", "/sys", has_server ? &server : NULL, &l->before, &now);
    float values[LOAD_METRICS];
    load_values(&l->before, &now, known_storage(&told) ? &told : NULL, sysconf(_SC_CLK_TCK),
                values);
    int64_t slots[LOAD_SLOTS_MAX];
    int n = load_slots(l->last_tick_us, tick_us, now.mono_us - l->last_mono_us, slots);
    for (int i = 0; i < n; i++)
        load_waiting_add(&l->waiting, slots[i], values);
    l->before = now;
    l->last_tick_us = tick_us;
    l->last_mono_us = now.mono_us;
}

/* Wait for the next whole beat of the wall clock; false when told to stop. */
static bool wait_for_beat(int stop_fd, int64_t *ret_tick_us)
{
    struct pollfd stop = {.fd = stop_fd, .events = POLLIN};
    int64_t now_us = clock_wall_us();
    int64_t next_us = now_us - now_us % BEAT_US + BEAT_US;
    int left_ms = (int)((next_us - now_us) / 1000) + 1;
    if (poll(&stop, 1, left_ms) > 0)
        return false;
    now_us = clock_wall_us();
    *ret_tick_us = now_us - now_us % BEAT_US;
    return true;
}

static void *run(void *context)
{
    struct load *l = context;
    int64_t tick_us;
    connect_when_due(l);
    report(l);
    while (wait_for_beat(l->stop_fd, &tick_us)) {
        if (tick_us == l->last_tick_us)
            continue;
        sample(l, tick_us);
        connect_when_due(l);
        report(l);
        store_waiting(l);
    }
    struct err err;
    if (l->db && event_daemon_stopped(l->db, "keeper", &err) < 0)
        log_line(LOG_WARNING, "cannot say in the database that the keeper stops: %s", err.message);
    PQfinish(l->db);
    return NULL;
}

struct load *load_start(const struct config *config, int stop_fd)
{
    struct load *l = xcalloc(1, sizeof(*l));
    l->config = config;
    l->stop_fd = stop_fd;
    l->last_tick_us = TIME_NONE;
    CHECK(pthread_create(&l->thread, NULL, run, l) == 0);
    return l;
}

void load_join(struct load **pl)
{
    struct load *l = *pl;
    *pl = NULL;
    pthread_join(l->thread, NULL);
    free(l);
}
