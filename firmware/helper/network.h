/* The network of the box as it is set: cards, VLANs, addresses, routes, name servers.  No
 * interfaces at all means: every Ethernet card by DHCP and router advertisements. */
#ifndef AZEKURA_HELPER_NETWORK_H
#define AZEKURA_HELPER_NETWORK_H

#include "base/ip.h"
#include "helper/helper.h"

#define INTERFACE_NAME_MAX 16 /* with its NUL, as the kernel has it */

enum network_method { NETWORK_OFF, NETWORK_STATIC, NETWORK_DHCP, NETWORK_AUTO };

struct network_address {
    struct ip ip;
    uint8_t prefix;
};

struct network_family {
    enum network_method method; /* AUTO: IPv6 by router advertisements alone */
    struct network_address addresses[INTERFACE_ADDRESSES_MAX];
    size_t addresses_n;
    struct ip gateway; /* family 0: none */
};

struct network_route {
    struct ip_network to;
    struct ip gateway;
    uint32_t metric; /* 0: the kernel's own */
};

struct network_interface {
    char name[INTERFACE_NAME_MAX];
    char parent[INTERFACE_NAME_MAX]; /* of a VLAN; "": a card */
    uint16_t vlan;                   /* 1…4094 */
    uint16_t mtu;                    /* bytes; 0: as it is */
    struct network_family ipv4, ipv6;
    struct network_route routes[INTERFACE_ROUTES_MAX];
    size_t routes_n;
};

struct network {
    struct network_interface interfaces[INTERFACES_MAX];
    size_t interfaces_n;
    struct ip dns[DNS_SERVERS_MAX];
    size_t dns_n;
    char domains[DNS_DOMAINS_MAX][256];
    size_t domains_n;
};

/* From JSON, checked whole.  0, or -EINVAL and *err, whose field says where
 * ("interfaces[1].ipv4.gateway"). */
MUST_USE int network_parse(const cJSON *settings, struct network *ret, struct err *err);
/* What one member alone does not tell: names, VLANs, gateways within reach, one default route. */
MUST_USE int network_check(const struct network *n, struct err *err);
bool network_is_interface_name(const char *name);
/* The files of systemd-networkd for one interface.  `netdev` stays empty for a card. */
MUST_USE int network_render(const struct network *n, const struct network_interface *i,
                            struct buf *network, struct buf *netdev, struct err *err);
/* Of a network without interfaces. */
MUST_USE int network_render_automatic(const struct network *n, struct buf *network,
                                      struct err *err);

#endif
