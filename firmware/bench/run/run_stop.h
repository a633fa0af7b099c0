/* What ends a run before its time: SIGINT, SIGTERM and SIGHUP end it in order, a second one, or
 * some seconds, cut that short; not SIGTERM of another process at once, which is the same stop. And
 * who it was, for the report. */
#ifndef AZEKURA_BENCH_RUN_STOP_H
#define AZEKURA_BENCH_RUN_STOP_H

#include <signal.h>
#include <sys/types.h>

#include "bench/run/stages.h"

/* The file of a run's folder in which the console says who stops it before it sends SIGTERM: a
 * sentence, {"en","ja"}. */
#define RUN_STOP_FILE "stop.json"
#define RUN_STOP_FILE_MAX_BYTES 4096

/* The signal that came first, 0 none; raised when it is to end at once. */
extern volatile sig_atomic_t run_stopped_by, run_aborted;

void run_stop_catch(void);
/* "it was stopped by Ctrl-C (SIGINT)", "it was stopped by mori in the console".  `folder`: the
 * run's; `number`: the signal; `pid`: who sent it, 0 the kernel or not known. */
void run_stop_reason(const char *folder, int number, pid_t pid, struct stages_reason *ret);
/* Of the signal that came first. */
void run_stop_why(const char *folder, struct stages_reason *ret);

#endif
