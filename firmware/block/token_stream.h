/* The tokens of many texts that lie one after another.  The same tokens as token_scan.h finds text
 * by text, a third as dear: borders of words are found 64 bytes at a time, written into a list, and
 * the list is worked through without a branch that depends on the text.  Private to block/. */
#ifndef AZEKURA_BLOCK_TOKEN_STREAM_H
#define AZEKURA_BLOCK_TOKEN_STREAM_H

#include "base/view.h"

/* Readable bytes (of any value) that must follow the texts. */
#define TOKEN_STREAM_SLACK 16
/* Most bytes of texts: places are kept in 32 bits. */
#define TOKEN_STREAM_MAX_BYTES (UINT32_MAX / 2)

/* Some more hashes; the same one may come often. */
typedef void (*token_hashes_fn)(void *context, const uint64_t *hashes, size_t n);

/* `sizes`: a text each, its bytes + 1, or 0 for none; together they are all of `texts`, clean
 * UTF-8. */
void token_stream(struct view texts, const uint64_t *sizes, size_t n, token_hashes_fn fn,
                  void *context);
/* The same with no more than the processor and `way` allow: for tests to compare. */
enum token_stream_way { TOKEN_STREAM_PORTABLE, TOKEN_STREAM_AVX2, TOKEN_STREAM_AVX512 };
void token_stream_by(enum token_stream_way way, struct view texts, const uint64_t *sizes, size_t n,
                     token_hashes_fn fn, void *context);

#endif
