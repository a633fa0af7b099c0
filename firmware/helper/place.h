/* Files below the root of the helper.  Paths are absolute and constants of ours; the few names in
 * them that come from outside have been checked letter by letter before.  The last part of a path
 * is never followed when it is a symbolic link. */
#ifndef AZEKURA_HELPER_PLACE_H
#define AZEKURA_HELPER_PLACE_H

#include "helper/helper.h"

#define PLACE_PATH_MAX 512

/* The path below the root, in `out`; returns it.  CHECKs that it fits: paths are ours. */
const char *place_path(const struct helper *h, const char *path, char out[PLACE_PATH_MAX]);
/* Append a file's contents.  0; -ENOENT without *err being filled: there is none; else negative and
 * *err (no plain file, over the buffer's maximum, unreadable). */
MUST_USE int place_read(const struct helper *h, const char *path, struct buf *out, struct err *err);
/* Make or replace a file in one step that survives a cut of power at any moment: folders are made
 * (0755), a file beside it is written and synced, and renamed.  0, or negative and *err. */
MUST_USE int place_write(const struct helper *h, const char *path, struct view bytes, unsigned mode,
                         struct err *err);
/* Likewise a symbolic link. */
MUST_USE int place_link(const struct helper *h, const char *path, const char *target,
                        struct err *err);
/* Remove a file, and make that last.  0 also when there is none. */
MUST_USE int place_remove(const struct helper *h, const char *path, struct err *err);
/* Remove all that is in a folder but the names in `keep` (NULL-terminated; NULL: none), never
 * following a link and never leaving the file system.  0 also when there is no such folder. */
MUST_USE int place_empty(const struct helper *h, const char *path, const char *const *keep,
                         struct err *err);
bool place_exists(const struct helper *h, const char *path);
/* Names in a folder that begin with `prefix`, sorted.  Returns how many, the rest beyond `most` is
 * left out; the caller frees each.  0 also when there is no such folder. */
size_t place_list(const struct helper *h, const char *path, const char *prefix, char **ret,
                  size_t most);

#endif
