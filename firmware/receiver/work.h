/* A unit on its way through the receiver: begun and filled by the network thread, compressed by the
 * packer thread, written by the writer thread.  One thread has it at a time; queues hand it over.
 */
#ifndef AZEKURA_RECEIVER_WORK_H
#define AZEKURA_RECEIVER_WORK_H

#include <pthread.h>

#include "block/block.h"
#include "receiver/ledger.h"

struct work {
    struct work *next; /* in a queue */
    struct ledger_page *page;
    struct block_builder *builder; /* until packed; NULL: a unit without block */
    struct block block;
    bool has_block;
    bool is_recovered; /* a page of an earlier run */
    bool is_lost;      /* its messages are gone, the counts are not */
    size_t bytes;      /* of memory that waits: the compressed block */
    unsigned rejections;
};

MUST_USE struct work *work_new(void);
void work_free(struct work **w); /* the block too; not the page or builder */

/* First in, first out, any threads.  One lock a unit, not a message. */
struct queue {
    pthread_mutex_t lock;
    struct work *first, *last;
    bool is_ended;
    int event_fd; /* readable while something, or the end, waits */
};

MUST_USE int queue_init(struct queue *q); /* 0, or -errno */
void queue_done(struct queue *q);         /* frees what is in it */
void queue_push(struct queue *q, struct work *w);
/* Nothing follows what is in the queue. */
void queue_end(struct queue *q);
/* NULL when empty; *ret_is_ended tells whether anything can follow.  Never waits. */
struct work *queue_pop(struct queue *q, bool *ret_is_ended);

#endif
