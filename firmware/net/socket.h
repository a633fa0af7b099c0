/* Bound sockets for listeners: addresses, options, and what they are bound to. */
#ifndef AZEKURA_NET_SOCKET_H
#define AZEKURA_NET_SOCKET_H

#include "base/ip.h"

/* "[ffff:…]:65535" and the NUL */
#define SOCKET_NAME_MAX (IP_TEXT_MAX + 9)

/* A non-blocking, close-on-exec socket of `type` (SOCK_DGRAM, SOCK_STREAM) bound to address and
 * port; port 0 takes a free one.  The address :: also receives IPv4 (dual stack).  SO_REUSEADDR for
 * streams only: two receivers must not share a UDP port by mistake.  Returns the descriptor, or
 * -errno of the step that failed. */
MUST_USE int socket_bound(const struct ip *address, uint16_t port, int type);

/* "127.0.0.1:5514" or "[::1]:5514", as bound; "" when the kernel does not say.  Returns its length.
 */
size_t socket_name(int fd, char out[SOCKET_NAME_MAX]);

/* The port a socket is bound to, or -errno. */
int socket_port(int fd);

/* Ask for a receive buffer: SO_RCVBUFFORCE (needs CAP_NET_ADMIN, passes net.core.rmem_max), else
 * SO_RCVBUF.  Returns the bytes granted as the kernel counts them (it doubles what is asked, for
 * its own overhead; halved again here so that asked and granted compare), or -errno. */
MUST_USE int64_t socket_receive_buffer(int fd, int64_t bytes);

/* Have the process allowed `wanted` descriptors, as far as its hard limit goes; never lowers.
 * Returns how many it may have now. */
int64_t socket_allow_descriptors(int64_t wanted);

#endif
