/* TLS contexts: what is offered, who we are, whom we let in.  Made by any thread; constant
 * afterwards, so that the threads of all connections use one without a lock of ours. */
#include "net/tls_inside.h"

#include <strings.h>

#include <openssl/err.h>

/* AES with 128 bits first: with the processor's instructions the fastest. */
#define CIPHERS_1_2 "ECDHE+AESGCM:ECDHE+CHACHA20:!aNULL"
#define CIPHERS_1_3 "TLS_AES_128_GCM_SHA256:TLS_AES_256_GCM_SHA384:TLS_CHACHA20_POLY1305_SHA256"
#define GROUPS "X25519:P-256:P-384"
/* A ticket stands for a certificate that was checked: not for longer than this. */
enum { TICKET_SECONDS = 3600, CHAIN_MAX = 8, TLS_HELLO_VERSIONS_MAX = 64 };

static int tls_error(struct err *err, const char *what, const char *file)
{
    char text[200] = "";
    unsigned long code = ERR_peek_last_error();
    const char *reason = code ? ERR_reason_error_string(code) : NULL;
    if (code && !reason) /* of the system, whose text OpenSSL does not give as a reason */
        ERR_error_string_n(code, text, sizeof(text));
    ERR_clear_error();
    return err_set(err, EINVAL, "bad_tls", "%s%s%s: %s", what, file[0] ? " " : "", file,
                   reason  ? reason
                   : *text ? text
                           : "OpenSSL does not say why");
}

/* ---- lists ---- */

/* "AB:CD:…" or "abcd…", with or without "SHA256:" in front → lower-case hex. */
static bool to_fingerprint(const char *text, char out[TLS_FINGERPRINT_MAX])
{
    size_t n = 0;
    if (strncasecmp(text, "sha256:", 7) == 0 || strncasecmp(text, "sha-256:", 8) == 0)
        text = strchr(text, ':') + 1;
    for (; *text; text++) {
        const char *digits = "0123456789abcdef0123456789ABCDEF", *at = strchr(digits, *text);
        if (*text == ':' || *text == ' ')
            continue;
        if (!at || n == TLS_FINGERPRINT_MAX - 1)
            return false;
        out[n++] = digits[(at - digits) % 16];
    }
    out[n] = '\0';
    return n == TLS_FINGERPRINT_MAX - 1;
}

static int copy_lists(struct tls_context *c, const struct tls_options *o, struct err *err)
{
    c->names = xcalloc(o->allowed_names_n + 1, sizeof(*c->names));
    c->fingerprints = xcalloc(o->allowed_fingerprints_n + 1, sizeof(*c->fingerprints));
    for (size_t i = 0; i < o->allowed_names_n; i++)
        c->names[c->names_n++] = xstrdup(o->allowed_names[i]);
    for (size_t i = 0; i < o->allowed_fingerprints_n; i++) {
        if (!to_fingerprint(o->allowed_fingerprints[i], c->fingerprints[i]))
            return err_set(err, EINVAL, "bad_tls",
                           "\"%.80s\" is not the SHA-256 fingerprint of a certificate: 64 "
                           "hexadecimal digits, with or without colons",
                           o->allowed_fingerprints[i]);
        c->fingerprints_n++;
    }
    return 0;
}

bool tls_context_pins(const struct tls_context *c, const char *fingerprint)
{
    for (size_t i = 0; i < c->fingerprints_n; i++) {
        if (strcmp(c->fingerprints[i], fingerprint) == 0)
            return true;
    }
    return false;
}

static bool is_on_list(const struct tls_context *c, X509 *x)
{
    if (c->names_n == 0 && c->fingerprints_n == 0)
        return true;
    for (size_t i = 0; i < c->names_n; i++) {
        if (tls_peer_is(x, c->names[i]))
            return true;
    }
    return false;
}

/* ---- callbacks of a handshake ---- */

/* In place of OpenSSL's own verification, to add our lists.  1: good. */
static int verify(X509_STORE_CTX *store, void *context)
{
    struct tls_context *c = context;
    SSL *ssl = X509_STORE_CTX_get_ex_data(store, SSL_get_ex_data_X509_STORE_CTX_idx());
    X509 *x = X509_STORE_CTX_get0_cert(store);
    struct tls_peer peer;
    tls_peer_of(x, &peer);
    if (tls_context_pins(c, peer.fingerprint)) {
        X509_STORE_CTX_set_error(store, X509_V_OK);
        return 1;
    }
    int is_good = X509_verify_cert(store) == 1;
    if (is_good && !is_on_list(c, x)) {
        X509_STORE_CTX_set_error(store, X509_V_ERR_HOSTNAME_MISMATCH);
        is_good = 0;
    }
    if (!is_good) {
        X509 *bad = X509_STORE_CTX_get_current_cert(store);
        tls_session_distrusts(ssl, bad ? bad : x, X509_STORE_CTX_get_error(store));
    }
    return is_good;
}

/* Which versions are offered, so that a refusal can name them. */
static int look_at_hello(SSL *ssl, int *alert, void *context)
{
    (void)alert;
    (void)context;
    const unsigned char *p;
    size_t n;
    int newest = (int)SSL_client_hello_get0_legacy_version(ssl);
    if (SSL_client_hello_get0_ext(ssl, TLSEXT_TYPE_supported_versions, &p, &n) == 1) {
        for (size_t i = 1; i + 1 < n && i < TLS_HELLO_VERSIONS_MAX; i += 2) {
            int v = p[i] << 8 | p[i + 1];
            if (v >> 8 == 3 && v > newest) /* others are there to be skipped (RFC 8701) */
                newest = v;
        }
    }
    tls_session_offered(ssl, newest);
    return SSL_CLIENT_HELLO_SUCCESS;
}

/* ---- making ---- */

static int set_policy(struct tls_context *c, struct err *err)
{
    SSL_CTX *s = c->ssl;
    int least = c->min_version == TLS_VERSION_1_3 ? TLS1_3_VERSION : TLS1_2_VERSION;
    SSL_CTX_set_security_level(s, 2);
    if (SSL_CTX_set_min_proto_version(s, least) != 1 ||
        SSL_CTX_set_cipher_list(s, CIPHERS_1_2) != 1 ||
        SSL_CTX_set_ciphersuites(s, CIPHERS_1_3) != 1 || SSL_CTX_set1_groups_list(s, GROUPS) != 1)
        return tls_error(err, "cannot prepare TLS", "");
    SSL_CTX_set_options(s, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION |
                               SSL_OP_CIPHER_SERVER_PREFERENCE | SSL_OP_PRIORITIZE_CHACHA |
                               SSL_OP_IGNORE_UNEXPECTED_EOF);
    SSL_CTX_set_mode(s, SSL_MODE_RELEASE_BUFFERS);
    /* Tickets are kept by the senders; a table of sessions would be ours to bound and to lock. */
    SSL_CTX_set_session_cache_mode(s, SSL_SESS_CACHE_OFF);
    SSL_CTX_set_timeout(s, TICKET_SECONDS);
    SSL_CTX_set_num_tickets(s, 1);
    if (SSL_CTX_set_session_id_context(s, (const unsigned char *)"azekura", 7) != 1)
        return tls_error(err, "cannot prepare TLS", "");
    SSL_CTX_set_client_hello_cb(s, look_at_hello, NULL);
    return 0;
}

static int set_identity(struct tls_context *c, const struct tls_options *o, struct err *err)
{
    if (SSL_CTX_use_certificate_chain_file(c->ssl, o->certificate) != 1)
        return tls_error(err, "cannot use the certificate", o->certificate);
    if (SSL_CTX_use_PrivateKey_file(c->ssl, o->key, SSL_FILETYPE_PEM) != 1)
        return tls_error(err, "cannot use the private key", o->key);
    if (SSL_CTX_check_private_key(c->ssl) != 1)
        return tls_error(err, "the private key is not that of the certificate", o->certificate);
    return 0;
}

static int set_clients(struct tls_context *c, const struct tls_options *o, struct err *err)
{
    if (c->clients == TLS_CLIENTS_NONE) {
        SSL_CTX_set_verify(c->ssl, SSL_VERIFY_NONE, NULL);
        return 0;
    }
    if (!o->client_cas && c->fingerprints_n == 0)
        return err_set(err, EINVAL, "bad_tls",
                       "certificates of TLS senders are to be checked, but neither an authority "
                       "nor a fingerprint is known to check them by");
    if (o->client_cas) {
        if (SSL_CTX_load_verify_file(c->ssl, o->client_cas) != 1)
            return tls_error(err, "cannot use the authorities of", o->client_cas);
        /* Clients are told whose certificates we take; not so when some are taken by fingerprint,
         * or a client with such a one would not send it. */
        STACK_OF(X509_NAME) *names = c->fingerprints_n == 0 ? SSL_load_client_CA_file(o->client_cas)
                                                            : NULL;
        SSL_CTX_set_client_CA_list(c->ssl, names);
    }
    /* An issuing authority alone is enough, without the root above it. */
    X509_VERIFY_PARAM_set_flags(SSL_CTX_get0_param(c->ssl), X509_V_FLAG_PARTIAL_CHAIN);
    SSL_CTX_set_verify_depth(c->ssl, CHAIN_MAX);
    SSL_CTX_set_verify(
        c->ssl,
        SSL_VERIFY_PEER |
            (c->clients == TLS_CLIENTS_REQUIRED ? SSL_VERIFY_FAIL_IF_NO_PEER_CERT : 0),
        NULL);
    SSL_CTX_set_cert_verify_callback(c->ssl, verify, c);
    return 0;
}

int tls_context_new(const struct tls_options *o, struct tls_context **ret, struct err *err)
{
    struct tls_context *c = xcalloc(1, sizeof(*c));
    ERR_clear_error();
    atomic_init(&c->references, 1);
    c->clients = o->clients;
    c->min_version = o->min_version;
    c->ssl = SSL_CTX_new(TLS_server_method());
    int rc = c->ssl ? 0 : tls_error(err, "cannot prepare TLS", "");
    if (rc == 0)
        rc = copy_lists(c, o, err);
    if (rc == 0)
        rc = set_policy(c, err);
    if (rc == 0)
        rc = set_identity(c, o, err);
    if (rc == 0)
        rc = set_clients(c, o, err);
    if (rc < 0) {
        tls_context_drop(&c);
        return rc;
    }
    *ret = c;
    return 0;
}

struct tls_context *tls_context_hold(struct tls_context *c)
{
    atomic_fetch_add(&c->references, 1);
    return c;
}

void tls_context_drop(struct tls_context **pc)
{
    struct tls_context *c = *pc;
    *pc = NULL;
    if (!c || atomic_fetch_sub(&c->references, 1) != 1)
        return;
    SSL_CTX_free(c->ssl);
    for (size_t i = 0; i < c->names_n; i++)
        free(c->names[i]);
    free(c->names);
    free(c->fingerprints);
    free(c);
}
