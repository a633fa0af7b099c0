/* Bound sockets, with the kernel itself. */
#include <criterion/criterion.h>

#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "net/socket.h"

static struct ip ip_of(const char *text)
{
    struct ip ip;
    cr_assert_eq(ip_parse(view_str(text), &ip), 0, "%s", text);
    return ip;
}

static int bound(const char *address, int type)
{
    struct ip ip = ip_of(address);
    int fd = socket_bound(&ip, 0, type);
    cr_assert_geq(fd, 0, "%s: %s", address, strerror(-fd));
    return fd;
}

Test(socket, a_name_shows_address_and_the_port_that_was_taken)
{
    const struct {
        const char *address, *prefix;
    } cases[] = {{"127.0.0.1", "127.0.0.1:"}, {"::1", "[::1]:"}, {"0.0.0.0", "0.0.0.0:"}};
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        int fd = bound(cases[i].address, SOCK_DGRAM);
        char name[SOCKET_NAME_MAX], want[SOCKET_NAME_MAX + 32];
        size_t n = socket_name(fd, name);
        snprintf(want, sizeof(want), "%s%d", cases[i].prefix, socket_port(fd));
        cr_expect_str_eq(name, want);
        cr_expect_eq(n, strlen(want));
        cr_expect_gt(socket_port(fd), 0);
        close(fd);
    }
}

Test(socket, a_udp_port_cannot_be_bound_twice)
{
    int fd = bound("127.0.0.1", SOCK_DGRAM);
    struct ip ip = ip_of("127.0.0.1");
    cr_expect_eq(socket_bound(&ip, (uint16_t)socket_port(fd), SOCK_DGRAM), -EADDRINUSE);
    close(fd);
}

Test(socket, an_address_that_is_not_ours_is_refused_with_the_reason)
{
    struct ip ip = ip_of("192.0.2.1");
    cr_expect_eq(socket_bound(&ip, 0, SOCK_DGRAM), -EADDRNOTAVAIL);
    cr_expect_eq(socket_bound(&(struct ip){0}, 0, SOCK_DGRAM), -EAFNOSUPPORT);
}

Test(socket, the_granted_buffer_is_comparable_with_what_was_asked)
{
    int fd = bound("127.0.0.1", SOCK_DGRAM);
    cr_expect_eq(socket_receive_buffer(fd, 65536), 65536);
    int64_t granted = socket_receive_buffer(fd, INT64_C(1) << 40);
    cr_expect_gt(granted, 65536);
    cr_expect_leq(granted, INT64_C(1) << 30, "never more than a kernel can say");
    close(fd);
}

Test(socket, descriptors_never_block_and_are_closed_on_exec)
{
    int fd = bound("127.0.0.1", SOCK_DGRAM);
    cr_expect(fcntl(fd, F_GETFL) & O_NONBLOCK);
    cr_expect(fcntl(fd, F_GETFD) & FD_CLOEXEC);
    close(fd);
}
