/* The network thread: sockets and signals to the intake. */
#ifndef AZEKURA_RECEIVER_NETWORK_H
#define AZEKURA_RECEIVER_NETWORK_H

#include "receiver/intake.h"
#include "receiver/state.h"

struct network;

/* Open the listeners of the settings and say where they are bound in STATE/receiver/listeners, a
 * "udp 127.0.0.1:5514" a line.  SIGTERM, SIGINT and SIGHUP must be blocked in every thread.  Sets
 * s->udp_buffer_bytes.  0, or negative and *err, which names the setting. */
MUST_USE int network_open(struct shared *s, struct intake *in, const struct state *state,
                          struct network **ret, struct err *err);
/* Receive until SIGTERM or SIGINT; then read what has arrived by then (for three seconds at most),
 * end the connections and close the open unit. */
void network_run(struct network *n);
void network_close(struct network **n);

#endif
