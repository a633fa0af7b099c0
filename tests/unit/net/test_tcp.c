/* TCP connections over loopback: partial reads at every split, large messages, limits, ends. */
#include <criterion/criterion.h>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/clock.h"
#include "net/socket.h"
#include "net/tcp.h"

/* The handler of these tests takes lines, and writes them down. */
struct log {
    struct tcp *tcp;
    int listener, port;
    struct buf lines;
    int ends[TCP_END_COUNT], refused, refused_error, refused_why, quiet, reads_left, opened, failed;
    enum tls_failure failure;
    char detail[400];
    struct buf rests;
};

static size_t take_lines(void *context, struct tcp_connection *c, struct view in)
{
    struct log *log = context;
    size_t used = 0;
    ++*(uint64_t *)tcp_state(c);
    for (const char *lf; (lf = memchr(in.p + used, '\n', in.n - used)) != NULL;) {
        (void)buf_add(&log->lines, in.p + used, (size_t)(lf + 1 - in.p) - used);
        used = (size_t)(lf + 1 - in.p);
    }
    return used;
}

static size_t take_quiet(void *context, struct tcp_connection *c, struct view in)
{
    (void)c;
    struct log *log = context;
    log->quiet++;
    (void)buf_add(&log->lines, in.p, in.n);
    return in.n;
}

static void note_end(void *context, struct tcp_connection *c, struct view rest, enum tcp_end end,
                     int error)
{
    (void)c;
    (void)error;
    struct log *log = context;
    log->ends[end]++;
    (void)buf_add_view(&log->rests, rest);
}

static void note_open(void *context, struct tcp_connection *c)
{
    (void)c;
    ((struct log *)context)->opened++;
}

static void note_failed(void *context, struct tcp_connection *c)
{
    struct log *log = context;
    log->failed++;
    log->failure = tls_failure(tcp_tls(c));
    (void)snprintf(log->detail, sizeof(log->detail), "%s", tls_detail(tcp_tls(c)));
}

static void note_refused(void *context, const struct ip *peer, enum tcp_refusal why, int error)
{
    struct log *log = context;
    log->refused_why = (int)why;
    cr_expect_eq(peer->family, 4);
    log->refused++;
    log->refused_error = error;
}

static bool count_reads(void *context)
{
    struct log *log = context;
    return --log->reads_left > 0;
}

static void open_log(struct log *log, int max_connections, size_t hold_bytes)
{
    memset(log, 0, sizeof(*log));
    log->lines = BUF_INIT(16 << 20);
    log->rests = BUF_INIT(16 << 20);
    log->reads_left = 1 << 30;
    struct tcp_options o = {{max_connections, max_connections, 4}, NULL, hold_bytes, 0};
    struct tcp_handler h = {log,      note_open,   take_lines,   take_quiet,
                            note_end, note_failed, note_refused, count_reads};
    cr_assert_eq(tcp_new(&o, &h, &log->tcp), 0);
    struct ip ip;
    cr_assert_eq(ip_parse(VIEW("127.0.0.1"), &ip), 0);
    log->listener = socket_bound(&ip, 0, SOCK_STREAM);
    cr_assert_geq(log->listener, 0);
    cr_assert_eq(listen(log->listener, 128), 0);
    log->port = socket_port(log->listener);
}

static void close_log(struct log *log)
{
    tcp_free(&log->tcp);
    close(log->listener);
    buf_free(&log->lines);
    buf_free(&log->rests);
}

static int dial(const struct log *log)
{
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    struct sockaddr_in in = {.sin_family = AF_INET, .sin_port = htons((uint16_t)log->port)};
    in.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    cr_assert_eq(connect(fd, (struct sockaddr *)&in, sizeof(in)), 0);
    return fd;
}

static int dial_from(const struct log *log, const char *address)
{
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    struct sockaddr_in from = {.sin_family = AF_INET};
    struct sockaddr_in in = {.sin_family = AF_INET, .sin_port = htons((uint16_t)log->port)};
    in.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    cr_assert_eq(inet_pton(AF_INET, address, &from.sin_addr), 1);
    cr_assert_eq(bind(fd, (struct sockaddr *)&from, sizeof(from)), 0);
    cr_assert_eq(connect(fd, (struct sockaddr *)&in, sizeof(in)), 0);
    return fd;
}

static void accept_with(struct log *log, struct tls_context *tls, int64_t now)
{
    struct pollfd p = {.fd = log->listener, .events = POLLIN};
    cr_assert_eq(poll(&p, 1, 10000), 1);
    struct sockaddr_in6 sa = {0};
    socklen_t n = sizeof(sa);
    for (int fd; (fd = accept4(log->listener, (struct sockaddr *)&sa, &n, SOCK_NONBLOCK)) >= 0;) {
        struct ip peer = ip_from_sockaddr((struct sockaddr *)&sa);
        tcp_take(log->tcp, fd, &peer, tls, now);
    }
}

static void accept_all(struct log *log, int64_t now)
{
    accept_with(log, NULL, now);
}

/* Read until nothing is ready; waits for the first. */
static void read_all(struct log *log)
{
    struct pollfd p = {.fd = tcp_fd(log->tcp), .events = POLLIN};
    cr_assert_eq(poll(&p, 1, 10000), 1, "nothing came");
    while (tcp_poll(log->tcp, 1) > 0)
        ;
}

/* The same, at a time. */
static void read_at(struct log *log, int64_t now)
{
    struct pollfd p = {.fd = tcp_fd(log->tcp), .events = POLLIN};
    cr_assert_eq(poll(&p, 1, 10000), 1, "nothing came");
    cr_assert_geq(tcp_poll(log->tcp, now), 1);
}

static void send_all(int fd, const char *p, size_t n)
{
    cr_assert_eq(send(fd, p, n, MSG_NOSIGNAL), (ssize_t)n);
}

static void expect_lines(struct log *log, const char *want)
{
    cr_expect_str_eq(buf_str(&log->lines), want);
}

Test(tcp, a_stream_split_anywhere_gives_the_same_bytes)
{
    static const char text[] = "first\nsecond line\n\nlast\n";
    struct log log;
    open_log(&log, 64, 1024);
    for (size_t split = 1; split < sizeof(text) - 1; split++) {
        buf_clear(&log.lines);
        int fd = dial(&log);
        accept_all(&log, 0);
        send_all(fd, text, split);
        read_all(&log);
        send_all(fd, text + split, sizeof(text) - 1 - split);
        read_all(&log);
        expect_lines(&log, text);
        cr_expect_eq(tcp_held_bytes(log.tcp), 0, "nothing unused, nothing held: split %zu", split);
        close(fd);
        read_all(&log);
    }
    cr_expect_eq(tcp_connections(log.tcp), 0);
    cr_expect_eq(log.ends[TCP_END_CLOSED], (int)sizeof(text) - 2);
    close_log(&log);
}

Test(tcp, a_message_larger_than_a_read_is_put_together_and_its_memory_given_back)
{
    enum { BIG = 300000 };
    static char big[BIG];
    struct log log;
    open_log(&log, 4, BIG);
    memset(big, 'x', sizeof(big));
    big[BIG - 1] = '\n';
    int fd = dial(&log);
    accept_all(&log, 0);
    for (size_t at = 0; at < BIG; at += 7000) {
        send_all(fd, big + at, MIN((size_t)7000, BIG - at));
        read_all(&log);
    }
    cr_expect(view_eq(buf_view(&log.lines), view_of(big, BIG)));
    cr_expect_eq(tcp_held_bytes(log.tcp), 0);
    send_all(fd, "small", 5);
    read_all(&log);
    cr_expect_leq(tcp_held_bytes(log.tcp), 256, "a few bytes cost little again");
    close(fd);
    close_log(&log);
}

Test(tcp, idle_connections_hold_no_memory)
{
    enum { N = 200 };
    struct log log;
    int fds[N];
    open_log(&log, N, 65536 + 16);
    for (int i = 0; i < N; i++) {
        fds[i] = dial(&log);
        accept_all(&log, 0);
        send_all(fds[i], "hello\n", 6);
        read_all(&log);
    }
    cr_expect_eq(tcp_connections(log.tcp), N);
    cr_expect_eq(tcp_held_bytes(log.tcp), 0);
    for (int i = 0; i < N; i++)
        close(fds[i]);
    close_log(&log);
}

Test(tcp, the_rest_is_handed_out_when_the_peer_closes)
{
    struct log log;
    open_log(&log, 4, 1024);
    int fd = dial(&log);
    accept_all(&log, 0);
    send_all(fd, "whole\nwithout end", 17);
    close(fd);
    read_all(&log);
    expect_lines(&log, "whole\n");
    cr_expect_str_eq(buf_str(&log.rests), "without end");
    cr_expect_eq(log.ends[TCP_END_CLOSED], 1);
    close_log(&log);
}

Test(tcp, a_reset_is_an_end_with_its_error)
{
    struct log log;
    open_log(&log, 4, 1024);
    int fd = dial(&log);
    accept_all(&log, 0);
    struct linger now = {1, 0};
    cr_assert_eq(setsockopt(fd, SOL_SOCKET, SO_LINGER, &now, sizeof(now)), 0);
    close(fd);
    read_all(&log);
    cr_expect_eq(log.ends[TCP_END_ERROR], 1);
    close_log(&log);
}

Test(tcp, more_connections_than_allowed_are_turned_away_and_room_comes_back)
{
    struct log log;
    open_log(&log, 2, 1024);
    int fds[3];
    for (int i = 0; i < 3; i++)
        fds[i] = dial(&log);
    accept_all(&log, 0);
    cr_expect_eq(tcp_connections(log.tcp), 2);
    cr_expect_eq(log.refused, 1);
    cr_expect_eq(log.refused_error, 0);
    char b;
    cr_expect_eq(recv(fds[2], &b, 1, 0), 0, "the third is closed");
    close(fds[0]);
    read_all(&log);
    int again = dial(&log);
    accept_all(&log, 0);
    cr_expect_eq(tcp_connections(log.tcp), 2);
    close(fds[1]);
    close(fds[2]);
    close(again);
    close_log(&log);
}

Test(tcp, one_source_may_have_only_so_many_connections)
{
    struct log log;
    open_log(&log, 8, 1024);
    struct tcp_limits limits = {8, 2, 4};
    tcp_set_limits(log.tcp, &limits);
    int fds[3];
    for (int i = 0; i < 3; i++)
        fds[i] = dial(&log);
    accept_all(&log, 0);
    cr_expect_eq(tcp_connections(log.tcp), 2);
    cr_expect_eq(log.refused, 1);
    cr_expect_eq(log.refused_why, TCP_REFUSED_SOURCE);
    int other = dial_from(&log, "127.0.0.9");
    accept_all(&log, 0);
    cr_expect_eq(tcp_connections(log.tcp), 3, "another source has room");
    close(fds[0]);
    read_all(&log);
    int again = dial(&log);
    accept_all(&log, 0);
    cr_expect_eq(tcp_connections(log.tcp), 3, "room comes back");
    for (int i = 1; i < 3; i++)
        close(fds[i]);
    close(other);
    close(again);
    close_log(&log);
}

Test(tcp, senders_of_one_message_a_connection_are_read_before_one_is_turned_away)
{
    struct log log;
    open_log(&log, 3, 1024);
    for (int i = 0; i < 20; i++) { /* the backlog of a moment */
        int fd = dial(&log);
        send_all(fd, "one\n", 4);
        close(fd);
    }
    accept_all(&log, 0);
    read_all(&log);
    cr_expect_eq(log.refused, 0);
    cr_expect_eq(log.lines.n, 20 * 4);
    close_log(&log);
}

Test(tcp, threads_share_one_limit)
{
    struct log a, b;
    atomic_uint open_in_all = 0;
    open_log(&a, 2, 1024);
    open_log(&b, 2, 1024);
    tcp_free(&a.tcp);
    tcp_free(&b.tcp);
    struct tcp_options o = {{2, 2, 1}, &open_in_all, 1024, 0};
    struct tcp_handler h = {NULL,     note_open,   take_lines,   take_quiet,
                            note_end, note_failed, note_refused, count_reads};
    h.context = &a;
    cr_assert_eq(tcp_new(&o, &h, &a.tcp), 0);
    h.context = &b;
    cr_assert_eq(tcp_new(&o, &h, &b.tcp), 0);
    int fds[4] = {dial(&a), dial(&b), dial(&a), -1};
    accept_all(&b, 0);
    accept_all(&a, 0);
    cr_expect_eq(tcp_connections(a.tcp) + tcp_connections(b.tcp), 2);
    cr_expect_eq(a.refused, 1);
    cr_expect_eq(a.refused_why, TCP_REFUSED_LIMIT);
    close(fds[1]);
    read_all(&b);
    fds[3] = dial(&a);
    accept_all(&a, 0);
    cr_expect_eq(a.refused, 1, "what one has given back the other may take");
    tcp_close_all(a.tcp);
    cr_expect_eq(atomic_load(&open_in_all), 0);
    close(fds[0]);
    close(fds[2]);
    close(fds[3]);
    close_log(&a);
    close_log(&b);
}

Test(tcp, a_message_begun_and_not_finished_ends_its_connection_however_often_a_byte_comes)
{
    struct log log;
    open_log(&log, 4, 1024);
    int slow = dial(&log);
    accept_all(&log, 0);
    int good = dial(&log);
    accept_all(&log, 0);
    send_all(slow, "be", 2);
    read_at(&log, 10);
    send_all(slow, "gu", 2);
    read_at(&log, 20);
    send_all(good, "whole\nbe", 8);
    read_at(&log, 20);
    send_all(good, "gun\nnext", 8);
    read_at(&log, 30);
    tcp_close_unfinished(log.tcp, 10, 30);
    cr_expect_eq(log.ends[TCP_END_SLOW], 0, "not begun before");
    tcp_close_unfinished(log.tcp, 30, 30);
    cr_expect_eq(log.ends[TCP_END_SLOW], 1);
    cr_expect_str_eq(buf_str(&log.rests), "begu");
    cr_expect_eq(tcp_connections(log.tcp), 1, "the other one's message began at 30");
    close(slow);
    close(good);
    close_log(&log);
}

Test(tcp, connections_that_trickle_rest_and_the_first_bytes_after_a_silence_do_not)
{
    struct log log;
    open_log(&log, 4, 1024);
    int fd = dial(&log);
    accept_all(&log, 0);
    send_all(fd, "a\n", 2);
    read_at(&log, 1000000);
    cr_expect_leq(tcp_rested_mono_us(log.tcp), 1000000, "the first after a silence");
    send_all(fd, "b\n", 2);
    read_at(&log, 1000500);
    cr_expect_gt(tcp_rested_mono_us(log.tcp), 1000500, "it trickles");
    cr_expect_leq(tcp_rested_mono_us(log.tcp), 1005500);
    close(fd);
    close_log(&log);
}

Test(tcp, a_socket_that_has_more_than_was_asked_for_does_not_rest)
{
    static char much[60000];
    struct log log;
    open_log(&log, 4, 65536);
    int fd = dial(&log);
    accept_all(&log, 0);
    memset(much, 'x', 6000);
    send_all(fd, much, 6000); /* of a large message: it has a buffer of its own from here on */
    read_at(&log, 1000000);
    memset(much, '\n', sizeof(much));
    send_all(fd, much, sizeof(much));
    read_at(&log, 1000500);
    cr_expect_leq(tcp_rested_mono_us(log.tcp), 1000500, "the most of it still waits");
    close(fd);
    close_log(&log);
}

Test(tcp, a_connection_that_fills_its_window_does_not_rest)
{
    static char much[60000];
    struct log log;
    open_log(&log, 4, 65536);
    int fd = dial(&log);
    accept_all(&log, 0);
    memset(much, '\n', sizeof(much));
    int64_t now = 1000000;
    for (int i = 0; i < 60; i++, now += 500) {
        send_all(fd, much, sizeof(much)); /* 120 MB/s */
        read_at(&log, now);
    }
    cr_expect_leq(tcp_rested_mono_us(log.tcp), now - 15000, "not since its rate is known");
    close(fd);
    close_log(&log);
}

Test(tcp, silent_connections_end_and_those_that_sent_stay)
{
    struct log log;
    open_log(&log, 4, 1024);
    int silent = dial(&log);
    accept_all(&log, 0);
    int lively = dial(&log);
    accept_all(&log, 0);
    send_all(lively, "x\n", 2);
    read_all(&log); /* at time 1 */
    cr_expect_eq(tcp_oldest_mono_us(log.tcp), 0);
    tcp_close_idle(log.tcp, 1, 1);
    cr_expect_eq(log.ends[TCP_END_IDLE], 1);
    cr_expect_eq(tcp_connections(log.tcp), 1);
    cr_expect_eq(tcp_oldest_mono_us(log.tcp), 1);
    close(silent);
    close(lively);
    close_log(&log);
}

Test(tcp, who_speaks_at_the_last_moment_is_neither_idle_nor_slow_nor_quiet)
{
    struct log log;
    open_log(&log, 4, 1024);
    int idle = dial(&log);
    accept_all(&log, 0);
    int slow = dial(&log);
    accept_all(&log, 0);
    send_all(slow, "be", 2);
    read_at(&log, 10);
    /* in the sockets, and not read yet */
    send_all(idle, "here\n", 5);
    tcp_close_idle(log.tcp, 5, 100);
    cr_expect_eq(log.ends[TCP_END_IDLE], 0);
    expect_lines(&log, "here\n");
    send_all(slow, "gun\nnext", 8);
    tcp_close_unfinished(log.tcp, 50, 100);
    cr_expect_eq(log.ends[TCP_END_SLOW], 0);
    expect_lines(&log, "here\nbegun\n");
    send_all(slow, " one\n", 5);
    tcp_quiet(log.tcp, 101, 110);
    cr_expect_eq(log.quiet, 0);
    expect_lines(&log, "here\nbegun\nnext one\n");
    tcp_close_idle(log.tcp, 150, 200);
    cr_expect_eq(log.ends[TCP_END_IDLE], 2, "silent since");
    close(idle);
    close(slow);
    close_log(&log);
}

Test(tcp, nobody_is_ended_while_the_owner_has_no_room_for_what_that_brings)
{
    struct log log;
    open_log(&log, 4, 1024);
    int fd = dial(&log);
    accept_all(&log, 0);
    send_all(fd, "begun", 5);
    read_at(&log, 10);
    log.reads_left = 0;
    tcp_close_unfinished(log.tcp, 50, 50);
    tcp_close_idle(log.tcp, 50, 50);
    cr_expect_eq(tcp_connections(log.tcp), 1);
    log.reads_left = 1 << 30;
    tcp_close_unfinished(log.tcp, 50, 50);
    cr_expect_eq(log.ends[TCP_END_SLOW], 1);
    cr_expect_str_eq(buf_str(&log.rests), "begun");
    close(fd);
    close_log(&log);
}

Test(tcp, unfinished_messages_together_take_so_much_memory_and_the_oldest_large_one_goes)
{
    enum { LARGE = 20000, N = 8 };
    static char text[LARGE];
    struct log log;
    int fds[N];
    open_log(&log, N + 2, 65536);
    struct tcp_options o = {{N + 2, N + 2, 4}, NULL, 65536, 100000};
    struct tcp_handler h = {&log,     note_open,   take_lines,   take_quiet,
                            note_end, note_failed, note_refused, count_reads};
    tcp_free(&log.tcp);
    cr_assert_eq(tcp_new(&o, &h, &log.tcp), 0);
    memset(text, 'x', sizeof(text));
    int small = dial(&log);
    accept_all(&log, 0);
    send_all(small, "a small one", 11);
    read_at(&log, 1);
    for (int i = 0; i < N; i++) {
        text[0] = (char)('a' + i);
        fds[i] = dial(&log);
        accept_all(&log, 0);
        send_all(fds[i], text, sizeof(text));
        read_all(&log);
        cr_expect_leq(tcp_held_bytes(log.tcp), 100000);
    }
    cr_expect_gt(log.ends[TCP_END_MEMORY], 0);
    cr_expect_eq(tcp_connections(log.tcp), 1 + N - log.ends[TCP_END_MEMORY]);
    cr_expect_eq(log.rests.n, (size_t)log.ends[TCP_END_MEMORY] * LARGE, "handed out as it came");
    cr_expect_eq(log.rests.p[0], 'a', "the first to grow");
    send_all(small, "\n", 1);
    send_all(fds[N - 1], "\n", 1);
    read_all(&log);
    cr_expect_eq(log.lines.n, sizeof("a small one\n") - 1 + LARGE + 1, "the others go on");
    for (int i = 0; i < N; i++)
        close(fds[i]);
    close(small);
    close_log(&log);
}

Test(tcp, an_unfinished_message_is_called_quiet_once)
{
    struct log log;
    open_log(&log, 4, 1024);
    int fd = dial(&log);
    accept_all(&log, 0);
    send_all(fd, "line\ncounted", 12);
    read_all(&log); /* at time 1 */
    tcp_quiet(log.tcp, 1, 3);
    cr_expect_eq(log.quiet, 0, "not silent long enough");
    tcp_quiet(log.tcp, 2, 3);
    tcp_quiet(log.tcp, 3, 3);
    cr_expect_eq(log.quiet, 1);
    expect_lines(&log, "line\ncounted");
    cr_expect_eq(tcp_held_bytes(log.tcp), 0);
    close(fd);
    close_log(&log);
}

Test(tcp, a_poll_ends_early_when_the_owner_says_so_and_nothing_is_lost)
{
    struct log log;
    int fds[5];
    open_log(&log, 8, 1024);
    for (int i = 0; i < 5; i++) {
        fds[i] = dial(&log);
        accept_all(&log, 0);
        send_all(fds[i], "m\n", 2);
    }
    log.reads_left = 2;
    cr_expect_eq(tcp_poll(log.tcp, 1), 2);
    log.reads_left = 1 << 30;
    read_all(&log);
    expect_lines(&log, "m\nm\nm\nm\nm\n");
    tcp_close_all(log.tcp);
    cr_expect_eq(log.ends[TCP_END_STOP], 5);
    for (int i = 0; i < 5; i++)
        close(fds[i]);
    close_log(&log);
}

Test(tcp, a_connection_that_can_never_go_on_is_ended)
{
    static char noise[3000];
    struct log log;
    open_log(&log, 4, 1024);
    memset(noise, 'x', sizeof(noise));
    int fd = dial(&log);
    accept_all(&log, 0);
    send_all(fd, noise, sizeof(noise));
    read_all(&log);
    cr_expect_eq(log.ends[TCP_END_ERROR], 1);
    cr_expect_eq(log.rests.n, sizeof(noise));
    cr_expect_eq(tcp_held_bytes(log.tcp), 0);
    close(fd);
    close_log(&log);
}
