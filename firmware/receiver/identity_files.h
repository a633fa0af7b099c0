/* The files of the TLS identity: private, whole or not at all, and no more of a key in memory than
 * has to be. */
#ifndef AZEKURA_RECEIVER_IDENTITY_FILES_H
#define AZEKURA_RECEIVER_IDENTITY_FILES_H

#include "base/buf.h"
#include "base/err.h"
#include "base/view.h"
#include "receiver/state.h"

#define IDENTITY_FILE_MAX_BYTES (512 * 1024) /* the longest: all client CAs */

struct identity_folder {
    char path[STATE_PATH_MAX]; /* STATE/receiver/tls */
};

/* Make it, 0700.  0, or negative and *err. */
MUST_USE int identity_folder_open(struct identity_folder *f, const struct state *state,
                                  struct err *err);
void identity_path(const struct identity_folder *f, const char *name, char out[STATE_PATH_MAX]);

/* Append the whole file to an empty buffer: 0, -ENOENT (without *err), or negative and *err. */
MUST_USE int identity_read(const struct identity_folder *f, const char *name, struct buf *out,
                           struct err *err);
/* Replace it by a synced one of mode 0600.  In two steps, so that what was written can be tried
 * out: NAME.new, then its rename.  0, or negative and *err. */
MUST_USE int identity_write_new(const struct identity_folder *f, const char *name,
                                struct view bytes, struct err *err);
MUST_USE int identity_take_new(const struct identity_folder *f, const char *name, struct err *err);
MUST_USE int identity_write(const struct identity_folder *f, const char *name, struct view bytes,
                            struct err *err);
void identity_remove(const struct identity_folder *f, const char *name);

/* By which a file that was replaced or changed is known.  All zero: there is none. */
struct identity_mark {
    uint64_t device, inode, bytes;
    int64_t changed_ns; /* ctime: a rename into place changes it, too */
};
struct identity_mark identity_mark_of(const struct identity_folder *f, const char *name);
bool identity_mark_eq(const struct identity_mark *a, const struct identity_mark *b);

/* Free a buffer that held a key. */
void identity_wipe(struct buf *b);

#endif
