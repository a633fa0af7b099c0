/* The program that picks one of two sockets: run here instruction by instruction over packets of
 * any address, and by the kernel over loopback. */
#include <criterion/criterion.h>

#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include "net/steer.h"

static struct ip address(const char *text)
{
    struct ip ip;
    cr_assert_eq(ip_parse(view_str(text), &ip), 0, "%s", text);
    return ip;
}

/* The value at an offset from the IP header on; false outside of the packet. */
static bool load(const struct sock_filter *s, const uint8_t *packet, size_t n, uint32_t *ret)
{
    size_t at = s->k - (uint32_t)SKF_NET_OFF, size = BPF_SIZE(s->code) == BPF_B ? 1 : 4;
    if (at + size > n)
        return false;
    *ret = 0;
    for (size_t i = 0; i < size; i++)
        *ret = *ret << 8 | packet[at + i];
    return true;
}

/* What the kernel would answer; -1: a program it would not accept. */
static int answer_of(const struct sock_filter *program, unsigned length, const uint8_t *packet,
                     size_t n)
{
    uint32_t a = 0;
    for (unsigned at = 0; at < length; at++) {
        const struct sock_filter *s = &program[at];
        switch (BPF_CLASS(s->code)) {
        case BPF_LD:
            if (!load(s, packet, n, &a))
                return 0;
            break;
        case BPF_ALU:
            a &= s->k;
            break;
        case BPF_JMP:
            at += a == s->k ? s->jt : s->jf;
            break;
        case BPF_RET:
            return (int)s->k;
        default:
            return -1;
        }
    }
    return -1;
}

static size_t packet_from(const struct ip *source, uint8_t packet[64])
{
    bool is_six = source->family == 6;
    memset(packet, 0, 64);
    packet[0] = is_six ? 0x60 : 0x45;
    memcpy(packet + (is_six ? 8 : 12), source->bytes, is_six ? 16 : 4);
    return is_six ? 40 : 20;
}

static int steered(const struct ip *sources, unsigned n, const struct ip *from)
{
    struct sock_filter program[STEER_PROGRAM_MAX];
    uint8_t packet[64];
    unsigned length = steer_program(sources, n, program);
    return answer_of(program, length, packet, packet_from(from, packet));
}

Test(steer, each_source_of_a_list_goes_to_the_second_socket_and_its_neighbours_do_not)
{
    struct ip sources[UDP_FLOODING_SOURCES_MAX];
    static const char *const all[] = {"192.0.2.1",    "192.0.2.200", "2001:db8::1", "10.0.0.1",
                                      "2001:db8::2",  "::1",         "fe80::1",     "0.0.0.0",
                                      "2001:db8:1::", "ffff::ffff"};
    static const char *const others[] = {"192.0.2.2",   "1.2.0.192",        "2001:db8::3",
                                         "2001:db9::1", "2001:db8:0:1::1",  "::2",
                                         "::",          "2001:db8::1:0:0:1"};
    for (unsigned n = 0; n <= ARRAY_LEN(all); n++) {
        for (unsigned i = 0; i < n; i++)
            sources[i] = address(all[i]);
        for (unsigned i = 0; i < ARRAY_LEN(all); i++) {
            struct ip from = address(all[i]);
            cr_expect_eq(steered(sources, n, &from), i < n ? STEER_SECOND : STEER_FIRST,
                         "%s with %u sources", all[i], n);
        }
        for (unsigned i = 0; i < ARRAY_LEN(others); i++) {
            struct ip from = address(others[i]);
            cr_expect_eq(steered(sources, n, &from), STEER_FIRST, "%s with %u sources", others[i],
                         n);
        }
    }
}

Test(steer, a_full_list_of_either_family_fits_and_each_of_it_is_found)
{
    for (uint8_t family = 4; family <= 6; family += 2) {
        struct ip sources[UDP_FLOODING_SOURCES_MAX] = {0};
        for (unsigned i = 0; i < UDP_FLOODING_SOURCES_MAX; i++) {
            sources[i].family = family;
            sources[i].bytes[family == 4 ? 3 : i % 16] = (uint8_t)(i + 1);
        }
        for (unsigned i = 0; i < UDP_FLOODING_SOURCES_MAX; i++)
            cr_expect_eq(steered(sources, UDP_FLOODING_SOURCES_MAX, &sources[i]), STEER_SECOND,
                         "source %u of family %u", i, family);
        struct ip other = {.family = family, .bytes = {99, 99, 99, 99}};
        cr_expect_eq(steered(sources, UDP_FLOODING_SOURCES_MAX, &other), STEER_FIRST);
    }
}

Test(steer, a_packet_of_neither_family_or_too_short_goes_to_the_first)
{
    struct ip four = address("0.0.0.0");
    struct sock_filter program[STEER_PROGRAM_MAX];
    unsigned length = steer_program(&four, 1, program);
    uint8_t packet[64] = {0x50};
    cr_expect_eq(answer_of(program, length, packet, 40), STEER_FIRST, "version 5");
    packet[0] = 0x45;
    cr_expect_eq(answer_of(program, length, packet, 20), STEER_SECOND, "the test can fail");
    for (size_t n = 0; n < 16; n++)
        cr_expect_eq(answer_of(program, length, packet, n), STEER_FIRST, "%zu bytes", n);
}

/* ---- by the kernel ---- */

struct pair {
    int first, second;
    in_port_t port;
    int family;
};

static int open_member(int family, in_port_t *port)
{
    int on = 1, off = 0, fd = socket(family, SOCK_DGRAM | SOCK_NONBLOCK, 0);
    struct sockaddr_in in = {.sin_family = AF_INET, .sin_port = *port};
    struct sockaddr_in6 in6 = {.sin6_family = AF_INET6, .sin6_port = *port};
    bool is_six = family == AF_INET6;
    struct sockaddr *sa = is_six ? (struct sockaddr *)&in6 : (struct sockaddr *)&in;
    socklen_t n = is_six ? sizeof(in6) : sizeof(in);
    cr_assert_eq(setsockopt(fd, SOL_SOCKET, SO_REUSEPORT, &on, sizeof(on)), 0);
    if (is_six)
        cr_assert_eq(setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof(off)), 0);
    cr_assert_eq(bind(fd, sa, n), 0, "%s", strerror(errno));
    cr_assert_eq(getsockname(fd, sa, &n), 0);
    *port = is_six ? in6.sin6_port : in.sin_port;
    return fd;
}

static struct pair open_pair(int family, struct steer *s)
{
    struct pair p = {.family = family};
    p.first = open_member(family, &p.port);
    p.second = open_member(family, &p.port);
    cr_assert_eq(steer_init(s, p.first), 0);
    return p;
}

/* A datagram over loopback from an address of it; 0: the first socket got it, 1: the second. */
static int where(const struct pair *p, const char *from)
{
    struct ip ip = address(from);
    struct sockaddr_in in = {.sin_family = AF_INET}, to = {.sin_family = AF_INET};
    struct sockaddr_in6 in6 = {.sin6_family = AF_INET6}, to6 = {.sin6_family = AF_INET6};
    bool is_six = ip.family == 6;
    int fd = socket(is_six ? AF_INET6 : AF_INET, SOCK_DGRAM, 0);
    memcpy(&in.sin_addr, ip.bytes, 4);
    memcpy(&in6.sin6_addr, ip.bytes, 16);
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    to6.sin6_addr = in6addr_loopback;
    to.sin_port = to6.sin6_port = p->port;
    cr_assert_eq(is_six ? bind(fd, (struct sockaddr *)&in6, sizeof(in6))
                        : bind(fd, (struct sockaddr *)&in, sizeof(in)),
                 0, "%s: %s", from, strerror(errno));
    cr_assert_eq(is_six ? sendto(fd, "x", 1, 0, (struct sockaddr *)&to6, sizeof(to6))
                        : sendto(fd, "x", 1, 0, (struct sockaddr *)&to, sizeof(to)),
                 1, "%s: %s", from, strerror(errno));
    close(fd);
    char c;
    bool is_first = recv(p->first, &c, 1, 0) == 1, is_second = recv(p->second, &c, 1, 0) == 1;
    cr_assert_neq(is_first, is_second, "%s: exactly one socket gets it", from);
    return is_second;
}

static void close_pair(struct pair *p)
{
    close(p->first);
    close(p->second);
}

Test(steer, the_kernel_sends_listed_sources_to_the_second_socket_until_they_are_taken_off)
{
    static const int families[] = {AF_INET, AF_INET6};
    for (unsigned i = 0; i < ARRAY_LEN(families); i++) {
        struct steer s;
        struct pair p = open_pair(families[i], &s);
        struct ip one = address("127.0.0.5"), two = address("127.0.0.9");
        for (int k = 0; k < 20; k++) /* other ports each time: no hash decides */
            cr_assert_eq(where(&p, "127.0.0.5"), 0);
        cr_assert_eq(steer_add(&s, &one), 0);
        cr_assert_eq(steer_add(&s, &two), 0);
        cr_expect_eq(steer_add(&s, &one), 0, "it is there already");
        cr_expect_eq(s.n, 2);
        cr_expect(steer_has(&s, &two));
        for (int k = 0; k < 20; k++) {
            cr_expect_eq(where(&p, "127.0.0.5"), 1);
            cr_expect_eq(where(&p, "127.0.0.9"), 1);
            cr_expect_eq(where(&p, "127.0.0.6"), 0);
        }
        cr_assert_eq(steer_remove(&s, &one), 0);
        cr_expect_eq(steer_remove(&s, &one), -ENOENT);
        cr_expect_eq(where(&p, "127.0.0.5"), 0);
        cr_expect_eq(where(&p, "127.0.0.9"), 1, "the other stays");
        close_pair(&p);
    }
}

Test(steer, the_kernel_tells_ipv6_sources_and_mapped_ones_apart)
{
    struct steer s;
    struct pair p = open_pair(AF_INET6, &s);
    struct ip six = address("::1"), mapped = address("::ffff:127.0.0.7");
    cr_assert_eq(mapped.family, 4);
    cr_assert_eq(steer_add(&s, &six), 0);
    cr_expect_eq(where(&p, "::1"), 1);
    cr_expect_eq(where(&p, "127.0.0.7"), 0);
    cr_assert_eq(steer_add(&s, &mapped), 0);
    cr_expect_eq(where(&p, "127.0.0.7"), 1);
    cr_assert_eq(steer_remove(&s, &six), 0);
    cr_expect_eq(where(&p, "::1"), 0);
    cr_expect_eq(where(&p, "127.0.0.7"), 1);
    close_pair(&p);
}

Test(steer, the_thirty_third_source_finds_no_room_and_changes_nothing)
{
    struct steer s;
    struct pair p = open_pair(AF_INET, &s);
    char text[IP_TEXT_MAX];
    for (int i = 1; i <= UDP_FLOODING_SOURCES_MAX + 1; i++) {
        (void)snprintf(text, sizeof(text), "127.0.1.%d", i);
        struct ip ip = address(text);
        cr_expect_eq(steer_add(&s, &ip), i <= UDP_FLOODING_SOURCES_MAX ? 0 : -ENOSPC, "%s", text);
    }
    for (int i = 1; i <= UDP_FLOODING_SOURCES_MAX + 1; i++) {
        (void)snprintf(text, sizeof(text), "127.0.1.%d", i);
        cr_expect_eq(where(&p, text), i <= UDP_FLOODING_SOURCES_MAX, "%s", text);
    }
    struct ip freed = address("127.0.1.1"), last = address("127.0.1.33");
    cr_expect_eq(steer_remove(&s, &freed), 0);
    cr_expect_eq(steer_add(&s, &last), 0, "there is room again");
    cr_expect_eq(where(&p, "127.0.1.33"), 1);
    cr_expect_eq(where(&p, "127.0.1.1"), 0);
    close_pair(&p);
}

Test(steer, what_the_kernel_refuses_leaves_the_list_as_it_was)
{
    struct steer s;
    struct pair p = open_pair(AF_INET, &s);
    struct ip one = address("127.0.0.5"), two = address("127.0.0.6"), none = {0};
    cr_assert_eq(steer_add(&s, &one), 0);
    cr_expect_eq(steer_add(&s, &none), -EAFNOSUPPORT);
    close_pair(&p);
    cr_expect_eq(steer_add(&s, &two), -EBADF);
    cr_expect_eq(steer_remove(&s, &one), -EBADF);
    cr_expect_eq(s.n, 1);
    cr_expect(steer_has(&s, &one));
    cr_expect_not(steer_has(&s, &two));
}
