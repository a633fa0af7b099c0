/* The keeper's work: a list of chores, each with its own period, done one after another. */
#ifndef AZEKURA_KEEPER_H
#define AZEKURA_KEEPER_H

#include "config/config.h"
#include "store/connection.h"

/* One chore.  Returns microseconds until it wants to be called again (its period, or 0 for "there
 * is more to do now"), or negative with *err.  A failed chore is logged and tried again after its
 * period. */
typedef int64_t (*chore_fn)(PGconn *c, const struct config *config, struct err *err);

struct chore {
    const char *name;
    chore_fn run;
    int64_t retry_us;    /* after a failure */
    int64_t due_mono_us; /* when it is to run next; 0: at once */
};

extern struct chore keeper_chores[];
extern const size_t keeper_chores_n;

/* Work until `stop_fd` is readable: connect, do what is due, reconnect with growing pauses.  A stop
 * ends the statement that is running, so that it never waits for a long chore or a database that
 * hangs. */
void keeper_run(struct config *config, int stop_fd);

#endif
