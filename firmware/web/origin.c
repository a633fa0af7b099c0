/* Host, Origin and Sec-Fetch-Site. */
#include "web/origin.h"

#include "base/ip.h"

/* Without ":port" and without the brackets of an IPv6 address. */
static struct view host_name(struct view host)
{
    if (host.n > 0 && host.p[0] == '[') {
        const char *end = memchr(host.p, ']', host.n);
        return end ? view_of(host.p + 1, (size_t)(end - host.p) - 1) : host;
    }
    const char *colon = memchr(host.p, ':', host.n);
    return colon ? view_of(host.p, (size_t)(colon - host.p)) : host;
}

static bool ends_with_nocase(struct view v, struct view tail)
{
    return v.n >= tail.n && view_eq_nocase(view_of(v.p + v.n - tail.n, tail.n), tail);
}

static bool is_machine(struct view name, struct view machine)
{
    static const char *const domains[] = {"", ".local", ".lan", ".internal", ".home.arpa"};
    if (machine.n == 0 || name.n < machine.n ||
        !view_eq_nocase(view_of(name.p, machine.n), machine))
        return false;
    struct view rest = view_of(name.p + machine.n, name.n - machine.n);
    for (size_t i = 0; i < ARRAY_LEN(domains); i++) {
        if (view_eq_nocase(rest, view_str(domains[i])))
            return true;
    }
    return false;
}

static bool is_listed(struct view name, const char *list)
{
    while (*list) {
        list += strspn(list, ", \t");
        size_t n = strcspn(list, ", \t");
        if (n > 0 && view_eq_nocase(name, view_of(list, n)))
            return true;
        list += n;
    }
    return false;
}

bool origin_host_is_allowed(struct view host, const char *machine, const char *more)
{
    if (view_is_null(host))
        return true;
    struct view name = host_name(host);
    struct ip ip;
    if (name.n > 0 && name.p[name.n - 1] == '.')
        name.n--;
    if (name.n == 0)
        return false;
    return ip_parse(name, &ip) == 0 || view_eq_nocase(name, VIEW("localhost")) ||
           ends_with_nocase(name, VIEW(".localhost")) || is_machine(name, view_str(machine)) ||
           is_listed(name, more);
}

/* Without the scheme's own port. */
static struct view without_port(struct view host, struct view port)
{
    return ends_with_nocase(host, port) ? view_of(host.p, host.n - port.n) : host;
}

bool origin_is_same(struct view origin, struct view host)
{
    if (view_is_null(origin))
        return true;
    struct view http = VIEW("http://"), https = VIEW("https://");
    bool is_https = view_starts_with(origin, https);
    if (view_is_null(host) || (!is_https && !view_starts_with(origin, http)))
        return false;
    size_t scheme = is_https ? https.n : http.n;
    struct view port = is_https ? VIEW(":443") : VIEW(":80");
    struct view authority = view_of(origin.p + scheme, origin.n - scheme);
    return view_eq_nocase(without_port(authority, port), without_port(host, port));
}

bool origin_fetch_site_is_ours(struct view site)
{
    return view_is_null(site) || view_eq(site, VIEW("same-origin")) || view_eq(site, VIEW("none"));
}
