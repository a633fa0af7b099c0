/* The list of source addresses. */
#include <criterion/criterion.h>

#include "block/senders.h"

static const struct view list =
    VIEW("\x04\xc0\x00\x02\x07"
         "\x06\x20\x01\x0d\xb8\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x01");

Test(senders, networks_match_by_family_and_prefix)
{
    static const struct {
        const char *network;
        bool is_in;
    } cases[] = {
        {"192.0.2.7", true},        {"192.0.2.0/24", true},
        {"192.0.2.6", false},       {"0.0.0.0/0", true},
        {"198.51.100.0/24", false}, {"2001:db8::/32", true},
        {"2001:db9::/32", false},   {"::/0", true},
        {"2001:db8::1", true},      {"2001:db8::2", false},
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct ip_network net;
        cr_assert_eq(ip_network_parse(view_str(cases[i].network), &net), 0);
        cr_assert_eq(senders_in_network(list, &net), cases[i].is_in, "%s", cases[i].network);
    }
}

Test(senders, a_malformed_list_counts_as_yes)
{
    struct ip_network net;
    cr_assert_eq(ip_network_parse(VIEW("203.0.113.0/24"), &net), 0);
    for (size_t n = 1; n < list.n; n++)
        if (n != 5)
            cr_assert(senders_in_network(view_of(list.p, n), &net), "%zu bytes", n);
    cr_assert(senders_in_network(VIEW("\x05\x01\x02\x03\x04"), &net));
    cr_assert_not(senders_in_network(VIEW(""), &net), "no sender is in no network");
}

Test(senders, iteration_gives_each_and_ends)
{
    struct ip ip;
    char text[IP_TEXT_MAX];
    size_t position = 0;
    cr_assert(senders_next(list, &position, &ip));
    ip_format(&ip, text);
    cr_assert_str_eq(text, "192.0.2.7");
    cr_assert(senders_next(list, &position, &ip));
    ip_format(&ip, text);
    cr_assert_str_eq(text, "2001:db8::1");
    cr_assert_not(senders_next(list, &position, &ip));
    cr_assert_eq(position, list.n);
}
