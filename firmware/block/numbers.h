/* A list of whole numbers as bytes: the smallest one, then the differences to it, split into planes
 * of equal significance, so that each plane compresses by itself and a constant costs nothing.
 *
 *   varint base, u8 width 0…8, then `width` planes of one byte a number, the lowest first
 */
#ifndef AZEKURA_BLOCK_NUMBERS_H
#define AZEKURA_BLOCK_NUMBERS_H

#include "block/column.h"
#include "block/wire.h"

#define NUMBERS_MAX_BYTES(n) (WIRE_VARINT_MAX + 1 + 8 * (size_t)(n))

/* Each plane becomes a part of the content. */
void numbers_put(struct content *c, const uint64_t *v, size_t n);
/* The same of v[i] − less; none may be below 0. */
void numbers_put_u16(struct content *c, const uint16_t *v, size_t n, uint16_t less);
/* n numbers, each ≤ max, into ret; false and c->is_bad when the bytes do not give them. */
bool numbers_get_u64(struct cursor *c, size_t n, uint64_t max, uint64_t *ret);
bool numbers_get_u32(struct cursor *c, size_t n, uint32_t max, uint32_t *ret);
bool numbers_get_u16(struct cursor *c, size_t n, uint16_t max, uint16_t *ret);

#endif
