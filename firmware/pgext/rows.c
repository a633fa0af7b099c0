/* Sets of rows of one block.  Pure: no PostgreSQL. */
#include "pgext/rows.h"

void rows_range(struct rows *s, uint32_t n, uint32_t from, uint32_t to)
{
    rows_none(s, n);
    to = MIN(to, n);
    if (from >= to)
        return;
    uint64_t head = ~UINT64_C(0) << (from % 64);
    uint64_t tail = ~UINT64_C(0) >> (63 - (to - 1) % 64);
    uint32_t first = from / 64;
    uint32_t last = (to - 1) / 64;
    if (first == last) {
        s->words[first] = head & tail;
        return;
    }
    s->words[first] = head;
    for (uint32_t i = first + 1; i < last; i++)
        s->words[i] = ~UINT64_C(0);
    s->words[last] = tail;
}

uint32_t rows_count(const struct rows *s)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < rows_words(s); i++)
        count += (uint32_t)__builtin_popcountll(s->words[i]);
    return count;
}

uint32_t rows_next(const struct rows *s, uint32_t row)
{
    if (row >= s->n)
        return UINT32_MAX;
    uint32_t i = row / 64;
    uint64_t word = s->words[i] & ~UINT64_C(0) << (row % 64);
    while (word == 0) {
        if (++i >= rows_words(s))
            return UINT32_MAX;
        word = s->words[i];
    }
    return i * 64 + (uint32_t)__builtin_ctzll(word);
}

uint32_t rows_previous(const struct rows *s, uint32_t row)
{
    if (s->n == 0)
        return UINT32_MAX;
    row = MIN(row, s->n - 1);
    uint32_t i = row / 64;
    uint64_t word = s->words[i] & ~UINT64_C(0) >> (63 - row % 64);
    while (word == 0) {
        if (i-- == 0)
            return UINT32_MAX;
        word = s->words[i];
    }
    return i * 64 + 63 - (uint32_t)__builtin_clzll(word);
}

void rows_or(struct rows *s, const struct rows *a)
{
    for (uint32_t i = 0; i < rows_words(s); i++)
        s->words[i] |= a->words[i];
}

void rows_and_not(struct rows *ret, const struct rows *a, const struct rows *b)
{
    ret->n = a->n;
    for (uint32_t i = 0; i < rows_words(a); i++)
        ret->words[i] = a->words[i] & ~b->words[i];
}
