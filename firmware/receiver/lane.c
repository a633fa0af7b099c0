/* One epoll loop a lane over its sources: connections, which have an epoll instance of their own,
 * the other threads' wake-up, and on the first lane the listeners and the signals.
 *
 * Who may read is decided after every step (streams_update, listeners_update).  Reads of
 * connections look at the datagrams every millisecond, so that no number of busy connections can
 * starve them. */
#include "receiver/lane.h"

#include <poll.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "config/log.h"
#include "net/loop.h"
#include "receiver/handed.h"
#include "receiver/listeners.h"
#include "receiver/streams.h"

#define TICK_US (US_PER_SECOND / 2)
#define DRAIN_US (3 * US_PER_SECOND)

struct lane {
    struct shared *s;
    unsigned number;
    struct intake *in;
    struct loop *loop;
    struct streams *streams;
    struct listeners *listeners; /* of the first lane, else NULL */
    int signal_fd;               /* the same, else -1 */
    struct loop_source wake_source, signal_source;
    int64_t tick_mono_us; /* next */
};

/* Datagrams of all sources come to the first lane.  The multiplier spreads neighbouring addresses;
 * nothing is to be won by choosing one's lane. */
unsigned lane_of(const struct ip *source, uint8_t listener, unsigned lanes)
{
    uint64_t words[2], h;
    if (listener == LISTENER_UDP || lanes <= 1)
        return 0;
    memcpy(words, source->bytes, sizeof(words));
    h = (words[0] ^ source->family) * UINT64_C(0x9e3779b97f4a7c15);
    h ^= (h >> 32) ^ words[1];
    h = (h ^ (h >> 32)) * UINT64_C(0xd6e8feb86659fd93);
    h = (h ^ (h >> 32)) * UINT64_C(0x9e3779b97f4a7c15);
    return (unsigned)((h >> 32) % lanes);
}

/* ---- signals and wake-ups ---- */

static void signal_ready(void *context, uint32_t events)
{
    (void)events;
    struct lane *l = context;
    struct signalfd_siginfo info;
    while (read(l->signal_fd, &info, sizeof(info)) == sizeof(info)) {
        if (info.ssi_signo == SIGHUP) {
            log_line(LOG_INFO, "SIGHUP: settings that may change while running come from the "
                               "database by themselves; nothing to do");
            continue;
        }
        log_line(LOG_INFO, "stopping");
        atomic_store(&l->s->is_ending, true);
        shared_wake_lanes(l->s);
    }
}

static void wake_ready(void *context, uint32_t events)
{
    (void)events;
    struct lane *l = context;
    shared_clear(l->s->lanes[l->number].wake_fd); /* what to do is decided after the step */
    if (l->listeners)
        l->tick_mono_us = MIN(l->tick_mono_us, clock_mono_us());
}

static void take_tls(struct lane *l)
{
    struct tls_context *tls = shared_take_tls(l->s, l->number);
    if (tls)
        streams_set_tls(l->streams, tls);
}

/* The context first: a connection that came after it was made takes it. */
static void take_handovers(struct lane *l)
{
    int64_t now = clock_mono_us();
    take_tls(l);
    for (struct handover *h = shared_take_handovers(l->s, l->number), *next; h; h = next) {
        next = h->next;
        streams_take(l->streams, h->fd, &h->peer, h->listener, now);
        free(h);
    }
}

/* ---- what the listeners bring ---- */

static void accepted(void *context, int fd, const struct ip *peer, enum listener listener)
{
    struct lane *l = context;
    unsigned to = lane_of(peer, (uint8_t)listener, l->s->lanes_n);
    take_tls(l);
    if (to == l->number)
        streams_take(l->streams, fd, peer, listener, clock_mono_us());
    else
        shared_hand_over(l->s, to, fd, peer, listener);
}

static void turned_away(void *context, const struct ip *peer, int error)
{
    struct lane *l = context;
    streams_turned_away(l->streams, peer, error);
}

static void between(void *context)
{
    struct lane *l = context;
    if (l->listeners)
        listeners_between(l->listeners, clock_mono_us());
}

/* ---- life ---- */

static int open_signals(struct lane *l)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGTERM);
    sigaddset(&set, SIGINT);
    sigaddset(&set, SIGHUP);
    l->signal_fd = signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC);
    if (l->signal_fd < 0)
        return -errno;
    l->signal_source = (struct loop_source){l->signal_fd, signal_ready, l};
    return loop_add(l->loop, &l->signal_source);
}

int lane_new(struct shared *s, unsigned number, struct intake *in, struct lane **ret,
             struct err *err)
{
    struct lane *l = xcalloc(1, sizeof(*l));
    l->s = s;
    l->number = number;
    l->in = in;
    l->signal_fd = -1;
    l->wake_source = (struct loop_source){s->lanes[number].wake_fd, wake_ready, l};
    int rc = loop_new(&l->loop);
    if (rc == 0)
        rc = loop_add(l->loop, &l->wake_source);
    if (rc < 0)
        (void)err_set(err, -rc, "system", "cannot make the event loop: %s", strerror(-rc));
    struct streams_owner owner = {s, in, l->loop, between, l};
    if (rc == 0)
        rc = streams_new(&owner, &l->streams, err);
    if (rc < 0) {
        lane_free(&l);
        return rc;
    }
    *ret = l;
    return 0;
}

int lane_open(struct lane *l, const struct state *state, const struct config *file, struct err *err)
{
    struct listeners_owner owner = {l->s, l->in, l->loop, state, accepted, turned_away, l};
    int rc = open_signals(l);
    if (rc < 0)
        return err_set(err, -rc, "system", "cannot take signals: %s", strerror(-rc));
    return listeners_open(&owner, file, &l->listeners, err);
}

void lane_free(struct lane **pl)
{
    struct lane *l = *pl;
    if (!l)
        return;
    listeners_close(&l->listeners);
    streams_free(&l->streams);
    if (l->signal_fd >= 0)
        close(l->signal_fd);
    loop_free(&l->loop);
    free(l);
    *pl = NULL;
}

/* ---- running ---- */

static void publish(struct lane *l)
{
    struct lane_counts *c = intake_lane_counts(l->in);
    streams_counts(l->streams, &c->streams);
    if (l->listeners)
        listeners_counts(l->listeners, &c->datagrams);
    shared_publish(l->s, l->number, c);
}

/* Twice a second. */
static void tick(struct lane *l, int64_t now)
{
    l->tick_mono_us = now + TICK_US;
    if (l->listeners)
        listeners_tick(l->listeners, now);
    streams_tick(l->streams, now);
}

static int64_t step_timeout_us(struct lane *l, int64_t now)
{
    int64_t until = MIN(l->tick_mono_us, intake_due_mono_us(l->in));
    until = MIN(until, streams_due_mono_us(l->streams, now));
    if (l->listeners)
        until = MIN(until, listeners_due_mono_us(l->listeners, now));
    return MAX(until - now, INT64_C(0));
}

/* By a packer with an empty builder, or by the first lane. */
static void wait_until_woken(struct lane *l, int64_t until)
{
    int wake_fd = l->s->lanes[l->number].wake_fd;
    int64_t left_us = until - clock_mono_us();
    struct pollfd p = {.fd = wake_fd, .events = POLLIN};
    if (left_us > 0)
        (void)poll(&p, 1, (int)(left_us / 1000) + 1);
    shared_clear(wake_fd);
}

/* Read what had arrived when the stop came: the kernel has acknowledged it to TCP senders, and they
 * will not send it again. */
static void drain(struct lane *l)
{
    int64_t until = clock_mono_us() + DRAIN_US;
    if (l->listeners) {
        listeners_stop_accepting(l->listeners);
        atomic_store(&l->s->has_accepted_all, true);
        shared_wake_lanes(l->s);
    }
    for (bool has_more = true; has_more && clock_mono_us() < until;) {
        bool is_last = atomic_load(&l->s->has_accepted_all);
        take_handovers(l);
        has_more = l->listeners && listeners_read(l->listeners);
        if (intake_has_room(l->in)) {
            has_more |= streams_poll(l->streams, clock_mono_us()) > 0;
        } else if (!intake_must_refuse(l->in)) {
            wait_until_woken(l, until);
            has_more = true;
        }
        if (!is_last && !has_more)
            wait_until_woken(l, until);
        has_more |= !is_last;
    }
    streams_end(l->streams);
    if (l->listeners)
        listeners_tick(l->listeners, clock_mono_us());
    until = MAX(until, clock_mono_us() + US_PER_SECOND);
    while (!intake_end(l->in) && clock_mono_us() < until)
        wait_until_woken(l, until);
    publish(l);
}

void lane_run(struct lane *l)
{
    while (!atomic_load(&l->s->is_ending)) {
        int64_t now = clock_mono_us();
        streams_update(l->streams, now);
        if (l->listeners)
            listeners_update(l->listeners, now);
        int rc = loop_step(l->loop, step_timeout_us(l, now));
        if (rc < 0)
            log_line(LOG_ERROR, "cannot wait for events: %s", strerror(-rc));
        take_handovers(l);
        now = clock_mono_us();
        if (now >= l->tick_mono_us)
            tick(l, now);
        intake_tick(l->in, now);
        publish(l);
    }
    drain(l);
}
