/* TCP connections of a receiver's lane.
 *
 * Reading: what a connection left unused (mostly part of one message) is kept in a heap buffer of
 * just that size.  While that is at most SHARED_REST_BYTES, it is copied in front of the next read
 * in one buffer shared by all connections; a connection without a rest holds no memory.  A larger
 * rest stays in its own buffer, which grows by doubling and is read into directly: copying it each
 * time would let a peer that sends single bytes of a large message use up the processor.  With TLS
 * the read goes to a second shared buffer, and what it decrypts to takes the place of a read.
 *
 * Rest: a wake-up costs as much as dozens of messages.  Sockets that were emptied are left alone
 * for up to REST_MAX_US, so that the next reads bring more, as long as the liveliest of them cannot
 * send more than REST_BYTES meanwhile: a window that closes would slow its sender down.  The first
 * bytes after a silence are read at once. */
#include "net/tcp.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "net/peers.h"

#define REST_MAX_US 5000 /* nobody sees it */
#define REST_BYTES 32768 /* half of the window that a connection begins with */
#define WINDOW_US 10000  /* over which the rate of the liveliest connection is taken */

enum {
    SHARED_REST_BYTES = 4096,
    EVENTS_A_POLL = 64,
    FAREWELL_READS = 4,
    LAST_READS = 4,        /* before we end a connection: what has come is not lost with it */
    READS_FOR_ROOM = 64,   /* tcp_poll, before a connection is turned away */
    KEEPALIVE_IDLE_S = 60, /* a peer that lost power is noticed after 60 + 6 × 10 s */
    KEEPALIVE_INTERVAL_S = 10,
    KEEPALIVE_PROBES = 6,
    /* Of half-open handshakes a source may have this part before its own are ended first. */
    HALF_OPEN_SHARE = 8,
};

/* What connections are listed by; each list begins with the oldest. */
enum list {
    BY_AGE,       /* last bytes: all */
    BY_BEGIN,     /* of the unfinished message: those with a rest */
    BY_LARGE,     /* its growth: those with a rest in a buffer of its own */
    BY_HANDSHAKE, /* its begin: half open */
    LISTS
};

struct link {
    struct tcp_connection *older, *newer;
    int64_t mono_us;
    bool is_in;
};

struct tcp_connection {
    int fd;
    struct ip peer;
    struct peer *of; /* whose it is */
    struct tls_session *tls;
    bool wants_write; /* EPOLLOUT is asked for */
    uint32_t window;  /* of window_bytes */
    uint64_t window_bytes;
    struct link links[LISTS];
    char *rest; /* unused input: rest_n of rest_cap bytes */
    size_t rest_n, rest_cap;
    uint64_t state[TCP_STATE_BYTES / 8];
};

struct tcp {
    struct tcp_options options;
    struct tcp_handler handler;
    int epoll_fd;
    int n, half_open;
    struct peers *peers;
    struct tcp_connection *oldest[LISTS], *newest[LISTS];
    int64_t quiet_mono_us; /* connections silent since before this have been told so */
    size_t held_bytes;
    struct tcp_reads reads;

    uint32_t window; /* number of the present one */
    bool has_more;   /* a read of this poll took all that it asked for, so more may wait */
    int64_t window_mono_us, read_mono_us, rested_mono_us, rest_us;
    uint64_t hottest_bytes; /* of one connection in the window */

    char wire[TCP_READ_BYTES];
    char shared[SHARED_REST_BYTES + TCP_READ_BYTES + TLS_CARRY_BYTES];
};

int tcp_new(const struct tcp_options *o, const struct tcp_handler *h, struct tcp **ret)
{
    int epoll_fd = epoll_create1(EPOLL_CLOEXEC);
    if (epoll_fd < 0)
        return -errno;
    struct tcp *t = xcalloc(1, sizeof(*t));
    t->options = *o;
    t->handler = *h;
    t->epoll_fd = epoll_fd;
    t->rest_us = REST_MAX_US;
    t->peers = peers_new(MIN(o->limits.connections, 4096));
    *ret = t;
    return 0;
}

void tcp_set_limits(struct tcp *t, const struct tcp_limits *l)
{
    t->options.limits = *l;
}

/* ---- lists ---- */

static void list_remove(struct tcp *t, struct tcp_connection *c, enum list which)
{
    struct link *l = &c->links[which];
    if (!l->is_in)
        return;
    *(l->older ? &l->older->links[which].newer : &t->oldest[which]) = l->newer;
    *(l->newer ? &l->newer->links[which].older : &t->newest[which]) = l->older;
    *l = (struct link){.mono_us = l->mono_us};
}

static void list_append(struct tcp *t, struct tcp_connection *c, enum list which, int64_t now)
{
    list_remove(t, c, which); /* it may be the newest itself */
    struct tcp_connection *newest = t->newest[which];
    c->links[which] = (struct link){.older = newest, .mono_us = now, .is_in = true};
    *(newest ? &newest->links[which].newer : &t->oldest[which]) = c;
    t->newest[which] = c;
}

/* The oldest of a list, if it is from before a moment. */
static struct tcp_connection *oldest_before(const struct tcp *t, enum list which, int64_t before)
{
    struct tcp_connection *c = t->oldest[which];
    return c && c->links[which].mono_us < before ? c : NULL;
}

/* ---- the rest ---- */

static void rest_resize(struct tcp *t, struct tcp_connection *c, size_t cap)
{
    if (cap == c->rest_cap)
        return;
    if (cap <= SHARED_REST_BYTES)
        list_remove(t, c, BY_LARGE);
    else if (!c->links[BY_LARGE].is_in)
        list_append(t, c, BY_LARGE, 0);
    t->held_bytes += cap - c->rest_cap;
    if (cap == 0) {
        free(c->rest);
        c->rest = NULL;
    } else {
        c->rest = xrealloc(c->rest, cap, 1);
    }
    c->rest_cap = cap;
}

/* Keep exactly these bytes, which lie in t->shared. */
static void rest_keep(struct tcp *t, struct tcp_connection *c, struct view v)
{
    CHECK(v.n <= sizeof(t->shared));
    if (v.n > c->rest_cap || v.n == 0 || c->rest_cap > SHARED_REST_BYTES)
        rest_resize(t, c, (v.n + 255) & ~(size_t)255);
    if (v.n)
        memcpy(c->rest, v.p, v.n);
    c->rest_n = v.n;
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

/* `used` bytes have been taken from the front: is a message under way, and since when? */
static void note_unfinished(struct tcp *t, struct tcp_connection *c, size_t used, int64_t now)
{
    if (c->rest_n == 0)
        list_remove(t, c, BY_BEGIN);
    else if (used > 0 || !c->links[BY_BEGIN].is_in)
        list_append(t, c, BY_BEGIN, now);
    if (used > 0 && c->links[BY_LARGE].is_in)
        list_append(t, c, BY_LARGE, now); /* another message, and as new as its begin */
}

/* ---- life of a connection ---- */

static void half_open_done(struct tcp *t, struct tcp_connection *c)
{
    if (!c->links[BY_HANDSHAKE].is_in)
        return;
    list_remove(t, c, BY_HANDSHAKE);
    c->of->half_open--;
    t->half_open--;
}

static void destroy(struct tcp *t, struct tcp_connection *c)
{
    half_open_done(t, c);
    for (enum list which = 0; which < LISTS; which++)
        list_remove(t, c, which);
    peers_leave(t->peers, c->of);
    t->n--;
    if (t->options.open_in_all)
        atomic_fetch_sub(t->options.open_in_all, 1);
    rest_resize(t, c, 0);
    tls_session_free(&c->tls);
    close(c->fd); /* leaves the epoll instance with it: the descriptor was never duplicated */
    free(c);
}

static void end(struct tcp *t, struct tcp_connection *c, enum tcp_end why, int error)
{
    if (c->tls)
        tls_say_close(c->tls);
    t->handler.ended(t->handler.context, c, view_of(c->rest ? c->rest : "", c->rest_n), why, error);
    destroy(t, c);
}

/* Closing a socket with unread input resets the connection, and the peer would not read the alert
 * that says why: so a little is read and thrown away. */
static void fail(struct tcp *t, struct tcp_connection *c)
{
    t->handler.failed(t->handler.context, c);
    (void)shutdown(c->fd, SHUT_WR);
    for (int i = 0; i < FAREWELL_READS; i++) {
        if (recv(c->fd, t->wire, sizeof(t->wire), MSG_DONTWAIT) <= 0)
            break;
    }
    destroy(t, c);
}

/* Whatever its state: the peer, the system or we end it. */
static void stop(struct tcp *t, struct tcp_connection *c, enum tcp_end why, int error)
{
    if (!c->tls || tls_is_open(c->tls)) {
        end(t, c, why, error);
        return;
    }
    if (why == TCP_END_CLOSED || why == TCP_END_ERROR)
        (void)!tls_end(c->tls);
    else
        tls_give_up(c->tls, why == TCP_END_STOP ? "this box stops receiving" : "it sent nothing");
    fail(t, c);
}

void tcp_free(struct tcp **pt)
{
    struct tcp *t = *pt;
    if (!t)
        return;
    while (t->oldest[BY_AGE])
        destroy(t, t->oldest[BY_AGE]);
    close(t->epoll_fd);
    peers_free(&t->peers);
    free(t);
    *pt = NULL;
}

/* ---- taking ---- */

static void keep_alive(int fd)
{
    int on = 1, idle = KEEPALIVE_IDLE_S, interval = KEEPALIVE_INTERVAL_S, probes = KEEPALIVE_PROBES;
    /* A connection without them still works, so failures do not matter. */
    (void)setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof(on));
    (void)setsockopt(fd, IPPROTO_TCP, TCP_KEEPIDLE, &idle, sizeof(idle));
    (void)setsockopt(fd, IPPROTO_TCP, TCP_KEEPINTVL, &interval, sizeof(interval));
    (void)setsockopt(fd, IPPROTO_TCP, TCP_KEEPCNT, &probes, sizeof(probes));
}

/* Room for one more handshake: the oldest goes, and where its own source has an eighth of all, the
 * oldest of that one, so that a crowd from one address does not push others out. */
static void make_half_open_room(struct tcp *t, const struct ip *newcomer)
{
    int limit = MAX(t->options.limits.half_open, 1);
    while (t->half_open >= limit) {
        struct tcp_connection *c = t->oldest[BY_HANDSHAKE];
        while (c && !(ip_eq(&c->peer, newcomer) && c->of->half_open > limit / HALF_OPEN_SHARE))
            c = c->links[BY_HANDSHAKE].newer;
        if (!c)
            c = t->oldest[BY_HANDSHAKE];
        tls_give_up(c->tls, "too many handshakes at once, and this was the oldest");
        fail(t, c);
    }
}

/* 0, or an error of the system; the descriptor stays the caller's then. */
static int adopt(struct tcp *t, int fd, const struct ip *peer, struct tls_context *tls, int64_t now)
{
    struct tcp_connection *c = xcalloc(1, sizeof(*c));
    c->fd = fd;
    c->peer = *peer;
    c->tls = tls ? tls_session_new(tls, fd) : NULL;
    struct epoll_event e = {.events = EPOLLIN | EPOLLRDHUP, .data.ptr = c};
    int error = tls && !c->tls ? ENOMEM : 0;
    if (error == 0 && epoll_ctl(t->epoll_fd, EPOLL_CTL_ADD, fd, &e) < 0)
        error = errno;
    if (error) {
        tls_session_free(&c->tls);
        free(c);
        return error;
    }
    keep_alive(fd);
    t->n++;
    c->of = peers_enter(t->peers, peer);
    list_append(t, c, BY_AGE, now);
    if (tls) {
        list_append(t, c, BY_HANDSHAKE, now);
        c->of->half_open++;
        t->half_open++;
    } else {
        t->handler.opened(t->handler.context, c);
    }
    return 0;
}

/* ---- reading ---- */

/* Where the next plain bytes go, with room for `need` after the rest, which stands there already.
 */
static char *read_place(struct tcp *t, struct tcp_connection *c, size_t need)
{
    if (c->rest_n <= SHARED_REST_BYTES) {
        if (c->rest_n)
            memcpy(t->shared, c->rest, c->rest_n);
        return t->shared;
    }
    if (c->rest_cap - c->rest_n < need)
        rest_resize(t, c,
                    MIN(MAX(2 * c->rest_cap, c->rest_n + need), t->options.hold_bytes + need));
    return c->rest;
}

/* `n` bytes are in place, the rest included.  False: the connection could not go on and is gone. */
static bool after_read(struct tcp *t, struct tcp_connection *c, char *place, size_t n, int64_t now)
{
    size_t used = t->handler.bytes(t->handler.context, c, view_of(place, n));
    CHECK(used <= n);
    if (place == t->shared) {
        rest_keep(t, c, view_of(place + used, n - used));
    } else {
        c->rest_n = n;
        rest_drop(t, c, used);
    }
    note_unfinished(t, c, used, now);
    if (c->rest_n <= t->options.hold_bytes)
        return true;
    end(t, c, TCP_END_ERROR, EMSGSIZE);
    return false;
}

static void note_read(struct tcp *t, struct tcp_connection *c, size_t n, int64_t now)
{
    t->reads.reads++;
    t->reads.bytes += n;
    list_append(t, c, BY_AGE, now);
    if (c->window != t->window) {
        c->window = t->window;
        c->window_bytes = 0;
    }
    c->window_bytes += n;
    t->hottest_bytes = MAX(t->hottest_bytes, c->window_bytes);
}

/* Have epoll wait for the socket to be writable just while something waits to be written. */
static bool update_write(struct tcp *t, struct tcp_connection *c)
{
    if (tls_flush(c->tls) < 0) {
        stop(t, c, TCP_END_ERROR, ENOBUFS);
        return false;
    }
    bool wants = tls_wants_write(c->tls);
    if (wants == c->wants_write)
        return true;
    struct epoll_event e = {.events = EPOLLIN | EPOLLRDHUP | (wants ? EPOLLOUT : 0u),
                            .data.ptr = c};
    CHECK(epoll_ctl(t->epoll_fd, EPOLL_CTL_MOD, c->fd, &e) == 0);
    c->wants_write = wants;
    return true;
}

/* False: the connection is gone. */
static bool feed(struct tcp *t, struct tcp_connection *c, struct view wire, int64_t now)
{
    bool was_open = tls_is_open(c->tls);
    char *place = read_place(t, c, wire.n + TLS_CARRY_BYTES);
    size_t n = 0;
    enum tls_result r = tls_feed(c->tls, wire, place + c->rest_n, &n);
    if (!was_open && tls_is_open(c->tls)) {
        half_open_done(t, c);
        t->handler.opened(t->handler.context, c);
    }
    if (n > 0 && !after_read(t, c, place, c->rest_n + n, now))
        return false;
    if (r == TLS_MORE)
        return update_write(t, c);
    if (!tls_is_open(c->tls))
        fail(t, c);
    else
        end(t, c, r == TLS_CLOSED ? TCP_END_CLOSED : TCP_END_ERROR, r == TLS_CLOSED ? 0 : EPROTO);
    return false;
}

enum got { GOT_NOTHING, GOT_BYTES, GOT_ITS_END };

static enum got read_once(struct tcp *t, struct tcp_connection *c, int64_t now)
{
    size_t room = TCP_READ_BYTES;
    char *place = t->wire;
    if (!c->tls) {
        place = read_place(t, c, SHARED_REST_BYTES);
        if (place != t->shared)
            room = MIN(c->rest_cap - c->rest_n, room);
        place += c->rest_n;
    }
    ssize_t got = recv(c->fd, place, room, 0);
    if (got > 0) {
        t->has_more |= (size_t)got == room;
        note_read(t, c, (size_t)got, now);
        bool is_there = c->tls ? feed(t, c, view_of(t->wire, (size_t)got), now)
                               : after_read(t, c, place - c->rest_n, c->rest_n + (size_t)got, now);
        return is_there ? GOT_BYTES : GOT_ITS_END;
    }
    if (got < 0 && (errno == EAGAIN || errno == EINTR))
        return GOT_NOTHING;
    stop(t, c, got == 0 ? TCP_END_CLOSED : TCP_END_ERROR, got == 0 ? 0 : errno);
    return GOT_ITS_END;
}

int tcp_fd(const struct tcp *t)
{
    return t->epoll_fd;
}

/* How long may connections rest, after what the liveliest brought in the last window? */
static void turn_window(struct tcp *t, int64_t now)
{
    int64_t elapsed = now - t->window_mono_us;
    if (elapsed < WINDOW_US)
        return;
    t->rest_us = REST_MAX_US;
    if (t->hottest_bytes > 0)
        t->rest_us = MIN(t->rest_us, REST_BYTES * elapsed / (int64_t)t->hottest_bytes);
    t->rest_us -= t->rest_us % 1000; /* the loop waits whole milliseconds */
    t->window++;
    t->window_mono_us = now;
    t->hottest_bytes = 0;
}

/* Messages that are begun and never finished may not take all memory: what has grown for the
 * longest time goes.  Small ones stay; all connections together may have one. */
static void bound_memory(struct tcp *t)
{
    size_t most = t->options.held_max_bytes;
    while (most && t->held_bytes > most && t->oldest[BY_LARGE] &&
           t->handler.between(t->handler.context))
        stop(t, t->oldest[BY_LARGE], TCP_END_MEMORY, 0);
}

int tcp_poll(struct tcp *t, int64_t now)
{
    struct epoll_event events[EVENTS_A_POLL];
    int n = epoll_wait(t->epoll_fd, events, EVENTS_A_POLL, 0);
    if (n < 0)
        return errno == EINTR ? 0 : -errno;
    t->reads.polls++;
    turn_window(t, now);
    int done = 0;
    bool goes_on = true;
    t->has_more = false;
    /* A connection only ends here in its own turn, so the later events stay valid. */
    while (done < n && goes_on) {
        struct tcp_connection *c = events[done].data.ptr;
        uint32_t what = events[done++].events;
        if ((what & EPOLLOUT) && !update_write(t, c))
            continue;
        if (what & ~(uint32_t)EPOLLOUT)
            (void)read_once(t, c, now);
        goes_on = t->handler.between(t->handler.context);
    }
    bool is_emptied = goes_on && n < EVENTS_A_POLL && !t->has_more;
    if (is_emptied && t->rest_us > 0 && now - t->read_mono_us < 2 * t->rest_us) {
        t->rested_mono_us = now + t->rest_us;
        t->reads.rests++;
    }
    if (n > 0)
        t->read_mono_us = now;
    bound_memory(t);
    return done;
}

/* ---- taking, the limits ---- */

/* -1: there is room for one more, which is counted. */
static int count_one_more(struct tcp *t, const struct ip *peer)
{
    const struct tcp_limits *l = &t->options.limits;
    if (peers_connections(t->peers, peer) >= l->of_one_source)
        return TCP_REFUSED_SOURCE;
    unsigned open = (unsigned)t->n;
    if (t->options.open_in_all)
        open = atomic_fetch_add(t->options.open_in_all, 1);
    if (open < (unsigned)l->connections)
        return -1;
    if (t->options.open_in_all)
        atomic_fetch_sub(t->options.open_in_all, 1);
    return TCP_REFUSED_LIMIT;
}

void tcp_take(struct tcp *t, int fd, const struct ip *peer, struct tls_context *tls, int64_t now)
{
    int why = count_one_more(t, peer), error = 0;
    /* Among those that are open may be many that were closed by their peers long ago, and wait to
     * be read: senders of one message a connection.  What this one sent would be lost. */
    for (int i = 0; why >= 0 && i < READS_FOR_ROOM; i++) {
        if (!t->handler.between(t->handler.context) || tcp_poll(t, now) <= 0)
            break;
        why = count_one_more(t, peer);
    }
    if (why < 0) {
        if (tls)
            make_half_open_room(t, peer);
        error = adopt(t, fd, peer, tls, now);
        if (error == 0)
            return;
        why = TCP_REFUSED_ERROR;
        if (t->options.open_in_all)
            atomic_fetch_sub(t->options.open_in_all, 1);
    }
    close(fd);
    t->handler.refused(t->handler.context, peer, (enum tcp_refusal)why, error);
}

int64_t tcp_rested_mono_us(const struct tcp *t)
{
    return t->rested_mono_us;
}

void tcp_quiet(struct tcp *t, int64_t before, int64_t now)
{
    /* from the newest back to those that the previous call has seen */
    for (struct tcp_connection *c = t->newest[BY_AGE], *older;
         c && c->links[BY_AGE].mono_us >= t->quiet_mono_us; c = older) {
        older = c->links[BY_AGE].older;
        if (c->links[BY_AGE].mono_us >= before || c->rest_n == 0)
            continue;
        if (!t->handler.between(t->handler.context))
            return;
        if (read_once(t, c, now) != GOT_NOTHING)
            continue; /* it was us who were slow */
        size_t used = t->handler.quiet(t->handler.context, c, view_of(c->rest, c->rest_n));
        CHECK(used <= c->rest_n);
        rest_drop(t, c, used);
        note_unfinished(t, c, used, now);
    }
    t->quiet_mono_us = before;
}

/* ---- ends ---- */

/* The oldest of a list from before a moment, of which nothing waits to be read that would have kept
 * it: bytes that the kernel has acknowledged to a peer that spoke at the last moment, or while we
 * were busy, would be lost with the connection.  NULL: none, or no room for what it would bring. */
static struct tcp_connection *overdue(struct tcp *t, enum list which, int64_t before, int64_t now)
{
    struct tcp_connection *c;
    while ((c = oldest_before(t, which, before)) && t->handler.between(t->handler.context)) {
        enum got got = GOT_BYTES;
        for (int i = 0; i < LAST_READS && got == GOT_BYTES && oldest_before(t, which, before) == c;
             i++)
            got = read_once(t, c, now);
        if (got != GOT_ITS_END && oldest_before(t, which, before) == c)
            return c;
    }
    return NULL;
}

void tcp_close_idle(struct tcp *t, int64_t before, int64_t now)
{
    for (struct tcp_connection *c; (c = overdue(t, BY_AGE, before, now)) != NULL;)
        stop(t, c, TCP_END_IDLE, 0);
}

void tcp_close_unfinished(struct tcp *t, int64_t before, int64_t now)
{
    for (struct tcp_connection *c; (c = overdue(t, BY_BEGIN, before, now)) != NULL;)
        stop(t, c, TCP_END_SLOW, 0);
}

void tcp_close_half_open(struct tcp *t, int64_t before, int64_t now)
{
    for (struct tcp_connection *c; (c = overdue(t, BY_HANDSHAKE, before, now)) != NULL;) {
        tls_give_up(c->tls, "");
        fail(t, c);
    }
}

void tcp_close_all(struct tcp *t)
{
    while (t->oldest[BY_AGE])
        stop(t, t->oldest[BY_AGE], TCP_END_STOP, 0);
}

int64_t tcp_oldest_mono_us(const struct tcp *t)
{
    return t->oldest[BY_AGE] ? t->oldest[BY_AGE]->links[BY_AGE].mono_us : INT64_MAX;
}

/* ---- what is known ---- */

int tcp_connections(const struct tcp *t)
{
    return t->n;
}

int tcp_half_open(const struct tcp *t)
{
    return t->half_open;
}

size_t tcp_held_bytes(const struct tcp *t)
{
    return t->held_bytes;
}

const struct tcp_reads *tcp_reads(const struct tcp *t)
{
    return &t->reads;
}

const struct ip *tcp_peer(const struct tcp_connection *c)
{
    return &c->peer;
}

const struct tls_session *tcp_tls(const struct tcp_connection *c)
{
    return c->tls;
}

void *tcp_state(struct tcp_connection *c)
{
    return c->state;
}
