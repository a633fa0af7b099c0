/* Tokens and the Bloom filter over them.
 *
 * The filter is a row of lines of 64 bytes.  A hash chooses one line (its high 32 bits, scaled to
 * the number of lines) and five bits in it (five times nine bits, from the low end), so that asking
 * reads one line.  There is about one byte of filter a token (token_filter.h).
 *
 * The length tells the version: version 1 is a multiple of 64 bytes.  A reader that meets another
 * remainder takes it for "no index", which is slow and never wrong.
 */
#include "block/tokens.h"

#include "base/limits.h"
#include "block/token_filter.h"
#include "block/token_scan.h"

struct calling {
    token_fn fn;
    void *context;
};

static inline void call(void *context, uint64_t hash, size_t from, size_t to)
{
    (void)from;
    (void)to;
    const struct calling *c = context;
    c->fn(c->context, hash);
}

void tokens_of_text(struct view text, token_fn fn, void *context)
{
    struct calling c = {fn, context};
    token_scan(text, call, &c);
}

struct needle {
    token_fn fn;
    void *context;
    size_t cut_from, cut_to; /* tokens that begin before cut_from or end after cut_to are cut */
};

static inline void call_uncut(void *context, uint64_t hash, size_t from, size_t to)
{
    const struct needle *n = context;
    if (from >= n->cut_from && to <= n->cut_to)
        n->fn(n->context, hash);
}

void tokens_of_needle(struct view needle, bool left_border, bool right_border, token_fn fn,
                      void *context)
{
    if (needle.n == 0)
        return;
    struct needle n = {fn, context, 0, needle.n};
    if (!left_border && token_is_letter((uint8_t)needle.p[0]))
        n.cut_from = 1;
    if (!right_border && token_is_letter((uint8_t)needle.p[needle.n - 1]))
        n.cut_to = needle.n - 1;
    token_scan(needle, call_uncut, &n);
}

uint64_t token_of_value(enum block_column field, struct view value)
{
    /* The rest of a longer value does not count; the search is then less selective, not wrong. */
    char folded[HEADER_FIELD_MAX_BYTES];
    size_t n = MIN(value.n, sizeof(folded));
    while (n > 0 && n < value.n && ((uint8_t)value.p[n] & 0xc0) == 0x80)
        n--; /* never inside a character */
    utf8_fold_text(view_of(value.p, n), folded);
    return token_hash(folded, n, n, TOKEN_S3 + (uint64_t)field, 0);
}

/* ---- the filter ---- */

void tokens_build(const uint64_t *hashes, size_t n, struct buf *ret)
{
    size_t lines = MAX((n + TOKENS_A_LINE - 1) / TOKENS_A_LINE, (size_t)1);
    CHECK(lines <= UINT32_MAX / TOKEN_LINE_BYTES);
    uint64_t *words = xcalloc(lines, TOKEN_LINE_BYTES);
    for (size_t i = 0; i < n; i++)
        token_line_set(words + token_line(hashes[i], lines) * TOKEN_LINE_WORDS, hashes[i]);
    *ret = BUF_INIT(lines * TOKEN_LINE_BYTES);
    token_lines_write(words, lines, ret);
    free(words);
}

void tokens_slice(uint64_t index_bytes, uint64_t hash, uint64_t *ret_offset, uint32_t *ret_bytes)
{
    uint64_t lines = index_bytes / TOKEN_LINE_BYTES;
    bool is_known = lines > 0 && lines <= UINT32_MAX && index_bytes % TOKEN_LINE_BYTES == 0;
    *ret_offset = is_known ? token_line(hash, lines) * TOKEN_LINE_BYTES : 0;
    *ret_bytes = is_known ? TOKEN_LINE_BYTES : 0;
}

bool tokens_slice_may_contain(struct view slice, uint64_t hash)
{
    if (slice.n != TOKEN_LINE_BYTES)
        return true;
    for (unsigned k = 0; k < TOKEN_PROBES; k++) {
        unsigned bit = token_bit(hash, k);
        if (!((uint8_t)slice.p[bit / 8] >> bit % 8 & 1))
            return false;
    }
    return true;
}
