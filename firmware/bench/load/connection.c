/* Writing to connections.  A stream's batch goes out in one call; where it was taken in part, the
 * bytes of the message in hand are kept as its rest, and whole messages behind it were never begun.
 * TLS cuts a batch into records of up to 16 KiB, and a record that was begun must be finished with
 * the same bytes, so all messages of it are held. */
#include "bench/load/connection.h"

#include <linux/sockios.h>
#include <netinet/in.h>
#include <netinet/udp.h>
#include <openssl/err.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum {
    TLS_PIECE = 16384,
    SEGMENTS_MAX = 64,      /* datagrams in one, as old kernels allow */
    SEGMENTS_BYTES = 65000, /* of them together */
};

struct connection_rest {
    size_t n, at;         /* bytes */
    size_t ends_n, ended; /* messages; of them whole */
    struct rest_end {
        size_t at;  /* in the bytes */
        uint32_t n; /* bytes of the whole message, what was taken before included */
    } * ends;       /* owned */
    char bytes[];
};

void connection_take(struct connection *c, int fd, bool is_dgram)
{
    *c = (struct connection){.fd = fd, .is_dgram = is_dgram};
}

/* Bytes taken, ≥ 0, or negative errno. */
static ssize_t write_some(struct connection *c, const char *p, size_t n)
{
    if (c->ssl == NULL) {
        ssize_t sent = send(c->fd, p, n, MSG_NOSIGNAL | MSG_DONTWAIT);
        return sent < 0 ? -errno : sent;
    }
    ERR_clear_error();
    errno = 0;
    int sent = SSL_write(c->ssl, p, (int)MIN(n, (size_t)TLS_PIECE));
    if (sent > 0)
        return sent;
    switch (SSL_get_error(c->ssl, sent)) {
    case SSL_ERROR_WANT_WRITE:
    case SSL_ERROR_WANT_READ:
        return -EAGAIN;
    case SSL_ERROR_SYSCALL:
        return errno ? -errno : -ECONNRESET;
    default:
        return -EPROTO;
    }
}

/* Keep what was begun: from `at` of the batch to the end of message n-1. */
static void keep_rest(struct connection *c, const char *from, size_t at, const char *bytes,
                      const struct payload_message *messages, size_t first, size_t n)
{
    const struct payload_message *last = &messages[n - 1];
    size_t end = (size_t)(bytes + last->at + last->n - from), count = n - first;
    struct connection_rest *r = xmalloc(sizeof(*r) + (end - at));
    *r = (struct connection_rest){.n = end - at, .ends_n = count};
    r->ends = xcalloc(count, sizeof(*r->ends));
    memcpy(r->bytes, from + at, r->n);
    for (size_t i = 0; i < count; i++) {
        const struct payload_message *m = &messages[first + i];
        r->ends[i] = (struct rest_end){(size_t)(bytes + m->at + m->n - from) - at, m->n};
    }
    c->rest = r;
}

static void free_rest(struct connection *c)
{
    if (c->rest) {
        free(c->rest->ends);
        free(c->rest);
        c->rest = NULL;
    }
}

int connection_finish(struct connection *c, struct connection_taken *ret)
{
    struct connection_rest *r = c->rest;
    int result = 0;
    *ret = (struct connection_taken){0};
    if (r == NULL)
        return 0;
    while (r->at < r->n && result == 0) {
        ssize_t sent = write_some(c, r->bytes + r->at, r->n - r->at);
        if (sent >= 0)
            r->at += (size_t)sent;
        else if (sent != -EINTR)
            result = (int)sent;
        while (r->ended < r->ends_n && r->ends[r->ended].at <= r->at) {
            ret->messages++;
            ret->bytes += r->ends[r->ended++].n;
        }
    }
    ret->held = (int64_t)(r->ends_n - r->ended);
    if (r->at == r->n)
        free_rest(c);
    return result;
}

/* How many of the messages end at or before `sent` bytes from `from`. */
static size_t count_whole(const char *from, size_t sent, const char *bytes,
                          const struct payload_message *messages, size_t first, size_t n)
{
    while (first < n) {
        const struct payload_message *m = &messages[first];
        if ((size_t)(bytes + m->at + m->n - from) > sent)
            break;
        first++;
    }
    return first;
}

static int send_stream(struct connection *c, const char *bytes,
                       const struct payload_message *messages, size_t n,
                       struct connection_taken *ret)
{
    const char *from = bytes + messages[0].at;
    size_t all = messages[n - 1].at + messages[n - 1].n - messages[0].at, sent = 0, whole = 0;
    int result = 0;
    while (sent < all) {
        ssize_t now = write_some(c, from + sent, all - sent);
        if (now == -EINTR)
            continue;
        if (now < 0) {
            result = (int)now;
            break;
        }
        sent += (size_t)now;
    }
    whole = sent == all ? n : count_whole(from, sent, bytes, messages, 0, n);
    size_t whole_bytes = whole ? messages[whole - 1].at + messages[whole - 1].n - messages[0].at
                               : 0;
    ret->messages = (int64_t)whole;
    ret->bytes = (int64_t)whole_bytes;
    if (whole < n && (result == -EAGAIN || result == -ENOBUFS)) {
        /* a TLS record that was begun holds up to TLS_PIECE bytes from here */
        size_t begun = c->ssl ? MIN(sent + TLS_PIECE, all) : sent;
        size_t kept = whole;
        while (kept < n && (size_t)(messages[kept].at - messages[0].at) < begun)
            kept++;
        if (kept > whole) {
            keep_rest(c, from, sent, bytes, messages, whole, kept);
            ret->held = (int64_t)(kept - whole);
        }
    }
    return result;
}

static int send_dgrams(struct connection *c, const char *bytes,
                       const struct payload_message *messages, size_t n,
                       struct connection_taken *ret)
{
    static _Thread_local struct mmsghdr headers[CONNECTION_BATCH];
    static _Thread_local struct iovec vectors[CONNECTION_BATCH];
    for (size_t i = 0; i < n; i++) {
        vectors[i] = (struct iovec){(void *)(uintptr_t)(bytes + messages[i].at), messages[i].n};
        headers[i] = (struct mmsghdr){.msg_hdr = {.msg_iov = &vectors[i], .msg_iovlen = 1}};
    }
    for (size_t sent = 0; sent < n;) {
        int now =
            sendmmsg(c->fd, headers + sent, (unsigned)(n - sent), MSG_DONTWAIT | MSG_NOSIGNAL);
        if (now < 0 && errno == EINTR)
            continue;
        if (now < 0)
            return -errno;
        for (int i = 0; i < now; i++)
            ret->bytes += messages[sent + (size_t)i].n;
        sent += (size_t)now;
        ret->messages += now;
    }
    return 0;
}

/* Datagrams of one size, up to SEGMENTS_MAX in one call of the kernel's UDP code each. */
static int send_segments(struct connection *c, const char *bytes,
                         const struct payload_message *messages, size_t n, uint32_t size,
                         struct connection_taken *ret)
{
    enum { PARTS = CONNECTION_BATCH / 2 };
    union control {
        struct cmsghdr header;
        char bytes[CMSG_SPACE(sizeof(uint16_t))];
    };
    static _Thread_local struct mmsghdr headers[PARTS];
    static _Thread_local struct iovec vectors[PARTS];
    union control control;
    size_t each = MIN((size_t)SEGMENTS_MAX, (size_t)SEGMENTS_BYTES / size), parts = 0;
    memset(&control, 0, sizeof(control));
    control.header = (struct cmsghdr){
        .cmsg_level = SOL_UDP, .cmsg_type = UDP_SEGMENT, .cmsg_len = CMSG_LEN(sizeof(uint16_t))};
    memcpy(CMSG_DATA(&control.header), &(uint16_t){(uint16_t)size}, sizeof(uint16_t));
    for (size_t i = 0; i < n; i += each, parts++) {
        size_t count = MIN(each, n - i);
        vectors[parts] = (struct iovec){(void *)(uintptr_t)(bytes + messages[i].at), count * size};
        headers[parts] = (struct mmsghdr){.msg_hdr = {.msg_iov = &vectors[parts], .msg_iovlen = 1}};
        if (count > 1) {
            headers[parts].msg_hdr.msg_control = &control;
            headers[parts].msg_hdr.msg_controllen = sizeof(control);
        }
    }
    for (size_t sent = 0; sent < parts;) {
        int now =
            sendmmsg(c->fd, headers + sent, (unsigned)(parts - sent), MSG_DONTWAIT | MSG_NOSIGNAL);
        if (now < 0 && errno == EINTR)
            continue;
        if (now < 0)
            return -errno;
        for (int i = 0; i < now; i++) {
            ret->bytes += headers[sent + (size_t)i].msg_len;
            ret->messages += headers[sent + (size_t)i].msg_len / size;
        }
        sent += (size_t)now;
    }
    return 0;
}

int connection_send(struct connection *c, const char *bytes, const struct payload_message *messages,
                    size_t n, uint32_t uniform_bytes, struct connection_taken *ret)
{
    *ret = (struct connection_taken){0};
    CHECK(c->rest == NULL && n <= CONNECTION_BATCH);
    if (n == 0)
        return 0;
    if (!c->is_dgram)
        return send_stream(c, bytes, messages, n, ret);
    if (c->has_segments && n > 1 && uniform_bytes > 0 && 2 * uniform_bytes <= SEGMENTS_BYTES) {
        int r = send_segments(c, bytes, messages, n, uniform_bytes, ret);
        /* a path that cannot: a device without checksums, a datagram above its MTU */
        if (r != -EINVAL && r != -EIO && r != -EOPNOTSUPP && r != -EMSGSIZE && r != -ENOPROTOOPT)
            return r;
        c->has_segments = false;
        if (ret->messages > 0)
            return -EAGAIN;
    }
    return send_dgrams(c, bytes, messages, n, ret);
}

void connection_forget_errors(const struct connection *c)
{
    char bytes[64];
    for (int i = 0; i < CONNECTION_BATCH; i++)
        if (recv(c->fd, bytes, sizeof(bytes), MSG_ERRQUEUE | MSG_DONTWAIT) < 0)
            break;
}

int64_t connection_unsent(const struct connection *c)
{
    int n = 0;
    if (c->fd < 0 || c->is_dgram || ioctl(c->fd, SIOCOUTQ, &n) < 0)
        return 0;
    return n;
}

int64_t connection_abort(struct connection *c)
{
    int64_t lost = c->rest ? (int64_t)(c->rest->ends_n - c->rest->ended) : 0;
    free_rest(c);
    SSL_free(c->ssl);
    c->ssl = NULL;
    if (c->fd >= 0)
        close(c->fd);
    c->fd = -1;
    return lost;
}

/* Unread bytes of the peer would turn our close into a reset, which takes what it has not read. */
static bool drain(int fd)
{
    char bytes[4096];
    for (;;) {
        ssize_t n = recv(fd, bytes, sizeof(bytes), MSG_DONTWAIT);
        if (n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR))
            return true;
        if (n < 0 && errno == EAGAIN)
            return false;
    }
}

void connection_end(struct connection *c)
{
    if (c->fd < 0 || c->is_dgram || c->rest != NULL || c->is_ended)
        return;
    if (c->ssl)
        (void)SSL_shutdown(c->ssl);
    c->is_ended = true;
    c->is_gone = shutdown(c->fd, SHUT_WR) < 0;
}

static bool is_over(struct connection_patience *p, int64_t now)
{
    if (!p->is_stopped && p->stop && atomic_load_explicit(p->stop, memory_order_relaxed)) {
        p->is_stopped = true;
        p->until_mono_us = MIN(p->until_mono_us, now + CONNECTION_STOPPED_US);
    }
    return now >= p->until_mono_us;
}

void connection_close(struct connection *c, struct connection_patience *patience)
{
    enum { ACKNOWLEDGED_US = 1000000 };
    int64_t acknowledged = INT64_MAX;
    connection_end(c);
    while (c->is_ended && !c->is_gone && !drain(c->fd)) {
        int64_t now = clock_mono_us();
        if (connection_unsent(c) == 0 && acknowledged == INT64_MAX)
            acknowledged = now + ACKNOWLEDGED_US;
        if (is_over(patience, now) || now >= acknowledged)
            break;
        struct pollfd p = {.fd = c->fd, .events = POLLIN};
        (void)poll(&p, 1, 20);
    }
    connection_abort(c);
}
