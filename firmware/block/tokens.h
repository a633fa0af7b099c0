/* The token index of a block: a Bloom filter over what its rows contain, so that a search opens
 * only blocks that may have a match.
 *
 * A token is a maximal run of ASCII letters and digits, folded to lower case; any other ASCII byte
 * separates (the underscore too).  Text beyond ASCII has no word borders: of every run of non-ASCII
 * code points, folded with utf8_fold, each single code point and each pair of neighbours is a
 * token. Four numbers of 1…3 digits joined by dots give one further token, the whole dotted quad,
 * so that an IPv4 address is as selective as it is rare. Tokens of every text field go in; the
 * whole values of hostname, app_name, procid and msgid go in too, folded, under the field's number.
 */
#ifndef AZEKURA_TOKENS_H
#define AZEKURA_TOKENS_H

#include "base/base.h"
#include "base/buf.h"
#include "base/view.h"
#include "block/block.h"

typedef void (*token_fn)(void *context, uint64_t hash);

/* Call fn for the hash of every token of clean text. */
void tokens_of_text(struct view text, token_fn fn, void *context);
/* For a search: the tokens that any text must have that contains `needle` where the search requires
 * a border at the ends only if `left_border` / `right_border` (otherwise the token cut by that end
 * is left out).  May call fn not at all: then every block may match. */
void tokens_of_needle(struct view needle, bool left_border, bool right_border, token_fn fn,
                      void *context);
/* The token of a whole field value (HOSTNAME … MSGID), folded. */
uint64_t token_of_value(enum block_column field, struct view value);

/* Build the index of the given distinct hashes. */
void tokens_build(const uint64_t *hashes, size_t n, struct buf *ret);
/* Of an index of `index_bytes` bytes in all: the byte range that decides about `hash` (64 bytes, so
 * that a reader fetches a slice and never the whole), or 0 bytes for "no index: may contain". */
void tokens_slice(uint64_t index_bytes, uint64_t hash, uint64_t *ret_offset, uint32_t *ret_bytes);
/* Whether the index may contain the hash, given its slice. */
bool tokens_slice_may_contain(struct view slice, uint64_t hash);

#endif
