/* The stock of block builders.  One lock a block, not a message. */
#include "receiver/builders.h"

void builders_init(struct builders *p, unsigned lanes)
{
    memset(p, 0, sizeof(*p));
    p->units_max = builders_units(lanes);
    CHECK(p->units_max <= UNITS_MAX);
    CHECK(pthread_mutex_init(&p->lock, NULL) == 0);
}

static void builder_free(struct builder *b)
{
    block_builder_free(&b->block);
    free(b);
}

void builders_done(struct builders *p)
{
    while (p->large_n > 0)
        builder_free(p->large[--p->large_n]);
    while (p->small_n > 0)
        builder_free(p->small[--p->small_n]);
    pthread_mutex_destroy(&p->lock);
}

unsigned builders_free_units(const struct builders *p)
{
    unsigned taken = atomic_load(&((struct builders *)p)->units);
    CHECK(taken <= p->units_max);
    return p->units_max - taken;
}

bool builders_begin_unit(struct builders *p)
{
    unsigned taken = atomic_load(&p->units);
    do {
        if (taken == p->units_max)
            return false;
    } while (!atomic_compare_exchange_weak(&p->units, &taken, taken + 1));
    return true;
}

void builders_end_unit(struct builders *p)
{
    CHECK(atomic_fetch_sub(&p->units, 1) > 0);
}

/* The last one given back, whose memory is warm; a large one first, since it is there anyway. */
struct builder *builders_take(struct builders *p, uint64_t first_seq)
{
    struct builder *b = NULL;
    pthread_mutex_lock(&p->lock);
    if (p->large_n > 0)
        b = p->large[--p->large_n];
    else if (p->small_n > 0)
        b = p->small[--p->small_n];
    pthread_mutex_unlock(&p->lock);
    if (!b) {
        b = xcalloc(1, sizeof(*b));
        b->block = block_builder_new();
    }
    block_builder_clear(b->block, first_seq);
    return b;
}

void builders_give(struct builders *p, struct builder *b)
{
    b->is_large |= block_builder_messages(b->block) > BUILDER_SMALL_MESSAGES ||
                   block_builder_text_bytes(b->block) > BUILDER_SMALL_BYTES;
    block_builder_shrink(b->block); /* here, not when it is taken: that may be hours later */
    pthread_mutex_lock(&p->lock);
    if (b->is_large && p->large_n < p->units_max) {
        p->large[p->large_n++] = b;
        b = NULL;
    } else if (!b->is_large && p->small_n < BUILDERS_SPARE) {
        p->small[p->small_n++] = b;
        b = NULL;
    }
    pthread_mutex_unlock(&p->lock);
    if (b)
        builder_free(b);
}
