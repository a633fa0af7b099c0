/* TCP listeners and their connections: bytes in, nothing out.  One thread.
 *
 * All connections wait in an epoll instance of their own (tcp_fd), so that not reading any of them
 * (back-pressure) costs nothing however many they are: the owner just does not call tcp_poll. */
#ifndef AZEKURA_NET_TCP_H
#define AZEKURA_NET_TCP_H

#include "base/ip.h"
#include "base/limits.h"
#include "base/view.h"

struct tcp;
struct tcp_connection;

#define TCP_STATE_BYTES 64 /* of the owner, in each connection */

enum tcp_end {
    TCP_END_CLOSED, /* by the peer */
    TCP_END_ERROR,  /* reset, timed out: see `error` */
    TCP_END_IDLE,
    TCP_END_STOP, /* tcp_close_all */
};

struct tcp_handler {
    void *context;
    /* Bytes have come: `in` is everything received and not yet used.  Returns the bytes used; a
     * connection of which more than hold_bytes stay unused could never go on and is ended
     * (EMSGSIZE). */
    size_t (*bytes)(void *context, struct tcp_connection *c, struct view in);
    /* Nothing has followed `in` for a while (tcp_quiet).  Returns the bytes used. */
    size_t (*quiet)(void *context, struct tcp_connection *c, struct view in);
    /* The connection ends; `rest` is what was not used. */
    void (*ended)(void *context, struct tcp_connection *c, struct view rest, enum tcp_end end,
                  int error);
    /* A connection was turned away: at the limit (error 0), or for want of descriptors (EMFILE, …).
     */
    void (*refused)(void *context, const struct ip *peer, int error);
    /* After each read, and before each `quiet`: false ends tcp_poll or tcp_quiet early. */
    bool (*between)(void *context);
};

struct tcp_options {
    int max_connections;
    size_t hold_bytes; /* the most that may stay unused of a connection */
};

MUST_USE int tcp_new(const struct tcp_options *o, const struct tcp_handler *h, struct tcp **ret);
void tcp_free(struct tcp **t); /* closes what is open without calling the handler */

/* Open a listener; its descriptor (owned by *t) or -errno.  When it is readable call tcp_accept. */
MUST_USE int tcp_listen(struct tcp *t, const struct ip *address, uint16_t port);
/* Take waiting connections of a listener, a bounded number.  0; -errno for an error that will not
 * pass by itself. */
MUST_USE int tcp_accept(struct tcp *t, int listener_fd, int64_t now_mono_us);
void tcp_stop_listening(struct tcp *t);

/* Readable when a connection has something to read. */
int tcp_fd(const struct tcp *t);
/* Read once from each of up to 64 connections that have something; each read is at most
 * TCP_READ_BYTES.  The number of connections read, or -errno. */
MUST_USE int tcp_poll(struct tcp *t, int64_t now_mono_us);

/* Call `quiet` once for each connection that has unused input and has sent nothing since
 * before_mono_us.  Looks at connections that were active after the previous call only; a call that
 * ended early is made up for by the next. */
void tcp_quiet(struct tcp *t, int64_t before_mono_us);

/* End connections that have sent nothing since before_mono_us. */
void tcp_close_idle(struct tcp *t, int64_t before_mono_us);
/* When the longest silent connection sent last; INT64_MAX without connections. */
int64_t tcp_oldest_mono_us(const struct tcp *t);
void tcp_close_all(struct tcp *t);

int tcp_connections(const struct tcp *t);
/* Bytes of heap held for unused input of all connections. */
size_t tcp_held_bytes(const struct tcp *t);

const struct ip *tcp_peer(const struct tcp_connection *c);
/* TCP_STATE_BYTES bytes, zeroed at accept, aligned to 8. */
void *tcp_state(struct tcp_connection *c);

#endif
