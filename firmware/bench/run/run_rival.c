/* Two benchmarks on one machine measure each other: the second says so, the first learns of it. */
#include "bench/run/run_folder.h"

#include <sched.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#define RIVAL_NAME "azekura-bench.run"
#define RIVAL_TRIES 100

static socklen_t rival_address(struct sockaddr_un *ret)
{
    *ret = (struct sockaddr_un){.sun_family = AF_UNIX};
    memcpy(ret->sun_path + 1, RIVAL_NAME, sizeof(RIVAL_NAME) - 1);
    return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + sizeof(RIVAL_NAME) - 1);
}

/* The process that listens, told by our call: its pid, -1 when it has not taken the calls of many
 * before us (it looks between two trials), 0 when nobody listens. */
static int32_t call_first(const struct sockaddr_un *a, socklen_t n)
{
    struct ucred peer = {0};
    socklen_t length = sizeof(peer);
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0)
        return 0;
    if (connect(fd, (const struct sockaddr *)a, n) == 0)
        (void)getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &length);
    else if (errno == EAGAIN)
        peer.pid = -1;
    close(fd);
    return peer.pid;
}

void run_rival_open(struct run_rival *r)
{
    struct sockaddr_un a;
    socklen_t n = rival_address(&a);
    /* again, where the first ends, or does not listen yet, between our two calls */
    for (int i = 0; i < RIVAL_TRIES; i++) {
        *r = (struct run_rival){
            .fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0)};
        if (r->fd >= 0 && bind(r->fd, (struct sockaddr *)&a, n) == 0 &&
            listen(r->fd, SOMAXCONN) == 0)
            return;
        run_rival_close(r);
        r->pid = call_first(&a, n);
        r->is_met = r->pid != 0;
        if (r->is_met)
            return;
        sched_yield();
    }
}

bool run_rival_look(struct run_rival *r)
{
    int fd;
    if (r->fd < 0 && r->pid == 0)
        return false; /* such sockets cannot be had here: nobody can tell */
    if (r->fd < 0) {
        struct sockaddr_un a;
        socklen_t n = rival_address(&a);
        if (call_first(&a, n) != 0)
            return true;
        /* the first has ended: now it is us who are to be called; it was at work until a moment ago
         */
        run_rival_open(r);
        return true;
    }
    bool has_come = false;
    while ((fd = accept4(r->fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK)) >= 0) {
        close(fd);
        has_come = true;
    }
    r->is_met |= has_come;
    return has_come;
}

void run_rival_close(struct run_rival *r)
{
    if (r->fd >= 0)
        close(r->fd);
    r->fd = -1;
}
