/* Who a sender is by its certificate: its name, its fingerprint, and whether it is on a list. */
#ifndef AZEKURA_NET_TLS_PEER_H
#define AZEKURA_NET_TLS_PEER_H

#include <openssl/x509.h>

#include "base/base.h"

#define TLS_NAME_MAX 256       /* of a certificate, with the NUL; longer ones are cut */
#define TLS_FINGERPRINT_MAX 65 /* SHA-256 in lower-case hex, and the NUL */

struct tls_peer {
    /* The first DNS name of the certificate, else its first address, its common name, or its whole
     * subject.  Printable ASCII, whatever the certificate holds. */
    char name[TLS_NAME_MAX];
    char fingerprint[TLS_FINGERPRINT_MAX];
    int64_t not_before_us, not_after_us; /* since the epoch; INT64_MIN, INT64_MAX: unreadable */
};

void tls_peer_of(X509 *certificate, struct tls_peer *ret);

/* Is the certificate of `name`, as an administrator writes it: "fw1.example.net", "192.0.2.1", or
 * "*.example.net" for every name just below?  Letters' case does not matter.  As RFC 5425 §5.2
 * says, DNS names and addresses of the certificate count, and its common name only where it has no
 * DNS name; a wildcard within the certificate is honoured. */
bool tls_peer_is(X509 *certificate, const char *name);

#endif
