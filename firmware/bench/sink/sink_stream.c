/* Connections: accepted by one thread, given to the workers in turn, read 256 KiB at a time, cut
 * into messages.  A message whose rest has not come is carried over to the next read. */
#include "bench/sink/sink_inside.h"
#include "base/limits.h"

#include <openssl/ssl.h>
#include <sys/epoll.h>
#include <unistd.h>

enum {
    READS_A_ROUND = 4, /* then others of the worker have their turn */
    CARRY_KEPT = 4096, /* a buffer larger than that is not kept for a connection */
    ACCEPTS_A_ROUND = 256,
};

static void list_add(struct sink *s, struct sink_connection *c)
{
    c->next = s->connections;
    if (c->next)
        c->next->prev = c;
    s->connections = c;
    s->connections_n++;
}

static void list_remove(struct sink *s, struct sink_connection *c)
{
    if (c->prev)
        c->prev->next = c->next;
    else
        s->connections = c->next;
    if (c->next)
        c->next->prev = c->prev;
    s->connections_n--;
}

static void connection_free(struct sink_connection *c)
{
    SSL_free(c->ssl);
    close(c->source.fd);
    free(c->carry);
    free(c);
}

static void stream_close(struct sink_worker *w, struct sink_connection *c)
{
    if (c->carry_n > 0 || c->skip > 0 || c->skips_line)
        worker_count(w, SINK_UNFINISHED, 1);
    pthread_mutex_lock(&w->sink->lock);
    list_remove(w->sink, c);
    pthread_mutex_unlock(&w->sink->lock);
    connection_free(c);
    worker_publish(w);
}

void stream_close_all(struct sink *s)
{
    while (s->connections) {
        struct sink_connection *c = s->connections;
        if (c->carry_n > 0 || c->skip > 0 || c->skips_line)
            worker_count(&s->workers[0], SINK_UNFINISHED, 1);
        list_remove(s, c);
        connection_free(c);
    }
}

static struct sink_connection *connection_new(struct sink *s, struct sink_listener *l, int fd)
{
    struct sink_connection *c = xcalloc(1, sizeof(*c));
    c->source = (struct sink_source){.kind = SOURCE_CONNECTION, .fd = fd, .listener = l};
    if (l->address.transport == TARGET_TLS) {
        c->ssl = SSL_new(s->tls);
        CHECK(c->ssl);
        SSL_set_accept_state(c->ssl);
        if (SSL_set_fd(c->ssl, fd) != 1) {
            connection_free(c);
            return NULL;
        }
    }
    return c;
}

/* Into the list first: from the moment it is watched, another thread may close it. */
static void stream_begin(struct sink_worker *w, struct sink_listener *l, int fd)
{
    struct sink *s = w->sink;
    bool is_ending = atomic_load(&s->is_ending);
    struct sink_connection *c = connection_new(s, l, fd);
    pthread_mutex_lock(&s->lock);
    bool is_taken = c && s->connections_n < s->connections_max;
    if (is_taken)
        list_add(s, c);
    struct sink_worker *of = is_ending ? w : &s->workers[s->next_worker++ % s->workers_n];
    pthread_mutex_unlock(&s->lock);
    if (!is_taken) {
        worker_count(w, SINK_TURNED_AWAY, 1);
        if (c)
            connection_free(c);
        return;
    }
    worker_count(w, SINK_CONNECTIONS, 1);
    int r = worker_watch(of, &c->source);
    if (r < 0) {
        worker_fail(w, -r, "cannot watch a connection of", l->name);
        stream_close(w, c);
    }
}

void stream_accept(struct sink_worker *w, struct sink_source *source)
{
    for (int i = 0; i < ACCEPTS_A_ROUND; i++) {
        int fd = accept4(source->fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
        if (fd >= 0) {
            stream_begin(w, source->listener, fd);
            continue;
        }
        if (errno == EINTR || errno == ECONNABORTED)
            continue;
        if (errno != EAGAIN)
            worker_fail(w, errno, "cannot accept a connection on", source->listener->name);
        break;
    }
    worker_publish(w);
}

/* One message was found.  False: --close-every struck, what follows is not looked at. */
static bool take(struct sink_worker *w, struct view message)
{
    worker_count(w, SINK_MESSAGES, 1);
    worker_count(w, SINK_BYTES, (int64_t)message.n);
    if (!w->sink->is_plain) {
        if (!w->sink->o.is_counting_only)
            worker_tally(w, message, false);
        worker_take(w, message);
    }
    return !w->must_close;
}

/* Marks of many lines at once, where nothing is done with the single one. */
static void tally_lines(struct sink_worker *w, const char *p, size_t n)
{
    if (w->sink->is_plain && !w->sink->o.is_counting_only && n > 0)
        worker_tally(w, view_of(p, n), false);
}

/* Whole lines from `at` on; where the first one begins that is not whole. */
static size_t take_lines(struct sink_worker *w, struct sink_connection *c, struct view in,
                         size_t at)
{
    size_t from = at;
    const char *lf;
    while (at < in.n && (lf = memchr(in.p + at, '\n', in.n - at))) {
        struct view line = view_of(in.p + at, (size_t)(lf - in.p) - at);
        at += line.n + 1;
        if (line.n > SINK_MESSAGE_MAX_BYTES) {
            tally_lines(w, in.p + from, at - line.n - 1 - from);
            from = at;
            worker_count(w, SINK_OVERSIZE, 1);
        } else if (line.n > 0 && !take(w, line)) {
            break;
        }
    }
    tally_lines(w, in.p + from, at - from);
    if (!w->must_close && in.n - at > SINK_MESSAGE_MAX_BYTES) {
        worker_count(w, SINK_OVERSIZE, 1);
        c->skips_line = true;
        return in.n;
    }
    return at;
}

/* "123 " at `at`.  Bytes of it and *ret; 0: more must come; -EBADMSG. */
static int octet_count(struct view in, size_t at, size_t *ret)
{
    size_t n = 0, i = at;
    for (; i < in.n && in.p[i] >= '0' && in.p[i] <= '9'; i++) {
        if (i - at == FRAME_OCTET_DIGITS_MAX)
            return -EBADMSG;
        n = n * 10 + (size_t)(in.p[i] - '0');
    }
    if (i == in.n)
        return 0;
    if (i == at || in.p[i] != ' ' || n == 0 || n > FRAME_OCTET_COUNT_MAX)
        return -EBADMSG;
    *ret = n;
    return (int)(i - at) + 1;
}

static size_t take_counted(struct sink_worker *w, struct sink_connection *c, struct view in,
                           size_t at)
{
    while (at < in.n && !w->must_close) {
        size_t n;
        int header = octet_count(in, at, &n);
        if (header < 0) {
            worker_count(w, SINK_BAD_FRAMES, 1);
            w->must_close = true;
        }
        if (header <= 0)
            break;
        size_t left = in.n - at - (size_t)header;
        if (n > SINK_MESSAGE_MAX_BYTES) {
            worker_count(w, SINK_OVERSIZE, 1);
            c->skip = n - MIN(n, left);
            at += (size_t)header + MIN(n, left);
            continue;
        }
        if (left < n)
            break;
        struct view message = view_of(in.p + at + header, n);
        at += (size_t)header + n;
        /* marks one message at a time: the next one's count may follow a number's digits */
        if (w->sink->is_plain && !w->sink->o.is_counting_only)
            worker_tally(w, message, false);
        take(w, message);
    }
    return at;
}

/* What is left of an oversize message at the beginning of `in`: how much of it has come. */
static size_t skip_oversize(struct sink_connection *c, struct view in)
{
    if (c->skip > 0) {
        size_t n = MIN(c->skip, in.n);
        c->skip -= n;
        return n;
    }
    if (!c->skips_line)
        return 0;
    const char *lf = memchr(in.p, '\n', in.n);
    c->skips_line = lf == NULL;
    return lf ? (size_t)(lf - in.p) + 1 : in.n;
}

/* Everything whole in `in`; the bytes done with. */
static size_t take_frames(struct sink_worker *w, struct sink_connection *c, struct view in)
{
    size_t at = skip_oversize(c, in);
    if (at == in.n)
        return at;
    if (c->framing == FRAMING_UNKNOWN)
        c->framing = in.p[at] >= '0' && in.p[at] <= '9' ? FRAMING_OCTETS : FRAMING_LF;
    return c->framing == FRAMING_LF ? take_lines(w, c, in, at) : take_counted(w, c, in, at);
}

static void keep_carry(struct sink_connection *c, struct view rest)
{
    if (rest.n > c->carry_cap || (c->carry_cap > CARRY_KEPT && rest.n <= CARRY_KEPT)) {
        free(c->carry);
        c->carry_cap = MAX(rest.n, 256);
        c->carry = xmalloc(c->carry_cap);
    }
    if (rest.n > 0)
        memcpy(c->carry, rest.p, rest.n);
    c->carry_n = rest.n;
}

/* TLS gives a record a call: many are put together.  Never a part of one: what OpenSSL holds back
 * of it no poll would tell of. */
static ssize_t read_tls(struct sink_worker *w, struct sink_connection *c, char *p)
{
    size_t n = 0;
    bool writes = false;
    ssize_t got = 0;
    while (READ_BYTES - n >= SSL3_RT_MAX_PLAIN_LENGTH &&
           (got = sink_tls_read(c->ssl, p + n, READ_BYTES - n, &writes)) > 0)
        n += (size_t)got;
    if (writes != c->is_waiting_to_write) {
        struct epoll_event e = {.events = EPOLLIN | (writes ? EPOLLOUT : 0), .data.ptr = c};
        (void)epoll_ctl(w->epoll, EPOLL_CTL_MOD, c->source.fd, &e);
        c->is_waiting_to_write = writes;
    }
    return n > 0 ? (ssize_t)n : got;
}

static ssize_t read_some(struct sink_worker *w, struct sink_connection *c, char *p)
{
    if (c->ssl)
        return read_tls(w, c, p);
    ssize_t n = recv(c->source.fd, p, READ_BYTES, MSG_DONTWAIT);
    return n < 0 ? -errno : n;
}

void stream_read(struct sink_worker *w, struct sink_connection *c)
{
    for (int i = 0; i < READS_A_ROUND; i++) {
        worker_pause(w);
        ssize_t n = read_some(w, c, w->buffer + c->carry_n);
        if (n == -EAGAIN || n == -EINTR)
            return;
        if (n <= 0) {
            stream_close(w, c);
            return;
        }
        worker_arrived(w);
        if (c->carry_n > 0)
            memcpy(w->buffer, c->carry, c->carry_n);
        struct view in = view_of(w->buffer, c->carry_n + (size_t)n);
        w->must_close = false;
        size_t used = take_frames(w, c, in);
        keep_carry(c, w->must_close ? VIEW("") : view_of(in.p + used, in.n - used));
        worker_round_end(w);
        if (w->must_close) {
            stream_close(w, c);
            return;
        }
        if ((size_t)n < READ_BYTES && !c->ssl)
            return; /* that was all */
    }
}
