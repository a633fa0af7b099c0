/* TLS of the listener (RFC 5425), by OpenSSL 3: bytes of the wire in, plain bytes out.  Knows no
 * sockets but to send its own few bytes.
 *
 * TLS 1.3, and 1.2 with ECDHE and AEAD ciphers only; no compression, no renegotiation, no early
 * data; session tickets, good for as long as their context.
 *
 * A context is who we are and whom we let in; it never changes.  For another certificate or list a
 * new context is made, which new connections take, while those that are open keep theirs.
 *
 * Sessions are fed with what their owner has read (tls_feed), rather than reading by themselves:
 * OpenSSL alone makes two system calls a record, and a read of 64 KiB brings dozens of records.
 * That rules kernel TLS out, which decrypts with the same instructions and would save a copy, but
 * returns at most one record a read. */
#ifndef AZEKURA_NET_TLS_H
#define AZEKURA_NET_TLS_H

#include "base/err.h"
#include "base/view.h"
#include "net/tls_failure.h"
#include "net/tls_peer.h"

enum tls_clients { TLS_CLIENTS_NONE, TLS_CLIENTS_OPTIONAL, TLS_CLIENTS_REQUIRED };
enum tls_version { TLS_VERSION_1_2, TLS_VERSION_1_3 };

/* What is borrowed is needed during tls_context_new() only. */
struct tls_options {
    const char *certificate; /* PEM file: ours, then its chain */
    const char *key;         /* PEM file, not encrypted; may be the same */
    const char *client_cas;  /* PEM file of authorities; NULL: none */
    enum tls_clients clients;
    enum tls_version min_version;
    /* Whom to let in, of those that an authority vouches for: all when both lists are empty.  A
     * certificate whose fingerprint is listed is let in by that alone, whoever signed it and
     * whatever its dates say: it was trusted as it is. */
    const char *const *allowed_names; /* as tls_peer_is() */
    size_t allowed_names_n;
    const char *const *allowed_fingerprints; /* SHA-256; colons and upper case are understood */
    size_t allowed_fingerprints_n;
};

/* Counted references; any thread. */
struct tls_context;
/* 0, or negative and *err: which file, and what is wrong with it. */
MUST_USE int tls_context_new(const struct tls_options *o, struct tls_context **ret,
                             struct err *err);
struct tls_context *tls_context_hold(struct tls_context *c);
void tls_context_drop(struct tls_context **c); /* NULL is fine; clears */

/* A server's side of a connection; used by one thread. */
struct tls_session;
/* Keeps a reference to the context.  `fd`: what is to be sent goes there, never blocking; what the
 * kernel does not take waits in the session (tls_flush).  NULL without memory. */
MUST_USE struct tls_session *tls_session_new(struct tls_context *c, int fd);
void tls_session_free(struct tls_session **s);

enum tls_result {
    TLS_MORE,   /* good so far; all of `in` is used */
    TLS_CLOSED, /* the peer said that it sends no more (close_notify), which has been answered */
    TLS_FAILED, /* see tls_failure(), tls_detail() */
};
/* Plain bytes that may come besides those of `in`: of a record of which all but the end is here */
#define TLS_CARRY_BYTES 17000
/* Take bytes from the wire.  `out` has room for in.n + TLS_CARRY_BYTES; *ret_n bytes of it are
 * plain text, in all cases. */
MUST_USE enum tls_result tls_feed(struct tls_session *s, struct view in, char *out, size_t *ret_n);
/* The wire has ended.  TLS_FAILED when that was within the handshake. */
MUST_USE enum tls_result tls_end(struct tls_session *s);
/* The handshake is given up: it takes too long (TLS_FAIL_TIMEOUT).  `why` for tls_detail(). */
void tls_give_up(struct tls_session *s, const char *why);
/* Say that we send no more; without waiting for an answer. */
void tls_say_close(struct tls_session *s);

/* Bytes wait to be sent: call tls_flush when the socket is writable.  0, or -ENOBUFS when the peer
 * does not take them and too many wait. */
bool tls_wants_write(const struct tls_session *s);
MUST_USE int tls_flush(struct tls_session *s);

bool tls_has_begun(const struct tls_session *s); /* a byte has come */
bool tls_is_open(const struct tls_session *s);   /* the handshake is done */
bool tls_is_resumed(const struct tls_session *s);
const char *tls_version_name(const struct tls_session *s); /* "TLSv1.3" */
/* False: it sent no certificate. */
bool tls_peer(const struct tls_session *s, struct tls_peer *ret);

/* After TLS_FAILED. */
enum tls_failure tls_failure(const struct tls_session *s);
/* What is known besides, printable, or "": "CN=…, expired 2026-03-01", "it begins with '<13>Mar'"
 */
const char *tls_detail(const struct tls_session *s);

#endif
