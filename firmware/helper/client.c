/* Asking the helper (client.h). */
#include "helper/client.h"

#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/limits.h"

static int away(struct err *err, const char *path)
{
    int e = errno;
    return err_set(err, e, "helper_away", "the helper at %s does not answer: %s", path,
                   strerror(e));
}

static int receive(int fd, struct buf *out, int *ret_fd, struct err *err)
{
    union {
        struct cmsghdr header;
        char space[CMSG_SPACE(sizeof(int))];
    } control;
    if (buf_reserve(out, HELPER_REPLY_MAX_BYTES) < 0)
        return err_set(err, ENOSPC, "helper_away", "there is no room for an answer");
    struct iovec v = {out->p + out->n, HELPER_REPLY_MAX_BYTES};
    struct msghdr m = {
        .msg_iov = &v, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof(control)};
    ssize_t n = recvmsg(fd, &m, MSG_CMSG_CLOEXEC);
    if (n <= 0 || (m.msg_flags & MSG_TRUNC))
        return err_set(err, EPROTO, "helper_refused", "the helper refused the request");
    out->n += (size_t)n;
    struct cmsghdr *c = CMSG_FIRSTHDR(&m);
    if (c && c->cmsg_level == SOL_SOCKET && c->cmsg_type == SCM_RIGHTS)
        memcpy(ret_fd, CMSG_DATA(c), sizeof(int));
    return 0;
}

int client_ask(const char *path, struct view request, int timeout_ms, struct buf *out, int *ret_fd,
               struct err *err)
{
    struct sockaddr_un a = {.sun_family = AF_UNIX};
    *ret_fd = -1;
    if (strlen(path) >= sizeof(a.sun_path) || request.n > HELPER_REQUEST_MAX_BYTES)
        return err_set(err, EMSGSIZE, "helper_refused", "the request has more than %d bytes",
                       HELPER_REQUEST_MAX_BYTES);
    memcpy(a.sun_path, path, strlen(path));
    int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return away(err, path);
    int r = 0;
    struct pollfd p = {.fd = fd, .events = POLLIN};
    if (connect(fd, (struct sockaddr *)&a, sizeof(a)) < 0)
        r = away(err, path);
    else if (send(fd, request.p, request.n, MSG_NOSIGNAL) < 0)
        r = err_set(err, errno, "helper_refused", "the helper refused the request");
    else if (poll(&p, 1, timeout_ms) <= 0) {
        errno = ETIMEDOUT;
        r = away(err, path);
    } else
        r = receive(fd, out, ret_fd, err);
    close(fd);
    return r;
}
