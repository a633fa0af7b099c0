/* Counting connections by peer. */
#include <criterion/criterion.h>

#include "net/peers.h"

static struct ip address(uint32_t i)
{
    struct ip ip = {.family = i % 2 ? 4 : 6};
    memcpy(ip.bytes, &i, sizeof(i));
    return ip;
}

Test(peers, many_peers_are_told_apart_and_forgotten_with_their_last_connection)
{
    enum { N = 3000 };
    static struct peer *of[N][2];
    struct peers *p = peers_new(16);
    for (int round = 0; round < 2; round++) {
        for (uint32_t i = 0; i < N; i++) {
            struct ip ip = address(i);
            of[i][round] = peers_enter(p, &ip);
            cr_assert_eq(of[i][round]->connections, round + 1);
        }
    }
    cr_expect_eq(peers_count(p), N);
    for (uint32_t i = 0; i < N; i++) {
        struct ip ip = address(i);
        cr_assert_eq(of[i][0], of[i][1]);
        peers_leave(p, of[i][0]);
        cr_assert_eq(peers_connections(p, &ip), 1);
        if (i % 3)
            peers_leave(p, of[i][1]);
    }
    for (uint32_t i = 0; i < N; i++) {
        struct ip ip = address(i);
        cr_assert_eq(peers_connections(p, &ip), i % 3 ? 0 : 1);
    }
    cr_expect_eq(peers_count(p), N / 3);
    peers_free(&p);
    cr_expect_null(p);
    peers_free(&p);
}
