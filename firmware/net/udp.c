/* UDP by recvmmsg.  Used by one thread.
 *
 * Each datagram of a batch has a buffer of 64 KiB, so that none is ever cut; untouched pages of
 * them cost nothing.  The buffers are a cache line apart from a multiple of 64 KiB, since the
 * beginnings of all datagrams would otherwise share the same few sets of the first-level cache. */
#include "net/udp.h"
#include "net/socket.h"

#include <linux/sock_diag.h>
#include <netinet/in.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

enum {
    DATAGRAM_BYTES = 65536, /* more than any UDP payload */
    DATAGRAM_STRIDE = DATAGRAM_BYTES + 192,
};

#define BUFFERS_BYTES ((size_t)UDP_BATCH_MESSAGES * DATAGRAM_STRIDE)

struct udp {
    int fd;
    int64_t buffer_bytes; /* granted */
    uint32_t drops_seen;  /* the kernel's counter at the last look; wraps */
    char *buffers;        /* mmap: BUFFERS_BYTES */
    struct mmsghdr headers[UDP_BATCH_MESSAGES];
    struct iovec vectors[UDP_BATCH_MESSAGES];
    struct sockaddr_in6 peers[UDP_BATCH_MESSAGES]; /* the larger of the two families */
};

static uint32_t drops_now(int fd)
{
    uint32_t info[SK_MEMINFO_VARS] = {0};
    socklen_t n = sizeof(info);
    if (getsockopt(fd, SOL_SOCKET, SO_MEMINFO, info, &n) < 0 ||
        n < (SK_MEMINFO_DROPS + 1) * sizeof(info[0]))
        return 0;
    return info[SK_MEMINFO_DROPS];
}

int udp_open(const struct ip *address, uint16_t port, int64_t buffer_bytes, struct udp **ret)
{
    int fd = socket_bound(address, port, SOCK_DGRAM);
    if (fd < 0)
        return fd;
    int64_t granted = socket_receive_buffer(fd, buffer_bytes);
    if (granted < 0) {
        close(fd);
        return (int)granted;
    }
    struct udp *u = xcalloc(1, sizeof(*u));
    u->fd = fd;
    u->buffer_bytes = granted;
    u->buffers = mmap(NULL, BUFFERS_BYTES, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (u->buffers == MAP_FAILED) {
        int error = -errno;
        close(fd);
        free(u);
        return error;
    }
    for (int i = 0; i < UDP_BATCH_MESSAGES; i++) {
        u->vectors[i] = (struct iovec){u->buffers + (size_t)i * DATAGRAM_STRIDE, DATAGRAM_BYTES};
        u->headers[i].msg_hdr.msg_iov = &u->vectors[i];
        u->headers[i].msg_hdr.msg_iovlen = 1;
        u->headers[i].msg_hdr.msg_name = &u->peers[i];
    }
    *ret = u;
    return 0;
}

void udp_close(struct udp **u)
{
    if (!*u)
        return;
    close((*u)->fd);
    munmap((*u)->buffers, BUFFERS_BYTES);
    free(*u);
    *u = NULL;
}

int udp_fd(const struct udp *u)
{
    return u->fd;
}

int64_t udp_buffer_bytes(const struct udp *u)
{
    return u->buffer_bytes;
}

/* Errors that belong to one datagram sent to us or to a moment without memory. */
static bool is_passing(int error)
{
    return error == EAGAIN || error == EINTR || error == ECONNREFUSED || error == ENOBUFS ||
           error == ENOMEM || error == EHOSTUNREACH || error == ENETUNREACH || error == ENETDOWN;
}

int udp_read(struct udp *u)
{
    for (int i = 0; i < UDP_BATCH_MESSAGES; i++)
        u->headers[i].msg_hdr.msg_namelen = sizeof(u->peers[i]);
    int n = recvmmsg(u->fd, u->headers, UDP_BATCH_MESSAGES, MSG_DONTWAIT, NULL);
    if (n >= 0)
        return n;
    return is_passing(errno) ? 0 : -errno;
}

struct view udp_datagram(const struct udp *u, int i, struct ip *ret_source)
{
    CHECK(i >= 0 && i < UDP_BATCH_MESSAGES);
    *ret_source = ip_from_sockaddr((const struct sockaddr *)&u->peers[i]);
    return view_of(u->vectors[i].iov_base, u->headers[i].msg_len);
}

uint64_t udp_take_drops(struct udp *u)
{
    uint32_t now = drops_now(u->fd);
    uint32_t dropped = now - u->drops_seen; /* right across the wrap */
    u->drops_seen = now;
    return dropped;
}
