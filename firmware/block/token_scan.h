/* The tokens of a text, found eight bytes at a time.  In a header, so that each of its few users
 * gets a loop with its own action inlined: this runs over every byte that is stored.  Private to
 * block/.
 *
 * The hash is part of the format (the token index is made of it):
 *   mix(a, b)      high and low half of the 128-bit product a × b, XORed
 *   ASCII token    h = S0 ^ bytes × M1; for each 8 bytes (little-endian, bit 5 of every byte set,
 * which folds letters and leaves digits and the dot; the last zero-padded): h = mix(h ^ word, M0);
 * then finish code point c   finish(mix(S1 ^ c, M0)); neighbours c, d: finish(mix(S2 ^ (c << 32 |
 * d), M0)) field value    as an ASCII token of the folded text, but whole bytes and S3 + field for
 * S0 finish(h)      h ^= h >> 32; h *= M1; h ^= h >> 29
 */
#ifndef AZEKURA_BLOCK_TOKEN_SCAN_H
#define AZEKURA_BLOCK_TOKEN_SCAN_H

#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "base/utf8.h"
#include "base/view.h"

#define TOKEN_M0 UINT64_C(0x9e3779b97f4a7c15)
#define TOKEN_M1 UINT64_C(0xd6e8feb86659fd93)
#define TOKEN_S0 UINT64_C(0xa0761d6478bd642f)
#define TOKEN_S1 UINT64_C(0xe7037ed1a0b428db)
#define TOKEN_S2 UINT64_C(0x8ebc6af09c88c6e3)
#define TOKEN_S3 UINT64_C(0x589965cc75374cc3)

#define TOKEN_BYTES UINT64_C(0x0101010101010101)
#define TOKEN_HIGHS (TOKEN_BYTES << 7)
#define TOKEN_FOLD (TOKEN_BYTES * 0x20)

static inline uint64_t token_mix(uint64_t a, uint64_t b)
{
    unsigned __int128 product = (unsigned __int128)a * b;
    return (uint64_t)product ^ (uint64_t)(product >> 64);
}

static inline uint64_t token_finish(uint64_t h)
{
    h ^= h >> 32;
    h *= TOKEN_M1;
    return h ^ h >> 29;
}

/* Up to eight bytes, little-endian, zero-padded. */
static inline uint64_t token_load(const char *p, size_t n)
{
    uint64_t w = 0;
    if (n >= 8) {
        memcpy(&w, p, 8);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
        w = __builtin_bswap64(w);
#endif
        return w;
    }
    for (size_t i = 0; i < n; i++)
        w |= (uint64_t)(uint8_t)p[i] << (8 * i);
    return w;
}

/* The first n < 8 of at least `left` readable bytes. */
static inline uint64_t token_load_short(const char *p, size_t n, size_t left)
{
    if (LIKELY(left >= 8))
        return token_load(p, 8) & ((UINT64_C(1) << (8 * n)) - 1);
    return token_load(p, n);
}

static inline uint64_t token_hash(const char *p, size_t n, size_t left, uint64_t seed,
                                  uint64_t fold)
{
    uint64_t h = seed ^ n * TOKEN_M1;
    for (; n >= 8; n -= 8, p += 8, left -= 8)
        h = token_mix(h ^ (token_load(p, 8) | fold), TOKEN_M0);
    if (n > 0) {
        uint64_t mask = (UINT64_C(1) << (8 * n)) - 1;
        h = token_mix(h ^ (token_load_short(p, n, left) | (fold & mask)), TOKEN_M0);
    }
    return token_finish(h);
}

/* 0x80 in each byte that is an ASCII letter or digit. */
static inline uint64_t token_letters(uint64_t w)
{
    uint64_t x = w & ~TOKEN_HIGHS, folded = x | TOKEN_FOLD;
    uint64_t digit = (x + TOKEN_BYTES * (0x80 - '0')) & ~(x + TOKEN_BYTES * (0x80 - '9' - 1));
    uint64_t letter = (folded + TOKEN_BYTES * (0x80 - 'a')) &
                      ~(folded + TOKEN_BYTES * (0x80 - 'z' - 1));
    return (digit | letter) & ~w & TOKEN_HIGHS;
}

/* Bit i of the result: the high bit of byte i. */
static inline unsigned token_gather(uint64_t highs)
{
    return (unsigned)((highs >> 7) * UINT64_C(0x0102040810204080) >> 56);
}

#ifdef __SSE2__
/* Bit i: byte i of 16 is a letter or digit; *beyond collects those that are not ASCII. */
static inline unsigned token_classify_16(const char *p, unsigned *beyond)
{
    __m128i x = _mm_loadu_si128((const __m128i *)(const void *)p);
    __m128i digit = _mm_sub_epi8(x, _mm_set1_epi8('0'));
    __m128i letter = _mm_sub_epi8(_mm_or_si128(x, _mm_set1_epi8(0x20)), _mm_set1_epi8('a'));
    __m128i is_digit = _mm_cmpeq_epi8(_mm_min_epu8(digit, _mm_set1_epi8(9)), digit);
    __m128i is_letter = _mm_cmpeq_epi8(_mm_min_epu8(letter, _mm_set1_epi8(25)), letter);
    *beyond |= (unsigned)_mm_movemask_epi8(x);
    return (unsigned)_mm_movemask_epi8(_mm_or_si128(is_digit, is_letter));
}
#endif

/* Bits of up to 64 bytes: letters and digits; *ret_beyond: whether any is not ASCII. */
static inline uint64_t token_classify(const char *p, size_t n, bool *ret_beyond)
{
    uint64_t bits = 0, beyond = 0;
    size_t i = 0;
#ifdef __SSE2__
    unsigned beyond_16 = 0;
    for (; i + 16 <= n; i += 16)
        bits |= (uint64_t)token_classify_16(p + i, &beyond_16) << i;
    beyond = beyond_16 != 0 ? TOKEN_HIGHS : 0;
#endif
    for (; i < n; i += 8) {
        uint64_t w = token_load(p + i, n - i);
        beyond |= w & TOKEN_HIGHS;
        bits |= (uint64_t)token_gather(token_letters(w)) << i;
    }
    *ret_beyond = beyond != 0;
    return bits;
}

/* The numbers that may be joined to a dotted quad: where the last three began. */
struct token_quad {
    size_t starts[3]; /* oldest first */
    size_t end;       /* of the last number */
    unsigned numbers; /* joined by single dots so far */
};

/* Called as emit(context, hash, from, to) for each token; from … to are offsets in the text. */
typedef void (*token_emit_fn)(void *context, uint64_t hash, size_t from, size_t to);

static inline __attribute__((always_inline)) void
token_emit_ascii(struct view text, size_t from, size_t to, struct token_quad *quad,
                 token_emit_fn emit, void *context)
{
    const char *p = text.p + from;
    size_t n = to - from;
    if (n >= 8) {
        emit(context, token_hash(p, n, text.n - from, TOKEN_S0, TOKEN_FOLD), from, to);
        quad->numbers = 0;
        return;
    }
    uint64_t mask = (UINT64_C(1) << (8 * n)) - 1;
    uint64_t word = token_load_short(p, n, text.n - from);
    emit(context,
         token_finish(token_mix(TOKEN_S0 ^ n * TOKEN_M1 ^ (word | (TOKEN_FOLD & mask)), TOKEN_M0)),
         from, to);
    /* A letter has bit 6, a digit has not. */
    if (n > 3 || (word & TOKEN_BYTES * 0x40) != 0) {
        quad->numbers = 0;
        return;
    }
    if (!(from == quad->end + 1 && text.p[quad->end] == '.'))
        quad->numbers = 0;
    quad->numbers++;
    quad->end = to;
    if (quad->numbers >= 4) {
        size_t first = quad->starts[0];
        emit(context, token_hash(text.p + first, to - first, text.n - first, TOKEN_S0, TOKEN_FOLD),
             first, to);
    }
    quad->starts[0] = quad->starts[1];
    quad->starts[1] = quad->starts[2];
    quad->starts[2] = from;
}

static inline bool token_is_letter(uint8_t b)
{
    return (b >= '0' && b <= '9') || ((b | 0x20) >= 'a' && (b | 0x20) <= 'z');
}

/* Any text, a character at a time. */
static inline __attribute__((always_inline)) void
token_scan_slowly(struct view text, token_emit_fn emit, void *context)
{
    struct token_quad quad = {.end = SIZE_MAX - 1};
    for (size_t i = 0; i < text.n;) {
        size_t from = i;
        if ((uint8_t)text.p[i] < 0x80) {
            while (i < text.n && token_is_letter((uint8_t)text.p[i]))
                i++;
            if (i > from)
                token_emit_ascii(text, from, i, &quad, emit, context);
            else
                i++;
            continue;
        }
        uint32_t before = 0;
        for (size_t before_at = i; i < text.n && (uint8_t)text.p[i] >= 0x80; before_at = from) {
            uint32_t c;
            from = i;
            i += utf8_decode(text.p + i, text.n - i, &c);
            c = utf8_fold(c);
            emit(context, token_finish(token_mix(TOKEN_S1 ^ c, TOKEN_M0)), from, i);
            if (before != 0)
                emit(context,
                     token_finish(token_mix(TOKEN_S2 ^ ((uint64_t)before << 32 | c), TOKEN_M0)),
                     before_at, i);
            before = c;
        }
    }
}

/* Number of the lowest bit, which is cleared. */
static inline size_t token_lowest(uint64_t *bits)
{
    size_t i = (size_t)__builtin_ctzll(*bits);
    *bits &= *bits - 1;
    return i;
}

static inline __attribute__((always_inline)) void token_scan(struct view text, token_emit_fn emit,
                                                             void *context)
{
    struct token_quad quad = {.end = SIZE_MAX - 1};
    uint64_t inside = 0; /* 1: the last window ended inside a token */
    size_t from = 0;
    for (size_t base = 0; base < text.n; base += 64) {
        size_t n = MIN(text.n - base, (size_t)64);
        bool is_beyond;
        uint64_t bits = token_classify(text.p + base, n, &is_beyond);
        if (UNLIKELY(is_beyond)) {
            /* Tokens found so far come again, which does no harm to a set. */
            token_scan_slowly(text, emit, context);
            return;
        }
        uint64_t edges = bits ^ (bits << 1 | inside);
        if (inside && edges != 0) {
            token_emit_ascii(text, from, base + token_lowest(&edges), &quad, emit, context);
            inside = 0;
        }
        while (edges != 0) {
            from = base + token_lowest(&edges);
            if (edges == 0) {
                inside = 1;
                break;
            }
            token_emit_ascii(text, from, base + token_lowest(&edges), &quad, emit, context);
        }
    }
    if (inside)
        token_emit_ascii(text, from, text.n, &quad, emit, context);
}

#endif
