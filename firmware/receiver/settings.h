/* Settings from the database.  They win over the configuration file; those that take effect without
 * restart are applied at once, the others are kept in STATE/receiver/settings, so that the next
 * start has them even while the database is away. */
#ifndef AZEKURA_RECEIVER_SETTINGS_H
#define AZEKURA_RECEIVER_SETTINGS_H

#include "receiver/shared.h"
#include "receiver/state.h"

/* At the start, before the threads: what an earlier run was told.  A file that cannot be read is
 * said in the log and left out. */
void settings_load_kept(struct config *c, const struct state *state);

/* Read azekura.setting, apply and keep.  `file` is what the configuration file said.  0, or
 * negative and *err ("database_away": the connection is of no use). */
MUST_USE int settings_read(PGconn *c, const struct unit_patience *p, const struct config *file,
                           const struct state *state, struct shared *s, struct err *err);

#endif
