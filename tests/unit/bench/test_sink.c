#include <criterion/criterion.h>

#include <netinet/in.h>
#include <sched.h>
#include <sys/socket.h>
#include <unistd.h>

#include "bench/sink/sink_inside.h"

#define RUN "00000000000000ab"

static struct sink_options options_of(enum target_transport transport)
{
    struct sink_options o = {.threads = 1, .listeners_n = 1, .buffer_bytes = 1 << 20};
    o.listeners[0] =
        (struct sink_address){.transport = transport, .ip = {.family = 4, .bytes = {127, 0, 0, 1}}};
    return o;
}

static struct sink *new_sink(const struct sink_options *o)
{
    struct sink *s = NULL;
    struct err err;
    cr_assert_eq(sink_new(o, &s, &err), 0, "%s", err.message);
    return s;
}

static int64_t count_of(const struct sink *s, enum sink_count what)
{
    int64_t counts[SINK_COUNTS];
    sink_read(s, counts);
    return counts[what];
}

/* ---- framing: a connection read by hand, in pieces of our choice ---- */

struct line {
    struct sink *s;
    struct sink_connection *c;
    int fd;
};

static struct line line_begin(struct sink *s)
{
    struct line l = {.s = s, .c = xcalloc(1, sizeof(*l.c))};
    int pair[2];
    cr_assert_eq(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, pair), 0);
    l.fd = pair[0];
    l.c->source = (struct sink_source){.kind = SOURCE_CONNECTION, .fd = pair[1]};
    s->connections = l.c;
    s->connections_n = 1;
    return l;
}

static void line_send(struct line *l, const char *p, size_t n)
{
    if (!l->s->connections)
        return; /* it was closed */
    cr_assert_eq(send(l->fd, p, n, MSG_NOSIGNAL), (ssize_t)n);
    stream_read(&l->s->workers[0], l->c);
}

static void line_end(struct line *l)
{
    close(l->fd);
    if (l->s->connections)
        stream_read(&l->s->workers[0], l->c);
    cr_assert_null(l->s->connections);
}

struct framed {
    const char *what, *text;
    int64_t messages, bytes, bad, unfinished, found;
};

static const struct framed framed[] = {
    {"lines", "<1>a\n<2>bc\n", 2, 9, 0, 0, 0},
    {"empty lines are none", "\n\n<1>a\n\n\n<2>b\n\n", 2, 8, 0, 0, 0},
    {"the last line has no end", "<1>a\n<2>b", 1, 4, 0, 1, 0},
    {"counted", "4 <1>a5 <2>bc", 2, 9, 0, 0, 0},
    {"counted, zeros before, LF within", "000000005 <1>a\n06 <2>b\nc", 2, 11, 0, 0, 0},
    {"counted and cut", "4 <1>a5 <2>b", 1, 4, 0, 1, 0},
    {"no count", "4 <1>a<2>bc", 1, 4, 1, 0, 0},
    {"no blank", "4 <1>a5x<2>bc", 1, 4, 1, 0, 0},
    {"a count of nothing", "4 <1>a0 4 <2>b", 1, 4, 1, 0, 0},
    {"a count of too many digits", "4 <1>a00000000004 <2>b", 1, 4, 1, 0, 0},
    {"a count too large", "4 <1>a16777217 x", 1, 4, 1, 0, 0},
    {"marks in lines", "<1>seq=" RUN "-0-1\n<1>seq=" RUN "-0-2\n", 2, 54, 0, 0, 2},
    {"a mark before digits of a count", "27 <1>seq=" RUN "-0-127 <1>seq=" RUN "-0-2", 2, 54, 0, 0,
     2},
};

static void check_framed(const struct framed *f, const struct sink *s, size_t split)
{
    cr_assert_eq(count_of(s, SINK_MESSAGES), f->messages, "%s, split at %zu: %lld messages",
                 f->what, split, (long long)count_of(s, SINK_MESSAGES));
    cr_assert_eq(count_of(s, SINK_BYTES), f->bytes, "%s, split at %zu", f->what, split);
    cr_assert_eq(count_of(s, SINK_BAD_FRAMES), f->bad, "%s, split at %zu", f->what, split);
    cr_assert_eq(count_of(s, SINK_UNFINISHED), f->unfinished, "%s, split at %zu", f->what, split);
    cr_assert_eq(count_of(s, SINK_FOUND), f->found, "%s, split at %zu", f->what, split);
}

Test(sink, a_stream_is_cut_into_the_same_messages_wherever_it_is_split)
{
    struct sink_options o = options_of(TARGET_TCP);
    for (size_t i = 0; i < ARRAY_LEN(framed); i++) {
        size_t n = strlen(framed[i].text);
        for (size_t split = 0; split <= n + 1; split++) { /* n + 1: a byte at a time */
            struct sink *s = new_sink(&o);
            struct line l = line_begin(s);
            if (split <= n) {
                line_send(&l, framed[i].text, split);
                line_send(&l, framed[i].text + split, n - split);
            }
            for (size_t k = 0; split > n && k < n; k++)
                line_send(&l, framed[i].text + k, 1);
            line_end(&l);
            check_framed(&framed[i], s, split);
            sink_free(&s);
        }
    }
}

static void send_much(struct line *l, size_t n)
{
    static char much[4096];
    memset(much, 'x', sizeof(much));
    for (; n > 0; n -= MIN(n, sizeof(much)))
        line_send(l, much, MIN(n, sizeof(much)));
}

Test(sink, what_is_too_long_is_passed_over_and_counted_and_what_follows_is_taken)
{
    struct sink_options o = options_of(TARGET_TCP);
    for (int counted = 0; counted < 2; counted++)
        for (size_t over = 0; over < 300000; over += 299999) {
            struct sink *s = new_sink(&o);
            struct line l = line_begin(s);
            char head[32];
            size_t n = SINK_MESSAGE_MAX_BYTES + over;
            int head_n = snprintf(head, sizeof(head), "%zu ", n);
            if (counted)
                line_send(&l, head, (size_t)head_n);
            send_much(&l, n);
            if (counted)
                line_send(&l, "4 <1>a", 6);
            else
                line_send(&l, "\n<1>a\n", 6);
            line_end(&l);
            cr_assert_eq(count_of(s, SINK_OVERSIZE), over > 0);
            cr_assert_eq(count_of(s, SINK_MESSAGES), over > 0 ? 1 : 2);
            cr_assert_eq(count_of(s, SINK_UNFINISHED), 0);
            sink_free(&s);
        }
}

/* ---- faults: messages given by hand, what is stored read back ---- */

static void check_faults(const struct sink_faults *f, int n, const char *expected,
                         const char *expected_log)
{
    char store[] = "/tmp/azk-sink-XXXXXX", log[] = "/tmp/azk-sink-XXXXXX", text[4096] = "";
    int store_fd = mkstemp(store), log_fd = mkstemp(log);
    struct sink_options o = options_of(TARGET_TCP);
    o.faults = *f;
    o.store = store;
    o.fault_log = log;
    struct sink *s = new_sink(&o);
    for (int i = 1; i <= n; i++) {
        char message[64];
        int length = snprintf(message, sizeof(message), "%d.......", i);
        worker_take(&s->workers[0], view_of(message, (size_t)length));
    }
    outlet_release(&s->workers[0]);
    outlet_flush(&s->workers[0]);
    cr_assert_geq(read(store_fd, text, sizeof(text) - 1), 0);
    for (char *p = text; *p; p++)
        *p = *p == '\n' ? ' ' : *p;
    cr_assert_str_eq(text, expected);
    ssize_t log_n = read(log_fd, text, sizeof(text) - 1);
    cr_assert_geq(log_n, 0);
    text[log_n] = '\0';
    cr_assert_str_eq(text, expected_log);
    close(store_fd);
    close(log_fd);
    unlink(store);
    unlink(log);
    sink_free(&s);
}

Test(sink, faults_strike_exactly_where_they_should)
{
#define M(n) #n "....... "
    check_faults(&(struct sink_faults){0}, 3, M(1) M(2) M(3), "");
    check_faults(&(struct sink_faults){.drop_every = 2}, 5, M(1) M(3) M(5), "drop -\ndrop -\n");
    check_faults(&(struct sink_faults){.duplicate_every = 2}, 4, M(1) M(2) M(2) M(3) M(4) M(4),
                 "duplicate -\nduplicate -\n");
    check_faults(&(struct sink_faults){.truncate_every = 3}, 4, M(1) M(2) "3... " M(4),
                 "truncate -\n");
    check_faults(&(struct sink_faults){.reorder_every = 2}, 5, M(1) M(3) M(2) M(5) M(4),
                 "reorder -\nreorder -\n");
    /* the last one is not kept for ever */
    check_faults(&(struct sink_faults){.reorder_every = 2}, 2, M(1) M(2), "reorder -\n");
    /* what is dropped is not counted by what follows: the fourth that is kept is the fifth */
    check_faults(&(struct sink_faults){.drop_every = 3, .duplicate_every = 4}, 6,
                 M(1) M(2) M(4) M(5) M(5), "drop -\nduplicate -\ndrop -\n");
    /* twice, and one of both behind the next */
    check_faults(&(struct sink_faults){.reorder_every = 2, .duplicate_every = 2}, 3,
                 M(1) M(2) M(3) M(2), "duplicate -\nreorder -\n");
}

/* ---- the whole, over loopback ---- */

static int client(const struct sink *s, int type)
{
    struct sockaddr_in to = {.sin_family = AF_INET,
                             .sin_port = htons(s->listeners[0].address.port),
                             .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int fd = socket(AF_INET, type, 0);
    cr_assert_eq(connect(fd, (struct sockaddr *)&to, sizeof(to)), 0);
    return fd;
}

static void send_marked(int fd, int stream, int from, int to)
{
    for (int i = from; i < to; i++) {
        char text[64];
        int n = snprintf(text, sizeof(text), "<13>x seq=" RUN "-%d-%d\n", stream, i);
        cr_assert_eq(send(fd, text, (size_t)n, 0), n);
    }
}

static double number_at(cJSON *report, const char *name)
{
    return cJSON_GetNumberValue(cJSON_GetObjectItem(report, name));
}

static cJSON *received_of_run(cJSON *report)
{
    cJSON *run = cJSON_GetArrayItem(cJSON_GetObjectItem(report, "runs"), 0);
    cr_assert_str_eq(cJSON_GetStringValue(cJSON_GetObjectItem(run, "run")), RUN);
    return cJSON_GetObjectItem(run, "received");
}

Test(sink, what_the_kernel_holds_when_it_is_stopped_is_taken)
{
    for (int i = 0; i < 3; i++) {
        struct sink_options o = options_of(i ? TARGET_TCP : TARGET_UDP);
        o.threads = 1 + i;
        struct sink *s = new_sink(&o);
        int fd = client(s, i ? SOCK_STREAM : SOCK_DGRAM);
        send_marked(fd, 3, 0, 500);
        send_marked(fd, 3, 501, 700);
        sink_start(s);
        sink_stop(s);
        cJSON *report = sink_report(s, "ended"), *run = received_of_run(report);
        cr_assert_eq(number_at(report, "messages"), 699);
        cr_assert_eq(number_at(run, "found"), 699);
        cr_assert_eq(number_at(run, "missing"), 1);
        cJSON *gap = cJSON_GetArrayItem(cJSON_GetObjectItem(run, "missing_ranges"), 0);
        cr_assert_eq(number_at(gap, "from"), 500);
        cr_assert_eq(number_at(gap, "to"), 500);
        cJSON_Delete(report);
        close(fd);
        sink_free(&s);
    }
}

Test(sink, datagrams_the_kernel_had_no_room_for_are_known_to_the_last)
{
    struct sink_options o = options_of(TARGET_UDP);
    o.buffer_bytes = 10000;
    struct sink *s = new_sink(&o);
    int fd = client(s, SOCK_DGRAM);
    send_marked(fd, 0, 0, 3000);
    int64_t dropped = sink_kernel_dropped(s);
    cr_assert_gt(dropped, 0);
    sink_start(s);
    while (count_of(s, SINK_MESSAGES) + dropped < 3000)
        sched_yield();
    send_marked(fd, 0, 3000, 3001); /* so that the gap ends below a number that was found */
    while (count_of(s, SINK_MESSAGES) + dropped < 3001)
        sched_yield();
    sink_stop(s);
    cJSON *report = sink_report(s, "ended");
    cr_assert_eq(number_at(received_of_run(report), "missing"), (double)dropped);
    cr_assert_eq(number_at(report, "gaps"), (double)dropped);
    cr_assert_eq(number_at(report, "kernel_dropped"), (double)dropped);
    cJSON_Delete(report);
    close(fd);
    sink_free(&s);
}

Test(sink, connections_of_one_stream_on_several_threads_are_one_in_the_result)
{
    struct sink_options o = options_of(TARGET_TCP);
    o.threads = 3;
    struct sink *s = new_sink(&o);
    sink_start(s);
    for (int i = 0; i < 6; i++) {
        int fd = client(s, SOCK_STREAM);
        send_marked(fd, 0, i * 100, i * 100 + 100);
        close(fd);
    }
    while (count_of(s, SINK_MESSAGES) < 600)
        sched_yield();
    sink_stop(s);
    cJSON *report = sink_report(s, "ended"), *run = received_of_run(report);
    cr_assert_eq(number_at(run, "found"), 600);
    cr_assert_eq(number_at(run, "missing"), 0);
    cr_assert_eq(number_at(run, "streams"), 1);
    cr_assert_eq(number_at(report, "connections"), 6);
    cJSON_Delete(report);
    sink_free(&s);
}

Test(sink, a_message_that_waits_for_the_next_one_goes_alone_when_none_comes)
{
    struct sink_options o = options_of(TARGET_TCP);
    o.faults.reorder_every = 1;
    struct sink *s = new_sink(&o);
    sink_start(s);
    int fd = client(s, SOCK_STREAM);
    send_marked(fd, 0, 0, 1);
    while (count_of(s, SINK_STORED) < 1)
        usleep(1000);
    cr_assert_eq(count_of(s, SINK_REORDERED), 1);
    close(fd);
    sink_free(&s);
}

Test(sink, what_cannot_begin_is_named)
{
    struct sink *s = NULL, *first;
    struct err err;
    struct sink_options o = options_of(TARGET_UDP);
    first = new_sink(&o);
    o.listeners[0].port = first->listeners[0].address.port;
    cr_assert_eq(sink_new(&o, &s, &err), -EADDRINUSE);
    cr_assert_not_null(strstr(err.message, sink_name(first, 0)), "%s", err.message);
    sink_free(&first);

    o = options_of(TARGET_UNIX_STREAM);
    snprintf(o.listeners[0].path, SINK_PATH_MAX, "/nowhere/at/all");
    cr_assert_eq(sink_new(&o, &s, &err), -ENOENT);
    cr_assert_not_null(strstr(err.message, "/nowhere/at/all"), "%s", err.message);

    o = options_of(TARGET_TCP);
    o.store = "/nowhere/store";
    cr_assert_eq(sink_new(&o, &s, &err), -ENOENT);
    cr_assert_not_null(strstr(err.message, "/nowhere/store"), "%s", err.message);

    o = options_of(TARGET_TLS);
    o.certificate = o.key = "/nowhere/certificate";
    cr_assert_eq(sink_new(&o, &s, &err), -EINVAL);
    cr_assert_not_null(strstr(err.message, "/nowhere/certificate"), "%s", err.message);
    cr_assert_null(s);
}
