/* UDP batches over loopback. */
#include <criterion/criterion.h>

#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
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
    in_port_t port = htons((uint16_t)socket_port(udp_fd(u)));
    struct sockaddr_in in = {.sin_family = AF_INET, .sin_port = port};
    struct sockaddr_in6 in6 = {
        .sin6_family = AF_INET6, .sin6_port = port, .sin6_addr = IN6ADDR_LOOPBACK_INIT};
    in.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    ssize_t sent = family == AF_INET ? sendto(fd, p, n, 0, (struct sockaddr *)&in, sizeof(in))
                                     : sendto(fd, p, n, 0, (struct sockaddr *)&in6, sizeof(in6));
    cr_assert_eq(sent, (ssize_t)n, "%s", strerror(errno));
    close(fd);
}

static int read_some(struct udp *u)
{
    struct pollfd p = {.fd = udp_fd(u), .events = POLLIN};
    cr_assert_eq(poll(&p, 1, 10000), 1, "nothing came");
    return udp_read(u);
}

static const char *source_of(const struct udp *u, int i)
{
    static char text[IP_TEXT_MAX];
    struct ip ip;
    (void)udp_datagram(u, i, &ip);
    (void)ip_format(&ip, text);
    return text;
}

Test(udp, a_batch_keeps_datagrams_apart_and_in_order)
{
    struct udp *u = open_udp("127.0.0.1", 1 << 20);
    struct ip ip;
    cr_expect_eq(udp_read(u), 0, "nothing waits");
    send_to(u, AF_INET, "one", 3);
    send_to(u, AF_INET, "", 0);
    send_to(u, AF_INET, "three", 5);
    cr_assert_eq(read_some(u), 3);
    cr_expect(view_eq(udp_datagram(u, 0, &ip), VIEW("one")));
    cr_expect_eq(udp_datagram(u, 1, &ip).n, 0, "an empty datagram is one");
    cr_expect(view_eq(udp_datagram(u, 2, &ip), VIEW("three")));
    cr_expect_str_eq(source_of(u, 2), "127.0.0.1");
    cr_expect_eq(udp_read(u), 0);
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
    cr_expect(view_eq(udp_datagram(u, 0, &ip), view_of(big, sizeof(big))));
    udp_close(&u);
}

Test(udp, the_unspecified_ipv6_address_hears_both_families)
{
    struct udp *u = open_udp("::", 1 << 20);
    send_to(u, AF_INET, "4", 1);
    cr_assert_eq(read_some(u), 1);
    cr_expect_str_eq(source_of(u, 0), "127.0.0.1", "mapped addresses are IPv4");
    send_to(u, AF_INET6, "6", 1);
    cr_assert_eq(read_some(u), 1);
    cr_expect_str_eq(source_of(u, 0), "::1");
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
    dropped = udp_take_drops(u);
    cr_expect_gt(dropped, 0, "2 MB do not fit in 64 KiB");
    for (int n; (n = udp_read(u)) > 0;)
        read += (uint64_t)n;
    cr_expect_eq(read + dropped, SENT, "%llu read, %llu dropped", (unsigned long long)read,
                 (unsigned long long)dropped);
    cr_expect_eq(udp_take_drops(u), 0);
    udp_close(&u);
}
