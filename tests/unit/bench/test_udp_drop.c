#include <arpa/inet.h>
#include <criterion/criterion.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bench/target/udp_drop.h"

static const char header[] =
    "   sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout "
    "inode ref pointer drops            \n";

Test(udp_drop, a_table_of_the_kernel_is_read)
{
    char text[1024];
    struct udp_socket s[4];
    snprintf(
        text, sizeof(text), "%s%s%s", header,
        "  511: 0100007F:158A 00000000:0000 07 00000000:00000300 00:00000000 00000000     0    "
        "    0 4711 2 0000000000000000 12345\n",
        "  512: 00000000000000000000000001000000:FFFF 00000000000000000000000000000000:0000 07 "
        "00000000:00000000 00:00000000 00000000  1000        0 18446744073709551615 2 "
        "0000000000000000 0         \n");
    cr_assert_eq(udp_drop_parse(view_str(text), s, 1, ARRAY_LEN(s)), 3);
    cr_expect_eq(s[1].inode, 4711);
    cr_expect_eq(s[1].dropped, 12345);
    cr_expect_eq(s[1].waiting, 0x300);
    cr_expect_eq(s[1].port, 0x158A);
    cr_expect_eq(s[2].inode, UINT64_MAX);
    cr_expect_eq(s[2].port, 0xFFFF);
    cr_expect_eq(s[2].dropped, 0);
}

Test(udp_drop, a_table_that_is_cut_is_no_table)
{
    static const char line[] = "  1: 0100007F:158A 00000000:0000 07 00000000:00000300 00:00000000 "
                               "00000000 0 0 4711 2 0000000000000000 12345";
    char text[1024];
    struct udp_socket s[4];
    /* at every byte before the last column's first digit */
    for (size_t n = 1; n <= strlen(line) - 5; n++) {
        snprintf(text, sizeof(text), "%s%.*s", header, (int)n, line);
        cr_expect_eq(udp_drop_parse(view_str(text), s, 0, 4), -EINVAL, "cut after %zu bytes", n);
    }
}

Test(udp_drop, more_sockets_than_there_is_room_for_are_an_error)
{
    char text[1024];
    struct udp_socket s[1];
    static const char line[] = "  1: 0100007F:158A 00000000:0000 07 00000000:00000300 00:00000000 "
                               "00000000 0 0 4711 2 0000000000000000 12345\n";
    snprintf(text, sizeof(text), "%s%s%s", header, line, line);
    cr_expect_eq(udp_drop_parse(view_str(text), s, 0, 1), -E2BIG);
}

/* A socket nobody reads, filled beyond its buffer: what the kernel says is what is missing. */
Test(udp_drop, drops_of_a_process_are_exact)
{
    struct udp_socket own[UDP_SOCKETS_MAX];
    struct sockaddr_in to = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t len = sizeof(to);
    int in = socket(AF_INET, SOCK_DGRAM, 0), out = socket(AF_INET, SOCK_DGRAM, 0), bytes = 20000,
        granted;
    cr_assert_eq(setsockopt(in, SOL_SOCKET, SO_RCVBUF, &bytes, sizeof(bytes)), 0);
    cr_assert_eq(bind(in, (struct sockaddr *)&to, sizeof(to)), 0);
    cr_assert_eq(getsockname(in, (struct sockaddr *)&to, &len), 0);
    enum { SENT = 500 };
    for (int i = 0; i < SENT; i++)
        cr_assert_eq(sendto(out, "message", 7, 0, (struct sockaddr *)&to, len), 7);
    struct stat st;
    cr_assert_eq(fstat(in, &st), 0);
    int n = udp_drop_of(getpid(), own, ARRAY_LEN(own));
    const struct udp_socket *found = NULL;
    for (int i = 0; i < n; i++)
        found = own[i].inode == st.st_ino ? &own[i] : found;
    cr_assert_not_null(found);
    cr_expect_eq(found->port, ntohs(to.sin_port));
    cr_expect_gt(found->waiting, 0);
    len = sizeof(granted);
    cr_assert_eq(getsockopt(in, SOL_SOCKET, SO_RCVBUF, &granted, &len), 0);
    cr_expect_eq(udp_drop_buffer_bytes(st.st_ino), granted);
    uint64_t read_n = 0;
    char text[16];
    while (recv(in, text, sizeof(text), MSG_DONTWAIT) == 7)
        read_n++;
    cr_expect_gt(found->dropped, 0);
    cr_expect_eq(found->dropped + read_n, SENT, "%llu dropped, %llu read",
                 (unsigned long long)found->dropped, (unsigned long long)read_n);
    cr_expect_eq(udp_drop_buffer_bytes(1), -1, "there is no such socket");
    close(in);
    close(out);
}
