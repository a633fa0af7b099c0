/* The threads of the sink, from the sockets' opening to the last message the kernel holds. */
#include "bench/sink/sink_inside.h"
#include "base/clock.h"

#include <fcntl.h>
#include <openssl/ssl.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

enum {
    EVENTS_A_STEP = 64,
    DRAIN_US = 2000000,
    OTHER_FILES = 8,
    HELD_MS = 1000, /* then a message that waits for the next one goes without it */
};

void worker_fail(struct sink_worker *w, int error, const char *what, const char *name)
{
    struct sink *s = w->sink;
    pthread_mutex_lock(&s->lock);
    if (!s->error_number) {
        s->error_number = error;
        err_set(&s->error, error, "sink_failed", "%s %s: %s", what, name, strerror(error));
    }
    pthread_mutex_unlock(&s->lock);
}

int sink_error(struct sink *s, struct err *err)
{
    pthread_mutex_lock(&s->lock);
    int error = s->error_number;
    if (error)
        *err = s->error;
    pthread_mutex_unlock(&s->lock);
    return -error;
}

void worker_arrived(struct sink_worker *w)
{
    int64_t now = clock_mono_us(), none = 0;
    atomic_store_explicit(&w->last_mono_us, now, memory_order_relaxed);
    if (atomic_load_explicit(&w->sink->first_mono_us, memory_order_relaxed) == 0)
        atomic_compare_exchange_strong(&w->sink->first_mono_us, &none, now);
}

/* When the stop that goes on now ends; 0: none does. */
static int64_t stop_ends(const struct sink *s, int64_t now)
{
    int64_t first = atomic_load_explicit(&s->first_mono_us, memory_order_relaxed);
    for (size_t i = 0; first > 0 && i < s->o.faults.stops_n; i++) {
        const struct sink_stop *stop = &s->o.faults.stops[i];
        int64_t from = first + (int64_t)(stop->at_s * 1e6);
        int64_t to = from + (int64_t)(stop->for_s * 1e6);
        if (now >= from && now < to)
            return to;
    }
    return 0;
}

void worker_pause(struct sink_worker *w)
{
    if (LIKELY(w->sink->o.faults.stops_n == 0))
        return;
    int64_t now, until;
    while (!atomic_load(&w->sink->is_ending) &&
           (until = stop_ends(w->sink, now = clock_mono_us())) > 0) {
        struct pollfd p = {.fd = w->wake, .events = POLLIN};
        (void)poll(&p, 1, (int)((until - now + 999) / 1000));
    }
}

void worker_round_end(struct sink_worker *w)
{
    if (!w->sink->is_plain)
        outlet_flush(w);
    worker_publish(w);
}

int worker_watch(struct sink_worker *w, struct sink_source *source)
{
    struct epoll_event e = {.events = EPOLLIN, .data.ptr = source};
    return epoll_ctl(w->epoll, EPOLL_CTL_ADD, source->fd, &e) < 0 ? -errno : 0;
}

static void handle(struct sink_worker *w, struct sink_source *source)
{
    switch (source->kind) {
    case SOURCE_WAKE:
        break; /* stays readable: is_ending ends the loop */
    case SOURCE_DATAGRAMS:
        datagrams_read(w, source);
        break;
    case SOURCE_LISTENER:
        stream_accept(w, source);
        break;
    case SOURCE_CONNECTION:
        stream_read(w, (struct sink_connection *)source);
        break;
    }
}

/* The sources that were ready but for the wake; -errno. */
static int step(struct sink_worker *w, int timeout_ms)
{
    struct epoll_event events[EVENTS_A_STEP];
    int n = epoll_wait(w->epoll, events, EVENTS_A_STEP, timeout_ms), ready = 0;
    if (n < 0)
        return errno == EINTR ? 0 : -errno;
    for (int i = 0; i < n; i++) {
        struct sink_source *source = events[i].data.ptr;
        ready += source->kind != SOURCE_WAKE;
        handle(w, source);
    }
    return ready;
}

static int64_t thread_cpu_us(void)
{
    struct timespec ts;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ts);
    return ts.tv_sec * US_PER_SECOND + ts.tv_nsec / 1000;
}

static void *work(void *context)
{
    struct sink_worker *w = context;
    struct sink *s = w->sink;
    int n = 0;
    while (n >= 0 && !atomic_load_explicit(&s->is_ending, memory_order_acquire)) {
        n = step(w, w->has_held ? HELD_MS : -1);
        if (n == 0 && w->has_held) {
            outlet_release(w);
            worker_round_end(w);
        }
    }
    /* what the kernel holds */
    if (n >= 0)
        (void)epoll_ctl(w->epoll, EPOLL_CTL_DEL, w->wake, NULL);
    while (n >= 0 && clock_mono_us() < atomic_load(&s->end_mono_us))
        if ((n = step(w, 0)) == 0)
            break;
    if (n < 0)
        worker_fail(w, -n, "cannot wait for", "sockets");
    outlet_release(w);
    outlet_flush(w);
    worker_publish(w);
    atomic_store(&w->cpu_us, thread_cpu_us());
    return NULL;
}

static int open_file(const char *path, int *ret, struct err *err)
{
    if (!path)
        return 0;
    *ret = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
    return *ret < 0
               ? err_set(err, errno, "cannot_open", "cannot open %s: %s", path, strerror(errno))
               : 0;
}

static int add_source(struct sink_worker *w, struct sink_listener *l, int fd,
                      enum sink_source_kind kind)
{
    CHECK(w->sources_n < ARRAY_LEN(w->sources));
    struct sink_source *source = &w->sources[w->sources_n++];
    *source = (struct sink_source){.kind = kind, .fd = fd, .listener = l};
    return worker_watch(w, source);
}

/* Datagram sockets to their workers: UDP has one each, others go round. */
static int watch_listener(struct sink *s, size_t number)
{
    struct sink_listener *l = &s->listeners[number];
    int r = 0;
    for (size_t i = 0; r == 0 && i < l->fds_n; i++) {
        enum target_transport t = l->address.transport;
        size_t worker = l->fds_n > 1 ? i : number % s->workers_n;
        r = add_source(&s->workers[worker], l, l->fds[i],
                       t == TARGET_UDP || t == TARGET_UNIX_DGRAM ? SOURCE_DATAGRAMS
                                                                 : SOURCE_LISTENER);
    }
    return r;
}

static int worker_init(struct sink *s, size_t number)
{
    struct sink_worker *w = &s->workers[number];
    w->sink = s;
    w->number = number;
    w->epoll = epoll_create1(EPOLL_CLOEXEC);
    w->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (w->epoll < 0 || w->wake < 0)
        return -errno;
    w->datagrams = datagrams_new();
    w->buffer = xmalloc(BUFFER_BYTES);
    w->wake_source = (struct sink_source){.kind = SOURCE_WAKE, .fd = w->wake};
    return worker_watch(w, &w->wake_source);
}

static bool has_faults(const struct sink_faults *f)
{
    return f->close_every || f->drop_every || f->truncate_every || f->reorder_every ||
           f->duplicate_every;
}

static int open_all(struct sink *s, struct err *err)
{
    int r = open_file(s->o.store, &s->store_fd, err);
    if (r == 0)
        r = open_file(s->o.fault_log, &s->fault_log_fd, err);
    for (size_t i = 0; r == 0 && i < s->o.listeners_n; i++) {
        struct sink_listener *l = &s->listeners[s->listeners_n++];
        l->address = s->o.listeners[i];
        if (l->address.transport == TARGET_TLS && !s->tls)
            r = sink_tls_new(s->o.certificate, s->o.key, &s->tls, err);
        if (r == 0)
            r = sink_socket_open(s, l, err);
        int watched = r == 0 ? watch_listener(s, i) : 0;
        if (watched < 0)
            r = err_set(err, -watched, "cannot_listen", "cannot watch %s: %s", l->name,
                        strerror(-watched));
    }
    return r;
}

/* Descriptors are left for the status file, for what is sent on, and for a connection that each
 * thread turns away. */
static size_t connections_max(const struct sink *s)
{
    struct rlimit files;
    int next = dup(s->workers[0].wake); /* so many are open */
    if (next < 0 || getrlimit(RLIMIT_NOFILE, &files) < 0)
        return 1;
    close(next);
    rlim_t others = (rlim_t)next + 2 * s->workers_n + OTHER_FILES;
    return files.rlim_cur <= others ? 1
                                    : (size_t)MIN(files.rlim_cur - others, SINK_CONNECTIONS_MAX);
}

int sink_new(const struct sink_options *o, struct sink **ret, struct err *err)
{
    CHECK(o->threads >= 1 && o->threads <= SINK_THREADS_MAX);
    CHECK(o->listeners_n >= 1 && o->listeners_n <= SINK_LISTENERS_MAX);
    struct sink *s = xcalloc(1, sizeof(*s));
    s->o = *o;
    s->is_plain = !has_faults(&o->faults) && !o->store && !o->has_forward;
    s->is_tallying_stored = has_faults(&o->faults) && !o->is_counting_only;
    s->store_fd = s->fault_log_fd = -1;
    pthread_mutex_init(&s->lock, NULL);
    s->workers_n = (size_t)o->threads;
    s->workers = xcalloc(s->workers_n, sizeof(*s->workers));
    for (size_t i = 0; i < s->workers_n; i++) {
        s->workers[i].epoll = s->workers[i].wake = -1;
        outlet_init(&s->workers[i]);
    }
    int r = 0;
    for (size_t i = 0; r == 0 && i < s->workers_n; i++)
        if ((r = worker_init(s, i)) < 0)
            err_set(err, -r, "cannot_start", "cannot prepare thread %zu: %s", i + 1, strerror(-r));
    if (r == 0)
        r = open_all(s, err);
    if (r == 0)
        s->connections_max = connections_max(s);
    if (r < 0) {
        sink_free(&s);
        return r;
    }
    *ret = s;
    return 0;
}

void sink_start(struct sink *s)
{
    s->is_started = true;
    for (size_t i = 0; i < s->workers_n; i++)
        CHECK(pthread_create(&s->workers[i].thread, NULL, work, &s->workers[i]) == 0);
}

void sink_stop(struct sink *s)
{
    static const uint64_t one = 1;
    if (!s->is_started || s->is_stopped)
        return;
    s->is_stopped = true;
    atomic_store(&s->end_mono_us, clock_mono_us() + DRAIN_US);
    atomic_store_explicit(&s->is_ending, true, memory_order_release);
    for (size_t i = 0; i < s->workers_n; i++)
        CHECK(write(s->workers[i].wake, &one, sizeof(one)) == sizeof(one));
    for (size_t i = 0; i < s->workers_n; i++)
        CHECK(pthread_join(s->workers[i].thread, NULL) == 0);
    stream_close_all(s);
    sink_merge_runs(s);
}

static void worker_done(struct sink_worker *w)
{
    for (size_t i = 0; i < w->runs_n; i++) {
        tally_free(&w->runs[i].received);
        tally_free(&w->runs[i].stored);
    }
    outlet_done(w);
    datagrams_free(&w->datagrams);
    free(w->buffer);
    if (w->epoll >= 0)
        close(w->epoll);
    if (w->wake >= 0)
        close(w->wake);
}

void sink_free(struct sink **ps)
{
    struct sink *s = *ps;
    if (!s)
        return;
    sink_stop(s);
    for (size_t i = 0; i < s->listeners_n; i++)
        sink_socket_close(&s->listeners[i]);
    for (size_t i = 0; i < s->workers_n; i++)
        worker_done(&s->workers[i]);
    if (s->store_fd >= 0)
        close(s->store_fd);
    if (s->fault_log_fd >= 0)
        close(s->fault_log_fd);
    SSL_CTX_free(s->tls);
    pthread_mutex_destroy(&s->lock);
    free(s->workers);
    free(s);
    *ps = NULL;
}
