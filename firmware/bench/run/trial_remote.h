/* A trial on a box that is another machine: its processors, load and memory are what its own
 * samples say, one every five seconds, known some seconds later.
 *
 *     the trial    |<──────── sending ────────>|
 *     samples   [  0  ][  1  ][  2  ][  3  ][  4  ]      1, 2 and 3 are the trial's
 */
#ifndef AZEKURA_BENCH_TRIAL_REMOTE_H
#define AZEKURA_BENCH_TRIAL_REMOTE_H

#include "bench/run/trial_measure.h"

struct trial_remote {
    struct target *target; /* NULL: this machine, and nothing is done */
    int64_t next_us;       /* begin of the next sample that is wanted, our wall clock */
    struct trial_seconds beats;
    double threads, memory_bytes; /* of the box; memory: the most that was used */
};

/* `target` begins to be sent to at `from_us` of our wall clock. */
void trial_remote_begin(struct trial_remote *r, struct target *target, int64_t from_us);
void trial_remote_done(struct trial_remote *r);
/* Put the newest sample that lies in the trial in place of what was seen here; NAN before the
 * first. */
void trial_remote_fill(struct trial_remote *r, struct sample *s);
/* The sending ended at `to_us`: wait (at most some seconds) for what lies before it. */
void trial_remote_end(struct trial_remote *r, int64_t to_us, const volatile sig_atomic_t *abort);
/* The trial's figures of the machine. */
void trial_remote_measure(const struct trial_remote *r, struct trial *t);

#endif
