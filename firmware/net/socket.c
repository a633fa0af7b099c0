/* Bound sockets for listeners.  Pure system calls; no state. */
#include "net/socket.h"

#include <netinet/in.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

static bool is_unspecified(const struct ip *a)
{
    static const uint8_t zero[16];
    return memcmp(a->bytes, zero, sizeof(zero)) == 0;
}

static socklen_t to_sockaddr(const struct ip *a, uint16_t port, struct sockaddr_storage *ret)
{
    memset(ret, 0, sizeof(*ret));
    if (a->family == 6) {
        struct sockaddr_in6 *in6 = (struct sockaddr_in6 *)ret;
        in6->sin6_family = AF_INET6;
        in6->sin6_port = htons(port);
        memcpy(&in6->sin6_addr, a->bytes, 16);
        return sizeof(*in6);
    }
    struct sockaddr_in *in = (struct sockaddr_in *)ret;
    in->sin_family = AF_INET;
    in->sin_port = htons(port);
    memcpy(&in->sin_addr, a->bytes, 4);
    return sizeof(*in);
}

int socket_bound(const struct ip *address, uint16_t port, int type)
{
    if (address->family != 4 && address->family != 6)
        return -EAFNOSUPPORT;
    int domain = address->family == 6 ? AF_INET6 : AF_INET;
    int fd = socket(domain, type | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return -errno;
    int on = 1, v6only = !is_unspecified(address);
    struct sockaddr_storage sa;
    socklen_t n = to_sockaddr(address, port, &sa);
    if ((type == SOCK_STREAM && setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on)) < 0) ||
        (domain == AF_INET6 &&
         setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &v6only, sizeof(v6only)) < 0) ||
        bind(fd, (struct sockaddr *)&sa, n) < 0) {
        int error = -errno;
        close(fd);
        return error;
    }
    return fd;
}

int socket_port(int fd)
{
    struct sockaddr_storage sa;
    socklen_t n = sizeof(sa);
    if (getsockname(fd, (struct sockaddr *)&sa, &n) < 0)
        return -errno;
    if (sa.ss_family == AF_INET6)
        return ntohs(((struct sockaddr_in6 *)&sa)->sin6_port);
    if (sa.ss_family == AF_INET)
        return ntohs(((struct sockaddr_in *)&sa)->sin_port);
    return -EAFNOSUPPORT;
}

size_t socket_name(int fd, char out[SOCKET_NAME_MAX])
{
    struct sockaddr_storage sa;
    socklen_t n = sizeof(sa);
    out[0] = '\0';
    if (getsockname(fd, (struct sockaddr *)&sa, &n) < 0)
        return 0;
    struct ip ip = ip_from_sockaddr((struct sockaddr *)&sa);
    int port = socket_port(fd);
    char text[IP_TEXT_MAX];
    if (port < 0 || ip_format(&ip, text) == 0)
        return 0;
    int len = snprintf(out, SOCKET_NAME_MAX, ip.family == 6 ? "[%s]:%d" : "%s:%d", text, port);
    return (size_t)len;
}

int64_t socket_receive_buffer(int fd, int64_t bytes)
{
    int ask = (int)MIN(bytes, INT64_C(1) << 30);
    if (setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &ask, sizeof(ask)) < 0 &&
        setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &ask, sizeof(ask)) < 0)
        return -errno;
    int granted = 0;
    socklen_t n = sizeof(granted);
    if (getsockopt(fd, SOL_SOCKET, SO_RCVBUF, &granted, &n) < 0)
        return -errno;
    return granted / 2;
}

int64_t socket_allow_descriptors(int64_t wanted)
{
    struct rlimit r;
    if (getrlimit(RLIMIT_NOFILE, &r) < 0)
        return 1024; /* never so on Linux */
    if ((rlim_t)wanted > r.rlim_cur && r.rlim_cur < r.rlim_max) {
        struct rlimit more = {.rlim_cur = MIN((rlim_t)wanted, r.rlim_max), .rlim_max = r.rlim_max};
        if (setrlimit(RLIMIT_NOFILE, &more) == 0)
            r = more;
    }
    return r.rlim_cur > INT32_MAX ? INT32_MAX : (int64_t)r.rlim_cur;
}
