/* The threads that send.  Everything here is written by the thread alone but the atomics. */
#include "bench/load/sender.h"

#include <sys/epoll.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#include "bench/load/load_inside.h"

#define NONE UINT32_MAX
#define BATCH_BYTES (256u << 10)
#define SLEEP_MAX_NS INT64_C(100000000)  /* so often a thread looks whether to stop */
#define GATHER_NS INT64_C(1000000)       /* messages due within it go out together */
#define END_GRACE_NS INT64_C(1000000000) /* for what is up to half of it behind at the end */
#define FINISH_NS INT64_C(5000000000)    /* for messages that were taken in part */
#define FINISH_AGAIN_NS INT64_C(20000000)
#define RETRY_NS INT64_C(1000000000) /* --reconnect */
#define FULL_NS INT64_C(1000000)     /* the device's queue is full */
#define FAILURES_MAX 100             /* of sending by UDP, one after the other */
#define INPUT_WAIT_MS 50
#define TELL_NS INT64_C(200000000)
#define CLOSE_US INT64_C(30000000)

struct sender_queue {
    struct replay *replay;
    struct buf bytes;
    struct payload_message messages[SENDER_QUEUE];
    size_t at, n;
    bool is_over;
};

int64_t sender_clock_ns(void)
{
    struct timespec ts;
    clock_gettime(CLOCK_MONOTONIC, &ts);
    return ts.tv_sec * NS_PER_SECOND + ts.tv_nsec;
}

void sender_sleep_until(int64_t mono_ns)
{
    struct timespec ts = {mono_ns / NS_PER_SECOND, mono_ns % NS_PER_SECOND};
    clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &ts, NULL);
}

/* 16 buckets for each doubling. */
unsigned sender_bucket(int64_t ns)
{
    uint64_t v = ns > 0 ? (uint64_t)ns : 0;
    if (v < 16)
        return (unsigned)v;
    unsigned e = 63 - (unsigned)__builtin_clzll(v);
    return MIN((e - 3) * 16 + (unsigned)(v >> (e - 4) & 15), SENDER_LATENESS_BUCKETS - 1u);
}

int64_t sender_bucket_ns(unsigned bucket)
{
    if (bucket < 16)
        return bucket;
    unsigned e = bucket / 16 + 3;
    return (int64_t)((((uint64_t)16 + bucket % 16 + 1) << (e - 4)) - 1);
}

int64_t sender_share(int64_t n, int64_t connections, int64_t threads, int64_t thread)
{
    int64_t own = (connections + threads - 1 - thread) / threads;
    int64_t rest = n % connections;
    return n / connections * own + MAX((rest + threads - 1 - thread) / threads, INT64_C(0));
}

/* Of the schedule: message `local` of the thread. */
static int64_t global_index(const struct sender *s, int64_t local)
{
    const struct load *l = s->load;
    return local / s->connections_n * l->o.connections +
           s->connections[local % s->connections_n].index;
}

static void add(_Atomic int64_t *to, int64_t n)
{
    atomic_store_explicit(to, atomic_load_explicit(to, memory_order_relaxed) + n,
                          memory_order_relaxed);
}

static int64_t get(const _Atomic int64_t *from)
{
    return atomic_load_explicit(from, memory_order_relaxed);
}

static bool is_stopped(const struct sender *s)
{
    return atomic_load_explicit(&s->load->stop, memory_order_relaxed);
}

/* The schedule's answers; it can change while it is followed (load_scale_rate). */
static int64_t due_by(struct load *l, int64_t at_ns)
{
    pthread_mutex_lock(&l->lock);
    int64_t due = schedule_due(&l->schedule, at_ns);
    pthread_mutex_unlock(&l->lock);
    return due;
}

static int64_t due_time(struct load *l, int64_t k)
{
    pthread_mutex_lock(&l->lock);
    int64_t at = schedule_due_ns(&l->schedule, k);
    pthread_mutex_unlock(&l->lock);
    return at;
}

/* ---- the list of connections that can send ---- */

static void make_ready(struct sender *s, struct sender_connection *c)
{
    uint32_t i = (uint32_t)(c - s->connections);
    c->state = SENDER_READY;
    c->next = NONE;
    if (s->ready == NONE)
        s->ready = i;
    else
        s->connections[s->ready_last].next = i;
    s->ready_last = i;
}

static struct sender_connection *take_ready(struct sender *s)
{
    if (s->ready == NONE)
        return NULL;
    struct sender_connection *c = &s->connections[s->ready];
    s->ready = c->next;
    c->state = SENDER_QUIET;
    return c;
}

/* ---- opening, losing ---- */

static void note_error(struct sender *s, int error)
{
    atomic_store_explicit(&s->error, error, memory_order_relaxed);
}

static void lose(struct sender *s, struct sender_connection *c, int error)
{
    int64_t lost = connection_abort(&c->connection);
    c->held = 0;
    c->is_watched = false;
    add(&s->errors, lost);
    note_error(s, error);
    if (s->load->o.has_reconnect) {
        c->state = SENDER_DOWN;
        c->retry_ns = s->now_ns + RETRY_NS;
        s->down_n++;
    } else {
        c->state = SENDER_FAILED;
        s->live_n--;
        add(&s->failed, 1);
    }
}

static bool open_connection(struct sender *s, struct sender_connection *c, struct err *err)
{
    struct load *l = s->load;
    int r = connection_open(&c->connection, &l->all, c->index, c->was_open, err);
    if (r < 0) {
        lose(s, c, -r);
        return false;
    }
    if (!c->was_open && l->more.is_compat && l->more.proxy_version > 0)
        add(&c->sent, 1); /* loggen counts the header */
    /* many datagrams at once reach a receiver's buffer as one lump: only where no rate is asked */
    c->connection.has_segments = c->connection.has_segments && !l->has_rate;
    c->was_open = true;
    c->state = SENDER_QUIET;
    return true;
}

static void retry(struct sender *s)
{
    struct err err;
    for (uint32_t i = 0; s->down_n > 0 && i < s->connections_n; i++) {
        struct sender_connection *c = &s->connections[i];
        if (c->state != SENDER_DOWN || c->retry_ns > s->now_ns)
            continue;
        s->down_n--;
        if (c->connection.fd >= 0 || open_connection(s, c, &err))
            make_ready(s, c);
        s->now_ns = sender_clock_ns();
    }
}

/* ---- files ---- */

static int open_queue(struct sender *s, struct sender_connection *c, struct err *err)
{
    struct load *l = s->load;
    if (l->o.layout != LOAD_FILE)
        return 0;
    c->queue = xcalloc(1, sizeof(*c->queue));
    c->queue->bytes = BUF_INIT(SENDER_QUEUE * 2 * LOAD_SIZE_MAX);
    return replay_open(&l->o, &l->more, &c->queue->replay, err);
}

/* The next line of the file.  What comes slowly is waited for while there is time, as a stall of
 * the thread: what was due meanwhile is spread.  Not where others can be sent meanwhile. */
static int next_line(struct sender *s, struct sender_connection *c)
{
    struct sender_queue *q = c->queue;
    struct load *l = s->load;
    int64_t end = l->schedule.end_ns == INT64_MAX ? INT64_MAX
                                                  : get(&l->start_ns) + l->schedule.end_ns;
    for (;;) {
        int r = replay_next(q->replay, &s->payload->now, c->index, get(&c->sent) + (int64_t)q->n,
                            &q->bytes);
        if (r != -EAGAIN || q->n > 0 || is_stopped(s) || sender_clock_ns() >= end)
            return r;
        replay_wait(q->replay, INPUT_WAIT_MS);
    }
}

/* Read further lines; none left: the connection has nothing to send any more. */
static void fill_queue(struct sender *s, struct sender_connection *c)
{
    struct sender_queue *q = c->queue;
    if (q->at < q->n || q->is_over)
        return;
    q->at = q->n = 0;
    buf_clear(&q->bytes);
    /* as many as are due: a line that comes from a pipe later is not waited for now */
    int64_t want = MIN(c->allowed - get(&c->sent), (int64_t)SENDER_QUEUE);
    while ((int64_t)q->n < want && q->bytes.n < BATCH_BYTES) {
        struct payload_message *m = &q->messages[q->n];
        m->at = (uint32_t)q->bytes.n;
        int r = next_line(s, c);
        if (r == -EAGAIN)
            break;
        if (r <= 0) {
            q->is_over = true;
            if (r < 0) {
                note_error(s, -r);
                add(&s->failed, 1);
            }
            break;
        }
        m->n = (uint32_t)(q->bytes.n - m->at);
        q->n++;
    }
}

static void free_queue(struct sender *s, struct sender_connection *c)
{
    int64_t first = 0;
    if (c->queue == NULL)
        return;
    if (c->queue->replay)
        add(&s->invalid, replay_invalid(c->queue->replay, &first));
    if (get(&s->invalid) > 0 && get(&s->first_invalid) == 0)
        atomic_store_explicit(&s->first_invalid, first, memory_order_relaxed);
    replay_free(&c->queue->replay);
    buf_free(&c->queue->bytes);
    free(c->queue);
    c->queue = NULL;
}

/* ---- sending ---- */

/* How late n messages of a connection are, the first of which is its number `first`. */
static void count_lateness(struct sender *s, const struct sender_connection *c, int64_t first,
                           int64_t n)
{
    struct load *l = s->load;
    if (!l->has_rate || n <= 0)
        return;
    int64_t now = s->now_ns - get(&l->start_ns), all = l->o.connections;
    int64_t oldest = now - due_time(l, first * all + c->index);
    int64_t newest = n > 1 ? now - due_time(l, (first + n - 1) * all + c->index) : oldest;
    int64_t parts = MIN(n, INT64_C(8));
    for (int64_t i = 0; i < parts; i++) {
        int64_t lateness = oldest - (oldest - newest) * i / parts;
        int64_t count = n * (i + 1) / parts - n * i / parts;
        add(&s->lateness[sender_bucket(lateness)], count);
    }
    if (oldest <= SCHEDULE_LATE_NS)
        return;
    /* exactly those that were due before `border` */
    int64_t border = now - SCHEDULE_LATE_NS;
    int64_t due = due_by(l, border - 1);
    int64_t own = due / all + (due % all > c->index) - first;
    add(&s->late, MAX(MIN(own, n), INT64_C(0)));
}

static void count_taken(struct sender *s, struct sender_connection *c,
                        const struct connection_taken *taken)
{
    int64_t before = get(&c->sent);
    c->held = taken->held;
    if (taken->messages > 0)
        c->failures = 0;
    add(&c->sent, taken->messages);
    add(&c->bytes, taken->bytes);
    add(&s->sent, taken->messages);
    add(&s->bytes, taken->bytes);
    count_lateness(s, c, before, taken->messages);
}

static void watch(struct sender *s, struct sender_connection *c)
{
    struct epoll_event e = {.events = EPOLLOUT | EPOLLONESHOT,
                            .data.u32 = (uint32_t)(c - s->connections)};
    int r =
        epoll_ctl(s->epoll, c->is_watched ? EPOLL_CTL_MOD : EPOLL_CTL_ADD, c->connection.fd, &e);
    CHECK(r == 0);
    c->is_watched = true;
    c->state = SENDER_BLOCKED;
    s->blocked_n++;
}

/* What became of a batch: go on, wait for the peer, or give the connection up. */
static void judge(struct sender *s, struct sender_connection *c, int r)
{
    struct load *l = s->load;
    if (r == 0) {
        if (c->held > 0 || c->allowed > get(&c->sent))
            make_ready(s, c);
        return;
    }
    if (c->connection.is_dgram)
        add(&s->refused, 1);
    if (r == -EAGAIN) {
        watch(s, c);
    } else if (r == -ENOBUFS) {
        c->state = SENDER_DOWN; /* poll would say it is writable */
        c->retry_ns = s->now_ns + FULL_NS;
        s->down_n++;
    } else if (l->o.transport == TARGET_UDP && !l->more.is_compat && c->failures++ < FAILURES_MAX) {
        note_error(s, -r); /* of an earlier datagram; this one is sent again */
        connection_forget_errors(&c->connection);
        make_ready(s, c);
    } else {
        lose(s, c, -r);
    }
}

/* The next message of the ring.  Those of the mix are each sent by one connection, so that what
 * several bring is as varied as what one does; the other layouts are alike anyway. */
static size_t *place_in_ring(struct sender *s, struct sender_connection *c)
{
    return s->load->o.layout == LOAD_MIX ? &s->at : &c->at;
}

static size_t batch_from_ring(struct sender *s, struct sender_connection *c, size_t at,
                              int64_t want)
{
    struct payload *p = s->payload;
    size_t n = (size_t)MIN(want, (int64_t)CONNECTION_BATCH);
    size_t average = p->messages[p->n - 1].at / p->n + 1;
    n = MIN(n, MAX(BATCH_BYTES / average, (size_t)1));
    n = MIN(n, p->n - at);
    payload_prepare(p, at, n, c->index, get(&c->sent));
    return n;
}

static void send_batch(struct sender *s, struct sender_connection *c)
{
    struct connection_taken taken;
    int64_t want = c->allowed - get(&c->sent);
    int r;
    if (want <= 0)
        return;
    if (c->queue) {
        struct sender_queue *q = c->queue;
        fill_queue(s, c);
        size_t n = (size_t)MIN(want, (int64_t)(q->n - q->at));
        if (n == 0) {
            c->allowed = get(&c->sent); /* the file ended, or the time did before a line came */
            return;
        }
        r = connection_send(&c->connection, q->bytes.p, q->messages + q->at, n, 0, &taken);
        q->at += (size_t)(taken.messages + taken.held);
    } else {
        size_t *at = place_in_ring(s, c), n = batch_from_ring(s, c, *at, want);
        r = connection_send(&c->connection, s->payload->bytes, s->payload->messages + *at, n,
                            s->payload->uniform_bytes, &taken);
        *at = (*at + (size_t)(taken.messages + taken.held)) % s->payload->n;
    }
    count_taken(s, c, &taken);
    judge(s, c, r);
}

static void turn(struct sender *s, struct sender_connection *c)
{
    if (connection_has_rest(&c->connection)) {
        struct connection_taken taken;
        int r = connection_finish(&c->connection, &taken);
        count_taken(s, c, &taken);
        if (r < 0) {
            judge(s, c, r);
            return;
        }
    }
    send_batch(s, c);
}

/* ---- the schedule ---- */

static void let_go_one(struct sender *s, struct sender_connection *c, int64_t n)
{
    if (c->queue && c->queue->is_over && c->queue->at == c->queue->n)
        return;
    c->allowed += n;
    if (c->state == SENDER_QUIET)
        make_ready(s, c);
}

/* Give what is due by now to the connections. */
static void let_go(struct sender *s)
{
    struct load *l = s->load;
    int64_t now = s->now_ns - get(&l->start_ns);
    pthread_mutex_lock(&l->lock);
    int64_t clock = pace_advance(&s->pace, now);
    int64_t due = schedule_due(&l->schedule, clock);
    int64_t really = clock == now ? due : schedule_due(&l->schedule, now);
    pthread_mutex_unlock(&l->lock);
    int64_t own = sender_share(due, l->o.connections, l->threads_n, s->index);
    int64_t n = own - s->let_go, each = n / s->connections_n;
    if (n > 0 && each > 0)
        for (uint32_t i = 0; i < s->connections_n; i++)
            let_go_one(s, &s->connections[i], each);
    for (int64_t i = s->let_go + each * s->connections_n; i < own; i++)
        let_go_one(s, &s->connections[i % s->connections_n], 1);
    s->let_go = MAX(own, s->let_go);
    int64_t behind = sender_share(really, l->o.connections, l->threads_n, s->index) - get(&s->sent);
    if (behind > get(&s->most_behind))
        atomic_store_explicit(&s->most_behind, behind, memory_order_relaxed);
}

/* Without a rate everything is due: all of the number, or without end. */
static void let_go_all(struct sender *s)
{
    const struct load_options *o = &s->load->o;
    for (uint32_t i = 0; i < s->connections_n; i++) {
        struct sender_connection *c = &s->connections[i];
        c->allowed = o->number > 0
                         ? o->number / o->connections + (o->number % o->connections > c->index)
                         : INT64_MAX / 2;
        if (c->state == SENDER_QUIET && c->allowed > get(&c->sent))
            make_ready(s, c);
    }
}

/* When to look again, on the monotonic clock, when no connection is ready. */
static int64_t next_wake(struct sender *s)
{
    struct load *l = s->load;
    int64_t start = get(&l->start_ns), limit = s->now_ns + SLEEP_MAX_NS;
    if (s->down_n > 0)
        limit = s->now_ns + FULL_NS;
    if (l->schedule.end_ns != INT64_MAX && start + l->schedule.end_ns > s->now_ns)
        limit = MIN(limit, start + l->schedule.end_ns);
    if (!l->has_rate)
        return limit;
    int64_t due = due_time(l, global_index(s, s->let_go));
    if (due != INT64_MAX)
        due = MAX(due, s->pace.clock_ns + GATHER_NS);
    int64_t wake = pace_plan(&s->pace, due);
    return wake == INT64_MAX ? limit : MIN(limit, start + wake);
}

static void wait_for_peers(struct sender *s, int64_t until_ns)
{
    struct epoll_event events[64];
    int64_t left = MAX(until_ns - s->now_ns, INT64_C(0));
    struct timespec ts = {left / NS_PER_SECOND, left % NS_PER_SECOND};
    int n = epoll_pwait2(s->epoll, events, ARRAY_LEN(events), &ts, NULL);
    for (int i = 0; i < n; i++) {
        struct sender_connection *c = &s->connections[events[i].data.u32];
        if (c->state == SENDER_BLOCKED) {
            s->blocked_n--;
            make_ready(s, c);
        }
    }
}

static void sleep_or_wait(struct sender *s)
{
    int64_t before = s->now_ns, wake = next_wake(s);
    if (s->blocked_n == 0) {
        sender_sleep_until(wake);
        return;
    }
    wait_for_peers(s, wake);
    add(&s->blocked_ns, sender_clock_ns() - before);
}

/* ---- the thread ---- */

static void tell(struct sender *s)
{
    struct timespec cpu;
    int64_t unsent = 0;
    if (s->now_ns - s->told_ns < TELL_NS)
        return;
    s->told_ns = s->now_ns;
    for (uint32_t i = 0; i < s->connections_n; i++)
        unsent += connection_unsent(&s->connections[i].connection);
    atomic_store_explicit(&s->unsent_bytes, unsent, memory_order_relaxed);
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &cpu);
    atomic_store_explicit(&s->cpu_ns, cpu.tv_sec * NS_PER_SECOND + cpu.tv_nsec,
                          memory_order_relaxed);
}

/* Everything that can be sent was sent. */
static bool is_over(const struct sender *s)
{
    struct load *l = s->load;
    if (s->live_n == 0)
        return true;
    if (s->ready != NONE || s->blocked_n > 0 || s->down_n > 0)
        return false;
    if (!l->has_rate)
        return true;
    int64_t end = l->schedule.end_ns;
    int64_t total = end == INT64_MAX ? l->schedule.number : due_by(l, end);
    return total != INT64_MAX &&
           s->let_go >= sender_share(total, l->o.connections, l->threads_n, s->index);
}

/* All files are at their end. */
static bool is_read(const struct sender *s)
{
    if (s->load->o.layout != LOAD_FILE)
        return false;
    for (uint32_t i = 0; i < s->connections_n; i++) {
        const struct sender_queue *q = s->connections[i].queue;
        if (s->connections[i].state != SENDER_FAILED && !(q->is_over && q->at == q->n))
            return false;
    }
    return s->blocked_n == 0 && s->down_n == 0;
}

/* When to stop.  At the end of the time what is a little behind still goes out, what is far behind
 * does not. */
static int64_t end_of_sending(const struct sender *s, int64_t start)
{
    struct load *l = s->load;
    int64_t end = l->schedule.end_ns;
    if (end == INT64_MAX || !l->has_rate || s->now_ns < start + end)
        return end == INT64_MAX ? end : start + end;
    int64_t all = due_by(l, end), recent = all - due_by(l, end - END_GRACE_NS / 2);
    int64_t own = sender_share(all, l->o.connections, l->threads_n, s->index);
    int64_t allowed = sender_share(recent, l->o.connections, l->threads_n, s->index) + 1;
    return start + end + (own - get(&s->sent) <= allowed ? END_GRACE_NS : 0);
}

static void run(struct sender *s, int64_t start)
{
    bool has_rate = s->load->has_rate;
    s->now_ns = sender_clock_ns();
    if (!has_rate)
        let_go_all(s);
    while (!is_stopped(s)) {
        s->now_ns = sender_clock_ns();
        payload_now(s->payload, clock_wall_us());
        if (has_rate)
            let_go(s);
        if (s->down_n > 0)
            retry(s);
        uint32_t last = s->ready == NONE ? NONE : s->ready_last;
        for (struct sender_connection *c; last != NONE && (c = take_ready(s)) != NULL;) {
            turn(s, c);
            if ((uint32_t)(c - s->connections) == last)
                break;
        }
        tell(s);
        if (is_over(s) || is_read(s) || s->now_ns >= end_of_sending(s, start))
            break;
        if (s->ready == NONE)
            sleep_or_wait(s);
        else if (s->blocked_n > 0)
            wait_for_peers(s, 0);
    }
    atomic_store_explicit(&s->ended_ns, sender_clock_ns(), memory_order_relaxed);
}

/* False: the peer must read first. */
static bool finish_rest(struct sender *s, struct sender_connection *c, bool is_last_try)
{
    struct connection_taken taken;
    s->now_ns = sender_clock_ns();
    int r = connection_finish(&c->connection, &taken);
    count_taken(s, c, &taken);
    if (r == -EAGAIN && !is_last_try)
        return false;
    if (r < 0)
        lose(s, c, -r);
    return true;
}

/* A message the kernel has a part of is finished, or counted as an error. */
static void finish_rests(struct sender *s)
{
    int64_t until = sender_clock_ns() + FINISH_NS;
    for (bool is_left = true; is_left;) {
        bool is_last_try = sender_clock_ns() > until;
        is_left = false;
        for (uint32_t i = 0; i < s->connections_n; i++) {
            struct sender_connection *c = &s->connections[i];
            if (connection_has_rest(&c->connection) && !finish_rest(s, c, is_last_try))
                is_left = true;
        }
        if (is_left)
            sender_sleep_until(sender_clock_ns() + FINISH_AGAIN_NS);
    }
}

static void close_all(struct sender *s)
{
    struct connection_patience patience = {.until_mono_us = clock_mono_us() + CLOSE_US,
                                           .stop = &s->load->stop};
    for (uint32_t i = 0; i < s->connections_n; i++)
        connection_end(&s->connections[i].connection);
    for (uint32_t i = 0; i < s->connections_n; i++) {
        connection_close(&s->connections[i].connection, &patience);
        free_queue(s, &s->connections[i]);
    }
    for (uint32_t i = 0; i < s->idle_n; i++)
        connection_abort(&s->idle[i]);
}

static void open_all(struct sender *s)
{
    struct load *l = s->load;
    struct err err = {0};
    bool goes_on = l->o.has_reconnect; /* after a failure */
    for (uint32_t i = 0; i < s->connections_n && !is_stopped(s); i++) {
        struct sender_connection *c = &s->connections[i];
        bool is_good = open_queue(s, c, &err) == 0;
        if (!is_good)
            lose(s, c, EINVAL);
        else if (open_connection(s, c, &err))
            add(&s->connected, 1);
        if (err.code[0] && !s->err.code[0])
            s->err = err;
        if (err.code[0] && !goes_on)
            return;
    }
    for (uint32_t i = 0; i < s->idle_n && !is_stopped(s); i++) {
        uint32_t index = (uint32_t)(l->o.connections + s->index + i * l->threads_n);
        if (connection_open(&s->idle[i], &l->all, index, false, &err) == 0)
            continue;
        add(&s->failed, 1);
        if (!s->err.code[0])
            s->err = err;
        if (!goes_on)
            return;
    }
}

void *sender_main(void *argument)
{
    struct sender *s = argument;
    int64_t start;
    /* sleeping is exact to a microsecond instead of fifty */
    (void)prctl(PR_SET_TIMERSLACK, 1000);
    s->live_n = s->connections_n;
    s->ready = NONE;
    pace_init(&s->pace);
    s->epoll = epoll_create1(EPOLL_CLOEXEC);
    CHECK(s->epoll >= 0);
    s->now_ns = sender_clock_ns();
    open_all(s);
    atomic_fetch_add(&s->load->ready_threads, 1);
    if (load_wait_start(s->load, &start)) {
        run(s, start);
        finish_rests(s);
    }
    s->told_ns = 0;
    s->now_ns = sender_clock_ns();
    tell(s);
    close_all(s);
    /* the peer has acknowledged it, or the kernel goes on without us */
    atomic_store_explicit(&s->unsent_bytes, 0, memory_order_relaxed);
    close(s->epoll);
    atomic_fetch_add(&s->load->ended_threads, 1);
    return NULL;
}
