/* A set of rows of one block, a bit a row. */
#ifndef AZEKURA_ROWS_H
#define AZEKURA_ROWS_H

#include "base/base.h"
#include "base/limits.h"

struct rows {
    uint32_t n; /* rows of the block; bits at and beyond it are 0 */
    uint64_t words[BLOCK_MAX_MESSAGES / 64];
};

static inline uint32_t rows_words(const struct rows *s)
{
    return (s->n + 63) / 64;
}

static inline void rows_none(struct rows *s, uint32_t n)
{
    CHECK(n <= BLOCK_MAX_MESSAGES);
    s->n = n;
    memset(s->words, 0, rows_words(s) * sizeof(s->words[0]));
}

static inline bool rows_has(const struct rows *s, uint32_t row)
{
    return s->words[row / 64] >> (row % 64) & 1;
}

static inline void rows_add(struct rows *s, uint32_t row)
{
    s->words[row / 64] |= UINT64_C(1) << (row % 64);
}

static inline void rows_remove(struct rows *s, uint32_t row)
{
    s->words[row / 64] &= ~(UINT64_C(1) << (row % 64));
}

/* Exactly the rows from…to - 1 of n. */
void rows_range(struct rows *s, uint32_t n, uint32_t from, uint32_t to);
uint32_t rows_count(const struct rows *s);
/* The first row at or after `row`, or UINT32_MAX; the last one at or before it, or UINT32_MAX. */
uint32_t rows_next(const struct rows *s, uint32_t row);
uint32_t rows_previous(const struct rows *s, uint32_t row);
/* Set operations on sets of the same n; `a` and `s` may be the same. */
void rows_or(struct rows *s, const struct rows *a);
void rows_and_not(struct rows *ret, const struct rows *a, const struct rows *b);

#endif
