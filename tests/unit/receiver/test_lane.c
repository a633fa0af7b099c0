/* Which lane a sender's messages come to.  The rest of lane.c is tested by scenarios. */
#include <criterion/criterion.h>

#include "receiver/lane.h"

Test(lane, datagrams_and_everything_of_one_lane_come_to_the_first)
{
    struct ip ip = {4, {192, 0, 2, 1}};
    for (unsigned lanes = 1; lanes <= RECEIVER_LANES_MAX; lanes++)
        cr_expect_eq(lane_of(&ip, LISTENER_UDP, lanes), 0);
    cr_expect_eq(lane_of(&ip, LISTENER_TCP, 1), 0);
}

Test(lane, a_sender_has_the_same_lane_for_all_its_connections)
{
    for (unsigned i = 0; i < 1000; i++) {
        struct ip ip = {i % 2 ? 4 : 6, {10, 0, (uint8_t)(i >> 8), (uint8_t)i}};
        unsigned lane = lane_of(&ip, LISTENER_TCP, 8);
        cr_assert_lt(lane, 8);
        cr_assert_eq(lane, lane_of(&ip, LISTENER_TLS, 8));
    }
}

Test(lane, neighbouring_senders_are_spread_over_all_lanes)
{
    static const struct {
        const char *what;
        uint8_t family, at; /* the byte that counts */
    } cases[] = {{"IPv4, last byte", 4, 3}, {"IPv4, third byte", 4, 2}, {"IPv6, last byte", 6, 15}};
    for (size_t k = 0; k < ARRAY_LEN(cases); k++) {
        for (unsigned lanes = 2; lanes <= RECEIVER_LANES_MAX; lanes++) {
            unsigned n[RECEIVER_LANES_MAX] = {0};
            for (unsigned i = 0; i < 256; i++) {
                struct ip ip = {cases[k].family, {10, 1, 2, 3}};
                ip.bytes[cases[k].at] = (uint8_t)i;
                n[lane_of(&ip, LISTENER_TCP, lanes)]++;
            }
            for (unsigned lane = 0; lane < lanes; lane++)
                cr_expect(n[lane] * lanes > 256 / 4 && n[lane] * lanes < 256 * 4,
                          "%s: %u of 256 in lane %u of %u", cases[k].what, n[lane], lane, lanes);
        }
    }
}
