/* TCP connections of one thread, plain or with TLS: bytes in, nothing out.
 *
 * All connections wait in an epoll instance of their own (tcp_fd), so that not reading any of them
 * (back-pressure, rest) costs nothing however many they are: the owner just does not call tcp_poll.
 */
#ifndef AZEKURA_NET_TCP_H
#define AZEKURA_NET_TCP_H

#include <stdatomic.h>

#include "base/ip.h"
#include "base/limits.h"
#include "base/view.h"
#include "net/tls.h"

struct tcp;
struct tcp_connection;

#define TCP_STATE_BYTES 64 /* of the owner, in each connection */

enum tcp_end {
    TCP_END_CLOSED, /* by the peer */
    TCP_END_ERROR,  /* reset, timed out, broken TLS: see `error` */
    TCP_END_IDLE,
    TCP_END_SLOW,   /* a message was begun and not finished */
    TCP_END_MEMORY, /* the same, and unfinished messages took more memory than they may */
    TCP_END_STOP,   /* tcp_close_all */
    TCP_END_COUNT
};

enum tcp_refusal {
    TCP_REFUSED_LIMIT,  /* as many connections as there may be */
    TCP_REFUSED_SOURCE, /* as many as one source may have */
    TCP_REFUSED_ERROR,  /* the system could not: see `error` */
};

/* None of these functions may call one of this file that ends connections. */
struct tcp_handler {
    void *context;
    /* A connection begins; of one with TLS, when its handshake is done. */
    void (*opened)(void *context, struct tcp_connection *c);
    /* Bytes have come: `in` is everything received and not yet used.  Returns the bytes used; a
     * connection of which more than hold_bytes stay unused could never go on and is ended
     * (EMSGSIZE). */
    size_t (*bytes)(void *context, struct tcp_connection *c, struct view in);
    /* Nothing has followed `in` for a while (tcp_quiet).  Returns the bytes used. */
    size_t (*quiet)(void *context, struct tcp_connection *c, struct view in);
    /* A connection that was `opened` ends; `rest` is what was not used. */
    void (*ended)(void *context, struct tcp_connection *c, struct view rest, enum tcp_end end,
                  int error);
    /* A TLS handshake failed: see tls_failure() of tcp_tls().  The connection was never opened. */
    void (*failed)(void *context, struct tcp_connection *c);
    /* A connection was turned away before it began. */
    void (*refused)(void *context, const struct ip *peer, enum tcp_refusal why, int error);
    /* After each read, and before each `quiet` or end by us: false ends the function early. */
    bool (*between)(void *context);
};

/* May be changed while running; what is open stays open. */
struct tcp_limits {
    int connections;   /* of all threads that share `open_in_all` */
    int of_one_source; /* here; a source's connections should all be of one thread */
    int half_open;     /* handshakes under way here: when another begins, the oldest is ended, of
                        * its own source if that has many */
};

struct tcp_options {
    struct tcp_limits limits;
    atomic_uint
        *open_in_all;      /* connections of all threads; borrowed.  NULL: this is the only one */
    size_t hold_bytes;     /* the most that may stay unused of a connection */
    size_t held_max_bytes; /* of all of them here: beyond it, after a tcp_poll, those end that have
                            * a large part of a message for the longest time.  0: no limit */
};

MUST_USE int tcp_new(const struct tcp_options *o, const struct tcp_handler *h, struct tcp **ret);
void tcp_free(struct tcp **t); /* closes what is open without calling the handler */
void tcp_set_limits(struct tcp *t, const struct tcp_limits *l);

/* A connection that was accepted: takes the descriptor, which does not block.  `tls`: keeps a
 * reference; NULL for plain text.  At a limit those that are open are read first, since some may
 * have ended; where that makes no room it is closed and the handler told (`refused`). */
void tcp_take(struct tcp *t, int fd, const struct ip *peer, struct tls_context *tls,
              int64_t now_mono_us);

/* Readable when a connection has something to read. */
int tcp_fd(const struct tcp *t);
/* Read once from each of up to 64 connections that have something; each read is at most
 * TCP_READ_BYTES.  The number of connections read, or -errno. */
MUST_USE int tcp_poll(struct tcp *t, int64_t now_mono_us);
/* Connections that trickle are worth reading together: before this moment tcp_poll had better not
 * be called.  In the past when there is no need to wait: after a silence, or when what can come
 * meanwhile would fill a window. */
int64_t tcp_rested_mono_us(const struct tcp *t);

/* Call `quiet` once for each connection that has unused input and has sent nothing since
 * before_mono_us.  Looks at connections that were active after the previous call only; a call that
 * ended early is made up for by the next.  Here and below, what waits to be read is read first. */
void tcp_quiet(struct tcp *t, int64_t before_mono_us, int64_t now_mono_us);

/* End connections that have sent nothing since before_mono_us; whose unfinished message began
 * before; whose handshake began before.  Each looks at what it ends only. */
void tcp_close_idle(struct tcp *t, int64_t before_mono_us, int64_t now_mono_us);
void tcp_close_unfinished(struct tcp *t, int64_t before_mono_us, int64_t now_mono_us);
void tcp_close_half_open(struct tcp *t, int64_t before_mono_us, int64_t now_mono_us);
void tcp_close_all(struct tcp *t);
/* When the longest silent connection sent last; INT64_MAX without connections. */
int64_t tcp_oldest_mono_us(const struct tcp *t);

int tcp_connections(const struct tcp *t); /* handshakes under way among them */
int tcp_half_open(const struct tcp *t);
/* Bytes of heap held for unused input of all connections. */
size_t tcp_held_bytes(const struct tcp *t);
/* Since tcp_new(). */
struct tcp_reads {
    uint64_t polls, reads, bytes, rests; /* bytes: of the wire */
};
const struct tcp_reads *tcp_reads(const struct tcp *t);

const struct ip *tcp_peer(const struct tcp_connection *c);
const struct tls_session *tcp_tls(const struct tcp_connection *c); /* NULL: plain text */
/* TCP_STATE_BYTES bytes, zeroed at accept, aligned to 8. */
void *tcp_state(struct tcp_connection *c);

#endif
