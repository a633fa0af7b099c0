/* Why a TLS handshake failed, told apart so that whoever runs the sender knows what to change. */
#ifndef AZEKURA_NET_TLS_FAILURE_H
#define AZEKURA_NET_TLS_FAILURE_H

#include "base/base.h"

enum tls_failure {
    TLS_FAIL_NOT_TLS,        /* plain text, HTTP, noise */
    TLS_FAIL_VERSION,        /* only versions older than allowed */
    TLS_FAIL_CIPHER,         /* no cipher, group or signature in common */
    TLS_FAIL_NO_CERTIFICATE, /* one is required */
    TLS_FAIL_UNKNOWN_CA,     /* signed by nobody we know */
    TLS_FAIL_EXPIRED,
    TLS_FAIL_NOT_YET_VALID,
    TLS_FAIL_WRONG_NAME,         /* a good certificate, of somebody who is not on the list */
    TLS_FAIL_REVOKED_OR_REFUSED, /* its certificate is revoked, or it refused ours */
    TLS_FAIL_TIMEOUT,            /* not done in time, or the oldest of too many at once */
    TLS_FAIL_CLOSED,             /* the peer left before the end */
    TLS_FAIL_OTHER,
    TLS_FAIL_COUNT
};

/* "expired": a member of JSON, a label of metrics. */
const char *tls_failure_name(enum tls_failure f);
/* What the sender did, to stand after its address: "its certificate has expired". */
const char *tls_failure_sentence(enum tls_failure f);

/* From X509_V_ERR_… of a certificate that did not pass. */
enum tls_failure tls_failure_of_verify(int x509_error);
/* From the packed code of ERR_get_error() after a handshake that failed. */
enum tls_failure tls_failure_of_error(unsigned long openssl_error);

#endif
