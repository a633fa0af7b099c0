/* Datagrams, many a system call.
 *
 * Each of a batch has a buffer of 64 KiB, of which pages never written to cost nothing.  The
 * buffers are a cache line apart from a multiple of 64 KiB: the beginnings of all would otherwise
 * share the same few sets of the first-level cache. */
#include "bench/sink/sink_inside.h"

#include <netinet/in.h>
#include <netinet/udp.h>
#include <sys/mman.h>
#include <time.h>

#ifndef UDP_GRO
#define UDP_GRO 104
#endif

enum {
    DATAGRAM_BYTES = 65536,
    DATAGRAM_STRIDE = DATAGRAM_BYTES + 192,
    BATCHES_A_ROUND = 16, /* then others of the worker have their turn */
    NAP_NS = 200000,
    NAP_FROM_MESSAGES = 2,
    NAP_FROM_BYTES = 4 << 20, /* of receive buffer: thousands of datagrams */
};
#define BUFFERS_BYTES ((size_t)DATAGRAM_BATCH * DATAGRAM_STRIDE)

union control {
    char bytes[CMSG_SPACE(sizeof(int))];
    struct cmsghdr align;
};

struct sink_datagrams {
    char *buffers;
    struct mmsghdr headers[DATAGRAM_BATCH];
    struct iovec vectors[DATAGRAM_BATCH];
    union control controls[DATAGRAM_BATCH];
};

struct sink_datagrams *datagrams_new(void)
{
    struct sink_datagrams *d = xcalloc(1, sizeof(*d));
    d->buffers = mmap(NULL, BUFFERS_BYTES, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    CHECK(d->buffers != MAP_FAILED);
    for (size_t i = 0; i < DATAGRAM_BATCH; i++) {
        d->vectors[i] = (struct iovec){d->buffers + i * DATAGRAM_STRIDE, DATAGRAM_BYTES};
        d->headers[i].msg_hdr.msg_iov = &d->vectors[i];
        d->headers[i].msg_hdr.msg_iovlen = 1;
    }
    return d;
}

void datagrams_free(struct sink_datagrams **pd)
{
    if (!*pd)
        return;
    munmap((*pd)->buffers, BUFFERS_BYTES);
    free(*pd);
    *pd = NULL;
}

/* Bytes of each datagram in what the kernel put together; 0: it is one. */
static size_t segment_bytes(struct msghdr *h)
{
    for (struct cmsghdr *c = CMSG_FIRSTHDR(h); c; c = CMSG_NXTHDR(h, c))
        if (c->cmsg_level == IPPROTO_UDP && c->cmsg_type == UDP_GRO) {
            int n;
            memcpy(&n, CMSG_DATA(c), sizeof(n));
            return n > 0 ? (size_t)n : 0;
        }
    return 0;
}

static void take_one(struct sink_worker *w, struct view message)
{
    worker_count(w, SINK_MESSAGES, 1);
    worker_count(w, SINK_BYTES, (int64_t)message.n);
    if (!w->sink->o.is_counting_only)
        worker_tally(w, message, false);
    if (!w->sink->is_plain)
        worker_take(w, message);
}

static void take(struct sink_worker *w, struct mmsghdr *m)
{
    struct view all = view_of(m->msg_hdr.msg_iov->iov_base, m->msg_len);
    size_t segment = w->sink->o.has_gro ? segment_bytes(&m->msg_hdr) : 0;
    if (m->msg_hdr.msg_flags & MSG_TRUNC)
        worker_count(w, SINK_CUT_BY_KERNEL, 1);
    while (segment > 0 && all.n > segment) {
        take_one(w, view_of(all.p, segment));
        all = view_of(all.p + segment, all.n - segment);
    }
    take_one(w, all);
}

static bool is_passing(int error)
{
    return error == EAGAIN || error == EINTR || error == ENOBUFS || error == ENOMEM ||
           error == ECONNREFUSED;
}

/* A reader that is woken for each datagram costs more than all else, on the sender's side too.  So
 * where several came at once, it lets more come: the buffer holds what comes meanwhile many times.
 * (That of a unix socket holds a few messages, however large it is.) */
static void nap(const struct sink_worker *w, const struct sink_listener *l, int n)
{
    static const struct timespec a_while = {0, NAP_NS};
    if (l->address.transport == TARGET_UDP && n >= NAP_FROM_MESSAGES &&
        l->buffer_bytes >= NAP_FROM_BYTES &&
        !atomic_load_explicit(&w->sink->is_ending, memory_order_relaxed))
        (void)clock_nanosleep(CLOCK_MONOTONIC, 0, &a_while, NULL);
}

void datagrams_read(struct sink_worker *w, struct sink_source *source)
{
    struct sink_datagrams *d = w->datagrams;
    for (int round = 0; round < BATCHES_A_ROUND; round++) {
        worker_pause(w);
        for (size_t i = 0; w->sink->o.has_gro && i < DATAGRAM_BATCH; i++) {
            d->headers[i].msg_hdr.msg_control = &d->controls[i];
            d->headers[i].msg_hdr.msg_controllen = sizeof(d->controls[i]);
        }
        int n = recvmmsg(source->fd, d->headers, DATAGRAM_BATCH, MSG_DONTWAIT, NULL);
        if (n < 0 && !is_passing(errno))
            worker_fail(w, errno, "cannot read", source->listener->name);
        if (n <= 0)
            return;
        worker_arrived(w);
        for (int i = 0; i < n; i++)
            take(w, &d->headers[i]);
        worker_round_end(w);
        if (n < DATAGRAM_BATCH) {
            nap(w, source->listener, n);
            return;
        }
    }
}
