/* A unit on its way through the receiver: begun and filled by the network thread, compressed by the
 * packer thread, written by the writer thread.  One thread has it at a time; queues hand it over.
 */
#ifndef AZEKURA_RECEIVER_WORK_H
#define AZEKURA_RECEIVER_WORK_H

#include <pthread.h>

#include "block/counts.h"
#include "receiver/builders.h"
#include "receiver/journal.h"
#include "receiver/ledger.h"

/* The messages of one source group in a unit. */
struct work_block {
    uint8_t source_group;
    struct builder *builder; /* until packed, then NULL */
    struct block block;      /* once packed, with its counts */
    struct block_counts counts;
};

struct work {
    struct work *next; /* in a queue */
    struct ledger_page *page;
    struct journal_chain *journal;                /* its messages as received; NULL: none */
    struct work_block *blocks[SOURCE_GROUPS_MAX]; /* in the order in which they were begun */
    unsigned blocks_n;                            /* 0: nothing of it is to be stored */
    bool has_builders; /* it is one of the UNITS that may have some (builders.h) */
    bool is_recovered; /* a page of an earlier run: to be replayed from its journal */
    bool is_lost;      /* its messages are gone, the counts are not */
    size_t bytes;      /* of memory that waits: the compressed blocks */
    uint32_t messages; /* in its blocks, and … */
    size_t text_bytes; /* … of their text, when it was closed */
    int64_t packed_mono_us;
};

MUST_USE struct work *work_new(void);
void work_free(struct work **w); /* the blocks too; not the page or builders */

/* Append an empty block of a group, without builder. */
struct work_block *work_add_block(struct work *w, uint8_t source_group);
/* Messages in its packed blocks. */
uint64_t work_messages(const struct work *w);
/* Of one source group. */
uint64_t work_group_messages(const struct work *w, uint8_t source_group);

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
