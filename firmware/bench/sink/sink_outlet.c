/* What becomes of a message: the faults asked for, in the order sink.h says, then the file and the
 * next receiver.  On the thread of the worker that took it. */
#include "bench/sink/sink_inside.h"
#include "base/clock.h"

#include <sys/socket.h>
#include <unistd.h>

enum {
    STORE_FLUSH_BYTES = 256 << 10,
    FORWARD_FLUSH_BYTES = 128 << 10,
    FORWARD_RETRY_US = 100000,
    OUT_MAX_BYTES = 4 << 20,
};

void outlet_init(struct sink_worker *w)
{
    w->store = BUF_INIT(OUT_MAX_BYTES);
    w->forward = BUF_INIT(OUT_MAX_BYTES);
    w->held = BUF_INIT(OUT_MAX_BYTES);
    w->forward_fd = -1;
}

void outlet_done(struct sink_worker *w)
{
    buf_free(&w->store);
    buf_free(&w->forward);
    buf_free(&w->held);
    if (w->forward_fd >= 0)
        close(w->forward_fd);
    w->forward_fd = -1;
}

static void write_all(struct sink_worker *w, int fd, struct view v, const char *name)
{
    while (v.n > 0) {
        ssize_t n = write(fd, v.p, v.n);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0) {
            worker_fail(w, errno, "cannot write", name);
            return;
        }
        v = view_of(v.p + n, v.n - (size_t)n);
    }
}

/* "drop RUN-STREAM-NUMBER" of the message's first mark; without one, "drop -". */
static void log_fault(struct sink_worker *w, const char *what, struct view message)
{
    char line[MARK_MAX_BYTES + 32];
    struct mark m;
    if (w->sink->fault_log_fd < 0)
        return;
    bool has_mark = mark_next(message, 0, &m);
    int n = snprintf(line, sizeof(line), "%s %.*s\n", what, has_mark ? (int)(m.end - m.at - 4) : 1,
                     has_mark ? message.p + m.at + 4 : "-");
    write_all(w, w->sink->fault_log_fd, view_of(line, (size_t)n), w->sink->o.fault_log);
}

static void store_flush(struct sink_worker *w)
{
    if (w->store.n > 0)
        write_all(w, w->sink->store_fd, buf_view(&w->store), w->sink->o.store);
    buf_clear(&w->store);
}

static bool is_stream(const struct sink *s)
{
    return s->o.forward.transport == TARGET_TCP || s->o.forward.transport == TARGET_UNIX_STREAM;
}

static bool forward_connect(struct sink_worker *w)
{
    int64_t now = clock_mono_us();
    if (w->forward_fd >= 0)
        return true;
    if (now < w->forward_retry_mono_us)
        return false;
    int fd = sink_socket_connect(&w->sink->o.forward, &w->sink->o.forward_from);
    if (fd < 0)
        w->forward_retry_mono_us = now + FORWARD_RETRY_US;
    w->forward_fd = MAX(fd, -1);
    return fd >= 0;
}

static void forward_lost(struct sink_worker *w)
{
    close(w->forward_fd);
    w->forward_fd = -1;
}

/* Messages the kernel took, whole.  The rest is lost with the connection. */
static size_t forward_stream(struct sink_worker *w)
{
    size_t sent = 0, done = 0;
    while (sent < w->forward.n) {
        ssize_t n = send(w->forward_fd, w->forward.p + sent, w->forward.n - sent, MSG_NOSIGNAL);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0) {
            forward_lost(w);
            break;
        }
        sent += (size_t)n;
    }
    while (done < w->forward_n && w->forward_ends[done] <= sent)
        done++;
    return done;
}

static size_t forward_datagrams(struct sink_worker *w)
{
    struct mmsghdr headers[FORWARD_BATCH];
    struct iovec vectors[FORWARD_BATCH];
    size_t done = 0;
    int failures = 0;
    for (size_t i = 0; i < w->forward_n; i++) {
        size_t from = i ? w->forward_ends[i - 1] : 0;
        vectors[i] = (struct iovec){w->forward.p + from, w->forward_ends[i] - from};
        headers[i] = (struct mmsghdr){.msg_hdr = {.msg_iov = &vectors[i], .msg_iovlen = 1}};
    }
    while (done < w->forward_n) {
        int n = sendmmsg(w->forward_fd, headers + done, (unsigned)(w->forward_n - done), 0);
        if (n > 0) {
            done += (size_t)n;
            continue;
        }
        /* ECONNREFUSED tells of an earlier datagram: this one was not tried yet */
        if (errno != EINTR && ++failures > 1) {
            forward_lost(w);
            break;
        }
    }
    return done;
}

static void forward_flush(struct sink_worker *w)
{
    if (w->forward_n == 0)
        return;
    size_t done = 0;
    if (forward_connect(w))
        done = is_stream(w->sink) ? forward_stream(w) : forward_datagrams(w);
    worker_count(w, SINK_FORWARDED, (int64_t)done);
    worker_count(w, SINK_FORWARD_FAILED, (int64_t)(w->forward_n - done));
    buf_clear(&w->forward);
    w->forward_n = 0;
}

void outlet_flush(struct sink_worker *w)
{
    store_flush(w);
    forward_flush(w);
}

/* Streams get octet counting: a message may hold LF. */
static void forward_add(struct sink_worker *w, struct view message)
{
    if (is_stream(w->sink))
        CHECK(buf_printf(&w->forward, "%zu ", message.n) == 0);
    CHECK(buf_add_view(&w->forward, message) == 0);
    w->forward_ends[w->forward_n++] = w->forward.n;
    if (w->forward_n == FORWARD_BATCH || w->forward.n >= FORWARD_FLUSH_BYTES)
        forward_flush(w);
}

static void store_add(struct sink_worker *w, struct view message)
{
    if (message.n > 0 && message.p[message.n - 1] == '\n')
        message.n--;
    CHECK(buf_add_view(&w->store, message) == 0);
    CHECK(buf_add_char(&w->store, '\n') == 0);
    if (w->store.n >= STORE_FLUSH_BYTES)
        store_flush(w);
}

static void put_out(struct sink_worker *w, struct view message)
{
    const struct sink *s = w->sink;
    worker_count(w, SINK_STORED, 1);
    worker_count(w, SINK_STORED_BYTES, (int64_t)message.n);
    if (s->is_tallying_stored)
        worker_tally(w, message, true);
    if (s->store_fd >= 0)
        store_add(w, message);
    if (s->o.has_forward)
        forward_add(w, message);
}

void outlet_release(struct sink_worker *w)
{
    if (!w->has_held)
        return;
    w->has_held = false;
    put_out(w, buf_view(&w->held));
}

static bool strikes(int64_t n, int64_t every)
{
    return every > 0 && n % every == 0;
}

void worker_take(struct sink_worker *w, struct view message)
{
    struct sink *s = w->sink;
    const struct sink_faults *f = &s->o.faults;
    int64_t arrived = atomic_fetch_add_explicit(&s->arrived, 1, memory_order_relaxed) + 1;
    if (strikes(arrived, f->close_every)) {
        w->must_close = true;
        worker_count(w, SINK_CLOSED, 1);
        log_fault(w, "close", message);
    }
    if (strikes(arrived, f->drop_every)) {
        worker_count(w, SINK_DROPPED, 1);
        log_fault(w, "drop", message);
        return;
    }
    int64_t kept = atomic_fetch_add_explicit(&s->kept, 1, memory_order_relaxed) + 1;
    if (strikes(kept, f->truncate_every)) {
        worker_count(w, SINK_TRUNCATED, 1);
        log_fault(w, "truncate", message);
        message.n /= 2;
    }
    bool is_twice = strikes(kept, f->duplicate_every);
    if (is_twice) {
        worker_count(w, SINK_DUPLICATED, 1);
        log_fault(w, "duplicate", message);
    }
    if (strikes(kept, f->reorder_every) && !w->has_held) {
        worker_count(w, SINK_REORDERED, 1);
        log_fault(w, "reorder", message);
        buf_clear(&w->held);
        CHECK(buf_add_view(&w->held, message) == 0);
        w->has_held = true;
        if (!is_twice)
            return;
        /* twice: the first where it belongs, the second behind the next one */
        put_out(w, message);
        return;
    }
    put_out(w, message);
    if (is_twice)
        put_out(w, message);
    outlet_release(w);
}
