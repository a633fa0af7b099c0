/* The life of benchmark runs that are started here: one at a time, found again after a restart,
 * tidied up after their end.
 *
 * Whether a run lives is told by its lock (bench_folder_holder) alone; what is remembered here is
 * only the child that has not taken its lock yet, and whose exit code is to be fetched.
 *
 *   begin: .open/ID ─▶ token + audit (one transaction) ─▶ .open/ID.token ─▶ child ─▶ ID/lock ─▶
 * event end:   .open/ID.token goes, ID/summary.json ─▶ token goes + event (one transaction) ─▶
 * .open/ID goes
 *
 * Killed at any step, the next look finds .open/ID without a living run and does the rest.  While
 * the database is away .open/ID stays, and with it the wish to remove the token. */
#ifndef AZEKURA_WEB_BENCH_WATCH_H
#define AZEKURA_WEB_BENCH_WATCH_H

#include <cjson/cJSON.h>

#include "store/connection.h"
#include "web/bench_spawn.h"

struct config;
struct pool;
struct bench_watch;

MUST_USE struct bench_watch *bench_watch_new(const struct config *file);
void bench_watch_free(struct bench_watch **pb);

const char *bench_watch_program(const struct bench_watch *b); /* azekura-bench */
const char *bench_watch_home(const struct bench_watch *b);    /* STATE/web/bench */

struct bench_begin {
    const char *profile, *target, *actor;
    const cJSON *title;            /* of the profile */
    const struct bench_args *more; /* arguments of the command line after the fixed ones */
    const char *api;               /* URL under which azekura-bench reaches us */
};
#define BENCH_PROFILE_MAX 32 /* bytes of a profile's name: with date and "benchmark " a token's */
/* Start a run and wait until it lives.  0; -EEXIST "running" when one runs or is being started;
 * -EINVAL "bad_value" what azekura-bench says against the options; -EEXIST "cannot_run" what keeps
 * it from running; or what the database says. */
MUST_USE int bench_watch_begin(struct bench_watch *b, PGconn *db, const struct bench_begin *wish,
                               char ret_id[], struct err *err);
/* The run lives, or is being started.  `dir`: its folder, -1 while it has none. */
bool bench_watch_is_running(struct bench_watch *b, int dir, const char *id);
/* A run lives, started here or by hand into this folder: its id (BENCH_ID_MAX + 1). */
bool bench_watch_any_lives(struct bench_watch *b, char ret_id[]);
/* It lives, or its end has not been tidied up. */
bool bench_watch_is_open(struct bench_watch *b, int root, int dir, const char *id);

/* Called every few seconds by one thread: tidies up after runs that ended, bounds their logs.  `db`
 * NULL: as far as it goes without. */
void bench_watch_look(struct bench_watch *b, PGconn *db);
/* azekura-web is told to stop: no further run begins, the one that lives is asked to end and gets a
 * few seconds for its partial report. */
void bench_watch_stop(struct bench_watch *b);

#endif
