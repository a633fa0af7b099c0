/* What the receiver's threads share. */
#include "receiver/shared.h"

#include <sys/eventfd.h>
#include <unistd.h>

int shared_init(struct shared *s, const struct config *c, struct err *err)
{
    memset(s, 0, sizeof(*s));
    s->config = *c;
    s->started_at_us = clock_wall_us();
    s->wake_fd = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
    s->room_fd = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
    if (s->wake_fd < 0 || s->room_fd < 0 || queue_init(&s->pack) < 0 || queue_init(&s->write) < 0)
        return err_set(err, errno, "system", "cannot make an eventfd: %s", strerror(errno));
    atomic_store(&s->give_up_mono_us, INT64_MAX);
    atomic_store(&s->flush_us, c->flush_ms * 1000);
    atomic_store(&s->tcp_idle_us, c->tcp_idle_seconds * US_PER_SECOND);
    builders_init(&s->builders);
    return 0;
}

void shared_done(struct shared *s)
{
    struct groups *g = shared_take_groups(s);
    groups_free(&g);
    builders_done(&s->builders);
    queue_done(&s->pack);
    queue_done(&s->write);
    close(s->wake_fd);
    close(s->room_fd);
}

void shared_put_groups(struct shared *s, struct groups *g)
{
    struct groups *unseen = atomic_exchange(&s->new_groups, g);
    groups_free(&unseen);
    shared_wake(s->wake_fd);
}

struct groups *shared_take_groups(struct shared *s)
{
    /* a look first: an exchange at every read would take the cache line from the writer */
    if (LIKELY(!atomic_load_explicit(&s->new_groups, memory_order_relaxed)))
        return NULL;
    return atomic_exchange(&s->new_groups, NULL);
}

void shared_wake(int event_fd)
{
    (void)eventfd_write(event_fd, 1);
}

void shared_clear(int event_fd)
{
    eventfd_t v;
    (void)eventfd_read(event_fd, &v);
}

/* A sequence lock: the reader takes a set again when the turn has changed meanwhile. */
void shared_publish(struct shared *s, const struct intake_counts *c)
{
    uint64_t values[INTAKE_COUNTS_N];
    memcpy(values, c, sizeof(values));
    uint64_t turn = atomic_load_explicit(&s->counts_turn, memory_order_relaxed);
    atomic_store_explicit(&s->counts_turn, turn + 1, memory_order_relaxed);
    /* a reader that sees one of these values sees the odd turn too */
    for (size_t i = 0; i < INTAKE_COUNTS_N; i++)
        atomic_store_explicit(&s->counts[i], values[i], memory_order_release);
    atomic_store_explicit(&s->counts_turn, turn + 2, memory_order_release);
}

void shared_counts(struct shared *s, struct intake_counts *ret)
{
    uint64_t values[INTAKE_COUNTS_N], before, after;
    do {
        before = atomic_load_explicit(&s->counts_turn, memory_order_acquire);
        for (size_t i = 0; i < INTAKE_COUNTS_N; i++)
            values[i] = atomic_load_explicit(&s->counts[i], memory_order_acquire);
        after = atomic_load_explicit(&s->counts_turn, memory_order_relaxed);
    } while (before != after || (before & 1));
    memcpy(ret, values, sizeof(*ret));
}
