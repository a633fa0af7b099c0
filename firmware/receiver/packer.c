/* The packer threads. */
#include "receiver/packer.h"

#include <poll.h>

#include "receiver/replay.h"

enum { ROOM_MS = 100 }; /* several packers wait for one eventfd: another may have cleared it */

static void wait_readable(int fd, int timeout_ms)
{
    struct pollfd p = {.fd = fd, .events = POLLIN};
    (void)poll(&p, 1, timeout_ms); /* EINTR: the caller looks again anyway */
}

/* Until there is room for one more unit, or the receiver stops: then the few units there are
 * may go beyond the limit, since nothing follows them.  Once it was full a quarter has to be free
 * again, so that senders are not held back and let go with each unit. */
static void wait_for_room(struct shared *s)
{
    uint64_t limit = (uint64_t)s->config.queue_bytes;
    while (atomic_load(&s->queued_bytes) >= (atomic_load(&s->is_full) ? limit / 4 * 3 : limit) &&
           !atomic_load(&s->is_stopping)) {
        if (!atomic_exchange(&s->is_full, true))
            shared_wake_lanes(s);
        wait_readable(s->room_fd, ROOM_MS);
        shared_clear(s->room_fd);
    }
    if (atomic_exchange(&s->is_full, false))
        shared_wake_lanes(s);
}

static size_t memory_of(const struct work_block *b)
{
    size_t n = sizeof(*b) + b->block.senders.cap + b->block.tokens.cap + b->counts.bytes;
    for (int i = 0; i < BLOCK_COLUMNS; i++)
        n += b->block.columns[i].cap;
    return n;
}

static void pack(struct shared *s, struct work *w)
{
    for (unsigned i = 0; i < w->blocks_n; i++) {
        struct work_block *b = w->blocks[i];
        block_builder_finish(b->builder->block, &b->block);
        block_counts_make(b->builder->block, &b->counts);
        w->bytes += memory_of(b);
        builders_give(&s->builders, b->builder);
        b->builder = NULL;
    }
    w->bytes += sizeof(struct work);
    atomic_fetch_add(&s->queued_bytes, w->bytes);
}

static void pass_on(struct shared *s, struct work *w)
{
    if (w->is_recovered)
        replay_unit(s, w);
    if (w->blocks_n > 0) {
        wait_for_room(s);
        pack(s, w);
    }
    if (!w->is_recovered)
        shared_packing_ends(s, w);
    if (w->has_builders) {
        w->has_builders = false;
        builders_end_unit(&s->builders);
        shared_wake_lanes(s);
    }
    w->packed_mono_us = clock_mono_us();
    queue_push(&s->write, w);
}

void *packer_run(void *shared)
{
    struct shared *s = shared;
    bool is_ended = false;
    while (!is_ended) {
        struct work *w = queue_pop(&s->pack, &is_ended);
        if (w)
            pass_on(s, w);
        else if (!is_ended)
            wait_readable(s->pack.event_fd, -1);
    }
    return NULL;
}
