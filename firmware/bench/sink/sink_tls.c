/* TLS of the sink: a certificate made for the occasion where none is given, since a benchmark's
 * client does not ask whose it is. */
#include "bench/sink/sink_inside.h"

#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

#define CERTIFICATE_DAYS 30

static int tls_error(struct err *err, const char *what, const char *name)
{
    char text[200] = "";
    ERR_error_string_n(ERR_get_error(), text, sizeof(text));
    ERR_clear_error();
    return err_set(err, EINVAL, "bad_tls", "%s%s: %s", what, name, text);
}

/* Signed by itself, for "localhost"; NULL when OpenSSL cannot. */
static X509 *make_certificate(EVP_PKEY *key)
{
    X509 *x = X509_new();
    X509_NAME *name = x ? X509_get_subject_name(x) : NULL;
    if (!x || !X509_set_version(x, X509_VERSION_3) ||
        !ASN1_INTEGER_set(X509_get_serialNumber(x), 1) ||
        !X509_gmtime_adj(X509_getm_notBefore(x), -86400) ||
        !X509_gmtime_adj(X509_getm_notAfter(x), CERTIFICATE_DAYS * 86400L) ||
        !X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_ASC, (const unsigned char *)"localhost",
                                    -1, -1, 0) ||
        !X509_set_issuer_name(x, name) || !X509_set_pubkey(x, key) ||
        !X509_sign(x, key, EVP_sha256())) {
        X509_free(x);
        return NULL;
    }
    return x;
}

static bool use_own_certificate(SSL_CTX *ctx)
{
    EVP_PKEY *key = EVP_EC_gen("P-256");
    X509 *x = key ? make_certificate(key) : NULL;
    bool is_good = x && SSL_CTX_use_certificate(ctx, x) == 1 &&
                   SSL_CTX_use_PrivateKey(ctx, key) == 1;
    X509_free(x);
    EVP_PKEY_free(key);
    return is_good;
}

int sink_tls_new(const char *certificate, const char *key, SSL_CTX **ret, struct err *err)
{
    int r = 0;
    SSL_CTX *ctx = SSL_CTX_new(TLS_server_method());
    if (!ctx || SSL_CTX_set_min_proto_version(ctx, TLS1_2_VERSION) != 1)
        r = tls_error(err, "cannot prepare TLS", "");
    else if (!certificate && !use_own_certificate(ctx))
        r = tls_error(err, "cannot make a certificate", "");
    else if (certificate && SSL_CTX_use_certificate_chain_file(ctx, certificate) != 1)
        r = tls_error(err, "cannot use the certificate ", certificate);
    else if (certificate && SSL_CTX_use_PrivateKey_file(ctx, key, SSL_FILETYPE_PEM) != 1)
        r = tls_error(err, "cannot use the key ", key);
    if (r < 0) {
        SSL_CTX_free(ctx);
        return r;
    }
    SSL_CTX_set_session_cache_mode(ctx, SSL_SESS_CACHE_OFF);
    *ret = ctx;
    return 0;
}

ssize_t sink_tls_read(SSL *ssl, char *p, size_t n, bool *ret_writes)
{
    size_t got = 0;
    ERR_clear_error();
    *ret_writes = false;
    if (SSL_read_ex(ssl, p, n, &got) == 1)
        return (ssize_t)got;
    switch (SSL_get_error(ssl, 0)) {
    case SSL_ERROR_ZERO_RETURN:
        (void)SSL_shutdown(ssl);
        return 0;
    case SSL_ERROR_WANT_READ:
        return -EAGAIN;
    case SSL_ERROR_WANT_WRITE:
        *ret_writes = true;
        return -EAGAIN;
    default:
        return -EPROTO;
    }
}
