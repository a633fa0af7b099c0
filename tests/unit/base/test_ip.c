#include <criterion/criterion.h>

#include "base/ip.h"

Test(ip, addresses_round_trip_in_canonical_form)
{
    static const char *const cases[][2] = {
        {"192.0.2.1", "192.0.2.1"},
        {"2001:DB8:0:0:0:0:0:1", "2001:db8::1"},
        {"::ffff:192.0.2.7", "192.0.2.7"},
        {"::", "::"},
        {"255.255.255.255", "255.255.255.255"},
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct ip ip;
        char text[IP_TEXT_MAX];
        cr_assert_eq(ip_parse(view_str(cases[i][0]), &ip), 0, "%s", cases[i][0]);
        ip_format(&ip, text);
        cr_assert_str_eq(text, cases[i][1]);
    }
}

Test(ip, what_is_no_address_is_refused)
{
    static const struct view bad[] = {
        VIEW(""),           VIEW("1.2.3"),        VIEW("1.2.3.256"), VIEW("1.2.3.4 "),
        VIEW("1.2.3.4\0x"), VIEW("fe80::1%eth0"), VIEW("host"),      VIEW("1:2:3:4:5:6:7:8:9")};
    for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
        struct ip ip;
        cr_assert_eq(ip_parse(bad[i], &ip), -EINVAL, "%.*s", VIEW_ARG(bad[i]));
    }
}

Test(ip, networks_hold_the_addresses_they_should)
{
    static const struct {
        const char *net, *ip;
        bool is_inside;
    } cases[] = {
        {"192.0.2.0/24", "192.0.2.255", true},
        {"192.0.2.0/24", "192.0.3.0", false},
        {"192.0.2.77/24", "192.0.2.1", true},
        {"0.0.0.0/0", "203.0.113.9", true},
        {"0.0.0.0/0", "2001:db8::1", false},
        {"10.0.0.0/9", "10.127.255.255", true},
        {"10.0.0.0/9", "10.128.0.0", false},
        {"192.0.2.1", "192.0.2.1", true},
        {"192.0.2.1", "192.0.2.2", false},
        {"2001:db8::/33", "2001:db8:7fff::1", true},
        {"2001:db8::/33", "2001:db8:8000::1", false},
        {"::ffff:192.0.2.0/120", "192.0.2.9", true},
        {"::ffff:192.0.2.0/120", "192.0.3.9", false},
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct ip_network net;
        struct ip ip;
        cr_assert_eq(ip_network_parse(view_str(cases[i].net), &net), 0, "%s", cases[i].net);
        cr_assert_eq(ip_parse(view_str(cases[i].ip), &ip), 0);
        cr_assert_eq(ip_in_network(&ip, &net), cases[i].is_inside, "%s in %s", cases[i].ip,
                     cases[i].net);
    }
}

Test(ip, what_is_no_network_is_refused)
{
    static const char *const bad[] = {"",
                                      "/24",
                                      "192.0.2.0/",
                                      "192.0.2.0/33",
                                      "192.0.2.0/-1",
                                      "192.0.2.0/024x",
                                      "2001:db8::/129",
                                      "::ffff:192.0.2.0/24"};
    for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
        struct ip_network net;
        cr_assert_eq(ip_network_parse(view_str(bad[i]), &net), -EINVAL, "%s", bad[i]);
    }
}

Test(ip, address_and_port_are_told_apart)
{
    struct ip ip;
    uint16_t port;
    cr_assert_eq(ip_port_parse(VIEW("0.0.0.0:5514"), &ip, &port), 0);
    cr_assert_eq(port, 5514);
    cr_assert_eq(ip_port_parse(VIEW("[::1]:0"), &ip, &port), 0);
    cr_assert_eq(ip.family, 6);
    static const char *const bad[] = {
        "",         ":",     "5514",   "0.0.0.0",      "0.0.0.0:",   "0.0.0.0:65536",
        "::1:5514", "[::1]", "[::1:1", "localhost:80", "0.0.0.0:-1", "0.0.0.0:000080"};
    for (size_t i = 0; i < ARRAY_LEN(bad); i++)
        cr_assert_eq(ip_port_parse(view_str(bad[i]), &ip, &port), -EINVAL, "%s", bad[i]);
}
