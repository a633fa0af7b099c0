#include "helper/network.h"

#include <criterion/criterion.h>

#include "helper/strict.h"

#define ONE(members) "{\"interfaces\":[{\"name\":\"eth0\"," members "}]}"
#define V4(members) ONE("\"ipv4\":{\"method\":\"static\"," members "}")

static int parse(const char *text, struct network *n, struct err *err)
{
    cJSON *tree = NULL;
    cr_assert_eq(strict_parse(view_str(text), &tree, err), 0, "%s: %s", text, err->message);
    int r = network_parse(tree, n, err);
    cJSON_Delete(tree);
    return r;
}

Test(network, what_cannot_work_is_refused_and_the_field_is_named)
{
    static const struct {
        const char *text, *field;
    } cases[] = {
        {"{\"interface\":[]}", ""},
        {ONE("\"ipv4\":{}"), "interfaces[0].ipv4.method"},
        {ONE("\"ipv4\":{\"method\":\"auto\"}"), "interfaces[0].ipv4.method"},
        {ONE("\"ipv4\":{\"method\":\"off\"}"), "interfaces"},
        {V4("\"addresses\":[]"), "interfaces[0].ipv4.addresses"},
        {V4("\"addresses\":[\"192.0.2.10\"]"), "interfaces[0].ipv4.addresses[0]"},
        {V4("\"addresses\":[\"192.0.2.10/33\"]"), "interfaces[0].ipv4.addresses[0]"},
        {V4("\"addresses\":[\"192.0.2.0/24\"]"), "interfaces[0].ipv4.addresses[0]"},
        {V4("\"addresses\":[\"192.0.2.255/24\"]"), "interfaces[0].ipv4.addresses[0]"},
        {V4("\"addresses\":[\"127.0.0.2/8\"]"), "interfaces[0].ipv4.addresses[0]"},
        {V4("\"addresses\":[\"2001:db8::1/64\"]"), "interfaces[0].ipv4.addresses[0]"},
        {V4("\"addresses\":[\"192.0.2.10/24\"],\"gateway\":\"198.51.100.1\""),
         "interfaces[0].ipv4.gateway"},
        {V4("\"addresses\":[\"192.0.2.10/24\"],\"gateway\":\"192.0.2.10\""),
         "interfaces[0].ipv4.gateway"},
        {V4("\"addresses\":[\"192.0.2.10/24\",\"192.0.2.10/24\"]"), "interfaces[0].ipv4.addresses"},
        {ONE("\"ipv4\":{\"method\":\"dhcp\",\"gateway\":\"192.0.2.1\"}"),
         "interfaces[0].ipv4.gateway"},
        {ONE("\"mtu\":100"), "interfaces[0].mtu"},
        {ONE("\"vlan\":{\"parent\":\"eth1\",\"id\":5},\"ipv4\":{\"method\":\"dhcp\"}"),
         "interfaces[0].vlan.parent"},
        {ONE("\"vlan\":{\"parent\":\"eth1\",\"id\":4095}"), "interfaces[0].vlan.id"},
        {ONE("\"routes\":[{\"destination\":\"10.0.0.1/8\",\"gateway\":\"10.0.0.1\"}]"),
         "interfaces[0].routes[0].destination"},
        {ONE("\"routes\":[{\"destination\":\"10.0.0.0/8\",\"gateway\":\"fe80::1\"}]"),
         "interfaces[0].routes[0].gateway"},
        {"{\"interfaces\":[{\"name\":\"lo\"}]}", "interfaces[0].name"},
        {"{\"interfaces\":[{\"name\":\"e/0\"}]}", "interfaces[0].name"},
        {"{\"dns\":[\"ff02::1\"]}", "dns[0]"},
        {"{\"domains\":[\"a b\"]}", "domains[0]"},
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        static struct network n;
        struct err err;
        cr_expect_eq(parse(cases[i].text, &n, &err), -EINVAL, "%s", cases[i].text);
        if (*cases[i].field)
            cr_expect_str_eq(err.field, cases[i].field, "%s: %s", cases[i].text, err.message);
    }
}

Test(network, a_card_with_a_vlan_becomes_files_of_networkd)
{
    static struct network n;
    struct err err;
    struct buf network = BUF_INIT(8192), netdev = BUF_INIT(8192);
    cr_assert_eq(
        parse(
            "{\"interfaces\":[{\"name\":\"eth0\",\"ipv4\":{\"method\":\"static\",\"addresses\":["
            "\"192.0.2.10/24\"],\"gateway\":\"192.0.2.1\"},\"ipv6\":{\"method\":\"static\","
            "\"addresses\":[\"2001:db8::5/64\"],\"gateway\":\"fe80::1\"},\"routes\":[{"
            "\"destination\":\"10.0.0.0/8\",\"gateway\":\"192.0.2.254\",\"metric\":7}]},{\"name\":"
            "\"eth0.20\",\"vlan\":{\"parent\":\"eth0\",\"id\":20},\"ipv4\":{\"method\":\"dhcp\"}}],"
            "\"dns\":[\"192.0.2.53\"],\"domains\":[\"example.net\"]}",
            &n, &err),
        0, "%s", err.message);
    cr_assert_eq(network_render(&n, &n.interfaces[0], &network, &netdev, &err), 0);
    static const char *const lines[] = {
        "[Match]\nName=eth0\n",  "DHCP=no\n",
        "VLAN=eth0.20\n",        "Address=192.0.2.10/24\n",
        "Gateway=192.0.2.1\n",   "Address=2001:db8::5/64\n",
        "Gateway=fe80::1\n",     "DNS=192.0.2.53\n",
        "Domains=example.net\n", "[Route]\nDestination=10.0.0.0/8\nGateway=192.0.2.254\nMetric=7\n",
        "IPv6AcceptRA=no\n",
    };
    for (size_t i = 0; i < ARRAY_LEN(lines); i++)
        cr_expect(strstr(buf_str(&network), lines[i]), "%s is missing in\n%s", lines[i],
                  buf_str(&network));
    cr_expect_eq(netdev.n, 0);
    buf_clear(&network);
    cr_assert_eq(network_render(&n, &n.interfaces[1], &network, &netdev, &err), 0);
    cr_expect_str_eq(buf_str(&netdev), "[NetDev]\nName=eth0.20\nKind=vlan\n\n[VLAN]\nId=20\n");
    cr_expect(strstr(buf_str(&network), "DHCP=ipv4\n"));
    buf_free(&network);
    buf_free(&netdev);
}
