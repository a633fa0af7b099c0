/* Whose certificates senders showed: an entry for each certificate and address, kept until the
 * writer has told the database (azekura.tls_sender). */
#ifndef AZEKURA_RECEIVER_TLS_SENDERS_H
#define AZEKURA_RECEIVER_TLS_SENDERS_H

#include <pthread.h>

#include "base/ip.h"
#include "base/limits.h"
#include "net/tls_peer.h"

struct tls_sender {
    struct ip source;
    struct tls_peer peer;
    int64_t first_at_us, last_at_us; /* its connections, since the entry was begun */
    uint64_t connections;
};

struct tls_senders {
    pthread_mutex_t lock; /* a connection, never a message */
    unsigned n;
    uint64_t left_out; /* connections for which there was no entry free */
    struct tls_sender all[TLS_SENDERS_MAX];
};

void tls_senders_init(struct tls_senders *s);
void tls_senders_done(struct tls_senders *s);

/* A connection was opened with this certificate.  Any lane. */
void tls_senders_note(struct tls_senders *s, const struct ip *source, const struct tls_peer *peer,
                      int64_t now_us);
/* Take up to `max` entries out.  Returns how many; *ret_left_out: connections that no entry tells
 * of, since the last call. */
unsigned tls_senders_take(struct tls_senders *s, struct tls_sender *ret, unsigned max,
                          uint64_t *ret_left_out);
/* The database did not take them: back, unless there is no room. */
void tls_senders_give_back(struct tls_senders *s, const struct tls_sender *these, unsigned n);

#endif
