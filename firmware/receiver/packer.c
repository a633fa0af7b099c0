/* The packer thread. */
#include "receiver/packer.h"

#include <poll.h>

static void wait_readable(int fd)
{
    struct pollfd p = {.fd = fd, .events = POLLIN};
    (void)poll(&p, 1, -1); /* EINTR: the caller looks again anyway */
}

/* Until there is room for one more block, or the receiver stops: then the few builders there are
 * may go beyond the limit, since nothing follows them. */
static void wait_for_room(struct shared *s)
{
    while (atomic_load(&s->queued_bytes) >= (uint64_t)s->config.queue_bytes &&
           !atomic_load(&s->is_stopping)) {
        if (!atomic_exchange(&s->is_full, true))
            shared_wake(s->wake_fd);
        wait_readable(s->room_fd);
        shared_clear(s->room_fd);
    }
    if (atomic_exchange(&s->is_full, false))
        shared_wake(s->wake_fd);
}

static size_t memory_of(const struct block *b)
{
    size_t n = sizeof(struct work) + b->senders.cap + b->tokens.cap;
    for (int i = 0; i < BLOCK_COLUMNS; i++)
        n += b->columns[i].cap;
    return n;
}

static void pack(struct shared *s, struct work *w)
{
    block_builder_finish(w->builder, &w->block);
    w->has_block = true;
    w->bytes = memory_of(&w->block);
    atomic_fetch_add(&s->queued_bytes, w->bytes);

    struct work *carrier = work_new();
    carrier->builder = w->builder;
    w->builder = NULL;
    queue_push(&s->builders, carrier);
    shared_wake(s->wake_fd);
}

void *packer_run(void *shared)
{
    struct shared *s = shared;
    bool is_ended = false;
    while (!is_ended) {
        struct work *w = queue_pop(&s->pack, &is_ended);
        if (w) {
            if (w->builder) {
                wait_for_room(s);
                pack(s, w);
            }
            queue_push(&s->write, w);
        } else if (!is_ended) {
            wait_readable(s->pack.event_fd);
        }
    }
    queue_end(&s->write);
    return NULL;
}
