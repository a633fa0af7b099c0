/* The packet filter: nothing comes in but what is listed here.
 *
 * The settings are kept as a line a thing, "udp 514", "tcp 6514", "from 192.0.2.0/24", so that each
 * boot makes the same file.  The whole table is replaced in one transaction of nft. */
#include "base/ip.h"
#include "config/log.h"
#include "helper/place.h"
#include "helper/request.h"
#include "helper/run.h"
#include "helper/strict.h"
#include "helper/subjects.h"

#define SETTINGS "/data/config/firewall"
#define RULES "/run/azekura/nftables.conf"
#define CANDIDATE "/run/azekura/nftables.conf.candidate"

struct firewall {
    uint16_t udp[FIREWALL_LISTENERS_MAX], tcp[FIREWALL_LISTENERS_MAX];
    size_t udp_n, tcp_n;
    struct ip_network from[SENDER_NETWORKS_MAX]; /* none: everybody */
    size_t from_n;
};

static const char before[] =
    "add table inet azekura\ndelete table inet azekura\ntable inet azekura {\n"
    "    counter dropped { }\n"
    "    counter senders_refused { }\n";

static const char begin[] =
    "    chain input {\n"
    "        type filter hook input priority filter; policy drop;\n"
    "        ct state established,related accept\n"
    "        ct state invalid counter name dropped drop\n"
    "        iifname lo accept\n"
    "        icmp type { echo-request, destination-unreachable, time-exceeded, parameter-problem } "
    "accept\n"
    "        icmpv6 type { echo-request, destination-unreachable, packet-too-big, time-exceeded, "
    "parameter-problem, nd-router-advert, nd-neighbor-solicit, nd-neighbor-advert, "
    "mld-listener-query } accept\n"
    "        udp sport 67 udp dport 68 accept\n"
    "        ip6 saddr fe80::/10 udp sport 547 udp dport 546 accept\n"
    "        tcp dport { 80, 443 } accept\n";

static const char end[] = "        counter name dropped\n    }\n"
                          "    chain forward {\n"
                          "        type filter hook forward priority filter; policy drop;\n"
                          "    }\n}\n";

static void add_ports(struct buf *out, const uint16_t *ports, size_t n)
{
    buf_add_str(out, "{ ");
    for (size_t i = 0; i < n; i++)
        buf_printf(out, "%s%u", i ? ", " : "", ports[i]);
    buf_add_str(out, " }");
}

static void add_set(struct buf *out, const struct firewall *f, unsigned family)
{
    bool is_first = true;
    buf_printf(out, "    set senders%u {\n        type ipv%u_addr; flags interval; auto-merge\n",
               family, family);
    for (size_t i = 0; i < f->from_n; i++) {
        char text[IP_TEXT_MAX];
        if (f->from[i].address.family != family)
            continue;
        ip_format(&f->from[i].address, text);
        buf_printf(out, "%s%s/%u", is_first ? "        elements = { " : ", ", text,
                   f->from[i].prefix);
        is_first = false;
    }
    buf_add_str(out, is_first ? "    }\n" : " }\n    }\n");
}

static void add_listeners(struct buf *out, const struct firewall *f, const char *protocol,
                          const uint16_t *ports, size_t n)
{
    if (n == 0)
        return;
    for (unsigned family = 4; family <= 6 && f->from_n; family += 2) {
        buf_printf(out, "        %s saddr @senders%u %s dport ", family == 4 ? "ip" : "ip6", family,
                   protocol);
        add_ports(out, ports, n);
        buf_add_str(out, " accept\n");
    }
    buf_printf(out, "        %s dport ", protocol);
    add_ports(out, ports, n);
    buf_add_str(out, f->from_n ? " counter name senders_refused drop\n" : " accept\n");
}

static void render(const struct firewall *f, bool has_ssh, struct buf *out)
{
    buf_add_str(out, before);
    if (f->from_n) {
        add_set(out, f, 4);
        add_set(out, f, 6);
    }
    /* a flood of datagrams is not to fill the table of connections */
    if (f->udp_n) {
        buf_add_str(out, "    chain untracked {\n        type filter hook prerouting priority raw; "
                         "policy accept;\n        udp dport ");
        add_ports(out, f->udp, f->udp_n);
        buf_add_str(out, " notrack\n    }\n");
    }
    buf_add_str(out, begin);
    if (has_ssh)
        buf_add_str(out, "        tcp dport 22 accept\n");
    add_listeners(out, f, "udp", f->udp, f->udp_n);
    add_listeners(out, f, "tcp", f->tcp, f->tcp_n);
    buf_add_str(out, end);
}

static void add_port(struct firewall *f, bool is_udp, uint16_t port)
{
    uint16_t *ports = is_udp ? f->udp : f->tcp;
    size_t *n = is_udp ? &f->udp_n : &f->tcp_n;
    for (size_t i = 0; i < *n; i++)
        if (ports[i] == port)
            return;
    if (*n < FIREWALL_LISTENERS_MAX)
        ports[(*n)++] = port;
}

/* A line of the settings; what is not one is left out. */
static void take_line(struct firewall *f, struct view line)
{
    uint64_t port;
    if (view_starts_with(line, VIEW("from "))) {
        if (f->from_n < SENDER_NETWORKS_MAX &&
            ip_network_parse(view_of(line.p + 5, line.n - 5), &f->from[f->from_n]) == 0)
            f->from_n++;
    } else if (line.n > 4 && view_u64(view_of(line.p + 4, line.n - 4), 65535, &port) == 0 && port) {
        add_port(f, line.p[0] == 'u', (uint16_t)port);
    }
}

static void load(struct helper *h, struct firewall *f)
{
    struct buf b = BUF_INIT(HELPER_FILE_MAX_BYTES);
    struct err err;
    int r = place_read(h, SETTINGS, &b, &err);
    if (r < 0) {
        buf_clear(&b);
        buf_add_str(&b, "udp 514\ntcp 514\ntcp 6514\n");
        if (r != -ENOENT)
            log_line(LOG_ERROR, "%s; the usual ports are open", err.message);
    }
    struct view v = buf_view(&b);
    while (v.n) {
        const char *newline = memchr(v.p, '\n', v.n);
        size_t n = newline ? (size_t)(newline - v.p) : v.n;
        take_line(f, view_of(v.p, n));
        n += newline != NULL;
        v = view_of(v.p + n, v.n - n);
    }
    buf_free(&b);
}

static int write_rules(struct helper *h, const char *path, struct err *err)
{
    struct firewall *f = xcalloc(1, sizeof(*f));
    struct buf rules = BUF_INIT(HELPER_FILE_MAX_BYTES * 2);
    load(h, f);
    render(f, ssh_is_on(h), &rules);
    int r = rules.is_full ? err_set(err, EFBIG, "firewall", "the rules are too long")
                          : place_write(h, path, buf_view(&rules), 0644, err);
    buf_free(&rules);
    free(f);
    return r;
}

int firewall_apply(struct helper *h, struct err *err)
{
    return write_rules(h, RULES, err);
}

int firewall_load(struct helper *h, struct err *err)
{
    char path[PLACE_PATH_MAX];
    int r = write_rules(h, CANDIDATE, err);
    if (r == 0)
        r = RUN(h, RUN_QUICK_MS, NULL, err, "/usr/sbin/nft", "-f", place_path(h, CANDIDATE, path));
    if (r == 0)
        r = write_rules(h, RULES, err);
    return r;
}

static int parse_listener(const cJSON *o, size_t i, struct buf *lines, struct err *err)
{
    static const char *const names[] = {"protocol", "port", NULL};
    char at[STRICT_PATH_MAX];
    const char *protocol = NULL;
    int64_t port = 0;
    snprintf(at, sizeof(at), "listeners[%zu]", i);
    if (strict_only(o, at, names, err) < 0 ||
        strict_text(o, at, "protocol", 3, true, &protocol, err) < 0 ||
        strict_integer(o, at, "port", 1, 65535, true, &port, err) < 0)
        return -EINVAL;
    if (strcmp(protocol, "udp") != 0 && strcmp(protocol, "tcp") != 0)
        return err_set_field(err, EINVAL, "bad_value", at, "%s.protocol is neither udp nor tcp",
                             at);
    buf_printf(lines, "%s %d\n", protocol, (int)port);
    return 0;
}

COMMAND(firewall_apply_command)
{
    struct buf lines = BUF_INIT(HELPER_FILE_MAX_BYTES);
    const cJSON *networks = request_item(r, "networks");
    size_t i = 0;
    int e = 0;
    (void)reply;
    for (const cJSON *v = request_item(r, "listeners")->child; v && e == 0; v = v->next)
        e = parse_listener(v, i++, &lines, err);
    i = 0;
    for (const cJSON *v = networks ? networks->child : NULL; v && e == 0; v = v->next, i++) {
        const char *text = cJSON_GetStringValue(v);
        struct ip_network net;
        char at[32], clean[IP_TEXT_MAX];
        snprintf(at, sizeof(at), "networks[%zu]", i);
        if (!text || ip_network_parse(view_str(text), &net) < 0) {
            e = err_set_field(err, EINVAL, "bad_value", at, "%s: \"%.64s\" is not a network", at,
                              text ? text : "");
            break;
        }
        ip_format(&net.address, clean);
        buf_printf(&lines, "from %s/%u\n", clean, net.prefix);
    }
    if (e == 0)
        e = place_write(h, SETTINGS, buf_view(&lines), 0644, err);
    buf_free(&lines);
    return e < 0 ? e : firewall_load(h, err);
}
