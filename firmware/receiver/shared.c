/* What the receiver's threads share. */
#include "receiver/shared.h"

#include <sys/eventfd.h>
#include <unistd.h>

#include "store/spool.h"

#include "syslog/frame.h"

/* What receiver.threads says; 0: half of the processors, since a packer does half of the work. */
static unsigned count_lanes(const struct config *c)
{
    enum { BY_ITSELF_MAX = 8 };
    if (c->threads > 0)
        return (unsigned)c->threads;
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    return (unsigned)MAX(1L, MIN(processors / 2, (long)BY_ITSELF_MAX));
}

static int make_event(void)
{
    return eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
}

int shared_init(struct shared *s, const struct config *c, struct err *err)
{
    memset(s, 0, sizeof(*s));
    s->config = *c;
    s->started_at_us = clock_wall_us();
    machine_drops_read("/proc", &s->drops_before);
    s->lanes_n = count_lanes(c);
    s->done_fd = make_event();
    s->room_fd = make_event();
    bool is_good = s->done_fd >= 0 && s->room_fd >= 0;
    for (unsigned i = 0; i < s->lanes_n; i++) {
        s->lanes[i].wake_fd = make_event();
        is_good &= s->lanes[i].wake_fd >= 0;
    }
    if (!is_good || queue_init(&s->pack) < 0 || queue_init(&s->write) < 0)
        return err_set(err, errno, "system", "cannot make an eventfd: %s", strerror(errno));
    CHECK(pthread_mutex_init(&s->listening_lock, NULL) == 0);
    tls_senders_init(&s->tls_senders);
    atomic_store(&s->give_up_mono_us, INT64_MAX);
    notes_init(&s->notes);
    builders_init(&s->builders, s->lanes_n);
    shared_apply(s, c);
    s->has_wanted = false; /* it is what the listeners are opened with */
    return 0;
}

void shared_done(struct shared *s)
{
    for (unsigned i = 0; i < s->lanes_n; i++) {
        struct tls_context *tls = shared_take_tls(s, i);
        tls_context_drop(&tls);
        struct sender_rules *r = shared_take_rules(s, i);
        sender_rules_free(&r);
        for (struct handover *h = shared_take_handovers(s, i), *next; h; h = next) {
            next = h->next;
            close(h->fd);
            free(h);
        }
        close(s->lanes[i].wake_fd);
    }
    sender_rules_free(&s->first_rules);
    notes_done(&s->notes);
    builders_done(&s->builders);
    queue_done(&s->pack);
    queue_done(&s->write);
    pthread_mutex_destroy(&s->listening_lock);
    tls_senders_done(&s->tls_senders);
    close(s->done_fd);
    close(s->room_fd);
}

/* ---- settings ---- */

static unsigned framing_of(const char *choice)
{
    return strcmp(choice, "counted") == 0     ? FRAME_COUNTED
           : strcmp(choice, "delimited") == 0 ? FRAME_DELIMITED
                                              : FRAME_AUTO;
}

void shared_apply(struct shared *s, const struct config *now)
{
    atomic_store(&s->flush_us, now->flush_ms * 1000);
    atomic_store(&s->tcp_idle_us, now->tcp_idle_seconds * US_PER_SECOND);
    atomic_store(&s->unfinished_us, now->unfinished_seconds * US_PER_SECOND);
    atomic_store(&s->handshake_us, now->handshake_seconds * US_PER_SECOND);
    atomic_store(&s->tcp_max_per_source, (unsigned)now->tcp_max_per_source);
    atomic_store(&s->tls_max_half_open, (unsigned)now->tls_max_half_open);
    atomic_store(&s->framing[LISTENER_TCP], framing_of(now->tcp_framing));
    atomic_store(&s->framing[LISTENER_TLS], framing_of(now->tls_framing));
    pthread_mutex_lock(&s->listening_lock);
    memcpy(s->wanted.of[LISTENER_UDP], now->syslog_udp, CONFIG_STRING_MAX);
    memcpy(s->wanted.of[LISTENER_TCP], now->syslog_tcp, CONFIG_STRING_MAX);
    memcpy(s->wanted.of[LISTENER_TLS], now->syslog_tls, CONFIG_STRING_MAX);
    s->has_wanted = true;
    pthread_mutex_unlock(&s->listening_lock);
    shared_wake_lanes(s);
    if (s->spool) /* not yet at the start: it is opened with what was kept */
        spool_set_max_bytes(s->spool, now->spool_max_bytes);
}

void shared_put_rules(struct shared *s, struct sender_rules *r)
{
    for (unsigned i = 0; i < s->lanes_n; i++) {
        struct sender_rules *unseen = atomic_exchange(&s->lanes[i].new_rules, sender_rules_hold(r));
        sender_rules_free(&unseen);
    }
    sender_rules_free(&r);
    shared_wake_lanes(s);
}

struct sender_rules *shared_take_rules(struct shared *s, unsigned lane)
{
    /* a look first: an exchange at every read would take the cache line from the writer */
    if (LIKELY(!atomic_load_explicit(&s->lanes[lane].new_rules, memory_order_relaxed)))
        return NULL;
    return atomic_exchange(&s->lanes[lane].new_rules, NULL);
}

void shared_put_tls(struct shared *s, struct tls_context *tls)
{
    for (unsigned i = 0; i < s->lanes_n; i++) {
        struct tls_context *unseen = atomic_exchange(&s->lanes[i].new_tls, tls_context_hold(tls));
        tls_context_drop(&unseen);
    }
    tls_context_drop(&tls);
    shared_wake_lanes(s);
}

struct tls_context *shared_take_tls(struct shared *s, unsigned lane)
{
    if (LIKELY(!atomic_load_explicit(&s->lanes[lane].new_tls, memory_order_relaxed)))
        return NULL;
    return atomic_exchange(&s->lanes[lane].new_tls, NULL);
}

/* ---- listening ---- */

void shared_put_listening(struct shared *s, const struct listening_state of[LISTENER_COUNT])
{
    pthread_mutex_lock(&s->listening_lock);
    memcpy(s->listening, of, sizeof(s->listening));
    s->listening_version++;
    pthread_mutex_unlock(&s->listening_lock);
}

bool shared_listening(struct shared *s, uint64_t seen, struct listening_state ret[LISTENER_COUNT],
                      uint64_t *ret_version)
{
    pthread_mutex_lock(&s->listening_lock);
    bool is_other = s->listening_version != seen;
    if (is_other) {
        memcpy(ret, s->listening, sizeof(s->listening));
        *ret_version = s->listening_version;
    }
    pthread_mutex_unlock(&s->listening_lock);
    return is_other;
}

bool shared_take_wanted(struct shared *s, struct listening_wanted *ret)
{
    pthread_mutex_lock(&s->listening_lock);
    bool has_wanted = s->has_wanted;
    if (has_wanted)
        *ret = s->wanted;
    s->has_wanted = false;
    pthread_mutex_unlock(&s->listening_lock);
    return has_wanted;
}

/* ---- connections on their way ---- */

void shared_hand_over(struct shared *s, unsigned lane, int fd, const struct ip *peer,
                      enum listener listener)
{
    struct shared_lane *to = &s->lanes[lane];
    struct handover *h = xcalloc(1, sizeof(*h));
    h->fd = fd;
    h->peer = *peer;
    h->listener = listener;
    h->next = atomic_load(&to->handovers);
    while (!atomic_compare_exchange_weak(&to->handovers, &h->next, h))
        ;
    shared_wake(to->wake_fd);
}

struct handover *shared_take_handovers(struct shared *s, unsigned lane)
{
    struct handover *newest = atomic_exchange(&s->lanes[lane].handovers, NULL), *oldest = NULL;
    while (newest) {
        struct handover *next = newest->next;
        newest->next = oldest;
        oldest = newest;
        newest = next;
    }
    return oldest;
}

/* ---- units on their way ---- */

size_t shared_unit_max_bytes(const struct shared *s)
{
    return MIN(BLOCK_MAX_TEXT_BYTES, journal_bytes(s->journal) / (4 * (size_t)s->lanes_n));
}

void shared_packing_begins(struct shared *s, const struct work *w)
{
    atomic_fetch_add(&s->packing_units, 1);
    atomic_fetch_add(&s->packing_messages, w->messages);
    atomic_fetch_add(&s->packing_bytes, w->text_bytes);
    atomic_fetch_add(&s->pending_units, 1);
}

void shared_packing_ends(struct shared *s, const struct work *w)
{
    atomic_fetch_sub(&s->packing_units, 1);
    atomic_fetch_sub(&s->packing_messages, w->messages);
    atomic_fetch_sub(&s->packing_bytes, w->text_bytes);
}

/* ---- wake-ups ---- */

void shared_wake(int event_fd)
{
    (void)eventfd_write(event_fd, 1);
}

void shared_wake_lanes(struct shared *s)
{
    for (unsigned i = 0; i < s->lanes_n; i++)
        shared_wake(s->lanes[i].wake_fd);
}

void shared_clear(int event_fd)
{
    eventfd_t v;
    (void)eventfd_read(event_fd, &v);
}

/* ---- counts ---- */

/* A sequence lock: the reader takes a set again when the turn has changed meanwhile. */
void shared_publish(struct shared *s, unsigned lane, const struct lane_counts *c)
{
    struct shared_lane *of = &s->lanes[lane];
    uint64_t values[LANE_COUNTS_N];
    memcpy(values, c, sizeof(values));
    uint64_t turn = atomic_load_explicit(&of->counts_turn, memory_order_relaxed);
    atomic_store_explicit(&of->counts_turn, turn + 1, memory_order_relaxed);
    /* a reader that sees one of these values sees the odd turn too */
    for (size_t i = 0; i < LANE_COUNTS_N; i++)
        atomic_store_explicit(&of->counts[i], values[i], memory_order_release);
    atomic_store_explicit(&of->counts_turn, turn + 2, memory_order_release);
}

static void read_counts(struct shared_lane *of, uint64_t values[LANE_COUNTS_N])
{
    uint64_t before, after;
    do {
        before = atomic_load_explicit(&of->counts_turn, memory_order_acquire);
        for (size_t i = 0; i < LANE_COUNTS_N; i++)
            values[i] = atomic_load_explicit(&of->counts[i], memory_order_acquire);
        after = atomic_load_explicit(&of->counts_turn, memory_order_relaxed);
    } while (before != after || (before & 1));
}

void shared_counts(struct shared *s, struct lane_counts *ret)
{
    uint64_t sum[LANE_COUNTS_N] = {0}, values[LANE_COUNTS_N];
    for (unsigned lane = 0; lane < s->lanes_n; lane++) {
        read_counts(&s->lanes[lane], values);
        for (size_t i = 0; i < LANE_COUNTS_N; i++)
            sum[i] += values[i];
    }
    memcpy(ret, sum, sizeof(*ret));
}
