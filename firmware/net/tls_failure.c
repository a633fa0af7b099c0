/* OpenSSL's several hundred reasons, put into a dozen that a person can act on.  Pure. */
#include "net/tls_failure.h"

#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509_vfy.h>

static const struct {
    const char *name, *sentence;
} failures[TLS_FAIL_COUNT] = {
    [TLS_FAIL_NOT_TLS] = {"not_tls", "it does not speak TLS"},
    [TLS_FAIL_VERSION] = {"version", "it offers only TLS versions that are not allowed"},
    [TLS_FAIL_CIPHER] = {"cipher", "it has no cipher suite in common with this box"},
    [TLS_FAIL_NO_CERTIFICATE] = {"no_certificate", "it sent no certificate, and one is required"},
    [TLS_FAIL_UNKNOWN_CA] = {"unknown_ca", "its certificate is of no authority known here"},
    [TLS_FAIL_EXPIRED] = {"expired", "its certificate has expired"},
    [TLS_FAIL_NOT_YET_VALID] = {"not_yet_valid", "its certificate is not valid yet"},
    [TLS_FAIL_WRONG_NAME] = {"wrong_name", "its certificate is not on the list of those let in"},
    [TLS_FAIL_REVOKED_OR_REFUSED] = {"revoked_or_refused",
                                     "a certificate is revoked, or it refused this box's"},
    [TLS_FAIL_TIMEOUT] = {"timeout", "it did not finish the handshake in time"},
    [TLS_FAIL_CLOSED] = {"closed", "it closed the connection within the handshake"},
    [TLS_FAIL_OTHER] = {"other", "the handshake failed"},
};

const char *tls_failure_name(enum tls_failure f)
{
    return failures[f].name;
}

const char *tls_failure_sentence(enum tls_failure f)
{
    return failures[f].sentence;
}

enum tls_failure tls_failure_of_verify(int x509_error)
{
    switch (x509_error) {
    case X509_V_ERR_CERT_HAS_EXPIRED:
        return TLS_FAIL_EXPIRED;
    case X509_V_ERR_CERT_NOT_YET_VALID:
        return TLS_FAIL_NOT_YET_VALID;
    case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT:
    case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY:
    case X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE:
    case X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT:
    case X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN:
    case X509_V_ERR_CERT_SIGNATURE_FAILURE:
    case X509_V_ERR_CERT_UNTRUSTED:
    case X509_V_ERR_INVALID_CA:
        return TLS_FAIL_UNKNOWN_CA;
    case X509_V_ERR_CERT_REVOKED:
    case X509_V_ERR_CERT_REJECTED:
        return TLS_FAIL_REVOKED_OR_REFUSED;
    case X509_V_ERR_HOSTNAME_MISMATCH:
        return TLS_FAIL_WRONG_NAME;
    default:
        return TLS_FAIL_OTHER;
    }
}

static enum tls_failure of_alert(int alert)
{
    switch (alert) {
    case SSL_AD_PROTOCOL_VERSION:
        return TLS_FAIL_VERSION;
    case SSL_AD_HANDSHAKE_FAILURE:
    case SSL_AD_INSUFFICIENT_SECURITY:
        return TLS_FAIL_CIPHER;
    case SSL_AD_BAD_CERTIFICATE:
    case SSL_AD_UNSUPPORTED_CERTIFICATE:
    case SSL_AD_CERTIFICATE_REVOKED:
    case SSL_AD_CERTIFICATE_EXPIRED:
    case SSL_AD_CERTIFICATE_UNKNOWN:
    case SSL_AD_UNKNOWN_CA:
    case SSL_AD_ACCESS_DENIED:
        return TLS_FAIL_REVOKED_OR_REFUSED;
    case SSL_AD_USER_CANCELLED:
        return TLS_FAIL_CLOSED;
    default:
        return TLS_FAIL_OTHER;
    }
}

enum tls_failure tls_failure_of_error(unsigned long error)
{
    int reason = ERR_GET_REASON(error);
    if (ERR_GET_LIB(error) != ERR_LIB_SSL)
        return TLS_FAIL_OTHER;
    if (reason > SSL_AD_REASON_OFFSET)
        return of_alert(reason - SSL_AD_REASON_OFFSET);
    switch (reason) {
    case SSL_R_HTTP_REQUEST:
    case SSL_R_HTTPS_PROXY_REQUEST:
    case SSL_R_WRONG_VERSION_NUMBER:
        return TLS_FAIL_NOT_TLS;
    case SSL_R_UNSUPPORTED_PROTOCOL:
    case SSL_R_UNKNOWN_PROTOCOL:
    case SSL_R_VERSION_TOO_LOW:
    case SSL_R_WRONG_SSL_VERSION:
    case SSL_R_NO_PROTOCOLS_AVAILABLE:
        return TLS_FAIL_VERSION;
    case SSL_R_NO_SHARED_CIPHER:
    case SSL_R_NO_SHARED_GROUPS:
    case SSL_R_NO_SUITABLE_KEY_SHARE:
    case SSL_R_NO_SUITABLE_GROUPS:
    case SSL_R_NO_SUITABLE_SIGNATURE_ALGORITHM:
    case SSL_R_NO_SHARED_SIGNATURE_ALGORITHMS:
        return TLS_FAIL_CIPHER;
    case SSL_R_PEER_DID_NOT_RETURN_A_CERTIFICATE:
        return TLS_FAIL_NO_CERTIFICATE;
    case SSL_R_UNEXPECTED_EOF_WHILE_READING:
        return TLS_FAIL_CLOSED;
    default:
        return TLS_FAIL_OTHER;
    }
}
