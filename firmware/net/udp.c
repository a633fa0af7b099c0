/* UDP by recvmmsg.  Used by one thread.
 *
 * An area, whose layout is that of one build and machine (it outlives a process, not an upgrade of
 * the kernel's structures):
 *
 *   [ head | headers: UDP_BATCH_MESSAGES mmsghdr | peers | to the next page | buffers ]
 *
 * Each datagram of a batch has a buffer of 64 KiB, so that none is ever cut; untouched pages of
 * them cost nothing.  The buffers are a cache line apart from a multiple of 64 KiB, since the
 * beginnings of all datagrams would otherwise share the same few sets of the first-level cache.
 *
 * A killed process: the kernel writes a header's length after the datagram's bytes and sender, so
 * slots with a length hold a datagram.  Before a read the lengths of the last batch are taken back
 * (all its datagrams are done), then `done` becomes 0, then the kernel fills.  Killed before the
 * first: nothing is left.  Between them: no slot has a length, nothing is left.  During the read or
 * later: those with a length, from `done` on. */
#include "net/udp.h"
#include "net/socket.h"
#include "net/steer.h"

#include <linux/sock_diag.h>
#include <netinet/in.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

enum {
    DATAGRAM_BYTES = 65536, /* more than any UDP payload */
    DATAGRAM_STRIDE = DATAGRAM_BYTES + 192,
    KERNEL_SHARE = 2, /* it lets twice the granted bytes wait */
};
#define NOT_READ UINT32_MAX
#define AREA_MAGIC UINT64_C(0x3150445541455a41) /* "AZEAUDP1" */

/* The kernel's drop counter of a socket at the last look. */
struct drops {
    uint64_t cookie; /* SO_COOKIE: of one socket since the boot; 0: free */
    uint32_t seen;   /* it wraps */
};
enum { DROPS_MAX = 4 * UDP_SOCKETS * LISTENER_ADDRESSES_MAX };

struct area {
    uint64_t magic;
    uint32_t area_bytes, slots, stride;
    _Atomic uint32_t done;
    _Atomic uint64_t batch;
    _Atomic int64_t received_at_us;
    struct drops drops[DROPS_MAX];
    struct mmsghdr headers[UDP_BATCH_MESSAGES];
    struct sockaddr_in6 peers[UDP_BATCH_MESSAGES]; /* the larger of the two families */
};
#define BUFFERS_AT \
    ((sizeof(struct area) + UDP_AREA_ALIGN - 1) / UDP_AREA_ALIGN * (size_t)UDP_AREA_ALIGN)
#define AREA_BYTES (BUFFERS_AT + (size_t)UDP_BATCH_MESSAGES * DATAGRAM_STRIDE)

struct udp_batch {
    struct area *area;
    char *buffers;
    bool is_own;
    int n;                   /* read last */
    bool is_used[DROPS_MAX]; /* drops of the area that a listener of this process has */
    struct iovec vectors[UDP_BATCH_MESSAGES];
};

struct udp {
    int fds[UDP_SOCKETS];
    int pair_error;
    int64_t buffer_bytes; /* granted */
    struct drops own_drops[UDP_SOCKETS];
    struct drops *drops[UDP_SOCKETS]; /* own_drops, or in an area */
    struct udp_batch *remembers;
    struct steer steer;
};

/* ---- a listener ---- */

static uint32_t meminfo(int fd, unsigned which)
{
    uint32_t info[SK_MEMINFO_VARS] = {0};
    socklen_t n = sizeof(info);
    if (getsockopt(fd, SOL_SOCKET, SO_MEMINFO, info, &n) < 0 || n < (which + 1) * sizeof(info[0]))
        return 0;
    return info[which];
}

static uint64_t cookie_of(int fd)
{
    uint64_t cookie = 0;
    socklen_t n = sizeof(cookie);
    return getsockopt(fd, SOL_SOCKET, SO_COOKIE, &cookie, &n) < 0 ? 0 : cookie;
}

/* A second socket where the first is bound: SO_REUSEPORT is set on the first only now, so that its
 * own bind found the port free.  Until the program is there the kernel spreads datagrams over both,
 * which loses none. */
static int bind_second(int first)
{
    struct sockaddr_storage sa;
    socklen_t n = sizeof(sa), option_n = sizeof(int);
    int on = 1, v6only = 0;
    if (setsockopt(first, SOL_SOCKET, SO_REUSEPORT, &on, sizeof(on)) < 0 ||
        getsockname(first, (struct sockaddr *)&sa, &n) < 0)
        return -errno;
    if (sa.ss_family == AF_INET6 &&
        getsockopt(first, IPPROTO_IPV6, IPV6_V6ONLY, &v6only, &option_n) < 0)
        return -errno;
    int fd = socket(sa.ss_family, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return -errno;
    if (setsockopt(fd, SOL_SOCKET, SO_REUSEPORT, &on, sizeof(on)) < 0 ||
        (sa.ss_family == AF_INET6 &&
         setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &v6only, sizeof(v6only)) < 0) ||
        bind(fd, (struct sockaddr *)&sa, n) < 0) {
        int error = -errno;
        close(fd);
        return error;
    }
    return fd;
}

/* What can fail here leaves a listener of one socket, which serves. */
static void make_pair(struct udp *u)
{
    bool is_new = u->fds[UDP_FLOODING] < 0;
    int fd = is_new ? bind_second(u->fds[UDP_FIRST]) : u->fds[UDP_FLOODING];
    int64_t granted = fd < 0 ? fd : socket_receive_buffer(fd, u->buffer_bytes);
    int rc = granted < 0 ? (int)granted : steer_init(&u->steer, u->fds[UDP_FIRST]);
    if (rc == 0) {
        u->fds[UDP_FLOODING] = fd;
        return;
    }
    u->pair_error = rc;
    u->fds[UDP_FLOODING] = -1;
    if (fd >= 0)
        close(fd);
    int off = 0; /* alone again, and nobody may share */
    (void)setsockopt(u->fds[UDP_FIRST], SOL_SOCKET, SO_REUSEPORT, &off, sizeof(off));
}

int udp_adopt(const int fds[UDP_SOCKETS], int64_t buffer_bytes, struct udp **ret)
{
    int64_t granted = socket_receive_buffer(fds[UDP_FIRST], buffer_bytes);
    if (granted < 0)
        return (int)granted;
    struct udp *u = xcalloc(1, sizeof(*u));
    memcpy(u->fds, fds, sizeof(u->fds));
    u->buffer_bytes = granted;
    make_pair(u);
    for (int i = 0; i < UDP_SOCKETS; i++) {
        u->drops[i] = &u->own_drops[i];
        if (u->fds[i] < 0)
            continue;
        u->own_drops[i].cookie = cookie_of(u->fds[i]);
        if (fds[i] >= 0)
            u->own_drops[i].seen = meminfo(u->fds[i], SK_MEMINFO_DROPS);
    }
    *ret = u;
    return 0;
}

int udp_open(const struct ip *address, uint16_t port, int64_t buffer_bytes, struct udp **ret)
{
    int fd = socket_bound(address, port, SOCK_DGRAM);
    if (fd < 0)
        return fd;
    int fds[UDP_SOCKETS] = {[UDP_FIRST] = fd, [UDP_FLOODING] = -1};
    int rc = udp_adopt(fds, buffer_bytes, ret);
    if (rc < 0)
        close(fd);
    else
        (*ret)->own_drops[UDP_FIRST].seen = 0;
    return rc;
}

void udp_close(struct udp **u)
{
    if (!*u)
        return;
    for (int i = 0; i < UDP_SOCKETS; i++) {
        if ((*u)->fds[i] >= 0)
            close((*u)->fds[i]);
        if ((*u)->remembers && (*u)->drops[i] != &(*u)->own_drops[i])
            (*u)->remembers->is_used[(*u)->drops[i] - (*u)->remembers->area->drops] = false;
    }
    free(*u);
    *u = NULL;
}

int udp_fd(const struct udp *u, enum udp_socket which)
{
    return u->fds[which];
}

int udp_pair_error(const struct udp *u)
{
    return u->pair_error;
}

int64_t udp_buffer_bytes(const struct udp *u)
{
    return u->buffer_bytes;
}

int64_t udp_waiting_bytes(const struct udp *u, enum udp_socket which)
{
    return u->fds[which] < 0 ? 0 : meminfo(u->fds[which], SK_MEMINFO_RMEM_ALLOC) / KERNEL_SHARE;
}

uint64_t udp_take_drops(struct udp *u, enum udp_socket which)
{
    if (u->fds[which] < 0)
        return 0;
    uint32_t now = meminfo(u->fds[which], SK_MEMINFO_DROPS);
    uint32_t dropped = now - u->drops[which]->seen; /* right across the wrap */
    u->drops[which]->seen = now;
    return dropped;
}

int udp_steer(struct udp *u, const struct ip *source)
{
    return u->pair_error < 0 ? u->pair_error : steer_add(&u->steer, source);
}

int udp_unsteer(struct udp *u, const struct ip *source)
{
    return steer_remove(&u->steer, source);
}

unsigned udp_steered(const struct udp *u)
{
    return u->steer.n;
}

const struct ip *udp_steered_source(const struct udp *u, unsigned i)
{
    return i < u->steer.n ? &u->steer.sources[i] : NULL;
}

/* ---- a batch ---- */

/* Made by this layout, and with nothing in it that cannot be. */
static bool is_area(const struct area *a)
{
    if (a->magic != AREA_MAGIC || a->area_bytes != AREA_BYTES || a->slots != UDP_BATCH_MESSAGES ||
        a->stride != DATAGRAM_STRIDE || atomic_load(&a->done) > UDP_BATCH_MESSAGES)
        return false;
    for (int i = 0; i < UDP_BATCH_MESSAGES; i++)
        if (a->headers[i].msg_len != NOT_READ && a->headers[i].msg_len > DATAGRAM_BYTES)
            return false;
    return true;
}

/* Another process reads the area, after this one was killed: what counts is the order of the
 * instructions, not when other processors see what they wrote (and ThreadSanitizer knows no thread
 * fences). */
static void make_area(struct area *a)
{
    a->magic = 0; /* until it is whole */
    atomic_signal_fence(memory_order_seq_cst);
    memset(a->drops, 0, sizeof(a->drops));
    for (int i = 0; i < UDP_BATCH_MESSAGES; i++)
        a->headers[i].msg_len = NOT_READ;
    atomic_store(&a->done, 0);
    atomic_store(&a->batch, 0);
    atomic_store(&a->received_at_us, 0);
    a->area_bytes = (uint32_t)AREA_BYTES;
    a->slots = UDP_BATCH_MESSAGES;
    a->stride = DATAGRAM_STRIDE;
    atomic_signal_fence(memory_order_seq_cst);
    a->magic = AREA_MAGIC;
}

size_t udp_area_bytes(void)
{
    return AREA_BYTES;
}

struct udp_batch *udp_batch_new(void *area)
{
    bool is_own = area == NULL;
    if (is_own) {
        area = mmap(NULL, AREA_BYTES, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (area == MAP_FAILED)
            return NULL;
    }
    struct udp_batch *b = xcalloc(1, sizeof(*b));
    struct area *a = area;
    *b = (struct udp_batch){.area = a, .buffers = (char *)area + BUFFERS_AT, .is_own = is_own};
    if (!is_area(a))
        make_area(a);
    while (b->n < UDP_BATCH_MESSAGES && a->headers[b->n].msg_len != NOT_READ)
        b->n++;
    for (int i = 0; i < UDP_BATCH_MESSAGES; i++) {
        struct msghdr *h = &a->headers[i].msg_hdr;
        if (i >= b->n)
            a->headers[i].msg_len = NOT_READ; /* killed while these were taken back */
        b->vectors[i] = (struct iovec){b->buffers + (size_t)i * DATAGRAM_STRIDE, DATAGRAM_BYTES};
        *h = (struct msghdr){.msg_iov = &b->vectors[i],
                             .msg_iovlen = 1,
                             .msg_name = &a->peers[i],
                             .msg_namelen = sizeof(a->peers[i])};
    }
    return b;
}

void udp_batch_free(struct udp_batch **b)
{
    if (!*b)
        return;
    if ((*b)->is_own)
        munmap((*b)->area, AREA_BYTES);
    free(*b);
    *b = NULL;
}

/* The place of a socket's counter: its own of an earlier process, else one that no listener has. */
static int place_of(const struct udp_batch *b, uint64_t cookie)
{
    int place = -1;
    for (int i = 0; i < DROPS_MAX; i++) {
        if (b->is_used[i])
            continue;
        if (b->area->drops[i].cookie == cookie)
            return i;
        if (place < 0 || b->area->drops[i].cookie == 0)
            place = i;
    }
    return place;
}

void udp_remember(struct udp *u, struct udp_batch *b)
{
    u->remembers = b;
    for (int i = 0; i < UDP_SOCKETS; i++) {
        struct drops *own = &u->own_drops[i];
        int place = own->cookie ? place_of(b, own->cookie) : -1;
        if (place < 0)
            continue;
        struct drops *d = &b->area->drops[place];
        if (d->cookie != own->cookie)
            *d = *own;
        u->drops[i] = d;
        b->is_used[place] = true;
    }
}

/* Errors that belong to one datagram sent to us or to a moment without memory. */
static bool is_passing(int error)
{
    return error == EAGAIN || error == EINTR || error == ECONNREFUSED || error == ENOBUFS ||
           error == ENOMEM || error == EHOSTUNREACH || error == ENETUNREACH || error == ENETDOWN;
}

/* See the top: lengths first, then `done`. */
static void forget_batch(struct udp_batch *b, int64_t received_at_us)
{
    struct area *a = b->area;
    for (int i = 0; i < b->n; i++) {
        a->headers[i].msg_len = NOT_READ;
        a->headers[i].msg_hdr.msg_namelen = sizeof(a->peers[i]);
    }
    b->n = 0;
    atomic_signal_fence(memory_order_release);
    uint64_t batch = atomic_load_explicit(&a->batch, memory_order_relaxed) + 1;
    atomic_store_explicit(&a->batch, batch, memory_order_relaxed);
    atomic_store_explicit(&a->received_at_us, received_at_us, memory_order_relaxed);
    atomic_store_explicit(&a->done, 0, memory_order_release);
}

int udp_read(struct udp *u, enum udp_socket which, struct udp_batch *b, int64_t received_at_us)
{
    forget_batch(b, received_at_us);
    int n = recvmmsg(u->fds[which], b->area->headers, UDP_BATCH_MESSAGES, MSG_DONTWAIT, NULL);
    if (n >= 0)
        return b->n = n;
    return is_passing(errno) ? 0 : -errno;
}

struct view udp_datagram(const struct udp_batch *b, int i, struct ip *ret_source)
{
    CHECK(i >= 0 && i < b->n);
    *ret_source = ip_from_sockaddr((const struct sockaddr *)&b->area->peers[i]);
    return view_of(b->vectors[i].iov_base, b->area->headers[i].msg_len);
}

void udp_done(struct udp_batch *b, int i)
{
    atomic_store_explicit(&b->area->done, (uint32_t)i + 1, memory_order_release);
}

uint32_t udp_tag(const struct udp_batch *b, int i)
{
    uint64_t batch = atomic_load_explicit(&b->area->batch, memory_order_relaxed);
    return ((uint32_t)batch % 0xffffff + 1) << 8 | (uint32_t)i;
}
_Static_assert(UDP_BATCH_MESSAGES <= 256, "a slot's number fits in eight bits of a tag");

/* ---- after a kill -9 ---- */

struct udp_left udp_left(const struct udp_batch *b)
{
    int done = (int)atomic_load(&b->area->done);
    if (done >= b->n)
        return (struct udp_left){0};
    return (struct udp_left){atomic_load(&b->area->received_at_us), done, b->n};
}
