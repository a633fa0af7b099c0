/* Starting azekura-bench.  A child has a session and a small environment of its own, and of our
 * descriptors only its standard ones. */
#ifndef AZEKURA_WEB_BENCH_SPAWN_H
#define AZEKURA_WEB_BENCH_SPAWN_H

#include <sys/types.h>

#include "base/buf.h"
#include "base/err.h"

#define BENCH_ARGS_MAX 64

struct bench_args { /* of a command line; the texts are borrowed */
    const char *list[BENCH_ARGS_MAX + 1];
    size_t n;
};
void bench_args_add(struct bench_args *a, const char *text);

/* azekura-bench beside our own program, resolved at the start: the caller's (free). */
MUST_USE char *bench_program(void);
/* Start it in the folder `home`, its output appended to `log`.  0 and its process id, which the
 * caller waits for; or negative and *err. */
MUST_USE int bench_spawn(const struct bench_args *a, const char *home, int log, pid_t *ret,
                         struct err *err);
/* Run it to its end, at most `timeout_us`, and take what it prints: at most out->max bytes.
 * `said` (≥ 1 byte): the last line it wrote to standard error, clean UTF-8.  Returns its exit code
 * (128 + number for a signal), or negative and *err. */
MUST_USE int bench_run_and_read(const struct bench_args *a, const char *home, int64_t timeout_us,
                                struct buf *out, char *said, size_t said_max, struct err *err);
/* The last line of a text, made clean and cut. */
void bench_last_line(struct view text, char *out, size_t max);

#endif
