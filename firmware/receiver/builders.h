/* Block builders, reused, and the bound on their memory.
 *
 * At most builders_units(lanes) units have builders at a time: of each lane one open, one in hand
 * so that a read never runs out, one being compressed; and one more waiting for that.  A unit has
 * one for each source group that it has messages of, made or taken when the first one comes, and is
 * closed at UNIT_MAX_MESSAGES and BLOCK_MAX_TEXT_BYTES over all of them; so more groups need no
 * more memory for messages, only what an empty builder needs.  Of those given back, so many are
 * kept whatever they have grown to, and besides them only small ones (BUILDERS_SPARE), which takes
 * at most 2 MiB each. */
#ifndef AZEKURA_RECEIVER_BUILDERS_H
#define AZEKURA_RECEIVER_BUILDERS_H

#include <pthread.h>
#include <stdatomic.h>

#include "block/block.h"
#include "base/limits.h"

#define builders_units(lanes) (3 * (lanes) + 1)

enum {
    UNITS_MAX = builders_units(RECEIVER_LANES_MAX),
    BUILDERS_SPARE = 2 * SOURCE_GROUPS_MAX,     /* small ones kept: of the open unit and the next */
    UNIT_MAX_MESSAGES = 4 * BLOCK_MAX_MESSAGES, /* over all blocks of a unit */
    BUILDER_SMALL_MESSAGES = 4096,
    BUILDER_SMALL_BYTES = 256 << 10, /* of text */
};

struct builder {
    struct block_builder *block;
    bool is_large; /* has held more than a small block, and keeps the memory for it */
};

struct builders {
    pthread_mutex_t lock;
    struct builder *large[UNITS_MAX], *small[BUILDERS_SPARE];
    unsigned large_n, small_n;
    unsigned units_max;     /* constant */
    _Atomic unsigned units; /* that have or may have builders: +lanes, -packers */
};

void builders_init(struct builders *p, unsigned lanes);
void builders_done(struct builders *p); /* frees those that were given back */

/* ---- lanes ---- */

/* How many more units may be begun, now. */
unsigned builders_free_units(const struct builders *p);
/* One of them: false when there is none.  A lane may take one for later. */
MUST_USE bool builders_begin_unit(struct builders *p);
/* An empty one for a unit that was begun; the sequence number is that of its first message. */
MUST_USE struct builder *builders_take(struct builders *p, uint64_t first_seq);

/* ---- any thread ---- */

void builders_give(struct builders *p, struct builder *b);
/* The unit has none any more. */
void builders_end_unit(struct builders *p);

#endif
