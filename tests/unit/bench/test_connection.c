#include <criterion/criterion.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include "bench/load/connection.h"

/* Messages of different sizes, one behind the other, as a ring has them. */
#define MESSAGES 1000
struct batch {
    char *bytes;
    struct payload_message messages[MESSAGES];
    size_t n; /* bytes */
};

static void make(struct batch *b)
{
    memset(b->messages, 0, sizeof(b->messages));
    b->bytes = xmalloc(MESSAGES * 700);
    b->n = 0;
    for (uint32_t i = 0; i < MESSAGES; i++) {
        int n =
            snprintf(b->bytes + b->n, 700, "<13>message %u %0*d\n", i, (int)(i * 37 % 600) + 1, 7);
        b->messages[i].at = (uint32_t)b->n;
        b->messages[i].n = (uint32_t)n;
        b->n += (size_t)n;
    }
}

static void pair(int kind, int buffer, int fds[2])
{
    cr_assert_eq(socketpair(AF_UNIX, kind | SOCK_CLOEXEC, 0, fds), 0);
    cr_assert_eq(fcntl(fds[0], F_SETFL, O_NONBLOCK), 0);
    cr_assert_eq(setsockopt(fds[0], SOL_SOCKET, SO_SNDBUF, &buffer, sizeof(buffer)), 0);
}

/* Everything that waits there. */
static size_t read_all(int fd, char *to, size_t room)
{
    size_t n = 0;
    for (ssize_t r; (r = recv(fd, to + n, room - n, MSG_DONTWAIT)) > 0;)
        n += (size_t)r;
    return n;
}

static size_t whole_lines(const char *p, size_t n)
{
    size_t lines = 0;
    for (size_t i = 0; i < n; i++)
        lines += p[i] == '\n';
    return lines;
}

Test(connection, what_is_taken_in_part_is_finished_first_and_every_message_is_counted_once)
{
    static const int buffers[] = {2304, 4608, 10000, 100000};
    for (size_t k = 0; k < ARRAY_LEN(buffers); k++) {
        static struct batch b;
        struct connection c;
        struct connection_taken taken;
        int fds[2];
        make(&b);
        char *got = xmalloc(b.n);
        size_t got_n = 0, next = 0, parts = 0;
        int64_t counted = 0, bytes = 0;
        pair(SOCK_STREAM, buffers[k], fds);
        connection_take(&c, fds[0], false);
        while (next < MESSAGES || connection_has_rest(&c)) {
            int r;
            if (connection_has_rest(&c)) {
                parts++;
                r = connection_finish(&c, &taken);
                cr_assert(r == 0 || taken.held > 0, "what is left is said");
            } else {
                r = connection_send(&c, b.bytes, b.messages + next, MESSAGES - next, 0, &taken);
                next += (size_t)(taken.messages + taken.held);
            }
            cr_assert(r == 0 || r == -EAGAIN, "%d", r);
            counted += taken.messages;
            bytes += taken.bytes;
            got_n += read_all(fds[1], got + got_n, b.n - got_n);
            /* never more than arrived as a whole */
            cr_assert_eq((size_t)counted, whole_lines(got, got_n), "%lld counted, %zu arrived",
                         (long long)counted, whole_lines(got, got_n));
        }
        cr_assert_eq(counted, MESSAGES);
        cr_assert_eq((size_t)bytes, b.n);
        cr_assert_eq(got_n, b.n);
        cr_assert(memcmp(got, b.bytes, b.n) == 0, "the stream is what was to be sent");
        cr_assert(parts > 0 || buffers[k] > 50000, "buffer %d: nothing was cut", buffers[k]);
        connection_abort(&c);
        close(fds[1]);
        free(got);
        free(b.bytes);
    }
}

Test(connection, a_message_taken_in_part_is_kept_though_the_ring_changes_under_it)
{
    static struct batch b;
    struct connection c;
    struct connection_taken taken;
    int fds[2];
    make(&b);
    char *got = xmalloc(b.n), *was = xmalloc(b.n);
    memcpy(was, b.bytes, b.n);
    pair(SOCK_STREAM, 2304, fds);
    connection_take(&c, fds[0], false);
    cr_assert_eq(connection_send(&c, b.bytes, b.messages, MESSAGES, 0, &taken), -EAGAIN);
    size_t begun = (size_t)(taken.messages + taken.held), got_n = 0;
    cr_assert_eq(taken.held, 1);
    memset(b.bytes, '#', b.n); /* the next numbers */
    while (connection_has_rest(&c)) {
        got_n += read_all(fds[1], got + got_n, b.n - got_n);
        (void)!connection_finish(&c, &taken);
    }
    got_n += read_all(fds[1], got + got_n, b.n - got_n);
    cr_assert_eq(got_n, b.messages[begun].at);
    cr_assert(memcmp(got, was, got_n) == 0);
    connection_abort(&c);
    close(fds[1]);
    free(got);
    free(was);
    free(b.bytes);
}

Test(connection, a_peer_that_closes_in_mid_stream_is_an_error_and_what_was_begun_is_lost)
{
    static struct batch b;
    struct connection c;
    struct connection_taken taken;
    int fds[2];
    make(&b);
    pair(SOCK_STREAM, 2304, fds);
    connection_take(&c, fds[0], false);
    cr_assert_eq(connection_send(&c, b.bytes, b.messages, MESSAGES, 0, &taken), -EAGAIN);
    cr_assert_eq(taken.held, 1);
    close(fds[1]);
    int r = connection_finish(&c, &taken);
    cr_assert(r == -EPIPE || r == -ECONNRESET, "%d", r);
    cr_assert_eq(taken.messages, 0);
    cr_assert_eq(connection_abort(&c), 1, "one message is lost in part");
    cr_assert_eq(c.fd, -1);
    free(b.bytes);
}

Test(connection, datagrams_are_counted_as_the_kernel_takes_them)
{
    static struct batch b;
    struct connection c;
    struct connection_taken taken;
    char text[800];
    int fds[2];
    make(&b);
    pair(SOCK_DGRAM, 16384, fds);
    connection_take(&c, fds[0], true);
    size_t next = 0, rounds = 0;
    while (next < MESSAGES) {
        int r = connection_send(&c, b.bytes, b.messages + next, MESSAGES - next, 0, &taken);
        cr_assert(r == 0 || r == -EAGAIN, "%d", r);
        cr_assert_eq(taken.held, 0, "a datagram is whole");
        for (int64_t i = 0; i < taken.messages; i++, next++) {
            ssize_t n = recv(fds[1], text, sizeof(text), MSG_DONTWAIT);
            cr_assert_eq(n, b.messages[next].n, "%zd", n);
            cr_assert(memcmp(text, b.bytes + b.messages[next].at, (size_t)n) == 0);
        }
        cr_assert_lt(recv(fds[1], text, sizeof(text), MSG_DONTWAIT), 0, "no more than counted");
        rounds++;
    }
    cr_assert_gt(rounds, 1, "the queue was full at least once");
    close(fds[1]);
    connection_send(&c, b.bytes, b.messages, 1, 0, &taken);
    cr_assert_eq(taken.messages, 0, "nobody is there");
    connection_abort(&c);
    free(b.bytes);
}

/* UDP on the loopback: the address of a socket that reads nothing. */
static int udp_sink(struct sockaddr_storage *address, socklen_t *n)
{
    struct sockaddr_in a = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0), big = 8 << 20;
    cr_assert(fd >= 0 && bind(fd, (struct sockaddr *)&a, sizeof(a)) == 0);
    setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &big, sizeof(big));
    *n = sizeof(*address);
    memset(address, 0, sizeof(*address));
    getsockname(fd, (struct sockaddr *)address, n);
    return fd;
}

Test(connection, many_datagrams_in_one_call_arrive_as_the_same_datagrams)
{
    enum { N = 300, SIZE = 100 };
    struct load_options o = {.transport = TARGET_UDP, .ports_n = 1, .sources = 1};
    struct load_more more = {.run_id = -1};
    atomic_bool stop = false;
    struct connections all;
    struct connection c;
    struct connection_taken taken;
    struct err err;
    static struct payload_message messages[N];
    static char bytes[N * SIZE];
    char text[2000];
    int fd = udp_sink(&o.ports[0], &o.ports_len[0]);
    for (uint32_t i = 0; i < N; i++) {
        messages[i] = (struct payload_message){.at = i * SIZE, .n = SIZE};
        memset(bytes + i * SIZE, '.', SIZE);
        bytes[i * SIZE + (size_t)snprintf(bytes + i * SIZE, SIZE, "message %u", i)] = ' ';
    }
    cr_assert_eq(connections_init(&all, &o, &more, &stop, &err), 0);
    cr_assert_eq(connection_open(&c, &all, 0, false, &err), 0, "%s", err.message);
    cr_assert(c.has_segments);
    cr_assert_eq(connection_send(&c, bytes, messages, N, SIZE, &taken), 0);
    cr_assert_eq(taken.messages, N);
    cr_assert_eq(taken.bytes, N * SIZE);
    size_t seen = 0;
    for (ssize_t n; (n = recv(fd, text, sizeof(text), 0)) > 0; seen++) {
        cr_assert_eq(n, SIZE);
        cr_assert(memcmp(text, bytes + seen * SIZE, SIZE) == 0, "%.20s", text);
    }
    cr_assert_eq(seen, N);
    connection_abort(&c);
    connections_done(&all);
    close(fd);
}

Test(connection, each_comes_from_its_own_address_of_the_network)
{
    static const struct {
        const char *network;
        int64_t sources;
        uint32_t index;
        const char *from;
    } cases[] = {
        {"127.66.0.0/16", 300, 0, "127.66.0.1"},   {"127.66.0.0/16", 300, 254, "127.66.0.255"},
        {"127.66.0.0/16", 300, 255, "127.66.1.0"}, {"127.66.0.0/16", 300, 300, "127.66.0.1"},
        {"127.66.7.0/24", 1, 9, "127.66.7.1"},
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct load_options o = {
            .transport = TARGET_UDP, .ports_n = 1, .sources = cases[i].sources};
        struct load_more more = {.run_id = -1};
        atomic_bool stop = false;
        struct connections all;
        struct connection c;
        struct err err;
        struct sockaddr_storage from;
        socklen_t n = sizeof(from);
        char text[IP_TEXT_MAX];
        int fd = udp_sink(&o.ports[0], &o.ports_len[0]);
        snprintf(o.source_network, sizeof(o.source_network), "%s", cases[i].network);
        cr_assert_eq(connections_init(&all, &o, &more, &stop, &err), 0);
        cr_assert_eq(connection_open(&c, &all, cases[i].index, false, &err), 0, "%s", err.message);
        cr_assert_eq(getsockname(c.fd, (struct sockaddr *)&from, &n), 0);
        struct ip ip = ip_from_sockaddr((struct sockaddr *)&from);
        ip_format(&ip, text);
        cr_assert_str_eq(text, cases[i].from);
        connection_abort(&c);
        connections_done(&all);
        close(fd);
    }
}

/* Without this option the kernel counts a datagram as taken that the queue of the device dropped.
 */
Test(connection, the_kernel_is_asked_to_tell_what_the_device_had_no_room_for)
{
    static const bool compats[] = {false, true}; /* loggen does not ask */
    for (size_t i = 0; i < ARRAY_LEN(compats); i++) {
        struct load_options o = {.transport = TARGET_UDP, .ports_n = 1, .sources = 1};
        struct load_more more = {.run_id = -1, .is_compat = compats[i]};
        atomic_bool stop = false;
        struct connections all;
        struct connection c;
        struct err err;
        int is_told = 0;
        socklen_t n = sizeof(is_told);
        int fd = udp_sink(&o.ports[0], &o.ports_len[0]);
        cr_assert_eq(connections_init(&all, &o, &more, &stop, &err), 0);
        cr_assert_eq(connection_open(&c, &all, 0, false, &err), 0, "%s", err.message);
        cr_assert_eq(getsockopt(c.fd, IPPROTO_IP, IP_RECVERR, &is_told, &n), 0);
        cr_assert_eq(is_told, !compats[i]);
        connection_abort(&c);
        connections_done(&all);
        close(fd);
    }
}

Test(connection, what_cannot_be_opened_is_named)
{
    struct load_options o = {.transport = TARGET_TCP, .ports_n = 1, .sources = 1};
    struct load_more more = {.run_id = -1};
    atomic_bool stop = false;
    struct connections all;
    struct connection c;
    struct err err;
    int fd = udp_sink(&o.ports[0], &o.ports_len[0]); /* nobody listens there by TCP */
    cr_assert_eq(connections_init(&all, &o, &more, &stop, &err), 0);
    cr_assert_eq(connection_open(&c, &all, 3, false, &err), -ECONNREFUSED);
    char expected[128];
    snprintf(expected, sizeof(expected),
             "connection 3: cannot connect to 127.0.0.1:%u: Connection refused",
             ntohs(((struct sockaddr_in *)&o.ports[0])->sin_port));
    cr_assert_str_eq(err.message, expected);
    cr_assert_eq(c.fd, -1);
    connections_done(&all);
    snprintf(o.source_network, sizeof(o.source_network), "127.66.0/33");
    cr_assert_eq(connections_init(&all, &o, &more, &stop, &err), -EINVAL);
    snprintf(o.source_network, sizeof(o.source_network), "127.66.0.0/30");
    o.sources = 4;
    cr_assert_eq(connections_init(&all, &o, &more, &stop, &err), -EINVAL);
    cr_assert_not_null(strstr(err.message, "4 sources do not fit in the network 127.66.0.0/30"));
    o.source_network[0] = 0;
    o.transport = TARGET_TLS;
    more.ca = "/nonexistent/ca.pem";
    cr_assert_eq(connections_init(&all, &o, &more, &stop, &err), -EPROTO);
    cr_assert_not_null(strstr(err.message, "--ca /nonexistent/ca.pem"), "%s", err.message);
    connections_done(&all);
    close(fd);
}
