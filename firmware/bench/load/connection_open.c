/* Opening connections: source address, connect, PROXY header, TLS handshake, each with one
 * deadline. */
#include "bench/load/connection.h"

#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <openssl/err.h>
#include <openssl/x509v3.h>
#include <poll.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/ip.h"
#include "bench/load/proxy.h"

static int tls_fault(struct err *err, const char *what, const char *name)
{
    unsigned long first = ERR_peek_error(), e = ERR_peek_last_error();
    const char *reason = ERR_SYSTEM_ERROR(first) ? strerror(ERR_GET_REASON(first))
                         : e                     ? ERR_reason_error_string(e)
                                                 : NULL;
    err_set(err, EPROTO, "tls", "%s%s%s: %s", what, name ? " " : "", name ? name : "",
            reason ? reason : "no reason given");
    ERR_clear_error();
    return -EPROTO;
}

static int tls_init(struct connections *all, struct err *err)
{
    const struct load_more *m = all->more;
    all->tls = SSL_CTX_new(TLS_client_method());
    if (all->tls == NULL)
        return tls_fault(err, "cannot start TLS", NULL);
    SSL_CTX_set_mode(all->tls, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER |
                                   SSL_MODE_RELEASE_BUFFERS);
    if (m->has_verify && !m->ca && SSL_CTX_set_default_verify_paths(all->tls) != 1)
        return tls_fault(err, "cannot read the system's certificates", NULL);
    if (m->ca && SSL_CTX_load_verify_locations(all->tls, m->ca, NULL) != 1)
        return tls_fault(err, "cannot read the certificates of --ca", m->ca);
    if (m->cert && SSL_CTX_use_certificate_chain_file(all->tls, m->cert) != 1)
        return tls_fault(err, "cannot read the certificate of --cert", m->cert);
    const char *key = m->key ? m->key : m->cert;
    if (key && (SSL_CTX_use_PrivateKey_file(all->tls, key, SSL_FILETYPE_PEM) != 1 ||
                SSL_CTX_check_private_key(all->tls) != 1))
        return tls_fault(err, "cannot use the private key of --key", key);
    SSL_CTX_set_verify(all->tls, m->has_verify ? SSL_VERIFY_PEER : SSL_VERIFY_NONE, NULL);
    return 0;
}

int connections_init(struct connections *all, const struct load_options *o,
                     const struct load_more *more, const atomic_bool *stop, struct err *err)
{
    *all = (struct connections){.o = o, .more = more, .stop = stop};
    if (o->source_network[0] && ip_network_parse(view_str(o->source_network), &all->sources) < 0)
        return err_set_field(err, EINVAL, "bad_value", "source_network",
                             "%s is not a network (such as 127.66.0.0/16)", o->source_network);
    unsigned bits = all->sources.address.family == 4 ? 32 : 128;
    unsigned host_bits = bits - all->sources.prefix;
    if (all->sources.address.family && host_bits < 40 && o->sources >= INT64_C(1) << host_bits)
        return err_set_field(err, EINVAL, "bad_value", "sources",
                             "%lld sources do not fit in the network %s", (long long)o->sources,
                             o->source_network);
    return o->transport == TARGET_TLS ? tls_init(all, err) : 0;
}

void connections_done(struct connections *all)
{
    SSL_CTX_free(all->tls);
    all->tls = NULL;
}

/* The address a connection comes from: network + 1 + index modulo the number of sources. */
static socklen_t source_address(const struct connections *all, uint32_t index, int family,
                                struct sockaddr_storage *ret)
{
    uint64_t host = 1 + index % (uint64_t)MAX(all->o->sources, INT64_C(1));
    int64_t first = all->more->client_port;
    in_port_t port = htons(first ? (uint16_t)(first + index) : 0);
    struct ip ip = all->sources.address;
    memset(ret, 0, sizeof(*ret));
    for (int i = ip.family == 4 ? 3 : 15; ip.family && host > 0 && i >= 0; i--, host >>= 8) {
        host += ip.bytes[i];
        ip.bytes[i] = (uint8_t)host;
    }
    if (family == AF_INET) {
        struct sockaddr_in *a = (struct sockaddr_in *)ret;
        a->sin_family = AF_INET;
        a->sin_port = port;
        memcpy(&a->sin_addr, ip.bytes, 4);
        return sizeof(*a);
    }
    struct sockaddr_in6 *a = (struct sockaddr_in6 *)ret;
    a->sin6_family = AF_INET6;
    a->sin6_port = port;
    if (ip.family == 4) {
        memcpy(a->sin6_addr.s6_addr + 10, "\xff\xff", 2);
        memcpy(a->sin6_addr.s6_addr + 12, ip.bytes, 4);
    } else {
        memcpy(&a->sin6_addr, ip.bytes, 16);
    }
    return sizeof(*a);
}

static int bind_source(int fd, const struct connections *all, uint32_t index, int family)
{
    static const int one = 1;
    struct sockaddr_storage from;
    if (!all->sources.address.family && !all->more->client_port)
        return 0;
    /* without it the port is chosen before the peer is known: 28,000 connections at most */
    if (!all->more->client_port)
        (void)setsockopt(fd, IPPROTO_IP, IP_BIND_ADDRESS_NO_PORT, &one, sizeof(one));
    else
        (void)setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
    socklen_t n = source_address(all, index, family, &from);
    return bind(fd, (const struct sockaddr *)&from, n) < 0 ? -errno : 0;
}

/* 0 when ready, -ETIMEDOUT, -ECANCELED. */
static int wait_for(int fd, short events, int64_t until_us, const atomic_bool *stop)
{
    for (;;) {
        int64_t left = until_us - clock_mono_us();
        if (left <= 0)
            return -ETIMEDOUT;
        if (stop != NULL && atomic_load_explicit(stop, memory_order_relaxed))
            return -ECANCELED;
        struct pollfd p = {.fd = fd, .events = events};
        int n = poll(&p, 1, (int)MIN(left / 1000 + 1, INT64_C(100)));
        if (n > 0)
            return 0;
        if (n < 0 && errno != EINTR)
            return -errno;
    }
}

static int connect_socket(int fd, const struct sockaddr_storage *to, socklen_t to_len,
                          int64_t until_us, const atomic_bool *stop)
{
    while (connect(fd, (const struct sockaddr *)to, to_len) < 0) {
        if (errno == EINPROGRESS) {
            int r = wait_for(fd, POLLOUT, until_us, stop), error = 0;
            socklen_t n = sizeof(error);
            if (r < 0)
                return r;
            return getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &n) < 0 ? -errno : -error;
        }
        /* a unix socket whose queue of connections is full */
        if (errno != EAGAIN && errno != EINTR)
            return -errno;
        if (clock_mono_us() >= until_us)
            return -ETIMEDOUT;
        if (atomic_load_explicit(stop, memory_order_relaxed))
            return -ECANCELED;
        poll(NULL, 0, 2);
    }
    return 0;
}

static int handshake(struct connection *c, const struct connections *all, int64_t until_us,
                     struct err *err)
{
    const char *name = all->more->server_name;
    c->ssl = SSL_new(all->tls);
    if (c->ssl == NULL || SSL_set_fd(c->ssl, c->fd) != 1)
        return tls_fault(err, "cannot start TLS", NULL);
    if (name && (SSL_set_tlsext_host_name(c->ssl, name) != 1 ||
                 (all->more->has_verify && SSL_set1_host(c->ssl, name) != 1)))
        return tls_fault(err, "cannot ask for the server's name", name);
    for (;;) {
        ERR_clear_error();
        int n = SSL_connect(c->ssl);
        if (n == 1)
            return 0;
        int why = SSL_get_error(c->ssl, n);
        if (why != SSL_ERROR_WANT_READ && why != SSL_ERROR_WANT_WRITE) {
            long verified = SSL_get_verify_result(c->ssl);
            if (verified != X509_V_OK && all->more->has_verify)
                return err_set(err, EPROTO, "tls", "the server's certificate is refused: %s",
                               X509_verify_cert_error_string(verified));
            return tls_fault(err, "the TLS handshake failed", NULL);
        }
        int r = wait_for(c->fd, why == SSL_ERROR_WANT_READ ? POLLIN : POLLOUT, until_us, all->stop);
        if (r < 0)
            return err_set(err, -r, "tls", "the TLS handshake did not end: %s", strerror(-r));
    }
}

/* The PROXY header, through TLS or before it. */
static int send_proxy(struct connection *c, const struct connections *all, uint32_t index,
                      int64_t until_us, struct err *err)
{
    struct random random;
    char header[PROXY_HEADER_MAX];
    random_seed(&random, all->o->seed ^ ((uint64_t)index << 32));
    int n = proxy_header(all->more, all->o->transport, &random, header, err);
    for (int at = 0; at < n;) {
        ssize_t sent;
        if (c->ssl) {
            int w = SSL_write(c->ssl, header + at, n - at);
            sent = w > 0 ? w : (errno = EAGAIN, -1);
        } else {
            sent = send(c->fd, header + at, (size_t)(n - at), MSG_NOSIGNAL);
        }
        if (sent > 0)
            at += (int)sent;
        else if (errno != EAGAIN || wait_for(c->fd, POLLOUT, until_us, all->stop) < 0)
            return err_set(err, EPIPE, "send_failed", "the PROXY header was not taken: %s",
                           strerror(errno));
    }
    return n < 0 ? n : 0;
}

/* Without it the kernel says that it took a datagram that the queue of the device had no room for.
 */
static int ask_for_errors(int fd, int family)
{
    static const int one = 1;
    int r =
        setsockopt(fd, IPPROTO_IP, IP_RECVERR, &one, sizeof(one)); /* of IPv6: mapped addresses */
    if (r == 0 && family == AF_INET6)
        r = setsockopt(fd, IPPROTO_IPV6, IPV6_RECVERR, &one, sizeof(one));
    return r < 0 ? -errno : 0;
}

/* "127.0.0.1:514", "[::1]:514", a path. */
static int cannot_connect(const struct sockaddr_storage *peer, uint32_t index, int error,
                          struct err *err)
{
    char where[160], host[IP_TEXT_MAX];
    const struct ip ip = ip_from_sockaddr((const struct sockaddr *)peer);
    ip_format(&ip, host);
    if (peer->ss_family == AF_UNIX)
        snprintf(where, sizeof(where), "%.107s", ((const struct sockaddr_un *)peer)->sun_path);
    else /* the port lies at the same place in both */
        snprintf(where, sizeof(where), ip.family == 6 ? "[%s]:%u" : "%s:%u", host,
                 ntohs(((const struct sockaddr_in *)peer)->sin_port));
    return err_set(err, error, "no_connection", "connection %u: cannot connect to %s: %s", index,
                   where, strerror(error));
}

static int open_steps(struct connection *c, const struct connections *all, uint32_t index,
                      bool is_again, struct err *err)
{
    const struct load_options *o = all->o;
    size_t port = index % o->ports_n;
    int family = o->ports[port].ss_family;
    int64_t until = clock_mono_us() + CONNECTION_OPEN_MS * 1000;
    c->is_dgram = o->transport == TARGET_UDP || o->transport == TARGET_UNIX_DGRAM;
    c->has_segments = o->transport == TARGET_UDP;
    c->fd =
        socket(family, (c->is_dgram ? SOCK_DGRAM : SOCK_STREAM) | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (c->fd < 0)
        return err_set(err, errno, "no_socket", "cannot make a socket: %s", strerror(errno));
    bool has_errors = o->transport == TARGET_UDP && !all->more->is_compat;
    int r = has_errors ? ask_for_errors(c->fd, family) : 0;
    if (r < 0)
        return err_set(err, -r, "no_socket", "cannot have errors of UDP told: %s", strerror(-r));
    r = family == AF_UNIX ? 0 : bind_source(c->fd, all, index, family);
    if (r < 0)
        return err_set(err, -r, "bad_source",
                       "connection %u: cannot bind to an address of %s%s: %s", index,
                       o->source_network[0] ? o->source_network : "this machine",
                       all->more->client_port ? " and the --client-port" : "", strerror(-r));
    r = connect_socket(c->fd, &o->ports[port], o->ports_len[port], until, all->stop);
    if (r < 0)
        return cannot_connect(&o->ports[port], index, -r, err);
    bool has_proxy = all->more->proxy_version > 0 && !(is_again && all->more->is_compat);
    bool is_before = o->transport != TARGET_TLS || all->more->is_proxy_before_tls;
    if (has_proxy && is_before && (r = send_proxy(c, all, index, until, err)) < 0)
        return r;
    if (o->transport == TARGET_TLS && (r = handshake(c, all, until, err)) < 0)
        return r;
    return has_proxy && !is_before ? send_proxy(c, all, index, until, err) : 0;
}

int connection_open(struct connection *c, const struct connections *all, uint32_t index,
                    bool is_again, struct err *err)
{
    *c = CONNECTION_INIT;
    int r = open_steps(c, all, index, is_again, err);
    if (r < 0)
        connection_abort(c);
    return r;
}
