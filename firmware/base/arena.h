/* Memory that is given back all at once: for a request, a query, a batch.  Never returns NULL. */
#ifndef AZEKURA_ARENA_H
#define AZEKURA_ARENA_H

#include "base/base.h"
#include "base/view.h"

struct arena_chunk;

struct arena {
    struct arena_chunk *chunks;
    size_t used_bytes; /* handed out since the last clear */
};

#define ARENA_INIT ((struct arena){0})

/* Zeroed, aligned to 16. */
MUST_USE void *arena_alloc(struct arena *a, size_t n);
MUST_USE char *arena_strdup(struct arena *a, struct view v); /* NUL-terminated copy */
MUST_USE struct view arena_copy(struct arena *a, struct view v);
void arena_clear(struct arena *a); /* reuse: keeps the first chunk */
void arena_done(struct arena *a);

#endif
