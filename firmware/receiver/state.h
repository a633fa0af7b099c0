/* The receiver's part of the state folder:
 * STATE/receiver/{lock,ledger,listeners,settings,senders,sequences,rejected/}. */
#ifndef AZEKURA_RECEIVER_STATE_H
#define AZEKURA_RECEIVER_STATE_H

#include "base/buf.h"
#include "base/err.h"
#include "base/view.h"

enum { STATE_PATH_MAX = 256 };

struct state {
    char folder[STATE_PATH_MAX]; /* STATE/receiver */
    int lock_fd;                 /* held while the receiver runs; -1: none */
};

/* Make the folder if it is missing and lock it: two receivers must not share one.  0, or negative
 * and *err (-EBUSY "in_use": names the process that has it). */
MUST_USE int state_open(struct state *s, const char *state_dir, struct err *err);
void state_close(struct state *s);

/* "FOLDER/name"; CHECKs that it fits. */
void state_path(const struct state *s, const char *name, char out[STATE_PATH_MAX]);

/* Write a file whole or not at all (rename).  0, or negative and *err. */
MUST_USE int state_write(const struct state *s, const char *name, struct view bytes,
                         struct err *err);
/* The same, synced to disk, in folder/name. */
MUST_USE int state_write_synced(const struct state *s, const char *folder, const char *name,
                                struct view bytes, struct err *err);
void state_remove(const struct state *s, const char *name);

#endif
