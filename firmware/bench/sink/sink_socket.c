/* Sockets of the sink: bound, with the receive buffer that was asked for, and connected ones for
 * what is sent on. */
#include "bench/sink/sink_inside.h"

#include <linux/sock_diag.h>
#include <netinet/in.h>
#include <netinet/udp.h>
#include <sys/un.h>
#include <unistd.h>

#ifndef UDP_GRO
#define UDP_GRO 104
#endif
#define BACKLOG 4096

static bool is_dgram(enum target_transport t)
{
    return t == TARGET_UDP || t == TARGET_UNIX_DGRAM;
}

static bool is_unix(enum target_transport t)
{
    return t == TARGET_UNIX_DGRAM || t == TARGET_UNIX_STREAM;
}

static socklen_t to_sockaddr(const struct sink_address *a, struct sockaddr_storage *ret)
{
    memset(ret, 0, sizeof(*ret));
    if (is_unix(a->transport)) {
        struct sockaddr_un *u = (struct sockaddr_un *)ret;
        u->sun_family = AF_UNIX;
        memcpy(u->sun_path, a->path, sizeof(a->path));
        return sizeof(*u);
    }
    if (a->ip.family == 4) {
        struct sockaddr_in *in = (struct sockaddr_in *)ret;
        in->sin_family = AF_INET;
        in->sin_port = htons(a->port);
        memcpy(&in->sin_addr, a->ip.bytes, 4);
        return sizeof(*in);
    }
    struct sockaddr_in6 *in6 = (struct sockaddr_in6 *)ret;
    in6->sin6_family = AF_INET6;
    in6->sin6_port = htons(a->port);
    memcpy(&in6->sin6_addr, a->ip.bytes, 16);
    return sizeof(*in6);
}

static int bound_port(int fd)
{
    struct sockaddr_storage sa;
    socklen_t n = sizeof(sa);
    if (getsockname(fd, (struct sockaddr *)&sa, &n) < 0)
        return -errno;
    return ntohs(sa.ss_family == AF_INET ? ((struct sockaddr_in *)&sa)->sin_port
                                         : ((struct sockaddr_in6 *)&sa)->sin6_port);
}

/* A socket file left by a process that is gone may be taken; one that answers may not. */
static void remove_stale(const struct sockaddr_storage *sa, socklen_t n, int type, const char *path)
{
    int fd = socket(AF_UNIX, type | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0)
        return;
    if (connect(fd, (const struct sockaddr *)sa, n) < 0 && errno == ECONNREFUSED)
        unlink(path);
    close(fd);
}

static void ask_buffer(int fd, int64_t bytes)
{
    int n = (int)MIN(bytes, INT32_MAX / 2);
    if (setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &n, sizeof(n)) < 0)
        (void)setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &n, sizeof(n));
}

static int64_t granted_buffer(int fd)
{
    int n = 0;
    socklen_t len = sizeof(n);
    return getsockopt(fd, SOL_SOCKET, SO_RCVBUF, &n, &len) < 0 ? -1 : n;
}

static int set_options(const struct sink *s, const struct sink_address *a, int fd)
{
    const int one = 1;
    if (a->transport == TARGET_UDP && s->workers_n > 1 &&
        setsockopt(fd, SOL_SOCKET, SO_REUSEPORT, &one, sizeof(one)) < 0)
        return -errno;
    if (a->transport == TARGET_UDP && s->o.has_gro &&
        setsockopt(fd, IPPROTO_UDP, UDP_GRO, &one, sizeof(one)) < 0)
        return -errno;
    if ((a->transport == TARGET_TCP || a->transport == TARGET_TLS) &&
        setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one)) < 0)
        return -errno;
    if (is_dgram(a->transport))
        ask_buffer(fd, s->o.buffer_bytes);
    return 0;
}

static int open_one(const struct sink *s, const struct sink_address *a)
{
    struct sockaddr_storage sa;
    socklen_t n = to_sockaddr(a, &sa);
    int type = is_dgram(a->transport) ? SOCK_DGRAM : SOCK_STREAM;
    if (is_unix(a->transport))
        remove_stale(&sa, n, type, a->path);
    int fd = socket(sa.ss_family, type | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0)
        return -errno;
    int r = set_options(s, a, fd);
    if (r == 0 && (bind(fd, (struct sockaddr *)&sa, n) < 0 ||
                   (type == SOCK_STREAM && listen(fd, BACKLOG) < 0)))
        r = -errno;
    if (r < 0)
        close(fd);
    return r < 0 ? r : fd;
}

static void name_address(const struct sink_address *a, char out[SINK_PATH_MAX])
{
    char text[IP_TEXT_MAX];
    if (is_unix(a->transport)) {
        memcpy(out, a->path, SINK_PATH_MAX);
        return;
    }
    ip_format(&a->ip, text);
    snprintf(out, SINK_PATH_MAX, a->ip.family == 6 ? "[%s]:%u" : "%s:%u", text, a->port);
}

int sink_socket_open(struct sink *s, struct sink_listener *l, struct err *err)
{
    size_t n = l->address.transport == TARGET_UDP ? s->workers_n : 1;
    name_address(&l->address, l->name);
    while (l->fds_n < n) {
        int fd = open_one(s, &l->address);
        if (fd < 0)
            return err_set(err, -fd, "cannot_listen", "cannot listen on %s: %s", l->name,
                           strerror(-fd));
        l->fds[l->fds_n++] = fd;
        if (!is_unix(l->address.transport) && l->address.port == 0) {
            int port = bound_port(fd);
            if (port < 0)
                return err_set(err, -port, "cannot_listen", "cannot listen on %s: %s", l->name,
                               strerror(-port));
            l->address.port = (uint16_t)port;
            name_address(&l->address, l->name);
        }
    }
    l->buffer_bytes = is_dgram(l->address.transport) ? granted_buffer(l->fds[0]) : -1;
    return 0;
}

void sink_socket_close(struct sink_listener *l)
{
    for (size_t i = 0; i < l->fds_n; i++)
        close(l->fds[i]);
    if (l->fds_n > 0 && is_unix(l->address.transport))
        unlink(l->address.path);
    l->fds_n = 0;
}

int64_t sink_socket_dropped(int fd)
{
    uint32_t info[SK_MEMINFO_VARS] = {0};
    socklen_t n = sizeof(info);
    if (getsockopt(fd, SOL_SOCKET, SO_MEMINFO, info, &n) < 0 ||
        n < (SK_MEMINFO_DROPS + 1) * sizeof(info[0]))
        return 0;
    return info[SK_MEMINFO_DROPS];
}

int sink_socket_connect(const struct sink_address *to, const struct ip *from)
{
    struct sockaddr_storage sa, own;
    socklen_t n = to_sockaddr(to, &sa);
    int fd = socket(sa.ss_family,
                    (is_dgram(to->transport) ? SOCK_DGRAM : SOCK_STREAM) | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return -errno;
    struct sink_address bound = {.transport = to->transport, .ip = *from};
    bool is_bound = from->family != 0 && !is_unix(to->transport);
    socklen_t own_n = is_bound ? to_sockaddr(&bound, &own) : 0;
    if ((is_bound && bind(fd, (struct sockaddr *)&own, own_n) < 0) ||
        connect(fd, (struct sockaddr *)&sa, n) < 0) {
        int error = errno;
        close(fd);
        return -error;
    }
    return fd;
}
