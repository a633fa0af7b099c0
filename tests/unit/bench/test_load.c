#include <criterion/criterion.h>
#include <netinet/in.h>
#include <pthread.h>
#include <sys/socket.h>
#include <unistd.h>

#include "bench/load/load_inside.h"
#include "bench/tally.h"

/* Takes what comes on the loopback by TCP and keeps it. */
struct peer {
    int listener;
    size_t connections, ended;
    pthread_t thread;
    struct buf texts[16];
};

static void *peer_main(void *argument)
{
    struct peer *p = argument;
    int fds[16];
    for (size_t i = 0; i < p->connections; i++)
        fds[i] = accept(p->listener, NULL, NULL);
    while (p->ended < p->connections) {
        for (size_t i = 0; i < p->connections; i++) {
            char bytes[65536];
            ssize_t n = fds[i] < 0 ? -1 : recv(fds[i], bytes, sizeof(bytes), MSG_DONTWAIT);
            if (n > 0)
                (void)!buf_add(&p->texts[i], bytes, (size_t)n);
            if (n == 0) {
                close(fds[i]);
                fds[i] = -1;
                p->ended++;
            }
        }
        usleep(200);
    }
    return NULL;
}

static void peer_start(struct peer *p, size_t connections, struct load_options *o)
{
    struct sockaddr_in a = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    memset(p, 0, sizeof(*p));
    p->connections = connections;
    for (size_t i = 0; i < connections; i++)
        p->texts[i] = BUF_INIT(64 << 20);
    p->listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    cr_assert_eq(bind(p->listener, (struct sockaddr *)&a, sizeof(a)), 0);
    cr_assert_eq(listen(p->listener, 16), 0);
    o->ports_len[0] = sizeof(o->ports[0]);
    getsockname(p->listener, (struct sockaddr *)&o->ports[0], &o->ports_len[0]);
    o->ports_n = 1;
    cr_assert_eq(pthread_create(&p->thread, NULL, peer_main, p), 0);
}

static void peer_end(struct peer *p)
{
    pthread_join(p->thread, NULL);
    close(p->listener);
}

static void peer_free(struct peer *p)
{
    for (size_t i = 0; i < p->connections; i++)
        buf_free(&p->texts[i]);
}

static void run(struct load *l)
{
    struct load_totals t;
    struct err err;
    cr_assert_eq(load_connect(l, &err), 0, "%s", err.message);
    load_start(l, clock_mono_us() + 1000);
    do {
        usleep(1000);
        load_read(l, &t);
        cr_assert_geq(t.scheduled, t.sent);
    } while (!t.is_done);
    load_stop(l);
}

Test(load, every_connection_sends_its_share_and_every_number_arrives_once)
{
    static const struct {
        int64_t connections, threads, number;
        double rate;
        int64_t canaries;
    } cases[] = {
        {1, 1, 1000, 0, 0},   {5, 2, 1003, 0, 0},    {7, 3, 2000, 20000, 0},
        {4, 4, 999, 5000, 0}, {3, 1, 600, 3000, 50},
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct load_options o = {.transport = TARGET_TCP,
                                 .layout = LOAD_MIX,
                                 .rate = cases[i].rate,
                                 .number = cases[i].number,
                                 .connections = cases[i].connections,
                                 .threads = cases[i].threads,
                                 .canary_rate = cases[i].canaries,
                                 .sources = 1,
                                 .seed = 5,
                                 .run = 77,
                                 .has_sequence = true};
        struct peer p;
        struct load *l;
        struct load_totals t;
        struct err err;
        size_t streams = (size_t)o.connections + (o.canary_rate > 0);
        peer_start(&p, streams, &o);
        cr_assert_eq(load_new(&o, &l, &err), 0, "%s", err.message);
        run(l);
        peer_end(&p);
        load_read(l, &t);
        cr_assert_eq(t.sent, o.number, "case %zu", i);
        cr_assert_eq(t.scheduled, o.number);
        cr_assert_eq(t.errors, 0);
        struct tally *tally = tally_new(77);
        struct tally_result r;
        for (uint32_t c = 0; c < o.connections; c++) {
            int64_t share = o.number / o.connections + (c < o.number % o.connections);
            cr_assert_eq(load_stream_sent(l, c), share, "case %zu, connection %u", i, c);
            cr_assert_eq(tally_expect(tally, c, share), 0);
        }
        if (o.canary_rate > 0)
            cr_assert_eq(tally_expect(tally, (uint32_t)o.connections, t.canaries), 0);
        for (size_t c = 0; c < streams; c++)
            tally_text(tally, buf_view(&p.texts[c]));
        tally_result(tally, &r);
        cr_assert_eq(r.found, o.number + t.canaries, "case %zu: %lld", i, (long long)r.found);
        cr_assert_eq(r.missing + r.duplicated + r.unexpected + r.reordered, 0);
        if (o.canary_rate > 0) {
            cr_assert_gt(t.canaries, 0);
            cr_assert_gt(load_canary_due_ns(l, 0), 0);
            cr_assert_eq(load_canary_due_ns(l, 1) - load_canary_due_ns(l, 0), NS_PER_SECOND / 50);
            cr_assert_eq(load_canary_due_ns(l, 1000000), -1);
        }
        tally_free(&tally);
        load_free(&l);
        peer_free(&p);
    }
}

Test(load, what_is_due_is_shared_out_without_gap_or_overlap)
{
    for (int64_t connections = 1; connections <= 12; connections++) {
        for (int64_t threads = 1; threads <= connections; threads++) {
            for (int64_t n = 0; n < 50; n++) {
                int64_t sum = 0;
                for (int64_t t = 0; t < threads; t++) {
                    int64_t by_hand = 0;
                    for (int64_t k = 0; k < n; k++)
                        by_hand += k % connections % threads == t;
                    cr_assert_eq(sender_share(n, connections, threads, t), by_hand,
                                 "%lld of %lld connections, %lld threads", (long long)n,
                                 (long long)connections, (long long)threads);
                    sum += by_hand;
                }
                cr_assert_eq(sum, n);
            }
        }
    }
}

Test(load, lateness_is_kept_to_a_sixteenth)
{
    for (int64_t ns = 0; ns < INT64_C(1) << 50; ns = ns * 9 / 8 + 1) {
        int64_t upper = sender_bucket_ns(sender_bucket(ns));
        cr_assert(upper >= ns && upper <= ns + ns / 16 + 1, "%lld: %lld", (long long)ns,
                  (long long)upper);
        cr_assert(sender_bucket(ns) == 0 || sender_bucket_ns(sender_bucket(ns) - 1) < ns);
    }
}

Test(load, options_out_of_range_are_named)
{
    static const struct {
        struct load_options o;
        const char *said;
    } cases[] = {
        {{.connections = 0, .ports_n = 1}, "connections 0 is out of 1..16384"},
        {{.connections = 16384, .idle_connections = 1, .ports_n = 1},
         "connections 16385 is out of 1..16384"},
        {{.connections = 1, .ports_n = 0}, "ports 0 is out of 1..8"},
        {{.connections = 1, .ports_n = 1, .rate = -1}, "rate -1 is out of 0..100000000"},
        {{.connections = 1, .ports_n = 1, .threads = 65}, "threads 65 is out of 0..64"},
        {{.connections = 2, .ports_n = 1, .sources = 3}, "3 sources need as many connections"},
        {{.connections = 1, .ports_n = 1, .size = 65001}, "size 65001 is out of 0..65000"},
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct load *l;
        struct err err;
        cr_assert_lt(load_new(&cases[i].o, &l, &err), 0);
        cr_assert_not_null(strstr(err.message, cases[i].said), "%s", err.message);
    }
}

Test(load, it_can_be_stopped_before_it_began)
{
    struct load_options o = {.transport = TARGET_TCP, .connections = 2, .sources = 1, .rate = 10};
    struct peer p;
    struct load *l;
    struct load_totals t;
    struct err err;
    peer_start(&p, 2, &o);
    cr_assert_eq(load_new(&o, &l, &err), 0);
    cr_assert_eq(load_connect(l, &err), 0);
    load_stop(l);
    load_read(l, &t);
    cr_assert_eq(t.sent, 0);
    cr_assert(t.is_done);
    load_free(&l);
    peer_end(&p);
    peer_free(&p);
}
