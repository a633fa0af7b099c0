/* The support bundle's parts. */
#ifndef AZEKURA_HELPER_SUPPORT_H
#define AZEKURA_HELPER_SUPPORT_H

#include "helper/helper.h"

/* Append `in` to `out` with what may be secret taken out: private keys whole, and the rest of a
 * line after a word such as password, secret, token; user and password of a URL; hashes of
 * passwords. */
void support_hide(struct view in, struct buf *out);
/* Append a file to a tar (ustar).  `name` has at most 99 bytes.  0, or -ENOSPC. */
MUST_USE int support_tar_add(struct buf *tar, const char *name, struct view bytes, int64_t at_us);
MUST_USE int support_tar_end(struct buf *tar);

#endif
