/* UDP batches over loopback. */
#include <criterion/criterion.h>

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "net/socket.h"
#include "net/udp.h"

static struct udp *open_udp(const char *address, int64_t buffer_bytes)
{
    struct ip ip;
    struct udp *u = NULL;
    cr_assert_eq(ip_parse(view_str(address), &ip), 0);
    cr_assert_eq(udp_open(&ip, 0, buffer_bytes, &u), 0);
    return u;
}

static void send_to(const struct udp *u, int family, const void *p, size_t n)
{
    int fd = socket(family, SOCK_DGRAM, 0);
    in_port_t port = htons((uint16_t)socket_port(udp_fd(u, UDP_FIRST)));
    struct sockaddr_in in = {.sin_family = AF_INET, .sin_port = port};
    struct sockaddr_in6 in6 = {
        .sin6_family = AF_INET6, .sin6_port = port, .sin6_addr = IN6ADDR_LOOPBACK_INIT};
    in.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    ssize_t sent = family == AF_INET ? sendto(fd, p, n, 0, (struct sockaddr *)&in, sizeof(in))
                                     : sendto(fd, p, n, 0, (struct sockaddr *)&in6, sizeof(in6));
    cr_assert_eq(sent, (ssize_t)n, "%s", strerror(errno));
    close(fd);
}

static struct udp_batch *batch;

static void make_batch(void)
{
    batch = udp_batch_new(NULL);
    cr_assert_not_null(batch);
}

static void free_batch(void)
{
    udp_batch_free(&batch);
    cr_expect_null(batch);
}

TestSuite(udp, .init = make_batch, .fini = free_batch);

static int read_now(struct udp *u)
{
    return udp_read(u, UDP_FIRST, batch, 0);
}

static int read_some(struct udp *u)
{
    struct pollfd p = {.fd = udp_fd(u, UDP_FIRST), .events = POLLIN};
    cr_assert_eq(poll(&p, 1, 10000), 1, "nothing came");
    return read_now(u);
}

static const char *source_of(int i)
{
    static char text[IP_TEXT_MAX];
    struct ip ip;
    (void)udp_datagram(batch, i, &ip);
    (void)ip_format(&ip, text);
    return text;
}

Test(udp, a_batch_keeps_datagrams_apart_and_in_order)
{
    struct udp *u = open_udp("127.0.0.1", 1 << 20);
    struct ip ip;
    cr_expect_eq(read_now(u), 0, "nothing waits");
    send_to(u, AF_INET, "one", 3);
    send_to(u, AF_INET, "", 0);
    send_to(u, AF_INET, "three", 5);
    cr_assert_eq(read_some(u), 3);
    cr_expect(view_eq(udp_datagram(batch, 0, &ip), VIEW("one")));
    cr_expect_eq(udp_datagram(batch, 1, &ip).n, 0, "an empty datagram is one");
    cr_expect(view_eq(udp_datagram(batch, 2, &ip), VIEW("three")));
    cr_expect_str_eq(source_of(2), "127.0.0.1");
    cr_expect_eq(read_now(u), 0);
    udp_close(&u);
    cr_expect_null(u);
}

Test(udp, the_longest_datagram_is_not_cut)
{
    static char big[65507];
    struct udp *u = open_udp("127.0.0.1", 1 << 20);
    struct ip ip;
    memset(big, 'x', sizeof(big));
    big[sizeof(big) - 1] = '!';
    send_to(u, AF_INET, big, sizeof(big));
    cr_assert_eq(read_some(u), 1);
    cr_expect(view_eq(udp_datagram(batch, 0, &ip), view_of(big, sizeof(big))));
    udp_close(&u);
}

Test(udp, the_unspecified_ipv6_address_hears_both_families)
{
    struct udp *u = open_udp("::", 1 << 20);
    send_to(u, AF_INET, "4", 1);
    cr_assert_eq(read_some(u), 1);
    cr_expect_str_eq(source_of(0), "127.0.0.1", "mapped addresses are IPv4");
    send_to(u, AF_INET6, "6", 1);
    cr_assert_eq(read_some(u), 1);
    cr_expect_str_eq(source_of(0), "::1");
    udp_close(&u);
}

Test(udp, what_the_kernel_drops_is_counted_once_and_without_a_further_datagram)
{
    enum { SENT = 2000 };
    static char payload[1000];
    struct udp *u = open_udp("127.0.0.1", 65536);
    uint64_t read = 0, dropped;
    for (int i = 0; i < SENT; i++)
        send_to(u, AF_INET, payload, sizeof(payload));
    dropped = udp_take_drops(u, UDP_FIRST);
    cr_expect_gt(dropped, 0, "2 MB do not fit in 64 KiB");
    for (int n; (n = read_now(u)) > 0;)
        read += (uint64_t)n;
    cr_expect_eq(read + dropped, SENT, "%llu read, %llu dropped", (unsigned long long)read,
                 (unsigned long long)dropped);
    cr_expect_eq(udp_take_drops(u, UDP_FIRST), 0);
    udp_close(&u);
}

/* ---- two sockets ---- */

static void send_from(const struct udp *u, const char *source, const char *text)
{
    struct ip ip;
    int fd = socket(AF_INET, SOCK_DGRAM, 0);
    struct sockaddr_in from = {.sin_family = AF_INET}, to = {.sin_family = AF_INET};
    cr_assert_eq(ip_parse(view_str(source), &ip), 0);
    memcpy(&from.sin_addr, ip.bytes, 4);
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    to.sin_port = htons((uint16_t)socket_port(udp_fd(u, UDP_FIRST)));
    cr_assert_eq(bind(fd, (struct sockaddr *)&from, sizeof(from)), 0, "%s", strerror(errno));
    cr_assert_eq(sendto(fd, text, strlen(text), 0, (struct sockaddr *)&to, sizeof(to)),
                 (ssize_t)strlen(text));
    close(fd);
}

Test(udp, who_is_steered_fills_and_loses_of_the_second_buffer_only)
{
    enum { SENT = 2000 };
    struct udp *u = open_udp("127.0.0.1", 65536);
    struct ip flooder, source;
    uint64_t read = 0;
    char text[1001];
    memset(text, 'f', sizeof(text) - 1);
    text[sizeof(text) - 1] = '\0';
    cr_assert_eq(udp_pair_error(u), 0, "%s", strerror(-udp_pair_error(u)));
    cr_assert_eq(ip_parse(VIEW("127.0.0.5"), &flooder), 0);
    cr_assert_eq(udp_steer(u, &flooder), 0);
    cr_expect_eq(udp_steered(u), 1);
    cr_expect(ip_eq(udp_steered_source(u, 0), &flooder));
    cr_expect_null(udp_steered_source(u, 1));
    for (int i = 0; i < SENT; i++)
        send_from(u, "127.0.0.5", text);
    cr_expect_gt(udp_waiting_bytes(u, UDP_FLOODING), 32768, "nearly full");
    cr_expect_eq(udp_waiting_bytes(u, UDP_FIRST), 0);
    send_from(u, "127.0.0.6", "quiet");
    cr_expect_gt(udp_waiting_bytes(u, UDP_FIRST), 0);
    cr_assert_eq(read_some(u), 1);
    cr_expect(view_eq(udp_datagram(batch, 0, &source), VIEW("quiet")));
    uint64_t dropped = udp_take_drops(u, UDP_FLOODING);
    cr_expect_gt(dropped, 0, "2 MB do not fit in 64 KiB");
    cr_expect_eq(udp_take_drops(u, UDP_FIRST), 0);
    for (int n; (n = udp_read(u, UDP_FLOODING, batch, 0)) > 0;)
        read += (uint64_t)n;
    cr_expect_eq(read + dropped, SENT, "what a flooder lost is counted to the datagram");
    cr_assert_eq(udp_unsteer(u, &flooder), 0);
    send_from(u, "127.0.0.5", "calm");
    cr_expect_eq(read_some(u), 1, "it is as all others");
    udp_close(&u);
}

/* setsockopt() of one option fails with EPERM from now on, as in a sandbox. */
static void forbid_option(uint32_t option)
{
    struct sock_filter program[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_setsockopt, 0, 3),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[2])),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, option, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog p = {.len = sizeof(program) / sizeof(program[0]), .filter = program};
    cr_assert_eq(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), 0);
    cr_assert_eq(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &p), 0, "%s", strerror(errno));
}

static int bind_shared(const struct udp *u, bool is_sharing)
{
    int fd = socket(AF_INET, SOCK_DGRAM, 0), on = is_sharing;
    struct sockaddr_in in = {.sin_family = AF_INET};
    in.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    in.sin_port = htons((uint16_t)socket_port(udp_fd(u, UDP_FIRST)));
    cr_assert_eq(setsockopt(fd, SOL_SOCKET, SO_REUSEPORT, &on, sizeof(on)), 0);
    int rc = bind(fd, (struct sockaddr *)&in, sizeof(in)) < 0 ? -errno : 0;
    if (rc < 0)
        close(fd);
    return rc < 0 ? rc : fd;
}

Test(udp, where_the_kernel_takes_no_program_a_listener_is_one_socket)
{
    static const uint32_t options[] = {SO_ATTACH_REUSEPORT_CBPF, SO_REUSEPORT};
    for (unsigned i = 0; i < 2; i++) {
        forbid_option(options[i]);
        struct udp *u = open_udp("127.0.0.1", 65536);
        struct ip source;
        cr_expect_eq(udp_pair_error(u), -EPERM);
        cr_expect_lt(udp_fd(u, UDP_FLOODING), 0);
        cr_expect_eq(udp_take_drops(u, UDP_FLOODING), 0);
        cr_expect_eq(udp_waiting_bytes(u, UDP_FLOODING), 0);
        cr_assert_eq(ip_parse(VIEW("127.0.0.5"), &source), 0);
        cr_expect_eq(udp_steer(u, &source), -EPERM);
        cr_expect_eq(udp_steered(u), 0);
        for (int k = 0; k < 20; k++) {
            send_from(u, "127.0.0.5", "x");
            cr_assert_eq(read_some(u), 1, "it hears all");
        }
        if (i == 0)
            cr_expect_eq(bind_shared(u, true), -EADDRINUSE, "and nobody may share its port");
        udp_close(&u);
    }
}

Test(udp, another_listener_of_the_same_user_finds_the_port_in_use)
{
    struct udp *u = open_udp("127.0.0.1", 65536), *other = NULL;
    struct ip ip;
    cr_assert_eq(udp_pair_error(u), 0);
    cr_assert_eq(ip_parse(VIEW("127.0.0.1"), &ip), 0);
    uint16_t port = (uint16_t)socket_port(udp_fd(u, UDP_FIRST));
    pid_t child = fork();
    if (child == 0)
        _exit(udp_open(&ip, port, 65536, &other) == -EADDRINUSE ? 0 : 1);
    int status = -1;
    cr_assert_eq(waitpid(child, &status, 0), child);
    cr_expect_eq(status, 0, "another process was let in");
    cr_expect_eq(udp_open(&ip, port, 65536, &other), -EADDRINUSE);
    cr_expect_eq(bind_shared(u, false), -EADDRINUSE);
    /* who asks for sharing and is the same user cannot be kept out, but gets nothing */
    int guest = bind_shared(u, true);
    cr_assert_geq(guest, 0);
    for (int k = 0; k < 50; k++) {
        send_from(u, "127.0.0.5", "x");
        cr_assert_eq(read_some(u), 1);
    }
    close(guest);
    udp_close(&u);
}

Test(udp, a_pair_is_taken_over_with_all_that_waits_and_nobody_steered)
{
    struct udp *before = open_udp("127.0.0.1", 65536), *u = NULL;
    struct ip source;
    cr_assert_eq(ip_parse(VIEW("127.0.0.5"), &source), 0);
    cr_assert_eq(udp_steer(before, &source), 0);
    send_from(before, "127.0.0.5", "flood");
    send_from(before, "127.0.0.6", "quiet");
    int fds[UDP_SOCKETS] = {dup(udp_fd(before, UDP_FIRST)), dup(udp_fd(before, UDP_FLOODING))};
    udp_close(&before);
    cr_assert_eq(udp_adopt(fds, 65536, &u), 0);
    cr_expect_eq(udp_pair_error(u), 0);
    cr_expect_eq(udp_steered(u), 0);
    cr_assert_eq(udp_read(u, UDP_FLOODING, batch, 0), 1);
    cr_expect(view_eq(udp_datagram(batch, 0, &source), VIEW("flood")));
    cr_assert_eq(read_now(u), 1);
    send_from(u, "127.0.0.5", "calm");
    cr_expect_eq(read_some(u), 1, "an earlier list is forgotten");
    udp_close(&u);
}

/* ---- what a killed process leaves ---- */

static void *shared_area(void)
{
    void *area = mmap(NULL, udp_area_bytes(), PROT_READ | PROT_WRITE,
                      MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    cr_assert_neq(area, MAP_FAILED);
    return area;
}

/* A process reads what waits into the area, deals with `done` of them and is killed. */
static void read_and_be_killed(struct udp *u, void *area, int done)
{
    pid_t child = fork();
    if (child == 0) {
        struct udp_batch *b = udp_batch_new(area);
        int n = udp_read(u, UDP_FIRST, b, 12345);
        for (int i = 0; i < MIN(n, done); i++)
            udp_done(b, i);
        raise(SIGKILL);
    }
    int status = 0;
    cr_assert_eq(waitpid(child, &status, 0), child);
    cr_assert(WIFSIGNALED(status));
}

Test(udp, what_a_killed_process_had_read_and_not_done_is_found)
{
    enum { SENT = 5 };
    for (int done = 0; done <= SENT; done++) {
        struct udp *u = open_udp("127.0.0.1", 1 << 20);
        void *area = shared_area();
        struct ip source;
        char text[IP_TEXT_MAX];
        for (int i = 0; i < SENT; i++) {
            (void)snprintf(text, sizeof(text), "message %d", i);
            send_from(u, "127.0.0.9", text);
        }
        read_and_be_killed(u, area, done);
        struct udp_batch *b = udp_batch_new(area);
        struct udp_left left = udp_left(b);
        cr_expect_eq(left.first, done == SENT ? 0 : done);
        cr_expect_eq(left.n, done == SENT ? 0 : SENT);
        cr_expect_eq(left.received_at_us, done == SENT ? 0 : 12345);
        for (int i = left.first; i < left.n; i++) {
            (void)snprintf(text, sizeof(text), "message %d", i);
            cr_expect(view_eq(udp_datagram(b, i, &source), view_str(text)));
            cr_assert_gt(ip_format(&source, text), 0);
            cr_expect_str_eq(text, "127.0.0.9");
            udp_done(b, i);
            cr_expect_eq(udp_left(b).n, i + 1 < left.n ? left.n : 0, "they are done one by one");
        }
        udp_batch_free(&b);
        udp_close(&u);
        (void)munmap(area, udp_area_bytes());
    }
}

Test(udp, a_smaller_batch_after_a_larger_one_leaves_its_own_only)
{
    struct udp *u = open_udp("127.0.0.1", 1 << 20);
    void *area = shared_area();
    struct udp_batch *b = udp_batch_new(area);
    for (int i = 0; i < 7; i++)
        send_to(u, AF_INET, "old", 3);
    cr_assert_eq(udp_read(u, UDP_FIRST, b, 1), 7);
    udp_done(b, 6);
    cr_expect_eq(udp_left(b).n, 0, "all are done");
    uint32_t before = udp_tag(b, 0);
    send_to(u, AF_INET, "new", 3);
    cr_assert_eq(udp_read(u, UDP_FIRST, b, 2), 1);
    struct udp_batch *next = udp_batch_new(area);
    struct udp_left left = udp_left(next);
    cr_expect_eq(left.first, 0);
    cr_expect_eq(left.n, 1);
    cr_expect_eq(left.received_at_us, 2);
    cr_expect_eq(udp_tag(next, 0), udp_tag(b, 0), "the next process knows it by the same tag");
    cr_expect_neq(udp_tag(next, 0), before, "and no other");
    udp_batch_free(&next);
    udp_batch_free(&b);
    udp_close(&u);
    (void)munmap(area, udp_area_bytes());
}

Test(udp, an_area_that_cannot_be_is_made_anew)
{
    struct udp *u = open_udp("127.0.0.1", 1 << 20);
    unsigned char *area = shared_area();
    for (int i = 0; i < 2; i++) {
        struct udp_batch *b = udp_batch_new(area);
        send_to(u, AF_INET, "one", 3);
        cr_assert_eq(udp_read(u, UDP_FIRST, b, 1), 1);
        udp_batch_free(&b);
        if (i == 0)
            area[0] ^= 1; /* another mark */
        else
            memset(area + 8, 0xee, 4); /* another size */
        b = udp_batch_new(area);
        cr_expect_eq(udp_left(b).n, 0);
        udp_batch_free(&b);
    }
    udp_close(&u);
    (void)munmap(area, udp_area_bytes());
}

Test(udp, drops_while_nobody_ran_are_told_once_by_the_next_process)
{
    static char payload[1000];
    void *area = shared_area();
    struct udp_batch *b = udp_batch_new(area);
    struct udp *u = open_udp("127.0.0.1", 65536);
    udp_remember(u, b);
    for (int i = 0; i < 500; i++)
        send_to(u, AF_INET, payload, sizeof(payload));
    uint64_t first = udp_take_drops(u, UDP_FIRST);
    cr_assert_gt(first, 0);
    for (int i = 0; i < 100; i++)
        send_to(u, AF_INET, payload, sizeof(payload));
    int fds[UDP_SOCKETS] = {dup(udp_fd(u, UDP_FIRST)), dup(udp_fd(u, UDP_FLOODING))};
    udp_close(&u);
    udp_batch_free(&b); /* as if killed: nobody has asked for the last 100 */
    b = udp_batch_new(area);
    cr_assert_eq(udp_adopt(fds, 65536, &u), 0);
    udp_remember(u, b);
    cr_expect_eq(udp_take_drops(u, UDP_FIRST), 100);
    cr_expect_eq(udp_take_drops(u, UDP_FIRST), 0);
    udp_close(&u);
    udp_batch_free(&b);
    (void)munmap(area, udp_area_bytes());
}
