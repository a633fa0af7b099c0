/* A Bloom filter that is folded to size. */
#include "block/token_filter.h"

#include "block/token_scan.h"
#include "block/wire.h"

/* Numbers of lines with many divisors, so that there is one near any size to fold to. */
static const uint32_t sizes[] = {1,     2,     4,     6,     12,    24,    36,    48,
                                 60,    120,   180,   240,   360,   720,   840,   1260,
                                 1680,  2520,  5040,  7560,  10080, 15120, 20160, 25200,
                                 27720, 45360, 50400, 55440, 83160, 110880};

/* Logs have a new token every 30 bytes or so; where a text has more, the filter is fuller, and a
 * search opens the block in vain more often. */
#define BYTES_A_TOKEN 8
#define KEPT_LINES 16384 /* 1 MiB of memory is kept for the next block */
#define MANY 512         /* hashes at a time */
#define AHEAD 32         /* lines asked for before they are needed */

void token_filter_init(struct token_filter *f)
{
    *f = (struct token_filter){.words = NULL};
}

void token_filter_done(struct token_filter *f)
{
    free(f->words);
}

void token_filter_start(struct token_filter *f, size_t text_bytes)
{
    size_t i = 0;
    while (i + 1 < ARRAY_LEN(sizes) && sizes[i] < text_bytes / (BYTES_A_TOKEN * TOKENS_A_LINE) + 1)
        i++;
    f->lines = sizes[i];
    if (f->lines > f->cap || (f->cap > KEPT_LINES && f->lines <= KEPT_LINES)) {
        free(f->words);
        CHECK(posix_memalign((void **)&f->words, TOKEN_LINE_BYTES, f->lines * TOKEN_LINE_BYTES) ==
              0);
        f->cap = f->lines;
    }
    memset(f->words, 0, f->lines * TOKEN_LINE_BYTES);
    /* No hash may look as if it had been seen: 0 belongs to the first place, all ones to the last.
     */
    memset(f->recent, 0, sizeof(f->recent));
    f->recent[0] = UINT64_MAX;
}

static inline uint64_t *recent(struct token_filter *f, uint64_t hash)
{
    return &f->recent[hash >> 20 & (TOKEN_RECENT - 1)];
}

static inline uint64_t *line_of(struct token_filter *f, uint64_t hash)
{
    return f->words + token_line(hash, f->lines) * TOKEN_LINE_WORDS;
}

static inline void add(struct token_filter *f, uint64_t hash)
{
    uint64_t *seen = recent(f, hash);
    if (LIKELY(*seen == hash))
        return;
    *seen = hash;
    token_line_set(line_of(f, hash), hash);
}

/* Whether a word was seen a moment ago is as good as random, so there is no branch on it; and a
 * line is asked for some words before it is written, for the filter is larger than the cache. */
void token_filter_add_many(struct token_filter *f, const uint64_t *hashes, size_t n)
{
    uint64_t unseen[MANY + AHEAD];
    while (n > 0) {
        size_t most = MIN(n, (size_t)MANY), k = 0;
        for (size_t i = 0; i < most; i++) {
            uint64_t hash = hashes[i], *seen = recent(f, hash);
            unseen[k] = hash;
            k += *seen != hash;
            *seen = hash;
        }
        for (size_t i = 0; i < AHEAD && i < k; i++)
            __builtin_prefetch(line_of(f, unseen[i]), 1);
        for (size_t i = k; i < k + AHEAD; i++)
            unseen[i] = 0;
        for (size_t i = 0; i < k; i++) {
            __builtin_prefetch(line_of(f, unseen[i + AHEAD]), 1);
            token_line_set(line_of(f, unseen[i]), unseen[i]);
        }
        hashes += most;
        n -= most;
    }
}

void token_filter_add(struct token_filter *f, uint64_t hash)
{
    add(f, hash);
}

static inline void add_token(void *context, uint64_t hash, size_t from, size_t to)
{
    (void)from;
    (void)to;
    add(context, hash);
}

void token_filter_add_text(struct token_filter *f, struct view text)
{
    token_scan(text, add_token, f);
}

/* How many distinct tokens have set `bits` of the 512 bits of a line: −512/5 × ln(1 − bits/512).
 * Nothing more is told apart beyond LINE_FULL. */
#define LINE_FULL 480u
static double tokens_in_line(unsigned bits)
{
    double y = bits / 512.0, sum = 0;
    for (unsigned k = 24; k > 0; k--)
        sum = y * (1.0 / k + sum);
    return sum * 512 / TOKEN_PROBES;
}

/* Bits of a line; not one instruction a word, for not every processor has it. */
static unsigned bits_of_line(const uint64_t *words)
{
    const uint64_t pairs = UINT64_MAX / 3, fours = UINT64_MAX / 5, eights = UINT64_MAX / 17;
    uint64_t sum = 0;
    for (unsigned k = 0; k < TOKEN_LINE_WORDS; k++) {
        uint64_t w = words[k];
        w -= w >> 1 & pairs;
        w = (w & fours) + (w >> 2 & fours);
        sum += (w + (w >> 4)) & eights; /* at most 64 a byte */
    }
    /* 512 do not fit in a byte */
    sum = (sum & UINT64_C(0x00ff00ff00ff00ff)) + (sum >> 8 & UINT64_C(0x00ff00ff00ff00ff));
    return (unsigned)(sum * UINT64_C(0x0001000100010001) >> 48);
}

/* There are far more lines than numbers of bits, so the logarithms are taken once each. */
static size_t estimate_tokens(const struct token_filter *f)
{
    uint32_t lines[LINE_FULL + 1] = {0};
    double sum = 0;
    for (size_t i = 0; i < f->lines; i++)
        lines[MIN(bits_of_line(f->words + i * TOKEN_LINE_WORDS), LINE_FULL)]++;
    for (unsigned bits = 0; bits <= LINE_FULL; bits++)
        if (lines[bits] > 0)
            sum += lines[bits] * tokens_in_line(bits);
    return (size_t)sum + 1;
}

void token_lines_write(const uint64_t *words, size_t lines, struct buf *ret)
{
    CHECK(buf_reserve(ret, lines * TOKEN_LINE_BYTES) == 0);
    for (size_t i = 0; i < lines * TOKEN_LINE_WORDS; i++)
        wire_store((uint8_t *)ret->p + ret->n + 8 * i, words[i], 8);
    ret->n += lines * TOKEN_LINE_BYTES;
}

void token_filter_finish(struct token_filter *f, struct buf *ret)
{
    size_t need = (estimate_tokens(f) + TOKENS_A_LINE - 1) / TOKENS_A_LINE, lines = f->lines;
    for (size_t divisor = f->lines; divisor > 1; divisor--)
        if (f->lines % divisor == 0 && f->lines / divisor >= need) {
            lines = f->lines / divisor;
            break;
        }
    size_t each = f->lines / lines;
    for (size_t i = 0; i < lines && each > 1; i++)
        for (unsigned k = 0; k < TOKEN_LINE_WORDS; k++) {
            uint64_t word = 0;
            for (size_t j = 0; j < each; j++)
                word |= f->words[(i * each + j) * TOKEN_LINE_WORDS + k];
            f->words[i * TOKEN_LINE_WORDS + k] = word;
        }
    *ret = BUF_INIT(lines * TOKEN_LINE_BYTES);
    token_lines_write(f->words, lines, ret);
}
