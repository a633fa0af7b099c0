/* What the kernel dropped before a process read it: the last column of /proc/net/udp{,6}, of the
 * sockets the process holds (their inodes, from /proc/PID/fd).  Exact, and known at once. */
#ifndef AZEKURA_BENCH_UDP_DROP_H
#define AZEKURA_BENCH_UDP_DROP_H

#include "base/view.h"

#define UDP_SOCKETS_MAX 256

struct udp_socket {
    uint64_t inode;
    uint64_t dropped; /* datagrams */
    uint64_t waiting; /* bytes of memory (truesize) in its queue */
    uint16_t port;
};

/* Every socket of a text of /proc/net/udp or udp6, added to `list`; returns the new length, or
 * -EINVAL when a line is not what it should be, -E2BIG over `max`. */
MUST_USE int udp_drop_parse(struct view text, struct udp_socket *list, size_t n, size_t max);
/* The UDP sockets that process `pid` holds; returns how many, or -errno (-EACCES: another user's).
 */
MUST_USE int udp_drop_of(int32_t pid, struct udp_socket *list, size_t max);
/* The receive buffer of a socket, bytes, as the kernel counts it (sock_diag(7)); -1 unknown. */
int64_t udp_drop_buffer_bytes(uint64_t inode);

#endif
