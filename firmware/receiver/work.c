/* Units on their way, and the queues between the threads. */
#include "receiver/work.h"

#include <sys/eventfd.h>
#include <unistd.h>

struct work *work_new(void)
{
    return xcalloc(1, sizeof(struct work));
}

void work_free(struct work **w)
{
    if (!*w)
        return;
    for (unsigned i = 0; i < (*w)->blocks_n; i++) {
        block_free(&(*w)->blocks[i]->block);
        block_counts_free(&(*w)->blocks[i]->counts);
        free((*w)->blocks[i]);
    }
    free(*w);
    *w = NULL;
}

struct work_block *work_add_block(struct work *w, uint8_t source_group)
{
    CHECK(w->blocks_n < SOURCE_GROUPS_MAX);
    struct work_block *b = xcalloc(1, sizeof(*b));
    b->source_group = source_group;
    return w->blocks[w->blocks_n++] = b;
}

uint64_t work_messages(const struct work *w)
{
    uint64_t n = 0;
    for (unsigned i = 0; i < w->blocks_n; i++)
        n += w->blocks[i]->block.messages;
    return n;
}

uint64_t work_group_messages(const struct work *w, uint8_t source_group)
{
    uint64_t n = 0;
    for (unsigned i = 0; i < w->blocks_n; i++)
        n += w->blocks[i]->source_group == source_group ? w->blocks[i]->block.messages : 0;
    return n;
}

int queue_init(struct queue *q)
{
    memset(q, 0, sizeof(*q));
    q->event_fd = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
    if (q->event_fd < 0)
        return -errno;
    CHECK(pthread_mutex_init(&q->lock, NULL) == 0);
    return 0;
}

void queue_done(struct queue *q)
{
    while (q->first) {
        struct work *w = q->first;
        q->first = w->next;
        work_free(&w);
    }
    close(q->event_fd);
    pthread_mutex_destroy(&q->lock);
}

/* The descriptor is readable exactly while the queue has something to say; changed under the lock.
 */
static void set_readable(struct queue *q, bool is_readable)
{
    eventfd_t v;
    int rc = is_readable ? eventfd_write(q->event_fd, 1) : eventfd_read(q->event_fd, &v);
    (void)rc; /* EAGAIN: it was so already */
}

void queue_push(struct queue *q, struct work *w)
{
    w->next = NULL;
    pthread_mutex_lock(&q->lock);
    CHECK(!q->is_ended);
    if (q->last)
        q->last->next = w;
    else
        q->first = w;
    q->last = w;
    set_readable(q, true);
    pthread_mutex_unlock(&q->lock);
}

void queue_end(struct queue *q)
{
    pthread_mutex_lock(&q->lock);
    q->is_ended = true;
    set_readable(q, true);
    pthread_mutex_unlock(&q->lock);
}

struct work *queue_pop(struct queue *q, bool *ret_is_ended)
{
    pthread_mutex_lock(&q->lock);
    struct work *w = q->first;
    if (w) {
        q->first = w->next;
        if (!q->first)
            q->last = NULL;
        w->next = NULL;
    }
    if (!q->first && !q->is_ended)
        set_readable(q, false);
    *ret_is_ended = q->is_ended && !w;
    pthread_mutex_unlock(&q->lock);
    return w;
}
