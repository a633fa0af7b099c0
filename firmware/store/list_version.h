/* Lists that people change as a whole, and who was first: two administrators have the same list
 * open, and the second to save would undo what the first did without seeing it.
 *
 *     begin(seen) ─▶ put the list in place ─▶ end          one transaction
 *        └ it is not what was seen: -EEXIST "changed", and *err says who changed it, and when
 *
 * A version is a hash of the rows: the same list again has the same one. */
#ifndef AZEKURA_STORE_LIST_VERSION_H
#define AZEKURA_STORE_LIST_VERSION_H

#include "store/connection.h"

enum list_kind { LIST_ALLOW, LIST_LIMITS, LIST_TLS_ALLOWED, LIST_KINDS };

#define LIST_VERSION_MAX 33

/* To be read before the rows: what changes in between is noticed then.  0, or negative and *err. */
MUST_USE int list_version_read(PGconn *c, enum list_kind k, char ret[LIST_VERSION_MAX],
                               struct err *err);

/* Begin a transaction in which nobody else changes a list.  `seen`: the version that the change is
 * made of; NULL: whatever is there.  0, or negative, *err, and no transaction. */
MUST_USE int list_version_begin(PGconn *c, enum list_kind k, const char *seen, struct err *err);
/* Commit when `rc` is 0, else roll back.  `rc`, or negative and *err when it was not committed. */
MUST_USE int list_version_end(PGconn *c, int rc, struct err *err);

#endif
