/* Connections of a lane.  They are read while there is room for what a read can bring; while there
 * is none, their windows close and nothing is lost.
 *
 * Times that are given to net/tcp are of a clock that stands still while nothing is read
 * (reading_us), so that no peer is found idle, slow or late when it was us. */
#include "receiver/streams.h"

#include <unistd.h>

#include "config/log.h"
#include "net/socket.h"
#include "net/tcp.h"
#include "syslog/frame.h"

#define QUIET_US US_PER_SECOND

struct streams {
    struct streams_owner o;
    struct tcp *tcp;
    struct tls_context *tls;
    struct loop_source source;
    bool is_in_loop;
    int descriptors;            /* connections that the process may have; 0: enough */
    int64_t held_us;            /* time during which nothing was read, all in all */
    int64_t held_since_mono_us; /* 0: not held back now */
    uint64_t bad_seen;          /* bad frames of which was told */
    struct ip last_bad_frame;
    struct streams_counts counts;
    struct log_limit turned_away[TCP_REFUSED_ERROR + 1], bad_frames, slow, tls_on_plain;
    struct log_limit memory, tls_broken;
    struct log_limit tls_failed[TLS_FAIL_COUNT];
};

/* What a connection's state is. */
struct stream {
    struct frame_state frame;
    uint8_t listener;
    bool has_begun;
    uint8_t inherited; /* enum frame_mode of the listener, when the connection was made */
    bool is_inside;    /* a frame that has begun: its rest is cut as its beginning was */
    uint64_t rules;    /* by which the frames are cut (intake_rules); 0: by none yet */
};

_Static_assert(sizeof(struct stream) <= TCP_STATE_BYTES, "a connection has room for its state");

static int64_t reading_us(const struct streams *st, int64_t now)
{
    return now - st->held_us - (st->held_since_mono_us ? now - st->held_since_mono_us : 0);
}

/* ---- messages ---- */

static enum intake_mark mark_of(enum frame_result r)
{
    return r == FRAME_TRUNCATED ? INTAKE_TRUNCATED
           : r == FRAME_BAD     ? INTAKE_BAD_FRAME
                                : INTAKE_WHOLE;
}

typedef enum frame_result (*frame_fn)(struct frame_state *s, struct view in, size_t max_bytes,
                                      struct view *ret_message, size_t *ret_used);

/* Another set of rules: how the sender's frames are cut from the next one on. */
static void choose_framing(struct streams *st, struct stream *s, const struct ip *peer)
{
    int framing = intake_framing(st->o.in, (enum listener)s->listener, peer);
    s->rules = intake_rules(st->o.in);
    s->frame.mode = framing == SOURCE_FRAMING_INHERIT ? (enum frame_mode)s->inherited
                                                      : (enum frame_mode)framing;
}

/* Cut all whole messages; returns the bytes used. */
static size_t cut(struct streams *st, struct tcp_connection *c, struct view in, frame_fn next)
{
    struct stream *s = tcp_state(c);
    const struct ip *peer = tcp_peer(c);
    size_t max_bytes = (size_t)st->o.s->config.message_max_bytes, at = 0;
    intake_at(st->o.in, clock_wall_us());
    for (;;) {
        struct view message;
        size_t used = 0;
        if (UNLIKELY(s->rules != intake_rules(st->o.in)) && !s->is_inside)
            choose_framing(st, s, peer);
        enum frame_result r =
            next(&s->frame, view_of(in.p + at, in.n - at), max_bytes, &message, &used);
        if (r == FRAME_MORE) {
            at += used;
            s->is_inside = at < in.n || s->frame.skip_bytes > 0 || s->frame.skip_to_delimiter;
            return at;
        }
        s->is_inside = false;
        if (r == FRAME_BAD)
            st->last_bad_frame = *peer;
        intake_message(st->o.in, s->listener, peer, message, mark_of(r));
        at += used;
    }
}

/* A device that is set to TLS and to the plain port sends noise for ever, and nobody can read in
 * its own log why.  What it sends is stored, as everything. */
static void look_at_first_bytes(struct streams *st, const struct tcp_connection *c, struct view in)
{
    uint64_t times;
    char text[IP_TEXT_MAX];
    if (tcp_tls(c) || in.n < 3 || in.p[0] != 0x16 || in.p[1] != 0x03 || (in.p[2] & 0xfc) != 0)
        return;
    if (!log_limit_due(&st->tls_on_plain, clock_mono_us(), &times))
        return;
    (void)ip_format(tcp_peer(c), text);
    log_line(LOG_WARNING,
             "%llu TCP connections began to speak TLS on a port without it, the last from %s: send "
             "to a port of listen.tls, or set the sender to plain TCP",
             (unsigned long long)times, text);
}

static size_t tcp_bytes(void *context, struct tcp_connection *c, struct view in)
{
    struct stream *s = tcp_state(c);
    if (UNLIKELY(!s->has_begun)) {
        s->has_begun = true;
        look_at_first_bytes(context, c, in);
    }
    return cut(context, c, in, frame_next);
}

static size_t tcp_quiet_bytes(void *context, struct tcp_connection *c, struct view in)
{
    return cut(context, c, in, frame_idle);
}

static void say_slow(struct streams *st, const struct ip *peer)
{
    uint64_t times;
    char text[IP_TEXT_MAX];
    if (!log_limit_due(&st->slow, clock_mono_us(), &times))
        return;
    (void)ip_format(peer, text);
    log_line(LOG_WARNING,
             "%llu connections were closed within a message that was not finished in %lld s "
             "(receiver.unfinished_seconds), the last of %s: what had come of it is stored",
             (unsigned long long)times,
             (long long)(atomic_load(&st->o.s->unfinished_us) / US_PER_SECOND), text);
}

static void say_memory(struct streams *st, const struct ip *peer)
{
    uint64_t times;
    char text[IP_TEXT_MAX];
    if (!log_limit_due(&st->memory, clock_mono_us(), &times))
        return;
    (void)ip_format(peer, text);
    log_line(LOG_WARNING,
             "%llu connections were closed within a large message, since unfinished messages take "
             "%d bytes together, the last of %s: what had come of it is stored; find out why these "
             "senders do not finish theirs, or lower receiver.unfinished_seconds",
             (unsigned long long)times, TCP_HELD_MAX_BYTES, text);
}

/* After a good handshake: a broken middlebox, or somebody between us. */
static void say_broken(struct streams *st, const struct ip *peer, const struct tls_session *tls)
{
    uint64_t times;
    char text[IP_TEXT_MAX];
    const char *detail = tls_detail(tls);
    st->counts.tls_failed[tls_failure(tls)]++;
    if (!log_limit_due(&st->tls_broken, clock_mono_us(), &times))
        return;
    (void)ip_format(peer, text);
    log_line(LOG_WARNING,
             "%llu open TLS connections broke, the last with %s: what came was not what the two "
             "had agreed on%s%s%s; what came before it is stored",
             (unsigned long long)times, text, *detail ? " (" : "", detail, *detail ? ")" : "");
}

/* ---- connections begin and end ---- */

static void tcp_opened(void *context, struct tcp_connection *c)
{
    struct streams *st = context;
    struct stream *s = tcp_state(c);
    const struct tls_session *tls = tcp_tls(c);
    struct tls_peer peer;
    s->listener = tls ? LISTENER_TLS : LISTENER_TCP;
    s->inherited = (uint8_t)atomic_load(&st->o.s->framing[s->listener]);
    s->frame.mode = (enum frame_mode)s->inherited;
    st->counts.connections[s->listener]++;
    if (!tls)
        return;
    st->counts.tls_handshakes++;
    st->counts.tls_resumed += tls_is_resumed(tls);
    if (tls_peer(tls, &peer))
        tls_senders_note(&st->o.s->tls_senders, tcp_peer(c), &peer, clock_wall_us());
}

/* The end of a connection is ordinary, so it is not logged; a last message without trailer is one.
 */
static void tcp_ended(void *context, struct tcp_connection *c, struct view rest, enum tcp_end end,
                      int error)
{
    struct streams *st = context;
    struct stream *s = tcp_state(c);
    st->counts.connections[s->listener]--;
    st->counts.idle_closed += end == TCP_END_IDLE;
    st->counts.slow_closed += end == TCP_END_SLOW || end == TCP_END_MEMORY;
    if (end == TCP_END_SLOW)
        say_slow(st, tcp_peer(c));
    else if (end == TCP_END_MEMORY)
        say_memory(st, tcp_peer(c));
    else if (tcp_tls(c) && error == EPROTO)
        say_broken(st, tcp_peer(c), tcp_tls(c));
    size_t used = cut(st, c, rest, frame_idle);
    size_t max_bytes = (size_t)st->o.s->config.message_max_bytes;
    struct view message, left = view_of(rest.p + used, rest.n - used);
    enum frame_result r;
    while ((r = frame_last(&s->frame, left, max_bytes, &message, &used)) != FRAME_MORE) {
        intake_message(st->o.in, s->listener, tcp_peer(c), message, mark_of(r));
        left = view_of(left.p + used, left.n - used);
    }
}

/* What to do about it, for those where that is not plain from what happened. */
static const char *advice(enum tls_failure f)
{
    switch (f) {
    case TLS_FAIL_NOT_TLS:
        return "; set the sender to TLS, or to a port of listen.tcp";
    case TLS_FAIL_VERSION:
        return "; update the sender: receiver.tls_min_version may be 1.2, and nothing older";
    case TLS_FAIL_NO_CERTIFICATE:
        return "; give it one, or set receiver.tls_clients to optional";
    case TLS_FAIL_UNKNOWN_CA:
        return "; add its authority to the client CAs, or its fingerprint to the list";
    case TLS_FAIL_WRONG_NAME:
        return "; add its name or fingerprint to the list";
    case TLS_FAIL_REVOKED_OR_REFUSED:
        return "; does the sender know the authority of this box's certificate, and its name?";
    default:
        return "";
    }
}

static void tls_failed(void *context, struct tcp_connection *c)
{
    struct streams *st = context;
    const struct tls_session *tls = tcp_tls(c);
    enum tls_failure f = tls_failure(tls);
    const char *detail = tls_detail(tls);
    char text[IP_TEXT_MAX];
    uint64_t times;
    st->counts.tls_failed[f]++;
    /* what watches the port connects and says nothing */
    if (f == TLS_FAIL_CLOSED && !tls_has_begun(tls))
        return;
    if (!log_limit_due(&st->tls_failed[f], clock_mono_us(), &times))
        return;
    (void)ip_format(tcp_peer(c), text);
    log_line(LOG_WARNING, "%llu TLS connections were not made, the last with %s: %s%s%s%s%s",
             (unsigned long long)times, text, tls_failure_sentence(f), *detail ? " (" : "", detail,
             *detail ? ")" : "", advice(f));
}

static void say_turned_away(struct streams *st, const struct ip *peer, enum tcp_refusal why,
                            const char *because, long long limit)
{
    uint64_t times;
    char text[IP_TEXT_MAX];
    if (!log_limit_due(&st->turned_away[why], clock_mono_us(), &times))
        return;
    (void)ip_format(peer, text);
    if (limit < 0)
        log_line(LOG_WARNING, "%llu TCP connections were turned away, the last from %s: %s",
                 (unsigned long long)times, text, because);
    else
        log_line(LOG_WARNING, "%llu TCP connections were turned away, the last from %s: %s is %lld",
                 (unsigned long long)times, text, because, limit);
}

static void tcp_refused(void *context, const struct ip *peer, enum tcp_refusal why, int error)
{
    struct streams *st = context;
    const struct shared *s = st->o.s;
    if (why == TCP_REFUSED_SOURCE) {
        st->counts.turned_away_source++;
        say_turned_away(st, peer, why, "receiver.tcp_max_per_source",
                        (long long)atomic_load(&s->tcp_max_per_source));
    } else if (why == TCP_REFUSED_ERROR) {
        st->counts.turned_away_descriptors++;
        say_turned_away(st, peer, why, strerror(error), -1);
    } else if (st->descriptors) {
        st->counts.turned_away_descriptors++;
        say_turned_away(st, peer, why,
                        "what the process's limit of open files leaves for connections",
                        st->descriptors);
    } else {
        st->counts.turned_away_limit++;
        say_turned_away(st, peer, why, "receiver.tcp_max_connections",
                        (long long)s->config.tcp_max_connections);
    }
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

/* ---- life ---- */

/* Each lane has its part of the handshakes, and what one source may have is in one lane. */
static struct tcp_limits limits_now(const struct streams *st)
{
    struct shared *s = st->o.s;
    unsigned half_open = atomic_load(&s->tls_max_half_open), lanes = MAX(s->lanes_n, 1u);
    return (struct tcp_limits){
        .connections = st->descriptors ? st->descriptors : (int)s->config.tcp_max_connections,
        .of_one_source = (int)atomic_load(&s->tcp_max_per_source),
        .half_open = (int)((half_open + lanes - 1) / lanes),
    };
}

/* Connections leave descriptors for the rest of the process: without them the database could not be
 * reached again, and what the connections bring could not be stored. */
static int descriptor_limit(const struct config *c)
{
    int64_t wanted = c->tcp_max_connections + DESCRIPTORS_KEPT;
    int64_t have = socket_allow_descriptors(wanted);
    return have >= wanted ? 0 : (int)MAX(have - DESCRIPTORS_KEPT, INT64_C(1));
}

int streams_new(const struct streams_owner *o, struct streams **ret, struct err *err)
{
    const struct config *c = &o->s->config;
    struct streams *st = xcalloc(1, sizeof(*st));
    st->o = *o;
    st->descriptors = descriptor_limit(c);
    struct tcp_options options = {
        .limits = limits_now(st),
        .open_in_all = &o->s->connections,
        .hold_bytes = (size_t)c->message_max_bytes + FRAME_EXTRA_BYTES,
        .held_max_bytes = TCP_HELD_MAX_BYTES / MAX(o->s->lanes_n, 1u),
    };
    struct tcp_handler handler = {
        .context = st,
        .opened = tcp_opened,
        .bytes = tcp_bytes,
        .quiet = tcp_quiet_bytes,
        .ended = tcp_ended,
        .failed = tls_failed,
        .refused = tcp_refused,
        .between = between_reads,
    };
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
    tls_context_drop(&st->tls);
    free(st);
    *pst = NULL;
}

void streams_set_tls(struct streams *st, struct tls_context *tls)
{
    tls_context_drop(&st->tls);
    st->tls = tls;
}

void streams_take(struct streams *st, int fd, const struct ip *peer, enum listener listener,
                  int64_t now)
{
    if (listener == LISTENER_TLS && !st->tls) {
        close(fd);
        tcp_refused(st, peer, TCP_REFUSED_ERROR, EKEYREJECTED);
        return;
    }
    if (!intake_may_connect(st->o.in, listener, peer)) {
        close(fd); /* said and named with those whose datagrams are refused */
        st->counts.turned_away_not_allowed++;
        return;
    }
    tcp_take(st->tcp, fd, peer, listener == LISTENER_TLS ? st->tls : NULL, reading_us(st, now));
}

void streams_turned_away(struct streams *st, const struct ip *peer, int error)
{
    tcp_refused(st, peer, TCP_REFUSED_ERROR, error);
}

/* ---- reading ---- */

void streams_update(struct streams *st, int64_t now)
{
    bool has_room = intake_has_room(st->o.in);
    if (!has_room && !st->held_since_mono_us) {
        st->held_since_mono_us = now;
    } else if (has_room && st->held_since_mono_us) {
        st->held_us += now - st->held_since_mono_us;
        st->held_since_mono_us = 0;
    }
    bool want = has_room && reading_us(st, now) >= tcp_rested_mono_us(st->tcp);
    if (want == st->is_in_loop)
        return;
    if (want)
        CHECK(loop_add(st->o.loop, &st->source) == 0);
    else
        loop_remove(st->o.loop, &st->source);
    st->is_in_loop = want;
}

int64_t streams_due_mono_us(const struct streams *st, int64_t now)
{
    int64_t left = tcp_rested_mono_us(st->tcp) - reading_us(st, now);
    return left > 0 && !st->held_since_mono_us ? now + left : INT64_MAX;
}

int streams_poll(struct streams *st, int64_t now)
{
    return tcp_poll(st->tcp, reading_us(st, now));
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
    struct tcp_limits limits = limits_now(st);
    tcp_set_limits(st->tcp, &limits);
    say_bad_frames(st, now);
    if (!intake_has_room(st->o.in))
        return; /* unfinished messages that are stored at an end need it, too */
    int64_t at = reading_us(st, now);
    tcp_quiet(st->tcp, at - QUIET_US, at);
    tcp_close_half_open(st->tcp, at - atomic_load(&st->o.s->handshake_us), at);
    tcp_close_unfinished(st->tcp, at - atomic_load(&st->o.s->unfinished_us), at);
    tcp_close_idle(st->tcp, at - atomic_load(&st->o.s->tcp_idle_us), at);
}

void streams_end(struct streams *st)
{
    tcp_close_all(st->tcp);
}

void streams_counts(const struct streams *st, struct streams_counts *ret)
{
    const struct tcp_reads *reads = tcp_reads(st->tcp);
    *ret = st->counts;
    ret->half_open = (uint64_t)tcp_half_open(st->tcp);
    ret->reads = reads->reads;
    ret->read_bytes = reads->bytes;
}
