/* What syslog-ng took, from its control socket: the only collector here that tells so itself and
 * may throw away what it took.  The figures are those that it keeps at its lowest level of
 * statistics, so that asking changes nothing of what is measured. */
#ifndef AZEKURA_BENCH_TARGET_CONTROL_H
#define AZEKURA_BENCH_TARGET_CONTROL_H

#include "base/view.h"

/* Messages it has taken since it was started.  Asks the socket at `path`, ≤ 2 s.  0, or -errno:
 * nobody answers, or what is said has no such figure (-EBADMSG). */
MUST_USE int target_control_received(const char *path, int64_t *ret);
/* The same of an answer: lines "center;;received;a;processed;N" and others, then ".". */
MUST_USE int target_control_parse(struct view answer, int64_t *ret);

/* Taken, and not in the files: it waits in the collector's queue, or was thrown away there.  Nobody
 * says which; what neither grows nor shrinks for TARGET_HELD_US is gone. */
#define TARGET_HELD_US (5 * INT64_C(1000000))
struct target_held {
    int64_t received, stored, changed_us; /* as last seen, and since when it is so */
};
/* *ret_queued and *ret_lost: one of them is 0. */
void target_held_see(struct target_held *h, int64_t received, int64_t stored, int64_t now_us,
                     int64_t *ret_queued, int64_t *ret_lost);

#endif
