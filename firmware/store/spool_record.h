/* A unit as the body of a spool record, and back.  Pure; spool.md has the bytes. */
#ifndef AZEKURA_STORE_SPOOL_RECORD_H
#define AZEKURA_STORE_SPOOL_RECORD_H

#include "base/arena.h"
#include "base/buf.h"
#include "store/unit.h"

/* Append the body of `u`.  0, or -ENOSPC. */
MUST_USE int spool_record_encode(const struct unit *u, struct buf *out);

/* Decode a body.  *ret borrows from `body` and from the arena; run and number are the caller's to
 * fill.  0, or -EBADMSG and *err, which says at which byte what is wrong. */
MUST_USE int spool_record_decode(struct view body, struct arena *a, struct unit *ret,
                                 struct err *err);

#endif
