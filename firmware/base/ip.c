/* Addresses and networks. */
#include "base/ip.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

static struct ip ip_v4(const void *bytes)
{
    struct ip ip = {.family = 4};
    memcpy(ip.bytes, bytes, 4);
    return ip;
}

static struct ip ip_v6(const uint8_t bytes[16])
{
    static const uint8_t mapped[12] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};
    if (memcmp(bytes, mapped, sizeof(mapped)) == 0)
        return ip_v4(bytes + 12);
    struct ip ip = {.family = 6};
    memcpy(ip.bytes, bytes, 16);
    return ip;
}

struct ip ip_from_sockaddr(const struct sockaddr *sa)
{
    if (sa->sa_family == AF_INET)
        return ip_v4(&((const struct sockaddr_in *)(const void *)sa)->sin_addr);
    if (sa->sa_family == AF_INET6)
        return ip_v6(((const struct sockaddr_in6 *)(const void *)sa)->sin6_addr.s6_addr);
    return (struct ip){0};
}

int ip_parse(struct view text, struct ip *ret)
{
    char s[IP_TEXT_MAX];
    struct in_addr v4;
    struct in6_addr v6;
    if (text.n == 0 || text.n >= sizeof(s) || memchr(text.p, '\0', text.n) != NULL)
        return -EINVAL;
    memcpy(s, text.p, text.n);
    s[text.n] = '\0';
    if (inet_pton(AF_INET, s, &v4) == 1)
        *ret = ip_v4(&v4);
    else if (inet_pton(AF_INET6, s, &v6) == 1)
        *ret = ip_v6(v6.s6_addr);
    else
        return -EINVAL;
    return 0;
}

size_t ip_format(const struct ip *ip, char out[IP_TEXT_MAX])
{
    out[0] = '\0';
    if (ip->family == 4 || ip->family == 6)
        CHECK(inet_ntop(ip->family == 4 ? AF_INET : AF_INET6, ip->bytes, out, IP_TEXT_MAX) != NULL);
    return strlen(out);
}

static uint8_t mask_byte(unsigned prefix, unsigned i)
{
    if (prefix >= 8 * (i + 1))
        return 0xff;
    return prefix <= 8 * i ? 0 : (uint8_t)(0xff00 >> (prefix - 8 * i));
}

int ip_network_parse(struct view text, struct ip_network *ret)
{
    struct ip_network net;
    const char *slash = text.n > 0 ? memchr(text.p, '/', text.n) : NULL;
    struct view address = slash ? view_of(text.p, (size_t)(slash - text.p)) : text;
    if (ip_parse(address, &net.address) < 0)
        return -EINVAL;
    /* ::ffff:192.0.2.0/120 counts its prefix in 128 bits, but the address has become IPv4. */
    bool is_mapped = net.address.family == 4 && memchr(address.p, ':', address.n) != NULL;
    uint64_t width = net.address.family == 4 ? 32 : 128, prefix = width;
    if (slash != NULL) {
        struct view digits = view_of(slash + 1, text.n - address.n - 1);
        if (digits.n > 3 || view_u64(digits, is_mapped ? 128 : width, &prefix) < 0)
            return -EINVAL;
        if (is_mapped) {
            if (prefix < 96)
                return -EINVAL;
            prefix -= 96;
        }
    }
    net.prefix = (uint8_t)prefix;
    for (unsigned i = 0; i < 16; i++)
        net.address.bytes[i] &= mask_byte(net.prefix, i);
    *ret = net;
    return 0;
}

bool ip_in_network(const struct ip *ip, const struct ip_network *net)
{
    if (ip->family != net->address.family)
        return false;
    unsigned whole = net->prefix / 8;
    if (memcmp(ip->bytes, net->address.bytes, whole) != 0)
        return false;
    return net->prefix % 8 == 0 ||
           (ip->bytes[whole] & mask_byte(net->prefix, whole)) == net->address.bytes[whole];
}

int ip_port_parse(struct view text, struct ip *ret, uint16_t *ret_port)
{
    struct ip ip;
    uint64_t port;
    size_t colon = text.n;
    while (colon > 0 && text.p[colon - 1] != ':')
        colon--;
    if (colon == 0)
        return -EINVAL;
    struct view address = view_of(text.p, colon - 1),
                digits = view_of(text.p + colon, text.n - colon);
    bool is_bracketed = address.n >= 2 && address.p[0] == '[' && address.p[address.n - 1] == ']';
    if (is_bracketed)
        address = view_of(address.p + 1, address.n - 2);
    else if (address.n > 0 && memchr(address.p, ':', address.n) != NULL)
        return -EINVAL; /* an IPv6 address needs brackets */
    if (digits.n > 5 || view_u64(digits, 65535, &port) < 0 || ip_parse(address, &ip) < 0)
        return -EINVAL;
    *ret = ip;
    *ret_port = (uint16_t)port;
    return 0;
}
