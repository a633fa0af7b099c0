/* TLS connections.  The thread that reads a connection feeds its session; OpenSSL reads from the
 * fed bytes and writes to the socket through a BIO of ours (io_…).
 *
 *   fed bytes ─▶ io_read ─▶ OpenSSL ─▶ plain text
 *   socket ◀── io_write ◀─── (answers of the handshake, tickets, alerts)
 *                  └─ what the socket does not take: s->out, until tls_flush
 *
 * A write never fails for OpenSSL: a peer that has sent its messages and left without reading our
 * ticket would lose them otherwise.  That it has left is seen when reading. */
#include "net/tls_inside.h"

#include <pthread.h>
#include <sys/socket.h>

#include <openssl/bio.h>
#include <openssl/err.h>

#include "base/buf.h"
#include "base/clock.h"

/* The answers of a handshake with a long chain, several times. */
#define OUT_MAX_BYTES 65536
enum { BEGINNING_SHOWN = 24 };

struct tls_session {
    struct tls_context *context;
    SSL *ssl;
    int fd;
    struct view in; /* fed and not yet read by OpenSSL */
    struct buf out; /* not yet taken by the socket */
    bool has_begun; /* a byte has come */
    bool is_open;
    int offered;    /* newest version of the client; 0: not known */
    int x509_error; /* why its certificate was not believed; X509_V_OK: it was */
    enum tls_failure failure;
    char detail[TLS_DETAIL_MAX];
};

/* ---- the BIO ---- */

static int io_read(BIO *b, char *p, size_t n, size_t *ret_n)
{
    struct tls_session *s = BIO_get_data(b);
    BIO_clear_retry_flags(b);
    size_t take = MIN(n, s->in.n);
    *ret_n = take;
    if (take == 0) {
        BIO_set_retry_read(b);
        return 0;
    }
    memcpy(p, s->in.p, take);
    s->in.p += take;
    s->in.n -= take;
    return 1;
}

static int io_write(BIO *b, const char *p, size_t n, size_t *ret_n)
{
    struct tls_session *s = BIO_get_data(b);
    BIO_clear_retry_flags(b);
    *ret_n = n;
    size_t sent = 0;
    if (s->out.n == 0) {
        ssize_t rc = send(s->fd, p, n, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (rc < 0 && errno != EAGAIN && errno != EINTR)
            return 1; /* gone; reading will say so */
        sent = rc > 0 ? (size_t)rc : 0;
    }
    (void)buf_add(&s->out, p + sent, n - sent); /* full: tls_flush says so */
    return 1;
}

static long io_ctrl(BIO *b, int what, long number, void *p)
{
    (void)b;
    (void)number;
    (void)p;
    return what == BIO_CTRL_FLUSH || what == BIO_CTRL_DUP;
}

static pthread_once_t io_once = PTHREAD_ONCE_INIT;
static BIO_METHOD *io_method;

static void make_io_method(void)
{
    BIO_METHOD *m = BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "azekura");
    if (m && BIO_meth_set_read_ex(m, io_read) == 1 && BIO_meth_set_write_ex(m, io_write) == 1 &&
        BIO_meth_set_ctrl(m, io_ctrl) == 1)
        io_method = m;
}

/* ---- life ---- */

struct tls_session *tls_session_new(struct tls_context *c, int fd)
{
    ERR_clear_error();
    CHECK(pthread_once(&io_once, make_io_method) == 0);
    SSL *ssl = io_method ? SSL_new(c->ssl) : NULL;
    BIO *io = ssl ? BIO_new(io_method) : NULL;
    if (!io) {
        SSL_free(ssl);
        return NULL;
    }
    struct tls_session *s = xcalloc(1, sizeof(*s));
    s->context = tls_context_hold(c);
    s->ssl = ssl;
    s->fd = fd;
    s->out = BUF_INIT(OUT_MAX_BYTES);
    BIO_set_data(io, s);
    BIO_set_init(io, 1);
    SSL_set_bio(ssl, io, io);
    SSL_set_app_data(ssl, (char *)s);
    SSL_set_accept_state(ssl);
    return s;
}

void tls_session_free(struct tls_session **ps)
{
    struct tls_session *s = *ps;
    *ps = NULL;
    if (!s)
        return;
    SSL_free(s->ssl);
    tls_context_drop(&s->context);
    buf_free(&s->out);
    free(s);
}

/* ---- failures ---- */

void tls_session_offered(SSL *ssl, int version)
{
    struct tls_session *s = (struct tls_session *)SSL_get_app_data(ssl);
    s->offered = version;
}

void tls_session_distrusts(SSL *ssl, X509 *x, int error)
{
    struct tls_session *s = (struct tls_session *)SSL_get_app_data(ssl);
    struct tls_peer p;
    char from[RFC3339_MAX] = "?", to[RFC3339_MAX] = "?";
    tls_peer_of(x, &p);
    s->x509_error = error;
    if (p.not_before_us != INT64_MIN)
        (void)rfc3339_format(p.not_before_us, from);
    if (p.not_after_us != INT64_MAX)
        (void)rfc3339_format(p.not_after_us, to);
    (void)snprintf(s->detail, sizeof(s->detail), "\"%.100s\", good from %.10s to %.10s, %s", p.name,
                   from, to,
                   error == X509_V_ERR_HOSTNAME_MISMATCH ? p.fingerprint
                                                         : X509_verify_cert_error_string(error));
}

static const char *version_text(int version)
{
    switch (version) {
    case SSL3_VERSION:
        return "SSL 3";
    case TLS1_VERSION:
        return "TLS 1.0";
    case TLS1_1_VERSION:
        return "TLS 1.1";
    case TLS1_2_VERSION:
        return "TLS 1.2";
    default:
        return version > TLS1_2_VERSION ? "TLS 1.3" : "SSL 2";
    }
}

static enum tls_result fail(struct tls_session *s, enum tls_failure f)
{
    s->failure = f;
    return TLS_FAILED;
}

/* OpenSSL has given up. */
static enum tls_result failed(struct tls_session *s)
{
    unsigned long error = ERR_peek_error();
    enum tls_failure f = error ? tls_failure_of_error(error) : TLS_FAIL_CLOSED;
    int alert = ERR_GET_REASON(error) - SSL_AD_REASON_OFFSET; /* > 0: the peer's */
    bool is_alert = ERR_GET_LIB(error) == ERR_LIB_SSL && alert > 0;
    const char *reason = is_alert ? SSL_alert_desc_string_long(alert)
                         : error  ? ERR_reason_error_string(error)
                                  : NULL;
    if (s->x509_error != X509_V_OK)
        f = tls_failure_of_verify(s->x509_error); /* with its detail */
    else if (f == TLS_FAIL_VERSION && s->offered)
        (void)snprintf(s->detail, sizeof(s->detail), "%s at most, and TLS %s is the least here",
                       version_text(s->offered),
                       s->context->min_version == TLS_VERSION_1_3 ? "1.3" : "1.2");
    else if (reason)
        (void)snprintf(s->detail, sizeof(s->detail), "%s%s", is_alert ? "it says: " : "", reason);
    ERR_clear_error();
    return fail(s, f);
}

/* What is no TLS record is named by its first bytes: OpenSSL says "wrong version number". */
static enum tls_result begin(struct tls_session *s, struct view in)
{
    const unsigned char *p = (const unsigned char *)in.p;
    bool is_record = p[0] == SSL3_RT_HANDSHAKE && (in.n < 2 || p[1] == SSL3_VERSION_MAJOR);
    s->has_begun = true;
    if (is_record)
        return TLS_MORE;
    if (in.n > 2 && p[0] & 0x80 && p[2] == SSL3_MT_CLIENT_HELLO) {
        (void)snprintf(s->detail, sizeof(s->detail), "SSL 2");
        return fail(s, TLS_FAIL_VERSION);
    }
    char shown[BEGINNING_SHOWN + 1];
    size_t n = 0;
    for (; n < in.n && n < BEGINNING_SHOWN && p[n] >= ' ' && p[n] < 0x7f; n++)
        shown[n] = (char)p[n];
    shown[n] = '\0';
    if (n > 0)
        (void)snprintf(s->detail, sizeof(s->detail), "plain text, which begins with '%s'", shown);
    else
        (void)snprintf(s->detail, sizeof(s->detail), "its first byte is 0x%02x", p[0]);
    return fail(s, TLS_FAIL_NOT_TLS);
}

/* ---- reading ---- */

/* A ticket may outlive the certificate that it stands for. */
static bool is_still_good(struct tls_session *s)
{
    struct tls_peer p;
    if (!tls_is_resumed(s) || !tls_peer(s, &p) || p.not_after_us > clock_wall_us() ||
        tls_context_pins(s->context, p.fingerprint))
        return true;
    (void)snprintf(s->detail, sizeof(s->detail), "\"%.100s\", after a resumption", p.name);
    return false;
}

static enum tls_result shake_hands(struct tls_session *s)
{
    int rc = SSL_do_handshake(s->ssl);
    if (rc == 1) {
        if (!is_still_good(s))
            return fail(s, TLS_FAIL_EXPIRED);
        s->is_open = true;
        return TLS_MORE;
    }
    int why = SSL_get_error(s->ssl, rc);
    if (why == SSL_ERROR_WANT_READ || why == SSL_ERROR_WANT_WRITE)
        return TLS_MORE;
    return failed(s);
}

enum tls_result tls_feed(struct tls_session *s, struct view in, char *out, size_t *ret_n)
{
    size_t room = in.n + TLS_CARRY_BYTES;
    *ret_n = 0;
    ERR_clear_error();
    if (!s->has_begun && in.n > 0 && begin(s, in) == TLS_FAILED)
        return TLS_FAILED;
    s->in = in;
    if (!s->is_open) {
        enum tls_result r = shake_hands(s);
        if (r != TLS_MORE || !s->is_open)
            return r;
    }
    for (;;) {
        size_t got = 0;
        CHECK(room > *ret_n);
        if (SSL_read_ex(s->ssl, out + *ret_n, room - *ret_n, &got) == 1) {
            *ret_n += got;
            continue;
        }
        switch (SSL_get_error(s->ssl, 0)) {
        case SSL_ERROR_WANT_READ:
            return TLS_MORE;
        case SSL_ERROR_ZERO_RETURN:
            tls_say_close(s);
            return TLS_CLOSED;
        default:
            return failed(s);
        }
    }
}

enum tls_result tls_end(struct tls_session *s)
{
    return s->is_open ? TLS_CLOSED : fail(s, TLS_FAIL_CLOSED);
}

void tls_give_up(struct tls_session *s, const char *why)
{
    (void)snprintf(s->detail, sizeof(s->detail), "%s", why);
    (void)fail(s, TLS_FAIL_TIMEOUT);
}

void tls_say_close(struct tls_session *s)
{
    if (!s->is_open)
        return; /* OpenSSL takes it for an error within a handshake */
    ERR_clear_error();
    (void)SSL_shutdown(s->ssl);
}

/* ---- writing ---- */

bool tls_wants_write(const struct tls_session *s)
{
    return s->out.n > 0;
}

int tls_flush(struct tls_session *s)
{
    if (s->out.is_full)
        return -ENOBUFS;
    if (s->out.n == 0)
        return 0;
    ssize_t rc = send(s->fd, s->out.p, s->out.n, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (rc < 0)
        return errno == EAGAIN || errno == EINTR ? 0 : -errno;
    memmove(s->out.p, s->out.p + rc, s->out.n - (size_t)rc);
    s->out.n -= (size_t)rc;
    if (s->out.n == 0)
        buf_free(&s->out);
    return 0;
}

/* ---- what is known ---- */

bool tls_has_begun(const struct tls_session *s)
{
    return s->has_begun;
}

bool tls_is_open(const struct tls_session *s)
{
    return s->is_open;
}

bool tls_is_resumed(const struct tls_session *s)
{
    return SSL_session_reused(s->ssl) == 1;
}

const char *tls_version_name(const struct tls_session *s)
{
    return SSL_get_version(s->ssl);
}

bool tls_peer(const struct tls_session *s, struct tls_peer *ret)
{
    X509 *x = SSL_get0_peer_certificate(s->ssl);
    if (!x)
        return false;
    tls_peer_of(x, ret);
    return true;
}

enum tls_failure tls_failure(const struct tls_session *s)
{
    return s->failure;
}

const char *tls_detail(const struct tls_session *s)
{
    return s->detail;
}
