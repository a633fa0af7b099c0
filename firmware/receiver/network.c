/* The network thread: one epoll loop over the listeners, the connections' own epoll instance, the
 * other threads' wake-up and the signals.
 *
 * Who may read is decided after every step (update_readers): TCP while there is room for what a
 * read can bring; UDP then too, and also when no room is to be expected, because datagrams wait
 * nowhere but in the kernel's buffer: they are refused and counted.  While the packer is only
 * behind for a moment, both wait.  TCP reads look at UDP every millisecond (between_reads), so that
 * no number of busy connections can starve it.  Datagrams that trickle in are read some
 * milliseconds apart, many at once, and not each by a wake-up of its own (udp_ready). */
#include "receiver/network.h"

#include <poll.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "net/loop.h"
#include "net/socket.h"
#include "net/tcp.h"
#include "net/udp.h"
#include "config/log.h"
#include "receiver/notify.h"
#include "syslog/frame.h"

#define UDP_EVERY_US 1000
#define UDP_REST_MAX_US 2000    /* nobody sees it */
#define UDP_DATAGRAM_BYTES 1280 /* a small one takes of the kernel's buffer */
#define TICK_US (US_PER_SECOND / 2)
#define QUIET_US US_PER_SECOND
#define DRAIN_US (3 * US_PER_SECOND)
enum { UDP_BATCHES_A_TURN = 4 };

struct network {
    struct shared *s;
    struct intake *in;
    struct loop *loop;
    struct udp *udp; /* NULL: no such listener */
    struct tcp *tcp;
    int signal_fd;
    struct loop_source udp_source, tcp_listener, tcp_source, wake_source, signal_source;
    bool is_udp_read, is_tcp_read; /* their sources are in the loop */
    bool is_stopping;
    int64_t udp_mono_us; /* last read */
    int64_t udp_rest_us; /* between reads while datagrams trickle in; 0: the buffer is too small */
    int64_t udp_rested_mono_us; /* no read for the loop's sake before */
    int64_t tick_mono_us;       /* next */
    int64_t held_mono_us; /* when TCP was last held back: silence before it was not the peers' */
    struct log_limit turned_away, bad_frames;
    struct ip last_bad_frame;
};

/* ---- UDP ---- */

static bool udp_may_be_read(struct network *n)
{
    return intake_has_room(n->in) || intake_must_refuse(n->in);
}

/* A few batches.  False when there is nothing more, or no room. */
static bool read_udp(struct network *n)
{
    n->udp_mono_us = clock_mono_us();
    for (int turn = 0; turn < UDP_BATCHES_A_TURN; turn++) {
        if (!udp_may_be_read(n))
            return false;
        int got = udp_read(n->udp);
        if (got < 0)
            log_line(LOG_ERROR, "cannot read from the UDP socket: %s", strerror(-got));
        if (got <= 0)
            return false;
        intake_at(n->in, clock_wall_us());
        for (int i = 0; i < got; i++) {
            struct ip source;
            struct view v = udp_datagram(n->udp, i, &source);
            intake_message(n->in, LISTENER_UDP, &source, v, INTAKE_WHOLE);
        }
        if (got < UDP_BATCH_MESSAGES)
            return false;
    }
    return true;
}

/* A wake-up costs ten times what a message does.  So a socket that was emptied rests, if it was not
 * the first datagram after a silence, for as long as no more than a quarter of its buffer can fill
 * at a million datagrams a second. */
static void udp_ready(void *context, uint32_t events)
{
    (void)events;
    struct network *n = context;
    int64_t before = n->udp_mono_us;
    bool has_more = read_udp(n);
    if (!has_more && n->udp_mono_us - before < 2 * n->udp_rest_us)
        n->udp_rested_mono_us = n->udp_mono_us + n->udp_rest_us;
}

/* ---- TCP ---- */

_Static_assert(sizeof(struct frame_state) <= TCP_STATE_BYTES,
               "a connection has room for its state");

static enum intake_mark mark_of(enum frame_result r)
{
    return r == FRAME_TRUNCATED ? INTAKE_TRUNCATED
           : r == FRAME_BAD     ? INTAKE_BAD_FRAME
                                : INTAKE_WHOLE;
}

typedef enum frame_result (*frame_fn)(struct frame_state *s, struct view in, size_t max_bytes,
                                      struct view *ret_message, size_t *ret_used);

/* Cut all whole messages; returns the bytes used. */
static size_t cut(struct network *n, struct tcp_connection *c, struct view in, frame_fn next)
{
    struct frame_state *state = tcp_state(c);
    const struct ip *peer = tcp_peer(c);
    size_t max_bytes = (size_t)n->s->config.message_max_bytes, at = 0;
    intake_at(n->in, clock_wall_us());
    for (;;) {
        struct view message;
        size_t used = 0;
        enum frame_result r =
            next(state, view_of(in.p + at, in.n - at), max_bytes, &message, &used);
        if (r == FRAME_MORE)
            return at + used;
        if (r == FRAME_BAD)
            n->last_bad_frame = *peer;
        intake_message(n->in, LISTENER_TCP, peer, message, mark_of(r));
        at += used;
    }
}

static size_t tcp_bytes(void *context, struct tcp_connection *c, struct view in)
{
    return cut(context, c, in, frame_next);
}

static size_t tcp_quiet_bytes(void *context, struct tcp_connection *c, struct view in)
{
    return cut(context, c, in, frame_idle);
}

/* The end of a connection is ordinary, so it is not logged; a last message without trailer is one.
 */
static void tcp_ended(void *context, struct tcp_connection *c, struct view rest, enum tcp_end end,
                      int error)
{
    (void)end;
    (void)error;
    struct network *n = context;
    size_t used = cut(n, c, rest, frame_idle);
    struct view message, left = view_of(rest.p + used, rest.n - used);
    enum frame_result r =
        frame_last(tcp_state(c), left, (size_t)n->s->config.message_max_bytes, &message);
    if (r != FRAME_MORE)
        intake_message(n->in, LISTENER_TCP, tcp_peer(c), message, mark_of(r));
}

static void tcp_turned_away(void *context, const struct ip *peer, int error)
{
    struct network *n = context;
    uint64_t times;
    if (!log_limit_due(&n->turned_away, clock_mono_us(), &times))
        return;
    char text[IP_TEXT_MAX];
    (void)ip_format(peer, text);
    if (error)
        log_line(LOG_WARNING, "%llu TCP connections were turned away, the last from %s: %s",
                 (unsigned long long)times, text, strerror(error));
    else
        log_line(LOG_WARNING,
                 "%llu TCP connections were turned away, the last from %s: "
                 "receiver.tcp_max_connections is %lld",
                 (unsigned long long)times, text, (long long)n->s->config.tcp_max_connections);
}

static bool between_reads(void *context)
{
    struct network *n = context;
    if (n->udp && clock_mono_us() - n->udp_mono_us >= UDP_EVERY_US)
        (void)read_udp(n);
    return intake_has_room(n->in);
}

static void accept_ready(void *context, uint32_t events)
{
    (void)events;
    struct network *n = context;
    int rc = tcp_accept(n->tcp, n->tcp_listener.fd, clock_mono_us());
    if (rc < 0)
        log_line(LOG_ERROR, "cannot accept TCP connections: %s", strerror(-rc));
}

static void tcp_ready(void *context, uint32_t events)
{
    (void)events;
    struct network *n = context;
    if (!intake_has_room(n->in))
        return;
    int rc = tcp_poll(n->tcp, clock_mono_us());
    if (rc < 0)
        log_line(LOG_ERROR, "cannot wait for TCP connections: %s", strerror(-rc));
}

/* ---- signals and wake-ups ---- */

static void signal_ready(void *context, uint32_t events)
{
    (void)events;
    struct network *n = context;
    struct signalfd_siginfo info;
    while (read(n->signal_fd, &info, sizeof(info)) == sizeof(info)) {
        if (info.ssi_signo == SIGHUP) {
            log_line(LOG_INFO, "SIGHUP: settings that may change while running come from the "
                               "database by themselves; nothing to do");
            continue;
        }
        log_line(LOG_INFO, "stopping");
        n->is_stopping = true;
    }
}

static void wake_ready(void *context, uint32_t events)
{
    (void)events;
    struct network *n = context;
    shared_clear(n->s->wake_fd); /* what to do about it is decided after the step */
}

/* ---- opening ---- */

static int setting_error(struct err *err, int error, const char *setting, const char *value)
{
    return err_set_field(err, error, "listener", setting, "%s: cannot listen on %s: %s", setting,
                         value, strerror(error));
}

static int open_udp(struct network *n, struct err *err)
{
    const struct config *c = &n->s->config;
    struct ip ip;
    uint16_t port;
    if (!c->syslog_udp[0])
        return 0;
    int rc = ip_port_parse(view_str(c->syslog_udp), &ip, &port);
    if (rc == 0)
        rc = udp_open(&ip, port, c->udp_buffer_bytes, &n->udp);
    if (rc < 0)
        return setting_error(err, -rc, "listen.udp", c->syslog_udp);
    n->s->udp_buffer_bytes = udp_buffer_bytes(n->udp);
    n->udp_rest_us = MIN(n->s->udp_buffer_bytes / (4 * UDP_DATAGRAM_BYTES), UDP_REST_MAX_US);
    n->udp_rest_us -= n->udp_rest_us % 1000; /* the loop waits whole milliseconds */
    bool is_less = n->s->udp_buffer_bytes < c->udp_buffer_bytes;
    log_line(is_less ? LOG_WARNING : LOG_INFO, "UDP receive buffer: %lld bytes of %lld asked for%s",
             (long long)n->s->udp_buffer_bytes, (long long)c->udp_buffer_bytes,
             is_less ? " (raise net.core.rmem_max, or give CAP_NET_ADMIN)" : "");
    n->udp_source = (struct loop_source){udp_fd(n->udp), udp_ready, n};
    return 0;
}

static int open_tcp(struct network *n, struct err *err)
{
    const struct config *c = &n->s->config;
    struct tcp_options options = {
        .max_connections = (int)c->tcp_max_connections,
        .hold_bytes = (size_t)c->message_max_bytes + FRAME_EXTRA_BYTES,
    };
    struct tcp_handler handler = {
        .context = n,
        .bytes = tcp_bytes,
        .quiet = tcp_quiet_bytes,
        .ended = tcp_ended,
        .refused = tcp_turned_away,
        .between = between_reads,
    };
    struct ip ip;
    uint16_t port;
    int rc = tcp_new(&options, &handler, &n->tcp);
    if (rc < 0)
        return err_set(err, -rc, "system", "cannot make an epoll instance: %s", strerror(-rc));
    n->tcp_source = (struct loop_source){tcp_fd(n->tcp), tcp_ready, n};
    if (!c->syslog_tcp[0])
        return 0;
    rc = ip_port_parse(view_str(c->syslog_tcp), &ip, &port);
    if (rc == 0)
        rc = tcp_listen(n->tcp, &ip, port);
    if (rc < 0)
        return setting_error(err, -rc, "listen.tcp", c->syslog_tcp);
    n->tcp_listener = (struct loop_source){rc, accept_ready, n};
    return loop_add(n->loop, &n->tcp_listener);
}

static int open_signals(struct network *n)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGTERM);
    sigaddset(&set, SIGINT);
    sigaddset(&set, SIGHUP);
    n->signal_fd = signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC);
    if (n->signal_fd < 0)
        return -errno;
    n->signal_source = (struct loop_source){n->signal_fd, signal_ready, n};
    n->wake_source = (struct loop_source){n->s->wake_fd, wake_ready, n};
    int rc = loop_add(n->loop, &n->signal_source);
    return rc < 0 ? rc : loop_add(n->loop, &n->wake_source);
}

/* Where a socket is bound, for the file and for the database. */
static void note_listener(struct network *n, enum listener listener, int fd, int64_t buffer_bytes,
                          struct buf *text)
{
    char name[SOCKET_NAME_MAX];
    struct listening *l = &n->s->listening[n->s->listening_n];
    if (!socket_name(fd, name))
        return;
    (void)buf_printf(text, "%s %s\n", listener_name(listener), name);
    *l = (struct listening){.listener = (uint8_t)listener, .buffer_bytes = buffer_bytes};
    if (ip_port_parse(view_str(name), &l->address, &l->port) == 0)
        n->s->listening_n++;
}

static int write_listeners(struct network *n, const struct state *state, struct err *err)
{
    struct buf text = BUF_INIT(1024);
    n->s->listening_n = 0;
    if (n->udp)
        note_listener(n, LISTENER_UDP, udp_fd(n->udp), n->s->udp_buffer_bytes, &text);
    if (n->tcp_listener.ready)
        note_listener(n, LISTENER_TCP, n->tcp_listener.fd, -1, &text);
    int rc = state_write(state, "listeners", buf_view(&text), err);
    if (rc == 0) {
        for (char *p = text.p; p && p < text.p + text.n; p++)
            if (*p == '\n')
                *p = p + 1 < text.p + text.n ? ',' : ' ';
        log_line(LOG_INFO, "ready: %.*s", (int)text.n, text.p ? text.p : "no listener");
    }
    buf_free(&text);
    return rc;
}

int network_open(struct shared *s, struct intake *in, const struct state *state,
                 struct network **ret, struct err *err)
{
    struct network *n = xcalloc(1, sizeof(*n));
    n->s = s;
    n->in = in;
    n->signal_fd = -1;
    int rc = loop_new(&n->loop);
    if (rc == 0)
        rc = open_signals(n);
    if (rc < 0)
        (void)err_set(err, -rc, "system", "cannot make the event loop: %s", strerror(-rc));
    if (rc == 0)
        rc = open_udp(n, err);
    if (rc == 0)
        rc = open_tcp(n, err);
    if (rc == 0)
        rc = write_listeners(n, state, err);
    if (rc < 0) {
        network_close(&n);
        return rc;
    }
    *ret = n;
    return 0;
}

void network_close(struct network **pn)
{
    struct network *n = *pn;
    if (!n)
        return;
    udp_close(&n->udp);
    tcp_free(&n->tcp);
    if (n->signal_fd >= 0)
        close(n->signal_fd);
    loop_free(&n->loop);
    free(n);
    *pn = NULL;
}

/* ---- running ---- */

static void set_read(struct network *n, struct loop_source *source, bool want, bool *is_read)
{
    if (want == *is_read)
        return;
    if (want)
        CHECK(loop_add(n->loop, source) == 0);
    else
        loop_remove(n->loop, source);
    *is_read = want;
}

static void update_readers(struct network *n)
{
    bool has_room = intake_has_room(n->in);
    if (!has_room)
        n->held_mono_us = clock_mono_us();
    set_read(n, &n->tcp_source, has_room, &n->is_tcp_read);
    if (n->udp)
        set_read(n, &n->udp_source, clock_mono_us() >= n->udp_rested_mono_us && udp_may_be_read(n),
                 &n->is_udp_read);
}

static void publish(struct network *n)
{
    struct intake_counts *c = intake_counts(n->in);
    c->connections = (uint64_t)tcp_connections(n->tcp);
    shared_publish(n->s, c);
}

static void say_bad_frames(struct network *n, uint64_t before)
{
    uint64_t bad = intake_counts(n->in)->bad_frames - before, times;
    if (bad == 0)
        return;
    n->bad_frames.times += bad - 1;
    if (!log_limit_due(&n->bad_frames, clock_mono_us(), &times))
        return;
    char text[IP_TEXT_MAX];
    (void)ip_format(&n->last_bad_frame, text);
    log_line(LOG_WARNING,
             "%llu TCP frames had a wrong octet count and are stored as received, the last from %s",
             (unsigned long long)times, text);
}

/* Twice a second. */
static void tick(struct network *n, int64_t now)
{
    n->tick_mono_us = now + TICK_US;
    if (n->udp)
        intake_dropped(n->in, LISTENER_UDP, udp_take_drops(n->udp));
    if (intake_has_room(n->in))
        tcp_quiet(n->tcp, now - QUIET_US);
    int64_t idle_before = now - atomic_load(&n->s->tcp_idle_us);
    if (n->held_mono_us < idle_before)
        tcp_close_idle(n->tcp, idle_before);
}

static int64_t step_timeout_us(struct network *n, int64_t now)
{
    int64_t until = MIN(n->tick_mono_us, intake_due_mono_us(n->in));
    if (now < n->udp_rested_mono_us)
        until = MIN(until, n->udp_rested_mono_us);
    return MAX(until - now, INT64_C(0));
}

/* The packer is only behind: it wakes us with an empty builder. */
static void wait_for_room(struct network *n, int64_t until)
{
    int64_t left_us = until - clock_mono_us();
    struct pollfd p = {.fd = n->s->wake_fd, .events = POLLIN};
    if (left_us > 0)
        (void)poll(&p, 1, (int)(left_us / 1000) + 1);
    shared_clear(n->s->wake_fd);
}

/* Read what had arrived when the stop came: the kernel has acknowledged it to TCP senders, and they
 * will not send it again. */
static void drain(struct network *n)
{
    int64_t until = clock_mono_us() + DRAIN_US;
    if (n->tcp_listener.ready) {
        accept_ready(n, 0);
        loop_remove(n->loop, &n->tcp_listener);
        tcp_stop_listening(n->tcp);
    }
    for (bool has_more = true; has_more && clock_mono_us() < until;) {
        has_more = n->udp && read_udp(n);
        if (intake_has_room(n->in)) {
            has_more |= tcp_poll(n->tcp, clock_mono_us()) > 0;
        } else if (!intake_must_refuse(n->in)) {
            wait_for_room(n, until);
            has_more = true;
        }
    }
    tcp_close_all(n->tcp);
    if (n->udp)
        intake_dropped(n->in, LISTENER_UDP, udp_take_drops(n->udp));
    intake_close(n->in);
    publish(n);
}

void network_run(struct network *n)
{
    notify_manager("READY=1");
    while (!n->is_stopping) {
        uint64_t bad_before = intake_counts(n->in)->bad_frames;
        update_readers(n);
        int rc = loop_step(n->loop, step_timeout_us(n, clock_mono_us()));
        if (rc < 0)
            log_line(LOG_ERROR, "cannot wait for events: %s", strerror(-rc));
        int64_t now = clock_mono_us();
        if (now >= n->tick_mono_us)
            tick(n, now);
        say_bad_frames(n, bad_before);
        intake_tick(n->in, now);
        publish(n);
    }
    notify_manager("STOPPING=1");
    drain(n);
}
