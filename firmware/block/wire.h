/* Reading and writing the bytes of a column: little-endian numbers, LEB128 varints, and a cursor
 * that checks every read.  Private to block/. */
#ifndef AZEKURA_BLOCK_WIRE_H
#define AZEKURA_BLOCK_WIRE_H

#include "base/base.h"
#include "base/buf.h"

#define WIRE_VARINT_MAX 10 /* bytes of the longest varint: 64 bits by sevens */

static inline void wire_store(uint8_t *p, uint64_t v, unsigned bytes)
{
    for (unsigned i = 0; i < bytes; i++)
        p[i] = (uint8_t)(v >> (8 * i));
}

static inline uint64_t wire_fetch(const uint8_t *p, unsigned bytes)
{
    uint64_t v = 0;
    for (unsigned i = 0; i < bytes; i++)
        v |= (uint64_t)p[i] << (8 * i);
    return v;
}

static inline unsigned wire_varint(uint8_t out[WIRE_VARINT_MAX], uint64_t v)
{
    unsigned n = 0;
    for (; v >= 0x80; v >>= 7)
        out[n++] = (uint8_t)(v | 0x80);
    out[n++] = (uint8_t)v;
    return n;
}

/* Small numbers of either sign become small numbers: 0 −1 1 −2 … → 0 1 2 3 …; wraps, loses nothing.
 */
static inline uint64_t wire_zigzag(uint64_t v)
{
    return (v << 1) ^ (v >> 63 ? UINT64_MAX : 0);
}

static inline uint64_t wire_unzigzag(uint64_t v)
{
    return (v >> 1) ^ (v & 1 ? UINT64_MAX : 0);
}

/* What is left to read.  A read past the end gives zeros and sets `is_bad`, which stays. */
struct cursor {
    const uint8_t *p;
    size_t n;
    bool is_bad;
};

static inline const uint8_t *cursor_take(struct cursor *c, size_t n)
{
    if (n > c->n) {
        c->is_bad = true;
        c->n = 0;
        return NULL;
    }
    const uint8_t *p = c->p;
    c->p += n;
    c->n -= n;
    return p;
}

static inline uint64_t cursor_number(struct cursor *c, unsigned bytes)
{
    const uint8_t *p = cursor_take(c, bytes);
    return p ? wire_fetch(p, bytes) : 0;
}

static inline uint64_t cursor_varint(struct cursor *c)
{
    uint64_t v = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
        const uint8_t *p = cursor_take(c, 1);
        if (p == NULL)
            return 0;
        v |= (uint64_t)(*p & 0x7f) << shift;
        if (*p < 0x80) {
            if (shift == 63 && *p > 1)
                c->is_bad = true; /* more than 64 bits */
            return v;
        }
    }
    c->is_bad = true;
    return 0;
}

#endif
