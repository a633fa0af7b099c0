/* Datagrams of one listener to the intake.  The first lane.
 *
 * They wait nowhere but in the kernel's buffer.  So they are read while there is room, and also
 * when no room is to be expected: then they are refused and counted.  While the packer is only
 * behind for a moment, they wait.  Those that trickle in are read some milliseconds apart, many at
 * once, and not each by a wake-up of its own (rest).
 *
 * A source that floods has the second socket's buffer for itself (net/udp.h).  When the first one
 * fills (a PRESSURE-th of it waits although much was read) the senders of what is read next are
 * counted for some milliseconds, and those with a SHARE-th of it and UNUSUAL times what others send
 * go to the second (a receiver that was late finds all as they always are).  By then most of the
 * buffer is still free, so others lose nothing.  The first is read first, the second by what
 * time is left, and never only to refuse what comes of it.  Before the second is read the first was
 * empty once, and when all is calm the second is emptied before the first is read on, so a source's
 * messages stay in order; but for one that is taken off while others go on flooding.
 *
 *   calm ──first fills──▶ counting ──a SHARE-th──▶ steered ──second at ease for CALM──▶ calm
 *                             └──first is emptied──▶ calm
 */
#include "receiver/datagrams.h"

#include <sys/socket.h>
#include <unistd.h>

#include "config/log.h"
#include "net/flood.h"
#include "net/socket.h"
#include "receiver/handed.h"
#include "store/fault.h"

#define EVERY_US 1000
#define REST_MAX_US 4000    /* nobody sees it */
#define DATAGRAM_BYTES 1280 /* a small one takes of the kernel's buffer */
#define COUNTING_US 10000   /* thousands of datagrams */
#define IN_ORDER_US US_PER_SECOND
#define CALM_US (2 * US_PER_SECOND)
#define WINDOW_US US_PER_SECOND
#define FLOOD_NAME "udp.flood"
enum {
    BATCHES_A_TURN = 4,
    PRESSURE = 16,
    SHARE = 64,      /* of a full first buffer: more than all others have in the millisecond */
    UNUSUAL = 8,     /* and so many times what half of the senders do not exceed */
    SHARE_LEFT = 256 /* with less than that of the second socket's nobody floods */
};

enum outcome { EMPTIED, MORE, NO_ROOM };

struct datagrams {
    struct datagrams_owner o;
    struct udp *udp;
    struct loop_source sources[UDP_SOCKETS];
    bool is_in_loop[UDP_SOCKETS];
    int64_t read_mono_us;   /* last read */
    int64_t rest_us;        /* between reads while they trickle in; 0: the buffer is too small */
    int64_t rested_mono_us; /* no read for the loop's sake before */
    bool is_resting;
    struct log_limit failed, floods;
    struct datagrams_counts counts;

    /* floods */
    bool is_counting;       /* who sends what the first socket brings */
    bool has_second;        /* somebody is steered, or something waits there */
    bool is_first_older;    /* what is in the first is to be read before the second */
    bool is_second_older;   /* the other way round */
    bool is_second_emptied; /* by the last read of it */
    int64_t counting_mono_us, steered_mono_us, window_mono_us; /* since */
    int64_t pressure_mono_us;                                  /* last, of the second */
    struct flood first_seen, second_seen;
};

/* ---- reading ---- */

static bool may_be_read(const struct datagrams *d, enum udp_socket which)
{
    return intake_has_room(d->o.in) || (which == UDP_FIRST && intake_must_refuse(d->o.in));
}

static void take(const struct datagrams_owner *o, int i)
{
    struct ip source;
    struct view v = udp_datagram(o->batch, i, &source);
    intake_tag(o->in, udp_tag(o->batch, i));
    intake_message(o->in, LISTENER_UDP, &source, v, INTAKE_WHOLE);
    FAULT("datagrams.taken");
    udp_done(o->batch, i);
    FAULT("datagrams.done");
}

static void count_sources(const struct datagrams *d, int n, struct flood *seen)
{
    for (int i = 0; i < n; i++) {
        struct ip source;
        (void)udp_datagram(d->o.batch, i, &source);
        flood_count(seen, &source);
    }
}

static enum outcome read_batch(struct datagrams *d, enum udp_socket which, struct flood *seen)
{
    if (!may_be_read(d, which))
        return NO_ROOM;
    int64_t now_us = clock_wall_us();
    int n = udp_read(d->udp, which, d->o.batch, now_us);
    uint64_t times;
    if (n < 0 && log_limit_due(&d->failed, clock_mono_us(), &times))
        log_line(LOG_ERROR, "cannot read from the UDP socket: %s (%llu times)", strerror(-n),
                 (unsigned long long)times);
    if (n <= 0)
        return EMPTIED;
    FAULT("datagrams.read");
    intake_at(d->o.in, now_us);
    for (int i = 0; i < n; i++)
        take(&d->o, i);
    if (UNLIKELY(seen != NULL))
        count_sources(d, n, seen);
    return n < UDP_BATCH_MESSAGES ? EMPTIED : MORE;
}

/* The first datagram left may be in the journal already, if the process was killed before it said
 * that it was done: then its tag is there. */
bool datagrams_finish(const struct datagrams_owner *o)
{
    struct udp_left left = udp_left(o->batch);
    if (LIKELY(left.n == 0))
        return true;
    if (!intake_has_room(o->in))
        return false;
    int first = left.first;
    if (journal_has_tag(o->journal, udp_tag(o->batch, first)))
        udp_done(o->batch, first++);
    intake_at(o->in, left.received_at_us);
    for (int i = first; i < left.n; i++)
        take(o, i);
    log_line(LOG_INFO, "%d datagrams that an earlier run had read are received now",
             left.n - first);
    return true;
}

/* ---- floods ---- */

/* Whether a `part`-th of a socket's buffer waits. */
static bool is_filled(const struct datagrams *d, enum udp_socket which, int part)
{
    return udp_waiting_bytes(d->udp, which) >= udp_buffer_bytes(d->udp) / part;
}

static void say_flooding(struct datagrams *d, const struct ip *source)
{
    char text[IP_TEXT_MAX];
    uint64_t times;
    if (!log_limit_due(&d->floods, clock_mono_us(), &times))
        return;
    (void)ip_format(source, text);
    log_line(LOG_WARNING,
             "%s floods: its datagrams are read apart from all others until it ends (%u sources "
             "now, %llu times)",
             text, udp_steered(d->udp), (unsigned long long)times);
}

static void steer_largest(struct datagrams *d, int64_t now)
{
    struct ip sources[UDP_FLOODING_SOURCES_MAX];
    unsigned n = flood_largest(&d->first_seen, SHARE, sources, UDP_FLOODING_SOURCES_MAX);
    unsigned before = udp_steered(d->udp);
    uint32_t usual = flood_median(&d->first_seen);
    for (unsigned i = 0; i < n; i++) {
        if (flood_counted(&d->first_seen, &sources[i]) < UNUSUAL * (uint64_t)usual)
            break; /* the receiver was late, and all send as they do */
        int rc = udp_steer(d->udp, &sources[i]);
        if (rc < 0)
            break; /* the list is full, or the kernel short of memory: the larger ones are on it */
        say_flooding(d, &sources[i]);
    }
    if (udp_steered(d->udp) == before)
        return;
    if (before == 0) {
        flood_clear(&d->second_seen);
        d->window_mono_us = now;
    }
    d->has_second = d->is_first_older = true;
    d->is_second_older = false;
    d->steered_mono_us = d->pressure_mono_us = now;
}

/* A batch of the first socket was read with this outcome. */
static void watch_first(struct datagrams *d, enum outcome outcome, int64_t now)
{
    if (d->is_counting) {
        bool is_long = now - d->counting_mono_us >= COUNTING_US || is_filled(d, UDP_FIRST, 2);
        if (outcome == EMPTIED) {
            d->is_counting = false;
        } else if (is_long && d->first_seen.total >= UDP_BATCH_MESSAGES) {
            d->is_counting = false;
            if (is_filled(d, UDP_FIRST, 2 * PRESSURE))
                steer_largest(d, now);
        }
    } else if (outcome == MORE && is_filled(d, UDP_FIRST, PRESSURE)) {
        d->is_counting = true;
        d->counting_mono_us = now;
        flood_clear(&d->first_seen);
    }
}

/* The second was, for a turn. */
static void watch_second(struct datagrams *d, enum outcome outcome, int64_t now)
{
    d->is_second_emptied = outcome == EMPTIED;
    if (outcome != EMPTIED) {
        if (is_filled(d, UDP_FLOODING, PRESSURE))
            d->pressure_mono_us = now;
        return;
    }
    d->is_second_older = false;
    d->has_second = udp_steered(d->udp) > 0;
}

/* Nobody floods any more: what comes in this moment is read before the first socket is. */
static void end_floods(struct datagrams *d)
{
    const struct ip *source;
    while ((source = udp_steered_source(d->udp, 0)))
        if (udp_unsteer(d->udp, source) < 0)
            return; /* the next tick tries again */
    d->is_second_older = true;
    log_line(LOG_INFO, "no source floods any more: %llu of their datagrams were dropped so far",
             (unsigned long long)d->counts.kernel_dropped_flooded);
}

/* Those who send little of what the second socket brings, while others go on. */
static void take_off(struct datagrams *d)
{
    const struct ip *source;
    for (unsigned i = 0; (source = udp_steered_source(d->udp, i));) {
        uint64_t most = flood_counted(&d->second_seen, source) + d->second_seen.rounds;
        if (most * SHARE_LEFT >= d->second_seen.total || udp_unsteer(d->udp, source) < 0)
            i++;
    }
}

static void watch_floods(struct datagrams *d, int64_t now)
{
    if (udp_steered(d->udp) == 0)
        return;
    if (d->is_second_emptied && now - d->pressure_mono_us >= CALM_US) {
        end_floods(d);
    } else if (now - d->window_mono_us >= WINDOW_US) {
        if (d->steered_mono_us < d->window_mono_us)
            take_off(d);
        flood_clear(&d->second_seen);
        d->window_mono_us = now;
    }
}

/* ---- turns ---- */

static enum outcome read_first(struct datagrams *d)
{
    enum outcome outcome = MORE;
    for (int i = 0; i < BATCHES_A_TURN && outcome == MORE; i++) {
        outcome = read_batch(d, UDP_FIRST, d->is_counting ? &d->first_seen : NULL);
        if (udp_pair_error(d->udp) == 0)
            watch_first(d, outcome, clock_mono_us());
    }
    return outcome;
}

static enum outcome read_second(struct datagrams *d, int batches)
{
    enum outcome outcome = MORE;
    for (int i = 0; i < batches && outcome == MORE; i++)
        outcome = read_batch(d, UDP_FLOODING, &d->second_seen);
    watch_second(d, outcome, clock_mono_us());
    return outcome;
}

bool datagrams_read(struct datagrams *d)
{
    d->read_mono_us = clock_mono_us();
    if (!datagrams_finish(&d->o))
        return false;
    if (UNLIKELY(d->is_second_older) && read_second(d, BATCHES_A_TURN) == MORE)
        return true;
    enum outcome first = read_first(d);
    if (LIKELY(!d->has_second))
        return first == MORE;
    if (first == EMPTIED || d->read_mono_us - d->steered_mono_us >= IN_ORDER_US)
        d->is_first_older = false;
    if (d->is_first_older)
        return first == MORE;
    enum outcome second = read_second(d, first == MORE ? 1 : BATCHES_A_TURN);
    return first == MORE || second == MORE;
}

/* A wake-up costs ten times what a message does.  So sockets that were emptied rest, if it was not
 * the first datagram after a silence, for as long as no more than a quarter of the buffer can fill
 * at a million datagrams a second. */
static void read_and_rest(struct datagrams *d)
{
    int64_t before = d->read_mono_us;
    bool has_more = datagrams_read(d);
    d->is_resting = !has_more && d->rest_us > 0 && d->read_mono_us - before < 2 * d->rest_us;
    d->rested_mono_us = d->is_resting ? d->read_mono_us + d->rest_us : 0;
}

static void ready(void *context, uint32_t events)
{
    (void)events;
    struct datagrams *d = context;
    if (clock_mono_us() >= d->rested_mono_us) /* both sockets may be ready in one step */
        read_and_rest(d);
}

/* Also what was on its way there when the last source was taken off. */
static void second_ready(void *context, uint32_t events)
{
    struct datagrams *d = context;
    d->has_second = true;
    ready(d, events);
}

static void set_in_loop(struct datagrams *d, enum udp_socket which, bool want)
{
    if (want == d->is_in_loop[which])
        return;
    if (want)
        CHECK(loop_add(d->o.loop, &d->sources[which]) == 0);
    else
        loop_remove(d->o.loop, &d->sources[which]);
    d->is_in_loop[which] = want;
}

/* After a rest something has come, mostly: it is read without asking the loop. */
void datagrams_update(struct datagrams *d, int64_t now)
{
    bool is_rested = now >= d->rested_mono_us;
    if (d->is_resting && is_rested && may_be_read(d, UDP_FIRST)) {
        read_and_rest(d);
        is_rested = !d->is_resting;
    }
    set_in_loop(d, UDP_FIRST, is_rested && may_be_read(d, UDP_FIRST));
    if (udp_fd(d->udp, UDP_FLOODING) >= 0)
        set_in_loop(d, UDP_FLOODING, is_rested && may_be_read(d, UDP_FLOODING));
}

int64_t datagrams_due_mono_us(const struct datagrams *d, int64_t now)
{
    if (now < d->rested_mono_us)
        return d->rested_mono_us;
    return d->is_resting && may_be_read(d, UDP_FIRST) ? now : INT64_MAX;
}

void datagrams_between(struct datagrams *d, int64_t now)
{
    if (now - d->read_mono_us >= EVERY_US)
        (void)datagrams_read(d);
}

void datagrams_tick(struct datagrams *d)
{
    uint64_t first = udp_take_drops(d->udp, UDP_FIRST);
    uint64_t second = udp_take_drops(d->udp, UDP_FLOODING);
    int64_t now = clock_mono_us();
    if (second > 0)
        d->pressure_mono_us = now;
    d->counts.kernel_dropped += first + second;
    d->counts.kernel_dropped_flooded += second;
    intake_dropped(d->o.in, LISTENER_UDP, first + second);
    watch_floods(d, now);
}

void datagrams_counts(const struct datagrams *d, struct datagrams_counts *ret)
{
    *ret = d->counts;
    ret->buffer_bytes = (uint64_t)udp_buffer_bytes(d->udp);
    ret->buffer_used = (uint64_t)udp_waiting_bytes(d->udp, UDP_FIRST);
    ret->flood_buffer_used = (uint64_t)udp_waiting_bytes(d->udp, UDP_FLOODING);
    ret->flooding_sources = udp_steered(d->udp);
}

/* ---- opening ---- */

/* What an earlier run had open, or the service manager opened; -ENOENT: nothing. */
static int take_over(const struct address *a, int64_t buffer_bytes, struct udp **ret)
{
    int fds[UDP_SOCKETS] = {-1, -1};
    fds[UDP_FIRST] = handed_take(listener_name(LISTENER_UDP), &a->ip, a->port, SOCK_DGRAM);
    if (fds[UDP_FIRST] < 0)
        return -ENOENT;
    int port = socket_port(fds[UDP_FIRST]);
    int second = port > 0 ? handed_take(FLOOD_NAME, &a->ip, (uint16_t)port, SOCK_DGRAM) : -ENOENT;
    if (second >= 0)
        fds[UDP_FLOODING] = second;
    int rc = udp_adopt(fds, buffer_bytes, ret);
    for (int i = 0; rc < 0 && i < UDP_SOCKETS; i++)
        if (fds[i] >= 0)
            close(fds[i]);
    return rc;
}

static void keep(int fd, const char *name)
{
    int rc = fd >= 0 ? handed_keep(fd, name) : 0;
    if (rc < 0 && rc != -ENOTCONN) /* nobody is there to keep it: it ends with the process */
        log_line(LOG_WARNING,
                 "the service manager does not keep the socket %s: %s; datagrams that come during "
                 "a restart are lost",
                 name, strerror(-rc));
}

static void say_buffer(const struct udp *u, int64_t asked)
{
    int64_t granted = udp_buffer_bytes(u);
    bool is_less = granted < asked;
    log_line(is_less ? LOG_WARNING : LOG_INFO, "UDP receive buffer: %lld bytes of %lld asked for%s",
             (long long)granted, (long long)asked,
             is_less ? " (raise net.core.rmem_max, or give CAP_NET_ADMIN)" : "");
    if (udp_pair_error(u) < 0)
        log_line(LOG_WARNING,
                 "UDP has one socket only, so a source that floods can crowd out others: %s",
                 strerror(-udp_pair_error(u)));
}

int datagrams_open(const struct address *a, int64_t buffer_bytes, const struct datagrams_owner *o,
                   struct datagrams **ret)
{
    struct udp *udp = NULL;
    int rc = take_over(a, buffer_bytes, &udp);
    if (rc == -ENOENT)
        rc = udp_open(&a->ip, a->port, buffer_bytes, &udp);
    if (rc < 0)
        return rc;
    keep(udp_fd(udp, UDP_FIRST), listener_name(LISTENER_UDP));
    keep(udp_fd(udp, UDP_FLOODING), FLOOD_NAME);
    udp_remember(udp, o->batch);
    struct datagrams *d = xcalloc(1, sizeof(*d));
    d->o = *o;
    d->udp = udp;
    for (int i = 0; i < UDP_SOCKETS; i++)
        d->sources[i] =
            (struct loop_source){udp_fd(udp, i), i == UDP_FIRST ? ready : second_ready, d};
    d->has_second = d->is_second_older = udp_fd(udp, UDP_FLOODING) >= 0;
    d->rest_us = MIN(udp_buffer_bytes(udp) / (4 * DATAGRAM_BYTES), REST_MAX_US);
    d->rest_us -= d->rest_us % 1000; /* the loop waits whole milliseconds */
    say_buffer(udp, buffer_bytes);
    *ret = d;
    return 0;
}

void datagrams_close(struct datagrams **pd, bool for_good)
{
    struct datagrams *d = *pd;
    if (!d)
        return;
    for (int i = 0; i < UDP_SOCKETS; i++)
        set_in_loop(d, i, false);
    if (for_good) {
        (void)handed_forget(udp_fd(d->udp, UDP_FIRST), listener_name(LISTENER_UDP));
        if (udp_fd(d->udp, UDP_FLOODING) >= 0)
            (void)handed_forget(udp_fd(d->udp, UDP_FLOODING), FLOOD_NAME);
    }
    udp_close(&d->udp);
    free(d);
    *pd = NULL;
}

int datagrams_fd(const struct datagrams *d)
{
    return udp_fd(d->udp, UDP_FIRST);
}
