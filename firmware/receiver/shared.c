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
    if (s->wake_fd < 0 || s->room_fd < 0 || queue_init(&s->pack) < 0 || queue_init(&s->write) < 0 ||
        queue_init(&s->builders) < 0)
        return err_set(err, errno, "system", "cannot make an eventfd: %s", strerror(errno));
    atomic_store(&s->give_up_mono_us, INT64_MAX);
    atomic_store(&s->flush_us, c->flush_ms * 1000);
    atomic_store(&s->tcp_idle_us, c->tcp_idle_seconds * US_PER_SECOND);
    for (int i = 0; i < BUILDERS; i++) {
        struct work *w = work_new();
        w->builder = block_builder_new();
        queue_push(&s->builders, w);
    }
    return 0;
}

void shared_done(struct shared *s)
{
    bool is_ended;
    struct work *w;
    while ((w = queue_pop(&s->builders, &is_ended)) != NULL) {
        block_builder_free(&w->builder);
        work_free(&w);
    }
    queue_done(&s->pack);
    queue_done(&s->write);
    queue_done(&s->builders);
    close(s->wake_fd);
    close(s->room_fd);
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
