/* Connections of a lane.  They are read while there is room for what a read can bring; while there
 * is none, their windows close and nothing is lost. */
#include "receiver/streams.h"

#include "config/log.h"
#include "net/tcp.h"
#include "syslog/frame.h"

#define QUIET_US US_PER_SECOND

struct streams {
    struct streams_owner o;
    struct tcp *tcp;
    struct loop_source source;
    bool is_in_loop;
    int64_t held_mono_us; /* when last held back: silence before it was not the peers' */
    uint64_t bad_seen;    /* bad frames of which was told */
    struct ip last_bad_frame;
    struct log_limit turned_away, bad_frames;
    struct streams_counts counts;
};

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
static size_t cut(struct streams *st, struct tcp_connection *c, struct view in, frame_fn next)
{
    struct frame_state *state = tcp_state(c);
    const struct ip *peer = tcp_peer(c);
    size_t max_bytes = (size_t)st->o.s->config.message_max_bytes, at = 0;
    intake_at(st->o.in, clock_wall_us());
    for (;;) {
        struct view message;
        size_t used = 0;
        enum frame_result r =
            next(state, view_of(in.p + at, in.n - at), max_bytes, &message, &used);
        if (r == FRAME_MORE)
            return at + used;
        if (r == FRAME_BAD)
            st->last_bad_frame = *peer;
        intake_message(st->o.in, LISTENER_TCP, peer, message, mark_of(r));
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
    (void)error;
    struct streams *st = context;
    st->counts.idle_closed += end == TCP_END_IDLE;
    size_t used = cut(st, c, rest, frame_idle);
    struct view message, left = view_of(rest.p + used, rest.n - used);
    enum frame_result r =
        frame_last(tcp_state(c), left, (size_t)st->o.s->config.message_max_bytes, &message);
    if (r != FRAME_MORE)
        intake_message(st->o.in, LISTENER_TCP, tcp_peer(c), message, mark_of(r));
}

static void say_turned_away(void *context, const struct ip *peer, int error)
{
    struct streams *st = context;
    uint64_t times;
    (*(error ? &st->counts.turned_away_descriptors : &st->counts.turned_away_limit))++;
    if (!log_limit_due(&st->turned_away, clock_mono_us(), &times))
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
                 (unsigned long long)times, text, (long long)st->o.s->config.tcp_max_connections);
}

static bool between_reads(void *context)
{
    struct streams *st = context;
    st->o.between(st->o.context);
    return intake_has_room(st->o.in);
}

static void ready(void *context, uint32_t events)
{
    (void)events;
    struct streams *st = context;
    if (!intake_has_room(st->o.in))
        return;
    int rc = streams_poll(st, clock_mono_us());
    if (rc < 0)
        log_line(LOG_ERROR, "cannot wait for TCP connections: %s", strerror(-rc));
}

int streams_new(const struct streams_owner *o, struct streams **ret, struct err *err)
{
    const struct config *c = &o->s->config;
    struct streams *st = xcalloc(1, sizeof(*st));
    struct tcp_options options = {
        .max_connections = (int)c->tcp_max_connections,
        .hold_bytes = (size_t)c->message_max_bytes + FRAME_EXTRA_BYTES,
    };
    struct tcp_handler handler = {
        .context = st,
        .bytes = tcp_bytes,
        .quiet = tcp_quiet_bytes,
        .ended = tcp_ended,
        .refused = say_turned_away,
        .between = between_reads,
    };
    st->o = *o;
    int rc = tcp_new(&options, &handler, &st->tcp);
    if (rc < 0) {
        free(st);
        return err_set(err, -rc, "system", "cannot make an epoll instance: %s", strerror(-rc));
    }
    st->source = (struct loop_source){tcp_fd(st->tcp), ready, st};
    *ret = st;
    return 0;
}

void streams_free(struct streams **pst)
{
    struct streams *st = *pst;
    if (!st)
        return;
    if (st->is_in_loop)
        loop_remove(st->o.loop, &st->source);
    tcp_free(&st->tcp);
    free(st);
    *pst = NULL;
}

void streams_take(struct streams *st, int fd, const struct ip *peer, enum listener listener,
                  int64_t now)
{
    (void)listener;
    tcp_take(st->tcp, fd, peer, now);
}

void streams_turned_away(struct streams *st, const struct ip *peer, int error)
{
    say_turned_away(st, peer, error);
}

void streams_update(struct streams *st, int64_t now)
{
    bool want = intake_has_room(st->o.in);
    if (!want)
        st->held_mono_us = now;
    if (want == st->is_in_loop)
        return;
    if (want)
        CHECK(loop_add(st->o.loop, &st->source) == 0);
    else
        loop_remove(st->o.loop, &st->source);
    st->is_in_loop = want;
}

int streams_poll(struct streams *st, int64_t now)
{
    return tcp_poll(st->tcp, now);
}

static void say_bad_frames(struct streams *st, int64_t now)
{
    uint64_t bad = intake_counts(st->o.in)->bad_frames - st->bad_seen, times;
    if (bad == 0)
        return;
    st->bad_seen += bad;
    st->bad_frames.times += bad - 1;
    if (!log_limit_due(&st->bad_frames, now, &times))
        return;
    char text[IP_TEXT_MAX];
    (void)ip_format(&st->last_bad_frame, text);
    log_line(LOG_WARNING,
             "%llu TCP frames had a wrong octet count and are stored as received, the last from %s",
             (unsigned long long)times, text);
}

void streams_tick(struct streams *st, int64_t now)
{
    say_bad_frames(st, now);
    if (intake_has_room(st->o.in))
        tcp_quiet(st->tcp, now - QUIET_US);
    int64_t idle_before = now - atomic_load(&st->o.s->tcp_idle_us);
    if (st->held_mono_us < idle_before)
        tcp_close_idle(st->tcp, idle_before);
}

void streams_end(struct streams *st)
{
    tcp_close_all(st->tcp);
}

void streams_counts(const struct streams *st, struct streams_counts *ret)
{
    *ret = st->counts;
    ret->connections[LISTENER_TCP] = (uint64_t)tcp_connections(st->tcp);
}
