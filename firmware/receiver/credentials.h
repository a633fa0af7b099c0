/* The TLS context of new connections: made of the identity's files and the settings, and given to
 * the lanes.  Connections that are open keep theirs.
 *
 * Used by one thread at a time: main before the threads run, then the writer. */
#ifndef AZEKURA_RECEIVER_CREDENTIALS_H
#define AZEKURA_RECEIVER_CREDENTIALS_H

#include "receiver/identity.h"
#include "receiver/shared.h"

struct credentials;

/* 0, or negative and *err: the folder of the identity cannot be used. */
MUST_USE int credentials_open(struct shared *s, const struct state *state, struct credentials **ret,
                              struct err *err);
void credentials_close(struct credentials **c);

/* Settings as they are now, before the listeners follow them: when TLS is wanted, and something of
 * it is new, a context is made.  What cannot be used is said in the log, and the context before
 * stays; c NULL: nothing. */
void credentials_apply(struct credentials *c, const struct config *now);

/* Writer thread: identity_serve(), and another context when there is something new. */
MUST_USE int credentials_serve(struct credentials *c, PGconn *connection,
                               const struct unit_patience *p, bool has_news, struct err *err);

#endif
