/* A run: a profile on one or more targets, in a folder of its own, to the report.
 *
 *     folder, lock ─▶ targets open ─▶ speed probe ─▶ trials in the plan's order ─▶ speed probe ─▶
 * report
 *
 * It ends in order at SIGINT, SIGTERM and SIGHUP: the trial in hand is drained and read back (at
 * most some seconds), targets end, the report says "incomplete".  A second signal cuts that short.
 */
#ifndef AZEKURA_BENCH_RUN_H
#define AZEKURA_BENCH_RUN_H

#include "bench/run/plan.h"
#include "bench/run/profile.h"

enum run_exit { RUN_PASS = 0, RUN_FAIL = 1, RUN_USAGE = 2, RUN_IMPOSSIBLE = 3, RUN_STOPPED = 130 };

struct run_options {
    const struct profile *profile; /* expanded */
    const char *targets[PLAN_TARGETS_MAX];
    size_t targets_n;
    const char *out, *id;                                          /* id NULL: made */
    const char *api, *token_file, *syslog, *peers_dir, *share_dir; /* NULL: as target.h has it */
    const char *command;                                           /* as it can be given again */
    uint64_t seed;
    bool is_quiet, has_json;
};

/* The exit code; what went wrong is on standard error. */
enum run_exit run_profile(const struct run_options *o);

#endif
