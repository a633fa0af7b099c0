/* What tls.c (contexts and policy) and tls_session.c (connections) share. */
#ifndef AZEKURA_NET_TLS_INSIDE_H
#define AZEKURA_NET_TLS_INSIDE_H

#include <stdatomic.h>

#include <openssl/ssl.h>

#include "net/tls.h"

#define TLS_DETAIL_MAX 400

struct tls_context {
    atomic_int references;
    SSL_CTX *ssl;
    enum tls_clients clients;
    enum tls_version min_version;
    char **names; /* allowed */
    size_t names_n;
    char (*fingerprints)[TLS_FINGERPRINT_MAX]; /* allowed */
    size_t fingerprints_n;
};

/* Is the certificate let in by its fingerprint? */
bool tls_context_pins(const struct tls_context *c, const char *fingerprint);

/* In the callbacks of a handshake: */
void tls_session_offered(SSL *ssl, int version); /* the newest that the client has */
void tls_session_distrusts(SSL *ssl, X509 *certificate, int x509_error);

#endif
