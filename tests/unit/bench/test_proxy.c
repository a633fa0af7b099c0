#include <criterion/criterion.h>

#include "bench/load/proxy.h"

static int make(const struct load_more *more, enum target_transport transport, char *out,
                struct err *err)
{
    struct random r;
    random_seed(&r, 1);
    return proxy_header(more, transport, &r, out, err);
}

Test(proxy, the_text_ends_with_cr_lf_and_with_loggens_quirks_with_lf_alone)
{
    struct load_more more = {.proxy_version = 1,
                             .proxy_src_ip = "192.0.2.7",
                             .proxy_dst_ip = "198.51.100.1",
                             .proxy_src_port = "40001",
                             .proxy_dst_port = "514"};
    char out[PROXY_HEADER_MAX];
    struct err err;
    int n = make(&more, TARGET_TCP, out, &err);
    cr_assert_str_eq(out, "PROXY TCP4 192.0.2.7 198.51.100.1 40001 514\r\n");
    cr_assert_eq(n, (int)strlen(out));
    more.is_compat = true;
    make(&more, TARGET_TCP, out, &err);
    cr_assert_str_eq(out, "PROXY TCP4 192.0.2.7 198.51.100.1 40001 514\n");
    more.proxy_src_ip = "2001:db8::1";
    more.proxy_dst_ip = "2001:db8::2";
    make(&more, TARGET_TCP, out, &err);
    cr_assert_str_eq(out, "PROXY TCP6 2001:db8::1 2001:db8::2 40001 514\n");
}

Test(proxy, the_binary_header_has_the_family_of_its_addresses_and_the_kind_of_the_transport)
{
    static const char magic[] = "\r\n\r\n\0\r\nQUIT\n";
    struct load_more more = {.proxy_version = 2,
                             .proxy_src_ip = "192.0.2.7",
                             .proxy_dst_ip = "198.51.100.1",
                             .proxy_src_port = "258",
                             .proxy_dst_port = "514"};
    char out[PROXY_HEADER_MAX];
    struct err err;
    cr_assert_eq(make(&more, TARGET_TCP, out, &err), 28);
    cr_assert(memcmp(out, magic, 12) == 0);
    cr_assert(memcmp(out + 12, "\x21\x11\x00\x0c\xc0\x00\x02\x07\xc6\x33\x64\x01\x01\x02\x02\x02",
                     16) == 0);
    cr_assert_eq(make(&more, TARGET_UDP, out, &err), 28);
    cr_assert_eq(out[13], 0x12);
    more.proxy_src_ip = "2001:db8::1";
    more.proxy_dst_ip = "2001:db8::2";
    cr_assert_eq(make(&more, TARGET_TCP, out, &err), 52);
    cr_assert_eq(out[13], 0x21);
    cr_assert_eq(out[15], 36);
    cr_assert_eq(out[31], 1);
    cr_assert_eq(out[47], 2);
}

Test(proxy, what_is_not_given_is_drawn_in_loggens_ranges)
{
    struct load_more more = {.proxy_version = 1};
    struct random r;
    struct err err;
    random_seed(&r, 3);
    for (int i = 0; i < 200; i++) {
        char out[PROXY_HEADER_MAX];
        unsigned a, b, port;
        cr_assert_gt(proxy_header(&more, TARGET_TCP, &r, out, &err), 0);
        cr_assert_eq(sscanf(out, "PROXY TCP4 192.168.1.%u 192.168.1.%u %u 514", &a, &b, &port), 3,
                     "%s", out);
        cr_assert(a >= 1 && a <= 99 && b >= 1 && b <= 99 && port >= 5000 && port <= 9999, "%s",
                  out);
    }
}

Test(proxy, faults_are_named)
{
    static const struct {
        struct load_more more;
        const char *said;
    } cases[] = {
        {{.proxy_src_ip = "here"}, "--proxy-src-ip here: not an IP address"},
        {{.proxy_src_port = "65536"}, "--proxy-src-port 65536: a port of 0..65535"},
        {{.proxy_src_ip = "2001:db8::1"}, "two addresses are of different families"},
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        char out[PROXY_HEADER_MAX];
        struct err err;
        cr_assert_eq(make(&cases[i].more, TARGET_TCP, out, &err), -EINVAL);
        cr_assert_not_null(strstr(err.message, cases[i].said), "%s", err.message);
    }
}
