/* The settings of the network, read from JSON (network.h). */
#include "helper/network.h"

#include <ctype.h>

#include "helper/strict.h"
#include "helper/subjects.h"

bool network_is_interface_name(const char *name)
{
    size_t n = strlen(name);
    if (n == 0 || n >= INTERFACE_NAME_MAX || !isalnum((unsigned char)name[0]) ||
        strcmp(name, "lo") == 0)
        return false;
    for (size_t i = 0; i < n; i++)
        if ((unsigned char)name[i] >= 0x80 ||
            (!isalnum((unsigned char)name[i]) && !strchr("_.-", name[i])))
            return false;
    return true;
}

static int wrong(struct err *err, const char *at, const char *value, const char *what)
{
    return err_set_field(err, EINVAL, "bad_value", at, "%s: \"%.64s\" is not %s", at, value, what);
}

/* An address with its prefix length, host bits kept. */
static int parse_address(const cJSON *v, const char *at, unsigned family,
                         struct network_address *ret, struct err *err)
{
    const char *text = cJSON_GetStringValue(v), *slash = text ? strchr(text, '/') : NULL;
    uint64_t prefix;
    char what[64];
    snprintf(what, sizeof(what), "an IPv%u address with its prefix length", family);
    if (!slash || ip_parse(view_of(text, (size_t)(slash - text)), &ret->ip) < 0 ||
        ret->ip.family != family ||
        view_u64(view_str(slash + 1), family == 4 ? 32 : 128, &prefix) < 0 || prefix == 0)
        return wrong(err, at, text ? text : "", what);
    ret->prefix = (uint8_t)prefix;
    return 0;
}

static int parse_ip(const cJSON *v, const char *at, unsigned family, struct ip *ret,
                    struct err *err)
{
    const char *text = cJSON_GetStringValue(v);
    if (!text || ip_parse(view_str(text), ret) < 0 || (family && ret->family != family) ||
        ip_is_multicast(ret))
        return wrong(err, at, text ? text : "",
                     family == 4   ? "an IPv4 address of a host"
                     : family == 6 ? "an IPv6 address of a host"
                                   : "an address of a host");
    return 0;
}

static int parse_family(const cJSON *o, const char *at, unsigned family, struct network_family *ret,
                        struct err *err)
{
    static const char *const names[] = {"method", "addresses", "gateway", NULL};
    static const char *const methods[] = {"off", "static", "dhcp", "auto"};
    const char *method = NULL;
    const cJSON *list = NULL;
    char path[STRICT_PATH_MAX];
    if (!o)
        return 0;
    if (strict_only(o, at, names, err) < 0 ||
        strict_text(o, at, "method", 8, true, &method, err) < 0 ||
        strict_list(o, at, "addresses", INTERFACE_ADDRESSES_MAX, &list, err) < 0)
        return -EINVAL;
    size_t m = 0, known = family == 6 ? 4 : 3;
    while (m < known && strcmp(methods[m], method) != 0)
        m++;
    if (m == known)
        return wrong(err, strict_path(at, "method", path), method,
                     family == 6 ? "off, static, dhcp or auto" : "off, static or dhcp");
    ret->method = (enum network_method)m;
    for (const cJSON *v = list ? list->child : NULL; v; v = v->next) {
        char element[32];
        snprintf(element, sizeof(element), "addresses[%zu]", ret->addresses_n);
        if (parse_address(v, strict_path(at, element, path), family,
                          &ret->addresses[ret->addresses_n], err) < 0)
            return -EINVAL;
        ret->addresses_n++;
    }
    const cJSON *gateway = cJSON_GetObjectItemCaseSensitive(o, "gateway");
    return gateway ? parse_ip(gateway, strict_path(at, "gateway", path), family, &ret->gateway, err)
                   : 0;
}

static int parse_route(const cJSON *o, const char *at, struct network_route *ret, struct err *err)
{
    static const char *const names[] = {"destination", "gateway", "metric", NULL};
    char path[STRICT_PATH_MAX];
    const char *to = NULL;
    int64_t metric = 0;
    struct ip ip;
    if (strict_only(o, at, names, err) < 0 ||
        strict_text(o, at, "destination", IP_TEXT_MAX, true, &to, err) < 0 ||
        strict_integer(o, at, "metric", 0, UINT32_MAX, false, &metric, err) < 0)
        return -EINVAL;
    const char *slash = strchr(to, '/');
    strict_path(at, "destination", path);
    if (!slash || ip_network_parse(view_str(to), &ret->to) < 0 ||
        ip_parse(view_of(to, (size_t)(slash - to)), &ip) < 0)
        return wrong(err, path, to, "a network with its prefix length");
    if (!ip_eq(&ip, &ret->to.address))
        return wrong(err, path, to, "a network: its host bits must be zero");
    const cJSON *gateway = cJSON_GetObjectItemCaseSensitive(o, "gateway");
    ret->metric = (uint32_t)metric;
    return parse_ip(gateway, strict_path(at, "gateway", path), ret->to.address.family,
                    &ret->gateway, err);
}

static int parse_vlan(const cJSON *o, const char *at, struct network_interface *ret,
                      struct err *err)
{
    static const char *const names[] = {"parent", "id", NULL};
    const char *parent = NULL;
    int64_t id = 0;
    if (!o)
        return 0;
    if (strict_only(o, at, names, err) < 0 ||
        strict_text(o, at, "parent", INTERFACE_NAME_MAX - 1, true, &parent, err) < 0 ||
        strict_integer(o, at, "id", 1, 4094, true, &id, err) < 0)
        return -EINVAL;
    if (!network_is_interface_name(parent))
        return wrong(err, at, parent, "the name of a network card");
    snprintf(ret->parent, sizeof(ret->parent), "%s", parent);
    ret->vlan = (uint16_t)id;
    return 0;
}

static int parse_interface(const cJSON *o, const char *at, struct network_interface *ret,
                           struct err *err)
{
    static const char *const names[] = {"name", "vlan", "mtu", "ipv4", "ipv6", "routes", NULL};
    char path[STRICT_PATH_MAX];
    const char *name = NULL;
    const cJSON *vlan, *ipv4, *ipv6, *routes;
    int64_t mtu = 0;
    if (strict_only(o, at, names, err) < 0 ||
        strict_text(o, at, "name", INTERFACE_NAME_MAX - 1, true, &name, err) < 0 ||
        strict_integer(o, at, "mtu", 1280, 9216, false, &mtu, err) < 0 ||
        strict_object(o, at, "vlan", &vlan, err) < 0 ||
        strict_object(o, at, "ipv4", &ipv4, err) < 0 ||
        strict_object(o, at, "ipv6", &ipv6, err) < 0 ||
        strict_list(o, at, "routes", INTERFACE_ROUTES_MAX, &routes, err) < 0)
        return -EINVAL;
    if (!network_is_interface_name(name))
        return wrong(err, strict_path(at, "name", path), name, "the name of a network card");
    snprintf(ret->name, sizeof(ret->name), "%s", name);
    ret->mtu = (uint16_t)mtu;
    if (parse_vlan(vlan, strict_path(at, "vlan", path), ret, err) < 0 ||
        parse_family(ipv4, strict_path(at, "ipv4", path), 4, &ret->ipv4, err) < 0 ||
        parse_family(ipv6, strict_path(at, "ipv6", path), 6, &ret->ipv6, err) < 0)
        return -EINVAL;
    for (const cJSON *v = routes ? routes->child : NULL; v; v = v->next) {
        char element[32];
        snprintf(element, sizeof(element), "routes[%zu]", ret->routes_n);
        if (parse_route(v, strict_path(at, element, path), &ret->routes[ret->routes_n], err) < 0)
            return -EINVAL;
        ret->routes_n++;
    }
    return 0;
}

int network_parse(const cJSON *settings, struct network *ret, struct err *err)
{
    static const char *const names[] = {"interfaces", "dns", "domains", NULL};
    const cJSON *interfaces, *dns, *domains;
    char at[STRICT_PATH_MAX];
    if (strict_only(settings, "", names, err) < 0 ||
        strict_list(settings, "", "interfaces", INTERFACES_MAX, &interfaces, err) < 0 ||
        strict_list(settings, "", "dns", DNS_SERVERS_MAX, &dns, err) < 0 ||
        strict_list(settings, "", "domains", DNS_DOMAINS_MAX, &domains, err) < 0)
        return -EINVAL;
    memset(ret, 0, sizeof(*ret));
    for (const cJSON *v = interfaces ? interfaces->child : NULL; v; v = v->next) {
        snprintf(at, sizeof(at), "interfaces[%zu]", ret->interfaces_n);
        if (parse_interface(v, at, &ret->interfaces[ret->interfaces_n], err) < 0)
            return -EINVAL;
        ret->interfaces_n++;
    }
    for (const cJSON *v = dns ? dns->child : NULL; v; v = v->next) {
        snprintf(at, sizeof(at), "dns[%zu]", ret->dns_n);
        if (parse_ip(v, at, 0, &ret->dns[ret->dns_n], err) < 0)
            return -EINVAL;
        ret->dns_n++;
    }
    for (const cJSON *v = domains ? domains->child : NULL; v; v = v->next) {
        const char *name = cJSON_GetStringValue(v);
        snprintf(at, sizeof(at), "domains[%zu]", ret->domains_n);
        if (!name || !host_is_name(name, 253))
            return wrong(err, at, name ? name : "", "a domain name");
        snprintf(ret->domains[ret->domains_n++], sizeof(ret->domains[0]), "%s", name);
    }
    return network_check(ret, err);
}
