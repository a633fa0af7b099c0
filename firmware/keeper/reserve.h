/* A file that takes room on the database's file system and is given up when that is nearly full: so
 * that the server can still write what deleting needs.  STATE/keeper/reserve. */
#ifndef AZEKURA_KEEPER_RESERVE_H
#define AZEKURA_KEEPER_RESERVE_H

#include "base/err.h"

#define RESERVE_MAX_BYTES (INT64_C(256) << 20)
#define RESERVE_PERCENT 2 /* of the capacity, where that is less */

struct reserve_need {
    const char *state_dir;
    const char *device;     /* "major:minor" of the database's file system */
    int64_t capacity_bytes; /* that the product may count on */
    int64_t free_bytes;     /* of the file system */
    int64_t limit_bytes;    /* free bytes below which the file system is short of room */
};

enum reserve_change { RESERVE_SAME, RESERVE_MADE, RESERVE_GIVEN_UP };

/* Make it, leave it or give it up.  ret_bytes: how large it is now, or was.  enum reserve_change,
 * or negative and *err.  Where the folder is on another file system there is none. */
MUST_USE int reserve_keep(const struct reserve_need *need, int64_t *ret_bytes, struct err *err);

#endif
