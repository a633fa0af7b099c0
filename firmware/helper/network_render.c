/* The files of systemd-networkd (network.h).  All text in them is made from checked values. */
#include "helper/network.h"

static void add_ip(struct buf *out, const char *key, const struct ip *ip)
{
    char text[IP_TEXT_MAX];
    ip_format(ip, text);
    buf_printf(out, "%s=%s\n", key, text);
}

static void add_addresses(struct buf *out, const struct network_family *f)
{
    char text[IP_TEXT_MAX];
    for (size_t i = 0; i < f->addresses_n; i++) {
        ip_format(&f->addresses[i].ip, text);
        buf_printf(out, "Address=%s/%u\n", text, f->addresses[i].prefix);
    }
    if (f->gateway.family)
        add_ip(out, "Gateway", &f->gateway);
}

static void add_names(struct buf *out, const struct network *n)
{
    for (size_t i = 0; i < n->dns_n; i++)
        add_ip(out, "DNS", &n->dns[i]);
    for (size_t i = 0; i < n->domains_n; i++)
        buf_printf(out, "Domains=%s\n", n->domains[i]);
}

/* Name servers that are set are asked alone. */
static void add_client(struct buf *out, const struct network *n)
{
    static const char *const sections[] = {"DHCPv4", "DHCPv6", "IPv6AcceptRA"};
    for (size_t i = 0; i < ARRAY_LEN(sections); i++)
        buf_printf(out, "\n[%s]\nUseDNS=%s\n%s", sections[i], n->dns_n ? "no" : "yes",
                   i == 0 ? "UseHostname=no\n" : "");
}

static int finish(const struct buf *out, struct err *err)
{
    return out->is_full ? err_set(err, EFBIG, "network", "the files of a network are too long") : 0;
}

static void add_vlan(const struct network *n, const struct network_interface *i,
                     struct buf *network, struct buf *netdev)
{
    if (i->vlan)
        buf_printf(netdev, "[NetDev]\nName=%s\nKind=vlan\n\n[VLAN]\nId=%u\n", i->name, i->vlan);
    for (size_t k = 0; k < n->interfaces_n; k++)
        if (n->interfaces[k].vlan && strcmp(n->interfaces[k].parent, i->name) == 0)
            buf_printf(network, "VLAN=%s\n", n->interfaces[k].name);
}

int network_render(const struct network *n, const struct network_interface *i, struct buf *network,
                   struct buf *netdev, struct err *err)
{
    bool dhcp4 = i->ipv4.method == NETWORK_DHCP, dhcp6 = i->ipv6.method == NETWORK_DHCP;
    bool accepts = dhcp6 || i->ipv6.method == NETWORK_AUTO;
    buf_printf(network, "[Match]\nName=%s\n", i->name);
    if (i->mtu)
        buf_printf(network, "\n[Link]\nMTUBytes=%u\n", i->mtu);
    buf_printf(network, "\n[Network]\nDHCP=%s\nIPv6AcceptRA=%s\nLinkLocalAddressing=%s\n",
               dhcp4 && dhcp6 ? "yes"
               : dhcp4        ? "ipv4"
               : dhcp6        ? "ipv6"
                              : "no",
               accepts ? "yes" : "no", i->ipv6.method == NETWORK_OFF ? "no" : "ipv6");
    add_vlan(n, i, network, netdev);
    add_addresses(network, &i->ipv4);
    add_addresses(network, &i->ipv6);
    if (i->ipv4.method != NETWORK_OFF || i->ipv6.method != NETWORK_OFF)
        add_names(network, n);
    for (size_t k = 0; k < i->routes_n; k++) {
        char text[IP_TEXT_MAX];
        ip_format(&i->routes[k].to.address, text);
        buf_printf(network, "\n[Route]\nDestination=%s/%u\n", text, i->routes[k].to.prefix);
        add_ip(network, "Gateway", &i->routes[k].gateway);
        if (i->routes[k].metric)
            buf_printf(network, "Metric=%u\n", i->routes[k].metric);
    }
    add_client(network, n);
    return finish(network, err);
}

int network_render_automatic(const struct network *n, struct buf *network, struct err *err)
{
    buf_add_str(network, "[Match]\nType=ether\nKind=!*\n\n[Network]\nDHCP=yes\nIPv6AcceptRA=yes\n");
    add_names(network, n);
    add_client(network, n);
    return finish(network, err);
}
