/* Where the receiver listens: what is wanted (listen.udp, listen.tcp, listen.tls), what is, and why
 * not.  Used by the first lane, which reads the datagrams and accepts the connections of all.
 *
 * A change of the settings is applied while running.  An address that stays keeps its socket; one
 * that cannot be bound leaves the old ones of its listener in place, is told of (shared.h, struct
 * listening) and is tried again every five seconds. */
#ifndef AZEKURA_RECEIVER_LISTENERS_H
#define AZEKURA_RECEIVER_LISTENERS_H

#include "receiver/datagrams.h"
#include "receiver/state.h"

struct listeners;

struct listeners_owner {
    struct shared *s;
    struct intake *in;
    struct loop *loop;
    const struct state *state;
    /* a connection, which does not block; the descriptor is the owner's */
    void (*accepted)(void *context, int fd, const struct ip *peer, enum listener listener);
    /* one that was closed for want of descriptors or memory */
    void (*turned_away)(void *context, const struct ip *peer, int error);
    void *context;
};

/* Open what s->config wants and say where it is bound in STATE/receiver/listeners, a
 * "udp 127.0.0.1:5514" a line.  What the configuration file `file` itself wants and cannot be had
 * is an error that names the setting; what the database wanted is only told of.  0, or negative and
 * *err. */
MUST_USE int listeners_open(const struct listeners_owner *o, const struct config *file,
                            struct listeners **ret, struct err *err);
void listeners_close(struct listeners **l);

/* Twice a second, and when woken: other addresses, another try, and what the kernel dropped. */
void listeners_tick(struct listeners *l, int64_t now_mono_us);

/* Let the loop read datagrams, or not: after each step. */
void listeners_update(struct listeners *l, int64_t now_mono_us);
int64_t listeners_due_mono_us(const struct listeners *l, int64_t now_mono_us);
/* Between reads of connections. */
void listeners_between(struct listeners *l, int64_t now_mono_us);

/* The receiver stops: accept what waits, then no more. */
void listeners_stop_accepting(struct listeners *l);
/* Read datagrams; false when there are no more, or no room. */
bool listeners_read(struct listeners *l);
/* Of all datagram sockets, those closed meanwhile included. */
void listeners_counts(const struct listeners *l, struct datagrams_counts *ret);

#endif
