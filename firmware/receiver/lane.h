/* A lane: a thread that reads sockets into its intake.  The first one reads the datagrams, accepts
 * the connections of all and has the signals; a connection belongs to the lane of its source, so
 * that what is known of a sender is known to one thread. */
#ifndef AZEKURA_RECEIVER_LANE_H
#define AZEKURA_RECEIVER_LANE_H

#include "receiver/intake.h"
#include "receiver/state.h"

struct lane;

/* Which of `lanes` a sender's messages come to. */
unsigned lane_of(const struct ip *source, uint8_t listener, unsigned lanes);

/* 0, or negative and *err.  The intake is borrowed. */
MUST_USE int lane_new(struct shared *s, unsigned number, struct intake *in, struct lane **ret,
                      struct err *err);
/* Lane 0: open the listeners of the settings (listeners.h has more) and take the signals.  SIGTERM,
 * SIGINT and SIGHUP must be blocked in every thread. */
MUST_USE int lane_open(struct lane *l, const struct state *state, const struct config *file,
                       struct err *err);
void lane_free(struct lane **l);

/* Receive until the receiver stops (SIGTERM or SIGINT to lane 0, which tells the others); then read
 * what has arrived by then (for three seconds at most), end the connections and close the open
 * unit. */
void lane_run(struct lane *l);

#endif
