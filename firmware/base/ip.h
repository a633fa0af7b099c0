/* IP addresses and networks, as PostgreSQL's inet understands them.  IPv4-mapped IPv6 addresses are
 * always stored as IPv4. */
#ifndef AZEKURA_IP_H
#define AZEKURA_IP_H

#include "base/base.h"
#include "base/view.h"

struct ip {
    uint8_t family;    /* 4, 6, or 0 for none (AF_UNIX, unknown) */
    uint8_t bytes[16]; /* network order; IPv4 in the first four, the rest zero */
};

struct ip_network {
    struct ip address; /* host bits are zero */
    uint8_t prefix;    /* 0…32 or 0…128 */
};

#define IP_TEXT_MAX 64

struct sockaddr;
/* IPv4, IPv6 (mapped → IPv4); family 0 for anything else. */
struct ip ip_from_sockaddr(const struct sockaddr *sa);
MUST_USE int ip_parse(struct view text, struct ip *ret);
/* Canonical text (RFC 5952), NUL-terminated; "" for family 0.  Returns its length. */
size_t ip_format(const struct ip *ip, char out[IP_TEXT_MAX]);
/* "192.0.2.0/24", "2001:db8::/32", or a bare address (full prefix).  Host bits may be set; they are
 * cleared.  0, or -EINVAL. */
MUST_USE int ip_network_parse(struct view text, struct ip_network *ret);
bool ip_in_network(const struct ip *ip, const struct ip_network *net);

/* 224.0.0.0/4, ff00::/8: an address of many, which nobody can be alone. */
static inline bool ip_is_multicast(const struct ip *ip)
{
    return ip->family == 4 ? ip->bytes[0] >> 4 == 0xe : ip->family == 6 && ip->bytes[0] == 0xff;
}

static inline bool ip_eq(const struct ip *a, const struct ip *b)
{
    return memcmp(a, b, sizeof(*a)) == 0;
}

/* "ADDR:PORT", "[V6]:PORT" → text of the address and the port.  0, or -EINVAL. */
MUST_USE int ip_port_parse(struct view text, struct ip *ret, uint16_t *ret_port);

#endif
