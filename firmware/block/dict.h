/* The distinct values of a column while a block is built, numbered from 1 in the order they came;
 * 0 is null.  Private to block/.
 *
 *   slots (hash → number)     offsets            text
 *   [ 0 | 2 | 0 | 1 | … ] ─▶  [ 0 | 4 | 9 ] ─▶   fw01sw-07
 */
#ifndef AZEKURA_BLOCK_DICT_H
#define AZEKURA_BLOCK_DICT_H

#include "base/buf.h"
#include "base/limits.h"

#define DICT_NEW UINT32_MAX

struct dict {
    struct buf text;
    uint32_t *offsets; /* value i is text[offsets[i - 1]] … text[offsets[i]] */
    uint32_t n, cap;   /* values; values there is room for */
    uint64_t *slots;   /* number << 32 | hash; 0: empty.  One look tells most others from it */
    uint32_t mask;     /* slots − 1 */
    uint16_t *rows;    /* BLOCK_MAX_MESSAGES */
    uint64_t seeds[2]; /* of the hash: random, so that no sender can choose values that collide */
};

void dict_init(struct dict *d);
void dict_done(struct dict *d);
void dict_clear(struct dict *d);
/* Number of the value (0 for null), or DICT_NEW; *ret_hash is for dict_add. */
uint32_t dict_find(struct dict *d, struct view value, uint32_t *ret_hash);
/* Give the next number to a value that dict_find did not know. */
uint32_t dict_add(struct dict *d, struct view value, uint32_t hash);
struct view dict_value(const struct dict *d, uint32_t number); /* 1 … n */

#endif
