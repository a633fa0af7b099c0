/* The audit log: who did what.  Most changes write their entry in their own statement; this is for
 * what is done outside of the database. */
#ifndef AZEKURA_STORE_AUDIT_H
#define AZEKURA_STORE_AUDIT_H

#include "store/connection.h"

/* `pairs`: names and values in turn, all text, 2 × n of them.  In the caller's transaction if there
 * is one.  0, or negative and *err. */
MUST_USE int audit_add(PGconn *c, const char *actor, const char *action, const char *const *pairs,
                       int n, struct err *err);

#endif
