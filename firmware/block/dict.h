/* The distinct values of a column while a block is built, numbered from 1 in the order they came;
 * 0 is null.  Private to block/.
 *
 *   slots (by hash)           offsets            text
 *   [ 0 | 2 | 0 | 1 | … ] ─▶  [ 0 | 4 | 9 ] ─▶   fw01sw-07
 */
#ifndef AZEKURA_BLOCK_DICT_H
#define AZEKURA_BLOCK_DICT_H

#include "base/buf.h"
#include "base/limits.h"

#define DICT_NEW UINT32_MAX
#define DICT_MAX UINT16_MAX /* values: a row has 16 bits for its number */

/* What is looked for, made before it is: the slot is on its way into the cache meanwhile. */
struct dict_key {
    uint32_t hash;
};

struct dict {
    struct buf text;
    uint32_t *offsets; /* value i is text[offsets[i - 1]] … text[offsets[i]] */
    uint32_t *hashes;  /* of value i: one look tells most others from it */
    uint32_t n, cap;   /* values; values there is room for */
    uint16_t *slots;   /* numbers, 0: empty.  Two bytes each, since there are many process numbers,
                          and the cache has other things to hold */
    uint32_t mask;     /* slots − 1 */
    uint16_t *rows;    /* BLOCK_MAX_MESSAGES */
    uint64_t seeds[2]; /* of the hash: random, so that no sender can choose values that collide */
};

void dict_init(struct dict *d);
void dict_done(struct dict *d);
void dict_clear(struct dict *d);
/* The key of a value (of null: any).  Valid for this dictionary only. */
struct dict_key dict_key(const struct dict *d, struct view value);
/* Number of the value (0 for null), or DICT_NEW. */
uint32_t dict_find(const struct dict *d, struct view value, const struct dict_key *key);
/* Give the next number to a value that dict_find did not know; no more than DICT_MAX of them. */
uint32_t dict_add(struct dict *d, struct view value, const struct dict_key *key);
struct view dict_value(const struct dict *d, uint32_t number); /* 1 … n */

#endif
