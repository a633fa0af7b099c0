/* TCP connections of the receiver's network thread.
 *
 * Reading: what a connection left unused (mostly part of one message) is kept in a heap buffer of
 * just that size.  While that is at most SHARED_REST_BYTES, it is copied in front of the next read
 * in one buffer shared by all connections; a connection without a rest holds no memory.  A larger
 * rest stays in its own buffer, which grows by doubling and is read into directly: copying it each
 * time would let a peer that sends single bytes of a large message use up the processor. */
#include "net/tcp.h"
#include "net/socket.h"

#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

enum {
    SHARED_REST_BYTES = 4096,
    EVENTS_A_POLL = 64,
    ACCEPTS_A_CALL = 64,
    LISTENERS_MAX = 8,
    KEEPALIVE_IDLE_S = 60, /* a peer that lost power is noticed after 60 + 6 × 10 s */
    KEEPALIVE_INTERVAL_S = 10,
    KEEPALIVE_PROBES = 6,
};

struct tcp_connection {
    int fd;
    int slot; /* in all[] */
    struct ip peer;
    int64_t last_mono_us;
    struct tcp_connection *older, *newer; /* by last_mono_us */
    char *rest;                           /* unused input: rest_n of rest_cap bytes */
    size_t rest_n, rest_cap;
    uint64_t state[TCP_STATE_BYTES / 8];
};

struct tcp {
    struct tcp_options options;
    struct tcp_handler handler;
    int epoll_fd;
    int reserve_fd; /* given up to accept and close a connection when descriptors run out */
    int listeners[LISTENERS_MAX];
    int listeners_n;
    struct tcp_connection **all;
    int n;
    struct tcp_connection *oldest, *newest;
    int64_t quiet_mono_us; /* connections silent since before this have been told so */
    size_t held_bytes;
    char shared[SHARED_REST_BYTES + TCP_READ_BYTES];
};

static int open_reserve(void)
{
    return open("/dev/null", O_RDONLY | O_CLOEXEC);
}

int tcp_new(const struct tcp_options *o, const struct tcp_handler *h, struct tcp **ret)
{
    int epoll_fd = epoll_create1(EPOLL_CLOEXEC);
    if (epoll_fd < 0)
        return -errno;
    struct tcp *t = xcalloc(1, sizeof(*t));
    t->options = *o;
    t->handler = *h;
    t->epoll_fd = epoll_fd;
    t->reserve_fd = open_reserve();
    t->all = xcalloc((size_t)o->max_connections, sizeof(*t->all));
    *ret = t;
    return 0;
}

/* ---- the list by age ---- */

static void age_remove(struct tcp *t, struct tcp_connection *c)
{
    *(c->older ? &c->older->newer : &t->oldest) = c->newer;
    *(c->newer ? &c->newer->older : &t->newest) = c->older;
    c->older = c->newer = NULL;
}

static void age_append(struct tcp *t, struct tcp_connection *c, int64_t now)
{
    c->last_mono_us = now;
    c->older = t->newest;
    c->newer = NULL;
    *(t->newest ? &t->newest->newer : &t->oldest) = c;
    t->newest = c;
}

/* ---- the rest ---- */

static void rest_resize(struct tcp *t, struct tcp_connection *c, size_t cap)
{
    if (cap == c->rest_cap)
        return;
    t->held_bytes += cap - c->rest_cap;
    if (cap == 0) {
        free(c->rest);
        c->rest = NULL;
    } else {
        c->rest = xrealloc(c->rest, cap, 1);
    }
    c->rest_cap = cap;
}

/* Keep exactly these bytes, which do not lie in c->rest. */
static void rest_keep(struct tcp *t, struct tcp_connection *c, struct view v)
{
    if (v.n > c->rest_cap || v.n == 0 || c->rest_cap > SHARED_REST_BYTES)
        rest_resize(t, c, (v.n + 255) & ~(size_t)255);
    if (v.n)
        memcpy(c->rest, v.p, v.n);
    c->rest_n = v.n;
}

/* ---- life of a connection ---- */

static void destroy(struct tcp *t, struct tcp_connection *c)
{
    age_remove(t, c);
    t->all[c->slot] = t->all[--t->n];
    t->all[c->slot]->slot = c->slot;
    rest_resize(t, c, 0);
    close(c->fd); /* leaves the epoll instance with it: the descriptor was never duplicated */
    free(c);
}

static void end(struct tcp *t, struct tcp_connection *c, enum tcp_end why, int error)
{
    t->handler.ended(t->handler.context, c, view_of(c->rest ? c->rest : "", c->rest_n), why, error);
    destroy(t, c);
}

void tcp_free(struct tcp **pt)
{
    struct tcp *t = *pt;
    if (!t)
        return;
    while (t->n > 0)
        destroy(t, t->all[0]);
    tcp_stop_listening(t);
    close(t->epoll_fd);
    if (t->reserve_fd >= 0)
        close(t->reserve_fd);
    free(t->all);
    free(t);
    *pt = NULL;
}

/* ---- accepting ---- */

int tcp_listen(struct tcp *t, const struct ip *address, uint16_t port)
{
    if (t->listeners_n == LISTENERS_MAX)
        return -ENOSPC;
    int fd = socket_bound(address, port, SOCK_STREAM);
    if (fd < 0)
        return fd;
    if (listen(fd, SOMAXCONN) < 0) {
        int error = -errno;
        close(fd);
        return error;
    }
    t->listeners[t->listeners_n++] = fd;
    return fd;
}

void tcp_stop_listening(struct tcp *t)
{
    for (int i = 0; i < t->listeners_n; i++)
        close(t->listeners[i]);
    t->listeners_n = 0;
}

static void keep_alive(int fd)
{
    int on = 1, idle = KEEPALIVE_IDLE_S, interval = KEEPALIVE_INTERVAL_S, probes = KEEPALIVE_PROBES;
    /* A connection without them still works, so failures do not matter. */
    (void)setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof(on));
    (void)setsockopt(fd, IPPROTO_TCP, TCP_KEEPIDLE, &idle, sizeof(idle));
    (void)setsockopt(fd, IPPROTO_TCP, TCP_KEEPINTVL, &interval, sizeof(interval));
    (void)setsockopt(fd, IPPROTO_TCP, TCP_KEEPCNT, &probes, sizeof(probes));
}

static int adopt(struct tcp *t, int fd, const struct ip *peer, int64_t now)
{
    struct tcp_connection *c = xcalloc(1, sizeof(*c));
    c->fd = fd;
    c->peer = *peer;
    struct epoll_event e = {.events = EPOLLIN | EPOLLRDHUP, .data.ptr = c};
    if (epoll_ctl(t->epoll_fd, EPOLL_CTL_ADD, fd, &e) < 0) {
        int error = errno;
        free(c);
        return error;
    }
    keep_alive(fd);
    c->slot = t->n;
    t->all[t->n++] = c;
    age_append(t, c, now);
    return 0;
}

/* Without a free descriptor a waiting connection would keep the listener readable for ever and the
 * loop spinning: take it with the reserve and close it. */
static void turn_away(struct tcp *t, int listener_fd, int error)
{
    struct sockaddr_in6 sa = {0};
    socklen_t n = sizeof(sa);
    if (t->reserve_fd >= 0)
        close(t->reserve_fd);
    int fd = accept4(listener_fd, (struct sockaddr *)&sa, &n, SOCK_CLOEXEC);
    if (fd >= 0) {
        struct ip peer = ip_from_sockaddr((struct sockaddr *)&sa);
        close(fd);
        t->handler.refused(t->handler.context, &peer, error);
    }
    t->reserve_fd = open_reserve();
}

/* Errors of accept(2) that are about the one connection. */
static bool is_of_connection(int error)
{
    return error == EINTR || error == ECONNABORTED || error == ENETDOWN || error == EPROTO ||
           error == ENOPROTOOPT || error == EHOSTDOWN || error == ENONET || error == EHOSTUNREACH ||
           error == EOPNOTSUPP || error == ENETUNREACH || error == EPERM;
}

int tcp_accept(struct tcp *t, int listener_fd, int64_t now)
{
    for (int i = 0; i < ACCEPTS_A_CALL; i++) {
        struct sockaddr_in6 sa = {0};
        socklen_t n = sizeof(sa);
        int fd = accept4(listener_fd, (struct sockaddr *)&sa, &n, SOCK_NONBLOCK | SOCK_CLOEXEC);
        if (fd < 0) {
            if (errno == EAGAIN)
                return 0;
            if (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM)
                turn_away(t, listener_fd, errno);
            else if (!is_of_connection(errno))
                return -errno;
            continue;
        }
        struct ip peer = ip_from_sockaddr((struct sockaddr *)&sa);
        int error = 0;
        if (t->n >= t->options.max_connections || (error = adopt(t, fd, &peer, now)) != 0) {
            close(fd);
            t->handler.refused(t->handler.context, &peer, error);
        }
    }
    return 0;
}

/* ---- reading ---- */

/* Where the next read goes, and what stands before it. */
static char *read_place(struct tcp *t, struct tcp_connection *c, size_t *ret_room)
{
    if (c->rest_n <= SHARED_REST_BYTES) {
        if (c->rest_n)
            memcpy(t->shared, c->rest, c->rest_n);
        *ret_room = TCP_READ_BYTES;
        return t->shared;
    }
    if (c->rest_cap - c->rest_n < SHARED_REST_BYTES)
        rest_resize(t, c,
                    MIN(MAX(2 * c->rest_cap, c->rest_n + SHARED_REST_BYTES),
                        t->options.hold_bytes + SHARED_REST_BYTES));
    *ret_room = MIN(c->rest_cap - c->rest_n, (size_t)TCP_READ_BYTES);
    return c->rest;
}

/* Drop `used` bytes from the front of the connection's own buffer. */
static void rest_drop(struct tcp *t, struct tcp_connection *c, size_t used)
{
    size_t left = c->rest_n - used;
    if (used && left)
        memmove(c->rest, c->rest + used, left);
    c->rest_n = left;
    if (left <= SHARED_REST_BYTES)
        rest_resize(t, c, (left + 255) & ~(size_t)255); /* shrinks again */
}

static void after_read(struct tcp *t, struct tcp_connection *c, char *place, size_t n)
{
    size_t used = t->handler.bytes(t->handler.context, c, view_of(place, n));
    CHECK(used <= n);
    if (place == t->shared) {
        rest_keep(t, c, view_of(place + used, n - used));
    } else {
        c->rest_n = n;
        rest_drop(t, c, used);
    }
    if (c->rest_n > t->options.hold_bytes)
        end(t, c, TCP_END_ERROR, EMSGSIZE);
}

static void read_once(struct tcp *t, struct tcp_connection *c, int64_t now)
{
    size_t room;
    char *place = read_place(t, c, &room);
    ssize_t got = recv(c->fd, place + c->rest_n, room, 0);
    if (got > 0) {
        age_remove(t, c);
        age_append(t, c, now);
        after_read(t, c, place, c->rest_n + (size_t)got);
    } else if (got == 0) {
        end(t, c, TCP_END_CLOSED, 0);
    } else if (errno != EAGAIN && errno != EINTR) {
        end(t, c, TCP_END_ERROR, errno);
    }
}

int tcp_fd(const struct tcp *t)
{
    return t->epoll_fd;
}

int tcp_poll(struct tcp *t, int64_t now)
{
    struct epoll_event events[EVENTS_A_POLL];
    int n = epoll_wait(t->epoll_fd, events, EVENTS_A_POLL, 0);
    if (n < 0)
        return errno == EINTR ? 0 : -errno;
    int done = 0;
    /* A connection only ends here in its own turn, so the later events stay valid. */
    while (done < n) {
        read_once(t, events[done++].data.ptr, now);
        if (!t->handler.between(t->handler.context))
            break;
    }
    return done;
}

void tcp_quiet(struct tcp *t, int64_t before)
{
    /* from the newest back to those that the previous call has seen */
    for (struct tcp_connection *c = t->newest, *older; c && c->last_mono_us >= t->quiet_mono_us;
         c = older) {
        older = c->older;
        if (c->last_mono_us >= before || c->rest_n == 0)
            continue;
        if (!t->handler.between(t->handler.context))
            return;
        size_t used = t->handler.quiet(t->handler.context, c, view_of(c->rest, c->rest_n));
        CHECK(used <= c->rest_n);
        rest_drop(t, c, used);
    }
    t->quiet_mono_us = before;
}

/* ---- ends ---- */

void tcp_close_idle(struct tcp *t, int64_t before)
{
    while (t->oldest && t->oldest->last_mono_us < before)
        end(t, t->oldest, TCP_END_IDLE, 0);
}

int64_t tcp_oldest_mono_us(const struct tcp *t)
{
    return t->oldest ? t->oldest->last_mono_us : INT64_MAX;
}

void tcp_close_all(struct tcp *t)
{
    while (t->oldest)
        end(t, t->oldest, TCP_END_STOP, 0);
}

int tcp_connections(const struct tcp *t)
{
    return t->n;
}

size_t tcp_held_bytes(const struct tcp *t)
{
    return t->held_bytes;
}

const struct ip *tcp_peer(const struct tcp_connection *c)
{
    return &c->peer;
}

void *tcp_state(struct tcp_connection *c)
{
    return c->state;
}
