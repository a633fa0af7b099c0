/* Tokens of many texts at once.  Runs in the packer threads and in the keeper, over every byte that
 * is stored; so it is compiled three times, and the processor
 * decides which one runs. */
#include "block/token_stream.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include "block/token_scan.h"

/* Words that are hashed together: their places and hashes stay in the first-level cache. */
#define STREAM_WORDS 512
/* Words already hashed that stay before the list: a dotted quad begins three words back. */
#define STREAM_BEFORE 3
/* A window may end 64 words, and lists are written sixteen at a time. */
#define STREAM_ROOM (STREAM_BEFORE + STREAM_WORDS + 64 + 16)

/* How far ahead texts are asked for: they have more bytes than the second-level cache, and the
 * processor's own guess ends with each page. */
#define STREAM_AHEAD 1024

struct stream_window {
    uint64_t words, beyond, dots; /* a bit a byte: letters and digits, not ASCII, '.' */
};

/* Where words are.  There is at most one start more than there are ends. */
struct stream_list {
    uint32_t starts[STREAM_ROOM], ends[STREAM_ROOM];
    size_t starts_n, ends_n;
};

struct stream {
    const char *p;                  /* the texts */
    struct stream_list words, runs; /* runs: of bytes beyond ASCII */
    uint32_t joined[STREAM_ROOM];   /* words with nothing but a dot between them and the last one */
    size_t joined_n;
    token_hashes_fn fn;
    void *context;
    uint64_t hashes[STREAM_ROOM];
};

static void stream_list_start(struct stream_list *l)
{
    memset(l->starts, 0, STREAM_BEFORE * sizeof(*l->starts));
    memset(l->ends, 0, STREAM_BEFORE * sizeof(*l->ends));
    l->starts_n = l->ends_n = STREAM_BEFORE;
}

/* Whole words have been used: the last ones, and one that has only begun, stay. */
static void stream_list_take(struct stream_list *l)
{
    size_t used = l->ends_n - STREAM_BEFORE;
    memmove(l->starts, l->starts + used, (l->starts_n - used) * sizeof(*l->starts));
    memmove(l->ends, l->ends + used, STREAM_BEFORE * sizeof(*l->ends));
    l->starts_n -= used;
    l->ends_n = STREAM_BEFORE;
}

/* The texts end at `at`, and with them what has begun. */
static void stream_list_end(struct stream_list *l, size_t at)
{
    if (l->starts_n > l->ends_n)
        l->ends[l->ends_n++] = (uint32_t)at;
}

/* Code points and pairs of them, of each run beyond ASCII. */
static void stream_take_runs(struct stream *s)
{
    uint64_t *hashes = s->hashes;
    size_t n = 0;
    for (size_t i = STREAM_BEFORE; i < s->runs.ends_n; i++) {
        uint32_t before = 0, c;
        for (size_t at = s->runs.starts[i], end = s->runs.ends[i]; at < end; before = c) {
            at += utf8_decode(s->p + at, end - at, &c);
            c = utf8_fold(c);
            hashes[n++] = token_finish(token_mix(TOKEN_S1 ^ c, TOKEN_M0));
            if (before != 0)
                hashes[n++] =
                    token_finish(token_mix(TOKEN_S2 ^ ((uint64_t)before << 32 | c), TOKEN_M0));
            if (n + 2 > ARRAY_LEN(s->hashes)) {
                s->fn(s->context, hashes, n);
                n = 0;
            }
        }
    }
    s->fn(s->context, hashes, n);
    stream_list_take(&s->runs);
}

static const uint64_t first_bytes[17] = {
    0,
    UINT64_C(0xff),
    UINT64_C(0xffff),
    UINT64_C(0xffffff),
    UINT64_C(0xffffffff),
    UINT64_C(0xffffffffff),
    UINT64_C(0xffffffffffff),
    UINT64_C(0xffffffffffffff),
    [8 ... 16] = UINT64_MAX,
};

/* Four words with nothing but dots between them: a quad when each is a number of three digits at
 * most.  Its hash, as token_hash would say. */
static inline bool quad_hash(const struct stream *s, size_t first, uint64_t *ret)
{
    const uint32_t *starts = s->words.starts + first, *ends = s->words.ends + first;
    uint32_t from = starts[0], n = ends[3] - from;
    uint32_t longest = MAX(MAX(ends[0] - starts[0], ends[1] - starts[1]),
                           MAX(ends[2] - starts[2], ends[3] - starts[3]));
    if (longest > 3)
        return false;
    uint64_t head = token_load(s->p + from, 8) & first_bytes[n];
    uint64_t tail = n > 8 ? token_load(s->p + from + 8, 8) & first_bytes[n - 8] : 0;
    if (((head | tail) & TOKEN_BYTES * 0x40) != 0)
        return false; /* letters have bit 6 */
    head |= TOKEN_FOLD & first_bytes[n];
    uint64_t h = token_mix(TOKEN_S0 ^ n * TOKEN_M1 ^ head, TOKEN_M0);
    if (n > 8)
        h = token_mix(h ^ (tail | (TOKEN_FOLD & first_bytes[n - 8])), TOKEN_M0);
    *ret = token_finish(h);
    return true;
}

/* Every four numbers joined by dots.  What may go on behind the list's last word stays. */
static void stream_take_quads(struct stream *s)
{
    const uint32_t *joined = s->joined;
    size_t n = 0, words = s->words.ends_n, k = 0, joined_n = s->joined_n;
    for (; k < joined_n && joined[k] + 2 < words; k++)
        if (k + 2 < joined_n && joined[k + 2] == joined[k] + 2)
            n += quad_hash(s, joined[k] - 1, &s->hashes[n]);
    s->fn(s->context, s->hashes, n);
    size_t left = joined_n - k, gone = words - STREAM_BEFORE;
    for (size_t i = 0; i < left; i++)
        s->joined[i] = s->joined[k + i] - (uint32_t)gone;
    s->joined_n = left;
}

#define STREAM_PUT(i)                            \
    p[i] = base + (uint32_t)STREAM_LOWEST(bits); \
    bits &= bits - 1

static void stream_start(struct stream *s, struct view texts, token_hashes_fn fn, void *context)
{
    CHECK(texts.n <= TOKEN_STREAM_MAX_BYTES);
    s->p = texts.p;
    s->joined_n = 0;
    s->fn = fn;
    s->context = context;
    stream_list_start(&s->words);
    stream_list_start(&s->runs);
}

/* ---- with what every processor has ---- */

/* The lowest bit's number, anything of none; the first n bytes of a word, anything above 8. */
#define STREAM_LOWEST(bits) __builtin_ctzll((bits) | UINT64_C(1) << 63)
#define STREAM_FIRST(n) first_bytes[MIN(n, 16u)]
#define STREAM(name) portable_##name
#include "block/token_stream_scan.h"
#undef STREAM_LOWEST
#undef STREAM_FIRST
#undef STREAM

/* ---- with AVX2 and what came with it ---- */

#if defined(__x86_64__)

#ifdef __clang__
#pragma clang attribute push(__attribute__((target("avx2,bmi,bmi2,popcnt"))), apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("avx2,bmi,bmi2,popcnt")
#endif
#define STREAM_AVX2
#define STREAM_LOWEST(bits) _tzcnt_u64(bits)
#define STREAM_FIRST(n) _bzhi_u64(UINT64_MAX, 8 * (n))
#define STREAM(name) avx2_##name
#include "block/token_stream_scan.h"
#undef STREAM_AVX2
#undef STREAM
#ifdef __clang__
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif

static bool has_avx2(void)
{
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") &&
           __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("popcnt");
}

/* ---- with AVX-512, of a processor that has all of it that is used here ---- */

static const uint8_t stream_places[64] = {
    0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21,
    22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43,
    44, 45, 46, 47, 48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63};

/* A mask of eight as a number that is surely below 256, so that no list gets more than the eight
 * that there is room for.  gcc 12 widens a mask by claiming that it is wide: where registers are
 * rare it puts a byte on the stack and reads four, with whatever was there before.  It may think
 * the same of what it is told to convert; so the number is hidden from it before the rest of it is
 * cut off. */
static inline __attribute__((always_inline)) unsigned stream_mask_8(uint8_t mask)
{
    unsigned bits = mask;
    __asm__("" : "+r"(bits));
    return bits & 0xff;
}

#ifdef __clang__
#pragma clang attribute push(                                                            \
    __attribute__((                                                                      \
        target("avx2,bmi,bmi2,popcnt,avx512f,avx512bw,avx512dq,avx512vl,avx512vbmi2"))), \
    apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("avx2,bmi,bmi2,popcnt,avx512f,avx512bw,avx512dq,avx512vl,avx512vbmi2")
#endif
#define STREAM_AVX512
#define STREAM(name) avx512_##name
#include "block/token_stream_scan.h"
#undef STREAM_AVX512
#undef STREAM
#ifdef __clang__
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif

static bool has_avx512(void)
{
    return has_avx2() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") &&
           __builtin_cpu_supports("avx512vbmi2");
}

#else

#define avx2_scan portable_scan
#define avx512_scan portable_scan

static bool has_avx2(void)
{
    return false;
}

static bool has_avx512(void)
{
    return false;
}

#endif

void token_stream_by(enum token_stream_way way, struct view texts, const uint64_t *sizes, size_t n,
                     token_hashes_fn fn, void *context)
{
    struct stream s;
    stream_start(&s, texts, fn, context);
    if (way >= TOKEN_STREAM_AVX512 && has_avx512())
        avx512_scan(&s, texts, sizes, n);
    else if (way >= TOKEN_STREAM_AVX2 && has_avx2())
        avx2_scan(&s, texts, sizes, n);
    else
        portable_scan(&s, texts, sizes, n);
}

void token_stream(struct view texts, const uint64_t *sizes, size_t n, token_hashes_fn fn,
                  void *context)
{
    token_stream_by(TOKEN_STREAM_AVX512, texts, sizes, n, fn, context);
}
