/* The distinct tokens of a block while its index is made.  Private to block/. */
#ifndef AZEKURA_BLOCK_TOKEN_SET_H
#define AZEKURA_BLOCK_TOKEN_SET_H

#include "base/view.h"

#define TOKEN_SET_RECENT 2048 /* 16 KiB: stays in the first-level cache */

/* Most tokens are ones seen a moment ago: `recent` answers for them without touching the big table.
 */
struct token_set {
    uint64_t recent[TOKEN_SET_RECENT];
    uint64_t *hashes; /* distinct, in the order they came */
    size_t n, cap;
    uint64_t *slots; /* open addressing, at most half full; 0 is empty */
    unsigned bits;   /* log2 of the slots */
    uint64_t spread; /* random and odd: no sender can choose tokens that collide */
    bool has_zero;   /* the hash 0, which a slot cannot hold */
};

void token_set_init(struct token_set *s);
void token_set_done(struct token_set *s);
void token_set_clear(struct token_set *s);
void token_set_add(struct token_set *s, uint64_t hash);
void token_set_add_text(struct token_set *s, struct view text);

#endif
