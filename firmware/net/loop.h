/* A small epoll loop: descriptors with a function each.  One thread. */
#ifndef AZEKURA_NET_LOOP_H
#define AZEKURA_NET_LOOP_H

#include "base/base.h"

struct loop;

/* `events` are epoll's (EPOLLIN, …). */
typedef void (*loop_fn)(void *context, uint32_t events);

/* Owned by the caller; must stay where it is while added. */
struct loop_source {
    int fd;
    loop_fn ready;
    void *context;
};

/* 0 and *ret, or -errno. */
MUST_USE int loop_new(struct loop **ret);
void loop_free(struct loop **l);
/* Level-triggered, EPOLLIN.  0, or -errno. */
MUST_USE int loop_add(struct loop *l, struct loop_source *s);
/* No call of `ready` follows, even when an event was taken in this step already. */
void loop_remove(struct loop *l, struct loop_source *s);
/* Wait up to timeout_us (< 0: for ever, 0: not at all; rounded up to a millisecond) and call what
 * is ready.  The number of sources called, or -errno. */
MUST_USE int loop_step(struct loop *l, int64_t timeout_us);

#endif
