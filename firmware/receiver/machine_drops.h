/* What the machine's network stack dropped before any socket, ours or another program's: loss that
 * no counter of a socket shows. */
#ifndef AZEKURA_RECEIVER_MACHINE_DROPS_H
#define AZEKURA_RECEIVER_MACHINE_DROPS_H

#include "base/base.h"

/* -1: the kernel does not say.  Counters since the machine started. */
struct machine_drops {
    int64_t softnet;     /* packets: a processor's queue was full (net.core.netdev_max_backlog) */
    int64_t udp_buffers; /* datagrams, IPv4 and IPv6: the receive buffer of a socket was full */
    int64_t udp_damaged; /* datagrams: wrong checksum, or the system had no memory for them */
};

/* `proc`: "/proc" outside of tests. */
void machine_drops_read(const char *proc, struct machine_drops *ret);
/* Since `before`; what is not known then or now stays so. */
struct machine_drops machine_drops_since(const struct machine_drops *now,
                                         const struct machine_drops *before);

#endif
