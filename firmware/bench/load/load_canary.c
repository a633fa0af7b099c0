/* Canaries: marked messages on a connection of their own, at a steady rate, whose due times are
 * known, so that somebody who looks for them knows how long a message takes to be findable.  With
 * has_sequence they are a stream like the others, the one after the last connection's: their mark's
 * number counts those that were sent. */
#include "bench/load/load_inside.h"

static size_t make_canary(const struct load *l, const struct time_texts *now, int64_t number,
                          char *out, size_t out_n)
{
    const struct load_options *o = &l->o;
    bool is_dgram = o->transport == TARGET_UDP || o->transport == TARGET_UNIX_DGRAM;
    char text[200], count[16] = "";
    bool is_5424 = o->format == LOAD_RFC5424;
    int n = snprintf(text, sizeof(text), "%s%s canary bench%s canary=%016llx-%lld",
                     is_5424 ? "<38>1 " : "<38>", now->text[is_5424 ? FORM_ZONED : FORM_BSD],
                     is_5424 ? " - - -" : ":", (unsigned long long)o->run, (long long)number);
    if (o->has_sequence)
        n += snprintf(text + n, sizeof(text) - (size_t)n, " seq=%016llx-%lld-%lld",
                      (unsigned long long)o->run, (long long)o->connections,
                      (long long)atomic_load(&l->canary.sent));
    bool is_line = !is_dgram && o->framing == LOAD_LF;
    if (!is_dgram && !is_line)
        snprintf(count, sizeof(count), "%d ", n);
    return (size_t)snprintf(out, out_n, "%s%s%s", count, text, is_line ? "\n" : "");
}

/* 0, or negative errno; waits for the peer. */
static int send_canary(struct load *l, const char *text, size_t n)
{
    struct load_canary *k = &l->canary;
    struct payload_message m = {.at = 0, .n = (uint32_t)n};
    struct connection_taken taken;
    int r = connection_send(&k->connection, text, &m, 1, 0, &taken);
    while ((r == -EAGAIN || r == -ENOBUFS || r == -ECONNREFUSED) && taken.messages == 0 &&
           !atomic_load_explicit(&l->stop, memory_order_relaxed)) {
        sender_sleep_until(sender_clock_ns() + 1000000);
        r = connection_has_rest(&k->connection)
                ? connection_finish(&k->connection, &taken)
                : connection_send(&k->connection, text, &m, 1, 0, &taken);
    }
    if (taken.messages == 0)
        return r < 0 ? r : -ECANCELED;
    atomic_fetch_add(&k->sent, 1);
    atomic_fetch_add(&k->bytes, (int64_t)n);
    return 0;
}

static bool reopen(struct load *l, bool is_again)
{
    struct err err;
    uint32_t index = (uint32_t)(l->o.connections + l->o.idle_connections);
    return connection_open(&l->canary.connection, &l->all, index, is_again, &err) == 0;
}

static void run(struct load *l, int64_t start)
{
    struct load_canary *k = &l->canary;
    struct time_texts now = {0};
    int64_t end = l->schedule.end_ns == INT64_MAX ? INT64_MAX : start + l->schedule.end_ns;
    for (int64_t number = 0; number < k->max; number++) {
        char text[240];
        int64_t due = start + (int64_t)((__int128)number * NS_PER_SECOND / l->o.canary_rate);
        if (due >= end)
            return;
        for (int64_t t; (t = sender_clock_ns()) < due;) {
            if (atomic_load(&l->stop) || atomic_load(&l->ended_threads) == l->threads_n)
                return;
            sender_sleep_until(MIN(due, t + 100000000));
        }
        int64_t wall = clock_wall_us();
        now.offset_s = payload_zone(wall);
        time_texts_update(&now, wall);
        size_t n = make_canary(l, &now, number, text, sizeof(text));
        /* known before it can be found */
        k->due_ns[number] = due;
        atomic_store(&k->due_n, number + 1);
        bool is_open = k->connection.fd >= 0 || reopen(l, true);
        if (!is_open || send_canary(l, text, n) < 0) {
            k->due_ns[number] = -1;
            connection_abort(&k->connection);
        }
        if (atomic_load(&l->stop))
            return;
    }
}

void *load_canary_main(void *argument)
{
    struct load *l = argument;
    int64_t start;
    bool is_open = reopen(l, false);
    atomic_fetch_add(&l->ready_threads, 1);
    if (load_wait_start(l, &start) && (is_open || l->o.has_reconnect))
        run(l, start);
    struct connection_patience patience = {.until_mono_us = clock_mono_us() + 2 * US_PER_SECOND};
    connection_close(&l->canary.connection, &patience);
    return NULL;
}

int64_t load_canary_due_ns(const struct load *l, int64_t number)
{
    const struct load_canary *k = &l->canary;
    return number >= 0 && number < atomic_load(&k->due_n) ? k->due_ns[number] : -1;
}
