/* A load: its options checked, its threads made, started, read and ended. */
#include "bench/load/load.h"

#include <math.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/sysinfo.h>
#include <unistd.h>

#include "bench/load/load_inside.h"

#define ONE_THREAD_RATE                                                      \
    200000.0 /* up to it one thread sends all: two would share a core's work \
              */
#define CANARIES_MAX INT64_C(10000000)

static int out_of_range(struct err *err, const char *field, double value, double min, double max)
{
    return err_set_field(err, EINVAL, "bad_value", field, "%s %.15g is out of %.15g..%.15g", field,
                         value, min, max);
}

static int check_number(struct err *err, const char *field, double value, double min, double max)
{
    return value >= min && value <= max ? 0 : out_of_range(err, field, value, min, max);
}

static int check(const struct load_options *o, struct err *err)
{
    double all = (double)o->connections + (double)o->idle_connections;
    if (check_number(err, "connections", (double)o->connections, 1, LOAD_CONNECTIONS_MAX) < 0 ||
        check_number(err, "idle_connections", (double)o->idle_connections, 0,
                     LOAD_CONNECTIONS_MAX) < 0 ||
        check_number(err, "connections", all, 1, LOAD_CONNECTIONS_MAX) < 0 ||
        check_number(err, "threads", (double)o->threads, 0, LOAD_THREADS_MAX) < 0 ||
        check_number(err, "ports", (double)o->ports_n, 1, LOAD_PORTS_MAX) < 0 ||
        check_number(err, "rate", o->rate, 0, LOAD_RATE_MAX) < 0 ||
        check_number(err, "steps", (double)o->steps_n, 0, LOAD_STEPS_MAX) < 0 ||
        check_number(err, "size", (double)o->size, 0, LOAD_SIZE_MAX) < 0 ||
        check_number(err, "duration", o->duration_s, 0, 366 * 86400.0) < 0 ||
        check_number(err, "number", (double)o->number, 0, 1e18) < 0 ||
        check_number(err, "canary_rate", (double)o->canary_rate, 0, 10000) < 0 ||
        check_number(err, "burst", (double)o->burst_messages, 0, 1e12) < 0)
        return -EINVAL;
    for (size_t i = 0; i < o->steps_n; i++)
        if (check_number(err, "steps", o->steps[i].rate, 0, LOAD_RATE_MAX) < 0 ||
            check_number(err, "steps", o->steps[i].at_s, i ? o->steps[i - 1].at_s : 0, 1e8) < 0)
            return -EINVAL;
    if (o->sources > o->connections)
        return err_set_field(err, EINVAL, "bad_value", "sources",
                             "%lld sources need as many connections, there are %lld",
                             (long long)o->sources, (long long)o->connections);
    return 0;
}

/* A descriptor a connection: raise the soft limit as far as it is allowed. */
static int check_descriptors(const struct load_options *o, struct err *err)
{
    struct rlimit limit;
    rlim_t need = (rlim_t)(o->connections * (o->layout == LOAD_FILE ? 2 : 1) + o->idle_connections +
                           2 * LOAD_THREADS_MAX + 64);
    if (getrlimit(RLIMIT_NOFILE, &limit) < 0 || limit.rlim_cur >= need)
        return 0;
    limit.rlim_cur = MIN(need, limit.rlim_max);
    (void)setrlimit(RLIMIT_NOFILE, &limit);
    if (limit.rlim_cur >= need)
        return 0;
    return err_set_field(err, EMFILE, "bad_value", "connections",
                         "%lld connections need %llu open files, this process may have %llu",
                         (long long)(o->connections + o->idle_connections),
                         (unsigned long long)need, (unsigned long long)limit.rlim_max);
}

static void plan(struct load *l)
{
    const struct load_options *o = &l->o;
    double first = o->steps_n > 0 && o->steps[0].at_s == 0 ? o->steps[0].rate : o->rate;
    schedule_init(&l->schedule, first);
    for (size_t i = 0; i < o->steps_n; i++)
        CHECK(schedule_add(&l->schedule, llround(o->steps[i].at_s * 1e9), o->steps[i].rate) == 0);
    if (o->burst_messages > 0)
        schedule_burst(&l->schedule, o->burst_messages, llround(o->burst_at_s * 1e9));
    schedule_end(&l->schedule, o->number, llround(o->duration_s * 1e9));
    l->has_rate = o->rate > 0 || o->steps_n > 0 || o->burst_messages > 0;
}

static int64_t choose_threads(const struct load_options *o)
{
    double rate = o->rate;
    for (size_t i = 0; i < o->steps_n; i++)
        rate = MAX(rate, o->steps[i].rate);
    bool has_rate = rate > 0 || o->burst_messages > 0;
    int64_t n = o->threads > 0                        ? o->threads
                : has_rate && rate <= ONE_THREAD_RATE ? 1
                                                      : get_nprocs();
    return MIN(MIN(n, o->connections), (int64_t)LOAD_THREADS_MAX);
}

static int make_sender(struct load *l, unsigned i, struct err *err)
{
    struct sender *s = &l->senders[i];
    const struct load_options *o = &l->o;
    int64_t threads = l->threads_n;
    s->load = l;
    s->index = i;
    s->connections_n = (uint32_t)((o->connections + threads - 1 - i) / threads);
    s->idle_n = (uint32_t)((o->idle_connections + threads - 1 - i) / threads);
    s->connections = xcalloc(s->connections_n, sizeof(*s->connections));
    s->idle = s->idle_n ? xcalloc(s->idle_n, sizeof(*s->idle)) : NULL;
    int r = payload_new(o, &l->more, i, (unsigned)threads, &s->payload, err);
    for (uint32_t k = 0; k < s->connections_n; k++) {
        struct sender_connection *c = &s->connections[k];
        c->connection = CONNECTION_INIT;
        c->index = (uint32_t)(i + k * threads);
        /* connections begin at different places of the ring */
        c->at = r == 0 ? (size_t)((uint64_t)k * 1009 % s->payload->n) : 0;
    }
    for (uint32_t k = 0; k < s->idle_n; k++)
        s->idle[k] = CONNECTION_INIT;
    return r;
}

int load_new_more(const struct load_options *o, const struct load_more *more, struct load **ret,
                  struct err *err)
{
    if (check(o, err) < 0 || check_descriptors(o, err) < 0)
        return -EINVAL;
    struct load *l = xcalloc(1, sizeof(*l));
    l->o = *o;
    l->more = *more;
    l->canary.connection = CONNECTION_INIT;
    CHECK(pthread_mutex_init(&l->lock, NULL) == 0 && pthread_cond_init(&l->changed, NULL) == 0);
    plan(l);
    l->threads_n = choose_threads(o);
    l->senders = xcalloc((size_t)l->threads_n, sizeof(*l->senders));
    int r = connections_init(&l->all, &l->o, &l->more, &l->stop, err);
    for (unsigned i = 0; i < l->threads_n && r == 0; i++)
        r = make_sender(l, i, err);
    if (r == 0 && o->canary_rate > 0) {
        double s = o->duration_s > 0 ? o->duration_s : 86400;
        l->canary.max = MIN(CANARIES_MAX, (int64_t)ceil(s * (double)o->canary_rate) + 1);
        l->canary.due_ns = xcalloc((size_t)l->canary.max, sizeof(*l->canary.due_ns));
    }
    if (r < 0)
        load_free(&l);
    else
        *ret = l;
    return r;
}

int load_new(const struct load_options *o, struct load **ret, struct err *err)
{
    static const struct load_more none = {.run_id = -1};
    return load_new_more(o, &none, ret, err);
}

bool load_wait_start(struct load *l, int64_t *ret)
{
    pthread_mutex_lock(&l->lock);
    while (l->phase == LOAD_WAITS && !atomic_load(&l->stop))
        pthread_cond_wait(&l->changed, &l->lock);
    bool is_started = l->phase == LOAD_RUNS;
    pthread_mutex_unlock(&l->lock);
    if (!is_started)
        return false;
    int64_t start = atomic_load(&l->start_ns);
    for (int64_t now; (now = sender_clock_ns()) < start && !atomic_load(&l->stop);)
        sender_sleep_until(MIN(start, now + 100000000));
    *ret = start;
    return true;
}

int load_connect(struct load *l, struct err *err)
{
    int64_t wanted = l->threads_n + (l->o.canary_rate > 0);
    CHECK(!l->is_connected);
    l->is_connected = true;
    /* signals are the caller's; a broken pipe is an error of its connection */
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    for (int64_t i = 0; i < l->threads_n; i++)
        CHECK(pthread_create(&l->senders[i].thread, NULL, sender_main, &l->senders[i]) == 0);
    if (l->o.canary_rate > 0) {
        CHECK(pthread_create(&l->canary.thread, NULL, load_canary_main, l) == 0);
        l->canary.is_started = true;
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    while (atomic_load(&l->ready_threads) < wanted) {
        if (l->o.stop != NULL && *l->o.stop)
            atomic_store(&l->stop, true);
        sender_sleep_until(sender_clock_ns() + 200000);
    }
    if (atomic_load(&l->stop))
        return err_set(err, ECANCELED, "stopped", "it was stopped while it connected");
    for (int64_t i = 0; i < l->threads_n; i++) {
        if (l->senders[i].err.code[0] == 0)
            continue;
        if (err)
            *err = l->senders[i].err;
        return -ENOTCONN;
    }
    return 0;
}

void load_start(struct load *l, int64_t at_mono_us)
{
    atomic_store(&l->start_ns, at_mono_us * 1000);
    pthread_mutex_lock(&l->lock);
    l->phase = LOAD_RUNS;
    pthread_cond_broadcast(&l->changed);
    pthread_mutex_unlock(&l->lock);
}

int load_scale_rate(struct load *l, double factor)
{
    if (!l->has_rate)
        return -EINVAL;
    pthread_mutex_lock(&l->lock);
    /* a little ahead: nobody has asked for a time later than now */
    int64_t at = sender_clock_ns() - atomic_load(&l->start_ns) + 1000000;
    double rate = schedule_rate(&l->schedule, at) * factor;
    rate = MIN(MAX(rate, (double)l->o.connections), (double)LOAD_RATE_MAX);
    int r = schedule_add(&l->schedule, at, rate);
    pthread_mutex_unlock(&l->lock);
    return r;
}

static double lateness_percentile(const struct load *l, double p)
{
    int64_t all = 0, seen = 0;
    for (unsigned b = 0; b < SENDER_LATENESS_BUCKETS; b++)
        for (int64_t i = 0; i < l->threads_n; i++)
            all += atomic_load_explicit(&l->senders[i].lateness[b], memory_order_relaxed);
    for (unsigned b = 0; b < SENDER_LATENESS_BUCKETS && all > 0; b++) {
        for (int64_t i = 0; i < l->threads_n; i++)
            seen += atomic_load_explicit(&l->senders[i].lateness[b], memory_order_relaxed);
        if ((double)seen >= (double)all * p / 100)
            return (double)sender_bucket_ns(b) / 1000;
    }
    return 0;
}

static int64_t ended_ns(const struct load *l)
{
    int64_t last = 0;
    for (int64_t i = 0; i < l->threads_n; i++)
        last = MAX(last, atomic_load(&l->senders[i].ended_ns));
    return last;
}

static int64_t scheduled(struct load *l, int64_t sent)
{
    const struct load_options *o = &l->o;
    if (!l->has_rate)
        return o->number > 0 ? o->number : sent;
    int64_t start = atomic_load(&l->start_ns);
    if (start == 0)
        return 0;
    int64_t stopped = atomic_load(&l->stopped_ns);
    int64_t now = (stopped ? stopped : sender_clock_ns()) - start;
    pthread_mutex_lock(&l->lock);
    int64_t due = schedule_due(&l->schedule, MIN(now, l->schedule.end_ns));
    pthread_mutex_unlock(&l->lock);
    /* the end of a file is the end of the schedule */
    if (o->layout == LOAD_FILE && stopped == 0 && atomic_load(&l->ended_threads) == l->threads_n)
        return sent;
    return MAX(due, sent);
}

void load_read(struct load *l, struct load_totals *ret)
{
    struct load_totals t = {0};
    int64_t blocked = 0, cpu = 0;
    for (int64_t i = 0; i < l->threads_n; i++) {
        struct sender *s = &l->senders[i];
        t.sent += atomic_load(&s->sent);
        t.bytes += atomic_load(&s->bytes);
        t.refused_by_kernel += atomic_load(&s->refused);
        t.errors += atomic_load(&s->errors);
        t.most_behind += atomic_load(&s->most_behind);
        t.late += atomic_load(&s->late);
        t.unsent_bytes += atomic_load(&s->unsent_bytes);
        t.connected += atomic_load(&s->connected);
        t.failed += atomic_load(&s->failed);
        t.invalid += atomic_load(&s->invalid);
        if (t.first_invalid == 0)
            t.first_invalid = atomic_load(&s->first_invalid);
        blocked += atomic_load(&s->blocked_ns);
        cpu += atomic_load(&s->cpu_ns);
        int error = atomic_load(&s->error);
        t.error = error ? error : t.error;
    }
    t.blocked_s = (double)blocked / 1e9;
    t.cpu_s = (double)cpu / 1e9;
    t.scheduled = scheduled(l, t.sent);
    t.behind = t.scheduled - t.sent;
    t.lateness_p99_us = lateness_percentile(l, 99);
    t.canaries = atomic_load(&l->canary.sent);
    t.is_done = atomic_load(&l->ended_threads) == l->threads_n;
    *ret = t;
}

void load_read_connection(const struct load *l, uint32_t connection, int64_t *ret_messages,
                          int64_t *ret_bytes)
{
    CHECK(connection < l->o.connections);
    const struct sender *s = &l->senders[connection % l->threads_n];
    const struct sender_connection *c = &s->connections[connection / l->threads_n];
    *ret_messages = atomic_load(&c->sent);
    *ret_bytes = atomic_load(&c->bytes);
}

int64_t load_stream_sent(const struct load *l, uint32_t stream)
{
    int64_t messages, bytes;
    load_read_connection(l, stream, &messages, &bytes);
    return messages;
}

double load_seconds(const struct load *l)
{
    int64_t start = atomic_load(&l->start_ns), end = ended_ns(l);
    if (start == 0)
        return 0;
    if (end == 0 || atomic_load(&l->ended_threads) < l->threads_n)
        end = MAX(end, sender_clock_ns());
    return (double)(end - start) / 1e9;
}

static void join(struct load *l)
{
    if (!l->is_connected)
        return;
    l->is_connected = false;
    for (int64_t i = 0; i < l->threads_n; i++)
        pthread_join(l->senders[i].thread, NULL);
    if (l->canary.is_started)
        pthread_join(l->canary.thread, NULL);
    l->canary.is_started = false;
}

void load_stop(struct load *l)
{
    int64_t none = 0;
    if (atomic_load(&l->ended_threads) < l->threads_n)
        atomic_compare_exchange_strong(&l->stopped_ns, &none, sender_clock_ns());
    pthread_mutex_lock(&l->lock);
    atomic_store(&l->stop, true);
    pthread_cond_broadcast(&l->changed);
    pthread_mutex_unlock(&l->lock);
    join(l);
}

void load_free(struct load **pl)
{
    struct load *l = *pl;
    if (l == NULL)
        return;
    load_stop(l);
    for (int64_t i = 0; i < l->threads_n; i++) {
        payload_free(&l->senders[i].payload);
        free(l->senders[i].connections);
        free(l->senders[i].idle);
    }
    connections_done(&l->all);
    pthread_mutex_destroy(&l->lock);
    pthread_cond_destroy(&l->changed);
    free(l->senders);
    free(l->canary.due_ns);
    free(l);
    *pl = NULL;
}
