/* The bounds of the history of benchmark runs, and tokens that a lost folder left behind. */
#ifndef AZEKURA_WEB_BENCH_HISTORY_H
#define AZEKURA_WEB_BENCH_HISTORY_H

#include "store/connection.h"

#define BENCH_TOKEN_PREFIX "benchmark " /* of the name of a run's token; the run's id follows */

/* At most so many runs and bytes: the oldest that have ended go (never the newest, nor one with a
 * mark). */
void bench_history_trim(int root, int marks, int runs_max, int64_t bytes_max);
/* Tokens of runs that are not among the `n` open ones (newest first): the state folder was lost or
 * brought back.  True when it has been done. */
bool bench_history_sweep_tokens(PGconn *db, const char *const *open_ids, size_t n);

#endif
