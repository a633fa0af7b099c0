/* The keeper's work: two lanes, each a thread with a connection of its own and a list of chores
 * done one after another.  The patient lane may be busy with one for many seconds (compaction); the
 * prompt lane is what must not wait for it. */
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

#define LANE_CHORES_MAX 16
extern struct chore keeper_chores[]; /* of the patient lane */
extern const size_t keeper_chores_n;
extern struct chore keeper_prompt_chores[]; /* each well below a second */
extern const size_t keeper_prompt_chores_n;

/* Something was said on a channel that a lane listens to (prompt: azekura_written, azekura_keeper,
 * azekura_setting; patient: azekura_setting, azekura_reparse): chores that care become due.  Called
 * on the lane's thread. */
void keeper_patient_told(const char *channel);
void keeper_prompt_told(const char *channel);

/* Work until `stop_fd` is readable: connect, do what is due, reconnect with growing pauses.  A stop
 * ends the statement that is running, so that it never waits for a long chore or a database that
 * hangs. */
void keeper_run(struct config *config, int stop_fd);

#endif
