/* Chunks of 64 KiB and more; the newest is filled from its start.
 *
 *   chunks ─▶ [newest | used … free] ─▶ [older] ─▶ [first]
 */
#include "base/arena.h"

#define CHUNK_BYTES (64u << 10)
#define ALIGN 16u

struct arena_chunk {
    struct arena_chunk *next;
    size_t size, used;
    _Alignas(16) char bytes[];
};

void *arena_alloc(struct arena *a, size_t n)
{
    size_t need;
    CHECK(!__builtin_add_overflow(n, ALIGN - 1, &need));
    need &= ~(size_t)(ALIGN - 1);
    struct arena_chunk *c = a->chunks;
    if (c == NULL || need > c->size - c->used) {
        size_t size = MAX(need, (size_t)CHUNK_BYTES), bytes;
        CHECK(!__builtin_add_overflow(size, sizeof(*c), &bytes));
        c = xmalloc(bytes);
        c->next = a->chunks;
        c->size = size;
        c->used = 0;
        a->chunks = c;
    }
    void *p = c->bytes + c->used;
    c->used += need;
    a->used_bytes += need;
    return memset(p, 0, n);
}

char *arena_strdup(struct arena *a, struct view v)
{
    char *s = arena_alloc(a, v.n + 1);
    if (v.n > 0)
        memcpy(s, v.p, v.n);
    return s;
}

struct view arena_copy(struct arena *a, struct view v)
{
    return v.p ? view_of(arena_strdup(a, v), v.n) : VIEW_NULL;
}

void arena_clear(struct arena *a)
{
    while (a->chunks != NULL && a->chunks->next != NULL) {
        struct arena_chunk *next = a->chunks->next;
        free(a->chunks);
        a->chunks = next;
    }
    if (a->chunks != NULL)
        a->chunks->used = 0;
    a->used_bytes = 0;
}

void arena_done(struct arena *a)
{
    arena_clear(a);
    free(a->chunks);
    a->chunks = NULL;
}
