/* UTF-8 (RFC 3629) for text that strangers send. */
#ifndef AZEKURA_UTF8_H
#define AZEKURA_UTF8_H

#include "base/base.h"
#include "base/buf.h"
#include "base/view.h"

/* Valid UTF-8 without NUL: can be stored as it is.  Fast for ASCII (8 bytes a step). */
bool utf8_is_clean(struct view v);
/* Length of the longest clean prefix. */
size_t utf8_clean_prefix(struct view v);
/* Append `in` made clean: each maximal ill-formed subsequence becomes one U+FFFD (Unicode 15 §3.9,
 * "substitution of maximal subparts"), NUL becomes U+2400.  0, or -ENOSPC. */
MUST_USE int utf8_clean(struct view in, struct buf *out);
/* Decode one code point of clean text at p (n > 0 bytes left); returns its length 1…4. */
unsigned utf8_decode(const char *p, size_t n, uint32_t *ret);
unsigned utf8_encode(uint32_t c, char out[4]);
/* Simple case folding (Unicode CaseFolding.txt, status C and S) for ASCII, Latin, Greek, Cyrillic,
 * Armenian, Georgian and full-width Latin letters; any other code point is itself.  Length in UTF-8
 * never changes for the code points it folds, so that offsets stay valid. */
uint32_t utf8_fold(uint32_t c);
/* Fold clean text into `out` (same length; may be the same memory). */
void utf8_fold_text(struct view in, char *out);

#endif
