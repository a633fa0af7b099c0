/* What the settings of a network must be together (network.h). */
#include "helper/network.h"

static int wrong(struct err *err, size_t i, const char *member, const char *why)
{
    char at[128];
    snprintf(at, sizeof(at), "interfaces[%zu].%s", i, member);
    return err_set_field(err, EINVAL, "bad_value", at, "%s %s", at, why);
}

static const struct network_interface *find(const struct network *n, const char *name)
{
    for (size_t i = 0; i < n->interfaces_n; i++)
        if (strcmp(n->interfaces[i].name, name) == 0)
            return &n->interfaces[i];
    return NULL;
}

static bool has_host_bits(const struct network_address *a, bool all_ones)
{
    unsigned bits = a->ip.family == 4 ? 32 : 128;
    for (unsigned b = a->prefix; b < bits; b++)
        if (!!(a->ip.bytes[b / 8] & (0x80 >> b % 8)) != all_ones)
            return true;
    return false;
}

/* No network, broadcast, loopback, multicast or unspecified address. */
static bool is_host(const struct network_address *a)
{
    if (ip_is_multicast(&a->ip))
        return false;
    if (a->ip.family == 6) {
        static const uint8_t loopback[16] = {[15] = 1}, none[16] = {0};
        return memcmp(a->ip.bytes, loopback, 16) != 0 && memcmp(a->ip.bytes, none, 16) != 0 &&
               (a->prefix >= 127 || has_host_bits(a, false));
    }
    if (a->ip.bytes[0] == 0 || a->ip.bytes[0] == 127 || a->ip.bytes[0] >= 240)
        return false;
    return a->prefix >= 31 || (has_host_bits(a, false) && has_host_bits(a, true));
}

static bool is_reached(const struct network_family *f, const struct ip *gateway)
{
    if (gateway->family == 6 && gateway->bytes[0] == 0xfe && (gateway->bytes[1] & 0xc0) == 0x80)
        return true;
    for (size_t i = 0; i < f->addresses_n; i++) {
        struct ip_network net = {f->addresses[i].ip, f->addresses[i].prefix};
        for (unsigned b = net.prefix; b < 128; b++)
            net.address.bytes[b / 8] &= (uint8_t) ~(0x80 >> b % 8);
        if (ip_in_network(gateway, &net) && !ip_eq(gateway, &f->addresses[i].ip))
            return true;
    }
    return false;
}

static int check_family(size_t i, const char *name, const struct network_family *f, struct err *err)
{
    char member[64];
    bool is_static = f->method == NETWORK_STATIC;
    snprintf(member, sizeof(member), "%s.addresses", name);
    if (is_static && f->addresses_n == 0)
        return wrong(err, i, member, "is empty: the method static needs an address");
    if (!is_static && f->addresses_n > 0)
        return wrong(err, i, member, "is only for the method static");
    for (size_t a = 0; a < f->addresses_n; a++) {
        snprintf(member, sizeof(member), "%s.addresses[%zu]", name, a);
        if (!is_host(&f->addresses[a]))
            return wrong(err, i, member, "is not the address of a host in its network");
    }
    snprintf(member, sizeof(member), "%s.gateway", name);
    if (f->gateway.family && !is_static)
        return wrong(err, i, member, "is only for the method static");
    if (f->gateway.family && !is_reached(f, &f->gateway))
        return wrong(err, i, member, "is in none of the networks of the addresses");
    return 0;
}

static int check_vlan(const struct network *n, size_t i, struct err *err)
{
    const struct network_interface *me = &n->interfaces[i], *parent = find(n, me->parent);
    if (!me->vlan)
        return 0;
    if (!parent || parent->vlan)
        return wrong(err, i, "vlan.parent", "is none of the cards that are set here");
    if (me->mtu && parent->mtu && me->mtu > parent->mtu)
        return wrong(err, i, "mtu", "is greater than that of the card");
    for (size_t k = 0; k < i; k++)
        if (n->interfaces[k].vlan == me->vlan && strcmp(n->interfaces[k].parent, me->parent) == 0)
            return wrong(err, i, "vlan.id", "is there twice on this card");
    return 0;
}

static int check_unique(const struct network *n, size_t i, struct err *err)
{
    const struct network_interface *me = &n->interfaces[i];
    if (find(n, me->name) != me)
        return wrong(err, i, "name", "is there twice");
    for (size_t a = 0; a < me->ipv4.addresses_n + me->ipv6.addresses_n; a++) {
        const struct ip *ip = a < me->ipv4.addresses_n
                                  ? &me->ipv4.addresses[a].ip
                                  : &me->ipv6.addresses[a - me->ipv4.addresses_n].ip;
        for (size_t k = 0; k <= i; k++) {
            const struct network_interface *o = &n->interfaces[k];
            const struct network_family *f = ip->family == 4 ? &o->ipv4 : &o->ipv6;
            size_t end = k < i ? f->addresses_n : ip->family == 4 ? a : a - me->ipv4.addresses_n;
            for (size_t b = 0; b < end; b++)
                if (ip_eq(ip, &f->addresses[b].ip))
                    return wrong(err, i, ip->family == 4 ? "ipv4.addresses" : "ipv6.addresses",
                                 "holds an address that is there twice");
        }
    }
    return 0;
}

int network_check(const struct network *n, struct err *err)
{
    bool has_gateway4 = false, has_gateway6 = false, has_address = n->interfaces_n == 0;
    for (size_t i = 0; i < n->interfaces_n; i++) {
        const struct network_interface *me = &n->interfaces[i];
        if (check_unique(n, i, err) < 0 || check_vlan(n, i, err) < 0 ||
            check_family(i, "ipv4", &me->ipv4, err) < 0 ||
            check_family(i, "ipv6", &me->ipv6, err) < 0)
            return -EINVAL;
        if (has_gateway4 && me->ipv4.gateway.family)
            return wrong(err, i, "ipv4.gateway", "is a second default route");
        if (has_gateway6 && me->ipv6.gateway.family)
            return wrong(err, i, "ipv6.gateway", "is a second default route");
        has_gateway4 = has_gateway4 || me->ipv4.gateway.family;
        has_gateway6 = has_gateway6 || me->ipv6.gateway.family;
        has_address = has_address || me->ipv4.method != NETWORK_OFF ||
                      me->ipv6.method != NETWORK_OFF;
    }
    if (!has_address)
        return err_set_field(err, EINVAL, "bad_value", "interfaces",
                             "interfaces give the box no address: every method is off");
    return 0;
}
