/* A UDP listener read in batches, with what the kernel dropped before we read it. */
#ifndef AZEKURA_NET_UDP_H
#define AZEKURA_NET_UDP_H

#include "base/ip.h"
#include "base/limits.h"
#include "base/view.h"

struct udp;

/* Open and bind; port 0 takes a free one.  Asks for `buffer_bytes` of receive buffer; what was
 * granted is in udp_buffer_bytes().  0, or -errno of what failed. */
MUST_USE int udp_open(const struct ip *address, uint16_t port, int64_t buffer_bytes,
                      struct udp **ret);
void udp_close(struct udp **u);

int udp_fd(const struct udp *u);
int64_t udp_buffer_bytes(const struct udp *u);

/* Take up to UDP_BATCH_MESSAGES waiting datagrams, never blocking.  The number taken (0: none
 * wait), or -errno of an error that will not pass by itself.  The datagrams are valid until the
 * next call. */
MUST_USE int udp_read(struct udp *u);
/* Datagram i of the last batch. */
struct view udp_datagram(const struct udp *u, int i, struct ip *ret_source);

/* Datagrams that the kernel dropped on this socket since the last call (the counter of SO_RXQ_OVFL,
 * asked for directly, so that it is known without a further datagram). */
uint64_t udp_take_drops(struct udp *u);

#endif
