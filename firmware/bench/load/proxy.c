/* PROXY headers.  The binary one, byte by byte:
 *
 *   0  12  0D 0A 0D 0A 00 0D 0A 51 55 49 54 0A
 *   12  1  21: version 2, command PROXY
 *   13  1  family and kind: 11 TCP over IPv4, 12 UDP over IPv4, 21 and 22 over IPv6
 *   14  2  length of what follows: 12 or 36
 *   16     source address, destination address, source port, destination port */
#include "bench/load/proxy.h"

#include "base/ip.h"

struct ends {
    struct ip from, to;
    uint16_t from_port, to_port;
};

static int read_address(const char *text, const char *option, struct random *r, struct ip *ret,
                        struct err *err)
{
    char drawn[IP_TEXT_MAX];
    if (text == NULL) {
        snprintf(drawn, sizeof(drawn), "192.168.1.%u", 1 + random_below(r, 99));
        text = drawn;
    }
    if (ip_parse(view_str(text), ret) < 0)
        return err_set_field(err, EINVAL, "bad_value", option, "--%s %s: not an IP address", option,
                             text);
    return 0;
}

static int read_port(const char *text, const char *option, uint16_t drawn, uint16_t *ret,
                     struct err *err)
{
    uint64_t n = drawn;
    if (text != NULL && view_u64(view_str(text), 65535, &n) < 0)
        return err_set_field(err, EINVAL, "bad_value", option,
                             "--%s %s: a port of 0..65535 is expected", option, text);
    *ret = (uint16_t)n;
    return 0;
}

static int write_text(const struct ends *e, bool is_lf, char *ret)
{
    char from[IP_TEXT_MAX], to[IP_TEXT_MAX];
    ip_format(&e->from, from);
    ip_format(&e->to, to);
    return snprintf(ret, PROXY_HEADER_MAX, "PROXY TCP%u %.39s %.39s %u %u%s", e->from.family, from,
                    to, e->from_port, e->to_port, is_lf ? "\n" : "\r\n");
}

static int write_binary(const struct ends *e, bool is_dgram, char *ret)
{
    static const char magic[] = "\r\n\r\n\0\r\nQUIT\n\x21";
    size_t address = e->from.family == 4 ? 4 : 16;
    size_t n = sizeof(magic) - 1;
    memcpy(ret, magic, n);
    ret[n++] = (char)((e->from.family == 4 ? 0x10 : 0x20) | (is_dgram ? 2 : 1));
    ret[n++] = 0;
    ret[n++] = (char)(2 * address + 4);
    memcpy(ret + n, e->from.bytes, address);
    memcpy(ret + n + address, e->to.bytes, address);
    n += 2 * address;
    ret[n++] = (char)(e->from_port >> 8);
    ret[n++] = (char)e->from_port;
    ret[n++] = (char)(e->to_port >> 8);
    ret[n++] = (char)e->to_port;
    return (int)n;
}

int proxy_header(const struct load_more *more, enum target_transport transport, struct random *r,
                 char ret[PROXY_HEADER_MAX], struct err *err)
{
    struct ends e;
    uint16_t drawn = (uint16_t)(5000 + random_below(r, 5000));
    if (read_address(more->proxy_src_ip, "proxy-src-ip", r, &e.from, err) < 0 ||
        read_address(more->proxy_dst_ip, "proxy-dst-ip", r, &e.to, err) < 0 ||
        read_port(more->proxy_src_port, "proxy-src-port", drawn, &e.from_port, err) < 0 ||
        read_port(more->proxy_dst_port, "proxy-dst-port", 514, &e.to_port, err) < 0)
        return -EINVAL;
    if (e.from.family != e.to.family)
        return err_set_field(
            err, EINVAL, "bad_value", "proxy-dst-ip",
            "the PROXY header's two addresses are of different families; give both "
            "--proxy-src-ip and --proxy-dst-ip");
    bool is_dgram = transport == TARGET_UDP || transport == TARGET_UNIX_DGRAM;
    return more->proxy_version == 2 ? write_binary(&e, is_dgram, ret)
                                    : write_text(&e, more->is_compat, ret);
}
