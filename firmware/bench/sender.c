/* One connection of a load: makes batches of messages, holds the schedule, sends.
 *
 * The schedule is open-loop: at time t after the start, rate × t messages are due, whatever became
 * of earlier ones, so a slow receiver cannot make the load lighter unseen. */
#include "bench/load.h"
#include "bench/sender.h"

#include <netinet/in.h>
#include <poll.h>
#include <time.h>
#include <unistd.h>

#define BATCH_MESSAGES 256
#define BATCH_BYTES (256u << 10)
#define SEND_WAIT_MS 200

struct sender {
    const struct sender_options *o;
    const struct template *mix;
    size_t mix_n;
    unsigned number; /* of the connection */
    int64_t made;    /* messages made so far: the next sequence number */
    int fd;
    struct random random;
    struct time_texts now;
    struct buf message, batch;
    size_t ends[BATCH_MESSAGES]; /* offset behind message i in batch */
    size_t batch_n;
};

static int make_message(struct sender *s)
{
    const struct sender_options *o = s->o;
    struct buf *m = &s->message;
    buf_clear(m);
    if (template_render(&s->mix[random_below(&s->random, (uint32_t)s->mix_n)], &s->random, &s->now,
                        m) < 0)
        return -ENOSPC;
    if (o->has_sequence && buf_printf(m, " seq=%016llx-%u-%lld", (unsigned long long)o->run,
                                      s->number, (long long)s->made) < 0)
        return -ENOSPC;
    if (o->size > 0) {
        size_t size = (size_t)o->size;
        if (m->n < size) {
            size_t pad = size - m->n;
            if (buf_reserve(m, pad) < 0)
                return -ENOSPC;
            memset(m->p + m->n, 'x', pad);
            m->n = size;
        } else if (!o->has_sequence) {
            m->n = size;
        }
    }
    return 0;
}

static int add_message(struct sender *s)
{
    if (make_message(s) < 0)
        return -ENOSPC;
    if (!s->o->is_dgram && s->o->is_counted && buf_printf(&s->batch, "%zu ", s->message.n) < 0)
        return -ENOSPC;
    if (buf_add_view(&s->batch, buf_view(&s->message)) < 0)
        return -ENOSPC;
    if (!s->o->is_dgram && !s->o->is_counted && buf_add_char(&s->batch, '\n') < 0)
        return -ENOSPC;
    s->ends[s->batch_n++] = s->batch.n;
    s->made++;
    return 0;
}

static int wait_writable(int fd)
{
    struct pollfd p = {.fd = fd, .events = POLLOUT};
    return poll(&p, 1, SEND_WAIT_MS) < 0 && errno != EINTR ? -errno : 0;
}

static void count_sent(struct load_count *c, int64_t messages, int64_t bytes)
{
    atomic_fetch_add_explicit(&c->messages, messages, memory_order_relaxed);
    atomic_fetch_add_explicit(&c->bytes, bytes, memory_order_relaxed);
}

static int send_stream(struct sender *s, const atomic_bool *stop, struct load_count *count)
{
    size_t sent = 0, counted = 0, counted_bytes = 0;
    while (sent < s->batch.n) {
        ssize_t n = send(s->fd, s->batch.p + sent, s->batch.n - sent, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (n < 0 && errno != EAGAIN && errno != EINTR)
            return -errno;
        if (n > 0)
            sent += (size_t)n;
        size_t before = counted;
        while (counted < s->batch_n && s->ends[counted] <= sent)
            counted++;
        if (counted > before) {
            count_sent(count, (int64_t)(counted - before),
                       (int64_t)(s->ends[counted - 1] - counted_bytes));
            counted_bytes = s->ends[counted - 1];
        }
        if (n < 0) {
            /* A message half sent is finished even when asked to stop, so that no stream ends torn.
             */
            bool is_at_border = counted_bytes == sent;
            if (is_at_border && atomic_load_explicit(stop, memory_order_relaxed))
                return -ECANCELED;
            int r = wait_writable(s->fd);
            if (r < 0)
                return r;
        }
    }
    return 0;
}

static int send_dgrams(struct sender *s, const atomic_bool *stop, struct load_count *count)
{
    struct mmsghdr headers[BATCH_MESSAGES];
    struct iovec vectors[BATCH_MESSAGES];
    for (size_t i = 0; i < s->batch_n; i++) {
        size_t start = i ? s->ends[i - 1] : 0;
        vectors[i] = (struct iovec){s->batch.p + start, s->ends[i] - start};
        headers[i] = (struct mmsghdr){.msg_hdr = {.msg_iov = &vectors[i], .msg_iovlen = 1}};
    }
    for (size_t sent = 0; sent < s->batch_n;) {
        int n = sendmmsg(s->fd, headers + sent, (unsigned)(s->batch_n - sent), MSG_DONTWAIT);
        if (n > 0) {
            size_t start = sent ? s->ends[sent - 1] : 0;
            sent += (size_t)n;
            count_sent(count, n, (int64_t)(s->ends[sent - 1] - start));
            continue;
        }
        if (errno == EAGAIN || errno == ENOBUFS) {
            int r = wait_writable(s->fd);
            if (r < 0)
                return r;
        } else if (errno != EINTR) {
            return -errno; /* ECONNREFUSED: nobody listens */
        }
        if (atomic_load_explicit(stop, memory_order_relaxed))
            return -ECANCELED;
    }
    return 0;
}

/* How many messages to send now; 0 when the work is done.  Sleeps until some are due. */
static int64_t due_messages(struct sender *s, int64_t start_mono_us, const atomic_bool *stop,
                            struct load_count *count)
{
    const struct sender_options *o = s->o;
    for (;;) {
        int64_t elapsed = clock_mono_us() - start_mono_us;
        int64_t left = o->number > 0 ? o->number - s->made : BATCH_MESSAGES;
        if (atomic_load_explicit(stop, memory_order_relaxed) || left <= 0)
            return 0;
        if (o->rate == 0)
            return o->interval_us > 0 && elapsed >= o->interval_us
                       ? 0
                       : MIN(left, (int64_t)BATCH_MESSAGES);
        int64_t span = o->interval_us > 0 ? MIN(elapsed, o->interval_us) : elapsed;
        int64_t due = (int64_t)((__int128)o->rate * span / US_PER_SECOND) - s->made;
        if (due > 0) {
            if (due > atomic_load_explicit(&count->behind, memory_order_relaxed))
                atomic_store_explicit(&count->behind, due, memory_order_relaxed);
            return MIN(MIN(due, left), (int64_t)BATCH_MESSAGES);
        }
        if (o->interval_us > 0 && elapsed >= o->interval_us)
            return 0;
        int64_t next = (int64_t)(((__int128)(s->made + 1) * US_PER_SECOND + o->rate - 1) / o->rate);
        int64_t pause = MAX(MIN(next - elapsed, INT64_C(100000)), INT64_C(200));
        struct timespec ts = {pause / US_PER_SECOND, pause % US_PER_SECOND * 1000};
        nanosleep(&ts, NULL);
    }
}

static int open_socket(const struct sender_options *o, int *ret)
{
    int fd =
        socket(o->target.ss_family, (o->is_dgram ? SOCK_DGRAM : SOCK_STREAM) | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return -errno;
    if (connect(fd, (const struct sockaddr *)&o->target, o->target_len) < 0) {
        int error = errno;
        close(fd);
        return -error;
    }
    *ret = fd;
    return 0;
}

/* Everything is delivered before the connection is closed: wait for the peer's FIN or an error. */
static int close_stream(int fd, const atomic_bool *stop)
{
    char byte;
    if (shutdown(fd, SHUT_WR) < 0)
        return -errno;
    for (int waited = 0; waited < 150 && !atomic_load_explicit(stop, memory_order_relaxed);
         waited++) {
        struct pollfd p = {.fd = fd, .events = POLLIN};
        if (poll(&p, 1, SEND_WAIT_MS) > 0)
            return recv(fd, &byte, 1, 0) < 0 ? -errno : 0;
    }
    return -ETIMEDOUT;
}

void load_connection(const struct sender_options *o, const struct template *mix, size_t mix_n,
                     unsigned number, const atomic_bool *stop, struct load_count *count)
{
    struct sender s = {.o = o,
                       .mix = mix,
                       .mix_n = mix_n,
                       .number = number,
                       .fd = -1,
                       .message = BUF_INIT(LOAD_SIZE_MAX),
                       .batch = BUF_INIT(BATCH_BYTES + 2 * LOAD_SIZE_MAX)};
    random_seed(&s.random, o->seed + number);
    int r = open_socket(o, &s.fd);
    int64_t start = clock_mono_us(), due;
    while (r == 0 && (due = due_messages(&s, start, stop, count)) > 0) {
        time_texts_update(&s.now, clock_wall_us());
        buf_clear(&s.batch);
        s.batch_n = 0;
        while (r == 0 && (int64_t)s.batch_n < due && s.batch.n < BATCH_BYTES)
            r = add_message(&s);
        if (r == 0)
            r = o->is_dgram ? send_dgrams(&s, stop, count) : send_stream(&s, stop, count);
    }
    if (r == 0 && !o->is_dgram)
        r = close_stream(s.fd, stop);
    if (s.fd >= 0)
        close(s.fd);
    count->error = r == -ECANCELED ? 0 : -r;
    buf_free(&s.message);
    buf_free(&s.batch);
}
