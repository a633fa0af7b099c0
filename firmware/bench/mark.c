/* Finding marks, at several bytes a nanosecond where there are none: sixteen bytes at a time are
 * compared with the first and the last byte of "seq=", and only where both fit is it looked at. */
#include "bench/mark.h"

#define PREFIX "seq="
#define PREFIX_BYTES 4
#define RUN_DIGITS 16

typedef uint8_t vector __attribute__((vector_size(16)));

static inline vector vector_at(const char *p)
{
    vector v;
    memcpy(&v, p, sizeof(v));
    return v;
}

static inline bool is_prefix(const char *p)
{
    return memcmp(p, PREFIX, PREFIX_BYTES) == 0;
}

/* Where "seq=" begins at `from` or later; text.n: nowhere. */
static size_t find_prefix(struct view text, size_t from)
{
    const vector first = (vector){0} + (uint8_t)'s', last = (vector){0} + (uint8_t)'=';
    size_t i = from;
    for (; i + sizeof(vector) + PREFIX_BYTES - 1 <= text.n; i += sizeof(vector)) {
        vector hit = (vector)(vector_at(text.p + i) == first) &
                     (vector)(vector_at(text.p + i + PREFIX_BYTES - 1) == last);
        uint64_t half[2];
        memcpy(half, &hit, sizeof(half));
        if (LIKELY((half[0] | half[1]) == 0))
            continue;
        for (size_t k = half[0] ? 0 : 8; k < sizeof(vector); k++)
            if (is_prefix(text.p + i + k))
                return i + k;
    }
    for (; i + PREFIX_BYTES <= text.n; i++)
        if (text.p[i] == 's' && is_prefix(text.p + i))
            return i;
    return text.n;
}

/* Where the end of the text may cut off the prefix itself. */
static size_t cut_prefix(struct view text, size_t from)
{
    for (size_t k = PREFIX_BYTES - 1; k > 0; k--)
        if (text.n - from >= k && memcmp(text.p + text.n - k, PREFIX, k) == 0)
            return text.n - k;
    return text.n;
}

static int hex_digit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

enum parsed { PARSED_NO, PARSED_CUT, PARSED_YES };

/* Decimal digits at *at, at most `max` of them. */
static enum parsed parse_number(struct view text, size_t *at, size_t max, uint64_t *ret)
{
    size_t i = *at;
    uint64_t n = 0;
    bool is_over = false;
    for (; i < text.n && text.p[i] >= '0' && text.p[i] <= '9'; i++) {
        if (i - *at == max)
            return PARSED_NO;
        is_over |= __builtin_mul_overflow(n, UINT64_C(10), &n);
        is_over |= __builtin_add_overflow(n, (uint64_t)(text.p[i] - '0'), &n);
    }
    if (i == *at)
        return i == text.n ? PARSED_CUT : PARSED_NO;
    *ret = is_over ? UINT64_MAX : n;
    *at = i;
    return PARSED_YES;
}

static enum parsed parse_dash(struct view text, size_t *at)
{
    if (*at == text.n)
        return PARSED_CUT;
    return text.p[(*at)++] == '-' ? PARSED_YES : PARSED_NO;
}

/* The mark whose "seq=" lies at m->at. */
static enum parsed parse_mark(struct view text, struct mark *m)
{
    size_t at = m->at + PREFIX_BYTES;
    uint64_t run = 0;
    for (size_t i = 0; i < RUN_DIGITS; i++, at++) {
        int digit = at < text.n ? hex_digit(text.p[at]) : -1;
        if (digit < 0)
            return at < text.n ? PARSED_NO : PARSED_CUT;
        run = run << 4 | (uint64_t)digit;
    }
    m->run = run;
    enum parsed r = parse_dash(text, &at);
    if (r == PARSED_YES)
        r = parse_number(text, &at, MARK_STREAM_DIGITS, &m->stream);
    if (r == PARSED_YES)
        r = parse_dash(text, &at);
    if (r == PARSED_YES)
        r = parse_number(text, &at, MARK_NUMBER_DIGITS, &m->number);
    m->end = at;
    return r;
}

bool mark_next(struct view text, size_t from, struct mark *ret)
{
    CHECK(from <= text.n);
    for (size_t at = from; (at = find_prefix(text, at)) < text.n; at += PREFIX_BYTES) {
        ret->at = at;
        enum parsed r = parse_mark(text, ret);
        if (r == PARSED_YES)
            return true;
        if (r == PARSED_CUT)
            return false;
    }
    ret->at = cut_prefix(text, from);
    return false;
}
