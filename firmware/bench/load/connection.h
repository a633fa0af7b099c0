/* One connection of the generator: opened blocking, then written without blocking.  It says of
 * every message whether the kernel took it whole; a message that was taken in part is kept and
 * finished before anything else.  Used by one thread. */
#ifndef AZEKURA_BENCH_CONNECTION_H
#define AZEKURA_BENCH_CONNECTION_H

#include <openssl/ssl.h>

#include "base/ip.h"
#include "bench/load/payload.h"

#define CONNECTION_OPEN_MS 10000
#define CONNECTION_BATCH 1024 /* messages of one call at most */

/* What all connections of a load have in common. */
struct connections {
    const struct load_options *o;
    const struct load_more *more;
    SSL_CTX *tls;              /* owned; NULL without TLS */
    struct ip_network sources; /* family 0: any */
    const atomic_bool *stop;
};

/* Borrows `o`, `more`, `stop`.  0, or negative with *err. */
MUST_USE int connections_init(struct connections *all, const struct load_options *o,
                              const struct load_more *more, const atomic_bool *stop,
                              struct err *err);
void connections_done(struct connections *all);

struct connection {
    int fd;                      /* -1: closed */
    bool is_dgram, has_segments; /* has_segments: many datagrams in one (UDP_SEGMENT) */
    bool is_ended, is_gone;      /* the peer was told of the end; it is not there any more */
    SSL *ssl;
    struct connection_rest *rest; /* taken in part; owned */
};

#define CONNECTION_INIT ((struct connection){.fd = -1})

/* Connect number `index`, handshake and PROXY header included, within CONNECTION_OPEN_MS. */
MUST_USE int connection_open(struct connection *c, const struct connections *all, uint32_t index,
                             bool is_again, struct err *err);
/* A connection on an open non-blocking descriptor, which it takes. */
void connection_take(struct connection *c, int fd, bool is_dgram);
/* How long to wait for peers, of all connections together. */
struct connection_patience {
    int64_t until_mono_us;
    const atomic_bool *stop; /* NULL, or: once true, at most CONNECTION_STOPPED_US from then */
    bool is_stopped;
};
#define CONNECTION_STOPPED_US INT64_C(2000000)
/* Tell the peer that nothing follows; unless a rest is left. */
void connection_end(struct connection *c);
/* Let the peer read everything: end the stream, wait for its end or until it has acknowledged all,
 * as long as there is patience; then close. */
void connection_close(struct connection *c, struct connection_patience *patience);
/* At once; what is in the rest is lost.  Returns how many messages that were. */
int64_t connection_abort(struct connection *c);

struct connection_taken {
    int64_t messages, bytes; /* whole ones */
    int64_t held;            /* further ones that are in the rest, taken in part */
};

/* Send n ≤ CONNECTION_BATCH messages that stand one behind the other in `bytes`.  uniform_bytes:
 * all have so many, or 0.  0 when all were taken or held; -EAGAIN when the peer must read first,
 * -EINTR and -ENOBUFS likewise; another negative errno when it failed.  *ret is filled in all
 * cases. A rest must have been finished before. */
int connection_send(struct connection *c, const char *bytes, const struct payload_message *messages,
                    size_t n, uint32_t uniform_bytes, struct connection_taken *ret);
/* Go on with the rest; the same results.  `held` is what is left in it. */
int connection_finish(struct connection *c, struct connection_taken *ret);
static inline bool connection_has_rest(const struct connection *c)
{
    return c->rest != NULL;
}
/* What the network said of earlier datagrams has been noted: the kernel need not keep it. */
void connection_forget_errors(const struct connection *c);
/* Bytes the kernel holds for the peer. */
int64_t connection_unsent(const struct connection *c);

#endif
