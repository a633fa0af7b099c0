/* Connections of one lane, plain and with TLS: bytes to frames to its intake.  Used by the lane's
 * thread only.
 *
 * While there is no room for what a read can bring, none is read: windows close, nothing is lost,
 * and time stands still for them, so that nobody is called idle or slow for our sake. */
#ifndef AZEKURA_RECEIVER_STREAMS_H
#define AZEKURA_RECEIVER_STREAMS_H

#include "net/loop.h"
#include "net/tls.h"
#include "receiver/intake.h"

struct streams;

struct streams_owner {
    struct shared *s;
    struct intake *in;
    struct loop *loop;
    /* after each read: what else the lane has to look at while connections are busy */
    void (*between)(void *context);
    void *context;
};

/* 0, or negative and *err. */
MUST_USE int streams_new(const struct streams_owner *o, struct streams **ret, struct err *err);
/* Closes what is open; nothing more comes of it. */
void streams_free(struct streams **st);

/* What new connections with TLS take from now on; those that are open keep theirs.  Takes the
 * reference.  Without any (NULL, the beginning), connections with TLS are turned away. */
void streams_set_tls(struct streams *st, struct tls_context *tls);

/* A connection that was accepted on a listener: takes the descriptor, which does not block. */
void streams_take(struct streams *st, int fd, const struct ip *peer, enum listener listener,
                  int64_t now_mono_us);
/* One that could not be accepted and was closed (EMFILE, …): counted and said. */
void streams_turned_away(struct streams *st, const struct ip *peer, int error);

/* Let the loop read, or not: to be called after each step. */
void streams_update(struct streams *st, int64_t now_mono_us);
/* When streams_update has something to do, if nothing else happens before: connections that trickle
 * rest for some milliseconds, to be read together.  INT64_MAX: nothing. */
int64_t streams_due_mono_us(const struct streams *st, int64_t now_mono_us);
/* Read once from those that have something.  How many, or -errno. */
MUST_USE int streams_poll(struct streams *st, int64_t now_mono_us);
/* Twice a second: silences and their ends. */
void streams_tick(struct streams *st, int64_t now_mono_us);
/* The receiver stops: what came without a trailer is a last message. */
void streams_end(struct streams *st);

void streams_counts(const struct streams *st, struct streams_counts *ret);

#endif
