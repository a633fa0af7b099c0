/* TLS sessions fed from memory: a client of OpenSSL on one end of a socket pair, ours on the other.
 */
#include <criterion/criterion.h>

#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

#include "base/clock.h"
#include "net/tls.h"

struct identity {
    char path[64]; /* certificate and key */
    char fingerprint[TLS_FINGERPRINT_MAX];
    EVP_PKEY *key;
    X509 *x;
};

static void add_extension(X509 *x, int nid, const char *value)
{
    X509_EXTENSION *e = X509V3_EXT_conf_nid(NULL, NULL, nid, value);
    cr_assert(e && X509_add_ext(x, e, -1) == 1, "%s", value);
    X509_EXTENSION_free(e);
}

/* Signed by `by`, or by itself; good from and to days from now. */
static void make(struct identity *i, const char *cn, const char *names, int from, int to,
                 const struct identity *by)
{
    struct tls_peer p;
    i->key = EVP_EC_gen("P-256");
    i->x = X509_new();
    cr_assert(i->key && i->x);
    X509_set_version(i->x, X509_VERSION_3);
    ASN1_INTEGER_set(X509_get_serialNumber(i->x), 1);
    X509_gmtime_adj(X509_getm_notBefore(i->x), from * 86400L);
    X509_gmtime_adj(X509_getm_notAfter(i->x), to * 86400L);
    X509_NAME_add_entry_by_txt(X509_get_subject_name(i->x), "CN", MBSTRING_UTF8,
                               (const unsigned char *)cn, -1, -1, 0);
    X509_set_issuer_name(i->x, X509_get_subject_name(by ? by->x : i->x));
    X509_set_pubkey(i->x, i->key);
    if (names)
        add_extension(i->x, NID_subject_alt_name, names);
    add_extension(i->x, NID_basic_constraints, by ? "CA:FALSE" : "CA:TRUE");
    cr_assert_gt(X509_sign(i->x, by ? by->key : i->key, EVP_sha256()), 0);
    tls_peer_of(i->x, &p);
    memcpy(i->fingerprint, p.fingerprint, sizeof(i->fingerprint));
    (void)snprintf(i->path, sizeof(i->path), "/tmp/azk-tls-XXXXXX");
    int fd = mkstemp(i->path);
    FILE *f = fdopen(fd, "w");
    cr_assert(f && PEM_write_X509(f, i->x) && PEM_write_PrivateKey(f, i->key, NULL, NULL, 0, 0, 0));
    fclose(f);
}

static void unmake(struct identity *i)
{
    unlink(i->path);
    EVP_PKEY_free(i->key);
    X509_free(i->x);
}

static struct tls_context *context(const struct identity *box, const struct tls_options *more)
{
    struct tls_options o = more ? *more : (struct tls_options){.clients = TLS_CLIENTS_NONE};
    struct tls_context *c = NULL;
    struct err err = {0};
    o.certificate = o.key = box->path;
    cr_assert_eq(tls_context_new(&o, &c, &err), 0, "%s", err.message);
    return c;
}

struct pair {
    int client_fd, server_fd;
    SSL *client;
    struct tls_session *server;
    enum tls_result result;
    char text[1 << 20];
    size_t text_n, feed_most; /* bytes fed at once */
};

/* `with`: the client's certificate, or NULL. */
static void connect_pair(struct pair *p, struct tls_context *c, const struct identity *with,
                         int max_version)
{
    int fds[2];
    memset(p, 0, sizeof(*p));
    p->feed_most = 65536;
    cr_assert_eq(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, fds), 0);
    p->client_fd = fds[0];
    p->server_fd = fds[1];
    SSL_CTX *ctx = SSL_CTX_new(TLS_client_method());
    SSL_CTX_set_security_level(ctx, 0);
    if (max_version) {
        SSL_CTX_set_min_proto_version(ctx, max_version);
        SSL_CTX_set_max_proto_version(ctx, max_version);
    }
    if (with) {
        cr_assert_eq(SSL_CTX_use_certificate(ctx, with->x), 1);
        cr_assert_eq(SSL_CTX_use_PrivateKey(ctx, with->key), 1);
    }
    p->client = SSL_new(ctx);
    SSL_CTX_free(ctx);
    SSL_set_fd(p->client, p->client_fd);
    SSL_set_connect_state(p->client);
    p->server = tls_session_new(c, p->server_fd);
    cr_assert(p->server);
}

static void free_pair(struct pair *p)
{
    SSL_free(p->client);
    tls_session_free(&p->server);
    close(p->client_fd);
    close(p->server_fd);
}

/* Feed what has come, in pieces. */
static void serve(struct pair *p)
{
    static char wire[65536], plain[65536 + TLS_CARRY_BYTES];
    ssize_t got;
    while (p->result == TLS_MORE && (got = recv(p->server_fd, wire, p->feed_most, 0)) > 0) {
        size_t n = 0;
        p->result = tls_feed(p->server, view_of(wire, (size_t)got), plain, &n);
        cr_assert_leq(p->text_n + n, sizeof(p->text));
        memcpy(p->text + p->text_n, plain, n);
        p->text_n += n;
    }
}

static void shake_hands(struct pair *p)
{
    for (int i = 0; i < 10; i++) {
        ERR_clear_error();
        (void)SSL_do_handshake(p->client);
        serve(p);
    }
}

static void say(struct pair *p, const char *text, size_t n)
{
    for (size_t at = 0; at < n;) {
        size_t sent = 0;
        if (SSL_write_ex(p->client, text + at, MIN(n - at, (size_t)16384), &sent) == 1)
            at += sent;
        serve(p);
    }
}

Test(tls, what_is_sent_arrives_however_it_is_cut_by_both_versions)
{
    static const struct {
        const char *name;
        int version;
        size_t feed;
    } rows[] = {
        {"TLSv1.3", TLS1_3_VERSION, 65536}, {"TLSv1.3", TLS1_3_VERSION, 1},
        {"TLSv1.2", TLS1_2_VERSION, 65536}, {"TLSv1.2", TLS1_2_VERSION, 7},
        {"TLSv1.3", TLS1_3_VERSION, 16389},
    };
    static char text[150000];
    struct identity box;
    make(&box, "box", NULL, -1, 10, NULL);
    struct tls_context *c = context(&box, NULL);
    for (size_t i = 0; i < sizeof(text); i++)
        text[i] = (char)(i * 7919 >> 3);
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct pair p;
        connect_pair(&p, c, NULL, rows[i].version);
        p.feed_most = rows[i].feed;
        shake_hands(&p);
        cr_assert(tls_is_open(p.server), "row %zu: %s", i, tls_detail(p.server));
        cr_expect_str_eq(tls_version_name(p.server), rows[i].name);
        say(&p, text, sizeof(text));
        cr_expect(view_eq(view_of(p.text, p.text_n), view_of(text, sizeof(text))), "row %zu", i);
        cr_expect_eq(SSL_shutdown(p.client), 0);
        serve(&p);
        cr_expect_eq(p.result, TLS_CLOSED, "row %zu", i);
        cr_expect_eq(SSL_shutdown(p.client), 1, "row %zu: close_notify is answered", i);
        free_pair(&p);
    }
    tls_context_drop(&c);
    unmake(&box);
}

Test(tls, a_sender_that_leaves_without_reading_loses_nothing)
{
    struct identity box;
    struct pair p;
    char wire[16384], plain[16384 + TLS_CARRY_BYTES];
    make(&box, "box", NULL, -1, 10, NULL);
    struct tls_context *c = context(&box, NULL);
    connect_pair(&p, c, NULL, TLS1_3_VERSION);
    (void)SSL_do_handshake(p.client);
    serve(&p);
    cr_assert_eq(SSL_do_handshake(p.client), 1);
    size_t sent;
    cr_assert_eq(SSL_write_ex(p.client, "last words", 10, &sent), 1);
    ssize_t got = recv(p.server_fd, wire, sizeof(wire), 0);
    cr_assert_gt(got, 0);
    close(p.client_fd); /* our ticket will not be taken */
    size_t n = 0;
    cr_expect_eq(tls_feed(p.server, view_of(wire, (size_t)got), plain, &n), TLS_MORE);
    cr_expect(view_eq(view_of(plain, n), VIEW("last words")));
    cr_expect_eq(tls_end(p.server), TLS_CLOSED);
    p.client_fd = dup(p.server_fd);
    free_pair(&p);
    tls_context_drop(&c);
    unmake(&box);
}

Test(tls, a_ticket_resumes_and_still_names_the_sender)
{
    struct identity box, ca, fw;
    struct pair p;
    struct tls_peer who;
    make(&box, "box", NULL, -1, 10, NULL);
    make(&ca, "ca", NULL, -1, 10, NULL);
    make(&fw, "Router 7", "DNS:fw1.example.net", -1, 10, &ca);
    struct tls_options o = {.client_cas = ca.path, .clients = TLS_CLIENTS_REQUIRED};
    struct tls_context *c = context(&box, &o);
    connect_pair(&p, c, &fw, 0);
    shake_hands(&p);
    cr_assert(tls_is_open(p.server), "%s", tls_detail(p.server));
    char b;
    (void)SSL_read(p.client, &b, 1); /* the ticket */
    SSL_SESSION *ticket = SSL_get1_session(p.client);
    (void)SSL_shutdown(p.client); /* else OpenSSL does not use it again */
    free_pair(&p);
    connect_pair(&p, c, NULL, 0); /* its certificate is in the ticket */
    cr_assert_eq(SSL_set_session(p.client, ticket), 1);
    shake_hands(&p);
    cr_assert(tls_is_open(p.server), "%s", tls_detail(p.server));
    cr_expect(tls_is_resumed(p.server));
    cr_expect(tls_peer(p.server, &who));
    cr_expect_str_eq(who.name, "fw1.example.net");
    cr_expect_str_eq(who.fingerprint, fw.fingerprint);
    free_pair(&p);
    /* another context, perhaps with another list, knows nothing of it */
    struct tls_context *other = context(&box, &o);
    connect_pair(&p, other, NULL, 0);
    cr_assert_eq(SSL_set_session(p.client, ticket), 1);
    shake_hands(&p);
    cr_expect_eq(p.result, TLS_FAILED);
    cr_expect_eq(tls_failure(p.server), TLS_FAIL_NO_CERTIFICATE);
    free_pair(&p);
    SSL_SESSION_free(ticket);
    tls_context_drop(&c);
    tls_context_drop(&other);
    unmake(&box);
    unmake(&ca);
    unmake(&fw);
}

Test(tls, who_is_let_in_and_why_not)
{
    struct identity box, ca, good, stranger, expired, early;
    make(&box, "box", NULL, -1, 10, NULL);
    make(&ca, "ca", NULL, -100, 100, NULL);
    make(&good, "fw1", "DNS:fw1.example.net,IP:192.0.2.1", -1, 10, &ca);
    make(&stranger, "fw1", "DNS:fw1.example.net", -1, 10, NULL);
    make(&expired, "fw1", "DNS:fw1.example.net", -20, -10, &ca);
    make(&early, "fw1", "DNS:fw1.example.net", 10, 20, &ca);
    const char *fw1[] = {"FW1.example.net"}, *fw2[] = {"fw2.example.net"},
               *net[] = {"*.example.net"}, *address[] = {"192.0.2.1"},
               *prints[] = {stranger.fingerprint}, *old[] = {expired.fingerprint};
    struct {
        const char *name;
        const struct identity *client;
        enum tls_clients clients;
        const char *const *names, *const *fingerprints;
        int failure; /* -1: let in */
    } rows[] = {
        {"by its authority", &good, TLS_CLIENTS_REQUIRED, NULL, NULL, -1},
        {"by its name", &good, TLS_CLIENTS_REQUIRED, fw1, NULL, -1},
        {"by a pattern", &good, TLS_CLIENTS_REQUIRED, net, NULL, -1},
        {"by its address", &good, TLS_CLIENTS_REQUIRED, address, NULL, -1},
        {"another name", &good, TLS_CLIENTS_REQUIRED, fw2, NULL, TLS_FAIL_WRONG_NAME},
        {"only fingerprints", &good, TLS_CLIENTS_REQUIRED, NULL, prints, TLS_FAIL_WRONG_NAME},
        {"signed by itself", &stranger, TLS_CLIENTS_REQUIRED, fw1, NULL, TLS_FAIL_UNKNOWN_CA},
        {"and listed", &stranger, TLS_CLIENTS_REQUIRED, NULL, prints, -1},
        {"expired", &expired, TLS_CLIENTS_REQUIRED, NULL, NULL, TLS_FAIL_EXPIRED},
        {"expired, and listed", &expired, TLS_CLIENTS_REQUIRED, NULL, old, -1},
        {"not yet valid", &early, TLS_CLIENTS_REQUIRED, NULL, NULL, TLS_FAIL_NOT_YET_VALID},
        {"none", NULL, TLS_CLIENTS_REQUIRED, NULL, NULL, TLS_FAIL_NO_CERTIFICATE},
        {"none, optional", NULL, TLS_CLIENTS_OPTIONAL, fw1, NULL, -1},
        {"bad, optional", &stranger, TLS_CLIENTS_OPTIONAL, fw1, NULL, TLS_FAIL_UNKNOWN_CA},
        {"nobody asks", &stranger, TLS_CLIENTS_NONE, fw1, NULL, -1},
    };
    for (size_t i = 0; i < 2 * ARRAY_LEN(rows); i++) {
        size_t at = i / 2;
        struct tls_options o = {.client_cas = ca.path,
                                .clients = rows[at].clients,
                                .allowed_names = rows[at].names,
                                .allowed_names_n = rows[at].names ? 1 : 0,
                                .allowed_fingerprints = rows[at].fingerprints,
                                .allowed_fingerprints_n = rows[at].fingerprints ? 1 : 0};
        struct tls_context *c = context(&box, &o);
        struct pair p;
        connect_pair(&p, c, rows[at].client, i % 2 ? TLS1_2_VERSION : TLS1_3_VERSION);
        shake_hands(&p);
        cr_expect_eq(tls_is_open(p.server), rows[at].failure < 0, "%s: %s", rows[at].name,
                     tls_detail(p.server));
        if (rows[at].failure >= 0)
            cr_expect_str_eq(tls_failure_name(tls_failure(p.server)),
                             tls_failure_name((enum tls_failure)rows[at].failure), "%s: %s",
                             rows[at].name, tls_detail(p.server));
        free_pair(&p);
        tls_context_drop(&c);
    }
    struct identity *all[] = {&box, &ca, &good, &stranger, &expired, &early};
    for (size_t i = 0; i < ARRAY_LEN(all); i++)
        unmake(all[i]);
}

Test(tls, what_is_no_tls_is_named)
{
    static const struct {
        const char *bytes, *detail;
        size_t n;
        enum tls_failure failure;
    } rows[] = {
        {"<13>Mar 10 plain\n", "plain text, which begins with '<13>Mar 10 plain'", 17,
         TLS_FAIL_NOT_TLS},
        {"GET / HTTP/1.1\r\n", "plain text, which begins with 'GET / HTTP/1.1'", 16,
         TLS_FAIL_NOT_TLS},
        {"\x01\x02", "its first byte is 0x01", 2, TLS_FAIL_NOT_TLS},
        {"\x80\x2e\x01\x03\x01", "SSL 2", 5, TLS_FAIL_VERSION},
        {"\x16\x04\x01", "its first byte is 0x16", 3, TLS_FAIL_NOT_TLS},
    };
    struct identity box;
    make(&box, "box", NULL, -1, 10, NULL);
    struct tls_context *c = context(&box, NULL);
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct pair p;
        char out[100 + TLS_CARRY_BYTES];
        size_t n = 1;
        connect_pair(&p, c, NULL, 0);
        cr_expect_eq(tls_feed(p.server, view_of(rows[i].bytes, rows[i].n), out, &n), TLS_FAILED);
        cr_expect_eq(n, 0);
        cr_expect_eq(tls_failure(p.server), rows[i].failure, "row %zu", i);
        cr_expect_str_eq(tls_detail(p.server), rows[i].detail);
        free_pair(&p);
    }
    tls_context_drop(&c);
    unmake(&box);
}

Test(tls, old_versions_are_refused_by_name)
{
    struct identity box;
    struct pair p;
    make(&box, "box", NULL, -1, 10, NULL);
    struct tls_options o = {.min_version = TLS_VERSION_1_3};
    struct tls_context *c = context(&box, &o);
    connect_pair(&p, c, NULL, TLS1_2_VERSION);
    shake_hands(&p);
    cr_expect_eq(p.result, TLS_FAILED);
    cr_expect_eq(tls_failure(p.server), TLS_FAIL_VERSION);
    cr_expect_str_eq(tls_detail(p.server), "TLS 1.2 at most, and TLS 1.3 is the least here");
    free_pair(&p);
    tls_context_drop(&c);
    unmake(&box);
}

Test(tls, a_context_that_could_not_serve_is_an_error_that_says_why)
{
    struct identity box, other;
    make(&box, "box", NULL, -1, 10, NULL);
    make(&other, "other", NULL, -1, 10, NULL);
    const char *bad[] = {"12:34"};
    struct {
        struct tls_options o;
        const char *part;
    } rows[] = {
        {{.certificate = "/nowhere.pem", .key = box.path},
         "cannot use the certificate /nowhere.pem"},
        {{.certificate = box.path, .key = "/nowhere.key"},
         "cannot use the private key /nowhere.key"},
        {{.certificate = box.path, .key = other.path}, "private key"},
        {{.certificate = box.path, .key = box.path, .clients = TLS_CLIENTS_REQUIRED},
         "neither an authority nor a fingerprint"},
        {{.certificate = box.path,
          .key = box.path,
          .clients = TLS_CLIENTS_REQUIRED,
          .client_cas = "/nowhere.ca"},
         "/nowhere.ca"},
        {{.certificate = box.path,
          .key = box.path,
          .clients = TLS_CLIENTS_REQUIRED,
          .allowed_fingerprints = bad,
          .allowed_fingerprints_n = 1},
         "\"12:34\" is not the SHA-256 fingerprint"},
    };
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct tls_context *c = NULL;
        struct err err = {0};
        cr_expect_lt(tls_context_new(&rows[i].o, &c, &err), 0, "row %zu", i);
        cr_expect_null(c);
        cr_expect(strstr(err.message, rows[i].part) != NULL, "row %zu: %s", i, err.message);
    }
    unmake(&box);
    unmake(&other);
}

Test(tls, a_session_outlives_the_name_of_its_context)
{
    struct identity box;
    struct pair p;
    make(&box, "box", NULL, -1, 10, NULL);
    struct tls_context *c = context(&box, NULL);
    connect_pair(&p, c, NULL, 0);
    tls_context_drop(&c); /* another one took its place */
    shake_hands(&p);
    say(&p, "still here", 10);
    cr_expect(view_eq(view_of(p.text, p.text_n), VIEW("still here")));
    free_pair(&p);
    unmake(&box);
}
