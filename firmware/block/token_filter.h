/* The token index of a block while it is made: a Bloom filter that is surely large enough, folded
 * at the end to the size that its tokens need.  Private to block/.
 *
 * A filter of f × n lines becomes one of n lines when each f neighbours are ORed into one, for a
 * hash's line is its high half scaled to the number of lines.  So nothing has to remember which
 * tokens were seen: a set of the distinct ones would be twenty times larger than the filter and
 * miss the cache at every token.
 */
#ifndef AZEKURA_BLOCK_TOKEN_FILTER_H
#define AZEKURA_BLOCK_TOKEN_FILTER_H

#include "base/buf.h"

#define TOKEN_LINE_BYTES 64
#define TOKEN_LINE_WORDS 8
#define TOKENS_A_LINE 64 /* 8 bits a token: about 2.5 % of wrong "may contain" */
#define TOKEN_PROBES 5
#define TOKEN_PROBE_BITS 9 /* log2 of the bits in a line */
#define TOKEN_RECENT 8192  /* 64 KiB: stays in the second-level cache */

struct token_filter {
    uint64_t recent[TOKEN_RECENT]; /* most tokens were seen a moment ago */
    uint64_t *words;               /* lines × TOKEN_LINE_WORDS */
    size_t lines, cap;             /* cap: lines there is memory for */
};

void token_filter_init(struct token_filter *f);
void token_filter_done(struct token_filter *f);
/* Empty, for about text_bytes of text. */
void token_filter_start(struct token_filter *f, size_t text_bytes);
void token_filter_add(struct token_filter *f, uint64_t hash);
/* A token_hashes_fn (token_stream.h) but for the type of `f`. */
void token_filter_add_many(struct token_filter *f, const uint64_t *hashes, size_t n);
void token_filter_add_text(struct token_filter *f, struct view text);
/* Folded into *ret (owned by the caller).  The filter must be started again. */
void token_filter_finish(struct token_filter *f, struct buf *ret);

/* The line of a hash, and the five bits in it that it sets. */
static inline uint64_t token_line(uint64_t hash, uint64_t lines)
{
    return ((hash >> 32) * lines) >> 32;
}

static inline unsigned token_bit(uint64_t hash, unsigned probe)
{
    return hash >> (TOKEN_PROBE_BITS * probe) & (TOKEN_LINE_BYTES * 8 - 1);
}

static inline void token_set_bit(uint64_t *line, unsigned bit)
{
    line[bit / 64] |= UINT64_C(1) << bit % 64;
}

static inline void token_line_set(uint64_t *line, uint64_t hash)
{
    _Static_assert(TOKEN_PROBES == 5, "a line each, for the compiler does not unroll a loop");
    token_set_bit(line, token_bit(hash, 0));
    token_set_bit(line, token_bit(hash, 1));
    token_set_bit(line, token_bit(hash, 2));
    token_set_bit(line, token_bit(hash, 3));
    token_set_bit(line, token_bit(hash, 4));
}

/* Lines as bytes, words little-endian, appended to *ret. */
void token_lines_write(const uint64_t *words, size_t lines, struct buf *ret);

#endif
