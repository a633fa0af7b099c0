/* Settings and the rules for senders from the database.  Settings win over the configuration
 * file.  What takes effect without restart is applied at once, and everything is kept in
 * STATE/receiver/settings and senders, so that the next start has it even while the database
 * is away. */
#ifndef AZEKURA_RECEIVER_SETTINGS_H
#define AZEKURA_RECEIVER_SETTINGS_H

#include "receiver/shared.h"
#include "receiver/state.h"

/* At the start, before the threads: what an earlier run was told.  A file that cannot be read is
 * said in the log and left out. */
void settings_load_kept(struct config *c, const struct state *state);
/* The same of the rules for senders; what cannot be read leaves every sender allowed, without limit
 * but that of the settings, and all but the benchmark's in group 0, until the database is there. */
void settings_load_kept_rules(struct shared *s, const struct state *state);

/* Read azekura.setting and the rules (sender_sql.h), apply and keep.  `file` is what the
 * configuration file said.  0, or negative and *err ("database_away": the connection is of no use).
 */
MUST_USE int settings_read(PGconn *c, const struct unit_patience *p, const struct config *file,
                           const struct state *state, struct shared *s, struct err *err);

#endif
