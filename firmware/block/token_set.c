/* A set of hashes. */
#include "block/token_set.h"

#include <unistd.h>

#include "block/token_scan.h"

#define FIRST_BITS 12
#define KEPT_BITS 20 /* a table that grew beyond 8 MiB is given back */

static void set_table(struct token_set *s, unsigned bits)
{
    free(s->slots);
    s->bits = bits;
    s->slots = xcalloc((size_t)1 << bits, sizeof(*s->slots));
}

void token_set_init(struct token_set *s)
{
    *s = (struct token_set){.cap = (size_t)1 << (FIRST_BITS - 1)};
    s->hashes = xcalloc(s->cap, sizeof(*s->hashes));
    set_table(s, FIRST_BITS);
    CHECK(getentropy(&s->spread, sizeof(s->spread)) == 0);
    s->spread |= 1;
}

void token_set_done(struct token_set *s)
{
    free(s->hashes);
    free(s->slots);
}

void token_set_clear(struct token_set *s)
{
    memset(s->recent, 0, sizeof(s->recent));
    s->n = 0;
    s->has_zero = false;
    if (s->bits > KEPT_BITS) {
        set_table(s, FIRST_BITS);
        s->cap = (size_t)1 << (FIRST_BITS - 1);
        s->hashes = xrealloc(s->hashes, s->cap, sizeof(*s->hashes));
    } else {
        memset(s->slots, 0, sizeof(*s->slots) << s->bits);
    }
}

/* The slot of the hash, or the empty one where it belongs. */
static uint64_t *find(const struct token_set *s, uint64_t hash)
{
    size_t mask = ((size_t)1 << s->bits) - 1, i = (hash * s->spread) >> (64 - s->bits);
    while (s->slots[i] != 0 && s->slots[i] != hash)
        i = (i + 1) & mask;
    return &s->slots[i];
}

static void grow(struct token_set *s)
{
    s->cap *= 2;
    s->hashes = xrealloc(s->hashes, s->cap, sizeof(*s->hashes));
    set_table(s, s->bits + 1);
    for (size_t i = 0; i < s->n; i++)
        if (s->hashes[i] != 0)
            *find(s, s->hashes[i]) = s->hashes[i];
}

static void add_new(struct token_set *s, uint64_t hash)
{
    uint64_t *slot = find(s, hash);
    if (hash == 0 ? s->has_zero : *slot == hash)
        return;
    if (hash == 0)
        s->has_zero = true;
    else
        *slot = hash;
    s->hashes[s->n++] = hash;
    if (s->n == s->cap)
        grow(s);
}

static inline void add(struct token_set *s, uint64_t hash)
{
    uint64_t *recent = &s->recent[hash & (TOKEN_SET_RECENT - 1)];
    if (LIKELY(*recent == hash && hash != 0))
        return;
    *recent = hash;
    add_new(s, hash);
}

void token_set_add(struct token_set *s, uint64_t hash)
{
    add(s, hash);
}

static inline void add_token(void *context, uint64_t hash, size_t from, size_t to)
{
    (void)from;
    (void)to;
    add(context, hash);
}

void token_set_add_text(struct token_set *s, struct view text)
{
    token_scan(text, add_token, s);
}
