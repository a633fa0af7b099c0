/* The rules for senders: rows to sets, sets to text. */
#include "receiver/sender_rules.h"

#define ANY_LISTENER ((1u << LISTENER_COUNT) - 1)

static _Atomic uint64_t last_generation;

struct sender_rules *sender_rules_new(void)
{
    struct sender_rules *r = xcalloc(1, sizeof(*r));
    r->generation = atomic_fetch_add(&last_generation, 1) + 1;
    r->groups = groups_new();
    r->everyone.burst = 1;
    atomic_store(&r->references, 1);
    return r;
}

struct sender_rules *sender_rules_hold(struct sender_rules *r)
{
    CHECK(atomic_fetch_add(&r->references, 1) > 0);
    return r;
}

void sender_rules_free(struct sender_rules **pr)
{
    struct sender_rules *r = *pr;
    *pr = NULL;
    if (!r || atomic_fetch_sub(&r->references, 1) > 1)
        return;
    groups_free(&r->groups);
    networks_done(&r->allow);
    networks_done(&r->limits);
    networks_done(&r->sources);
    for (unsigned i = 0; i < r->zones_n; i++)
        zone_free(&r->zones[i]);
    free(r->limit);
    free(r->setting);
    free(r);
}

/* ---- making ---- */

static int parse_network(struct view text, struct ip_network *ret, struct err *err)
{
    if (ip_network_parse(text, ret) == 0)
        return 0;
    return err_set(err, EINVAL, "network", "%.*s is not a network or address",
                   (int)MIN(text.n, (size_t)64), text.p ? text.p : "");
}

static int parse_number(struct view text, uint64_t least, uint64_t most, const char *what,
                        struct err *err, uint32_t *ret)
{
    uint64_t v;
    if (view_u64(text, most, &v) < 0 || v < least)
        return err_set(err, EINVAL, what, "%s %.*s is out of %llu..%llu", what,
                       (int)MIN(text.n, (size_t)32), text.p ? text.p : "",
                       (unsigned long long)least, (unsigned long long)most);
    *ret = (uint32_t)v;
    return 0;
}

static int parse_limit(struct view rate, struct view burst, struct sender_limit *ret,
                       struct err *err)
{
    int rc = parse_number(rate, 0, SENDER_RATE_MAX, "rate", err, &ret->rate);
    return rc < 0 ? rc : parse_number(burst, 1, SENDER_BURST_MAX, "burst", err, &ret->burst);
}

static int check_room(const struct networks *s, const char *what, struct err *err)
{
    if (s->n < SENDER_NETWORKS_MAX)
        return 0;
    return err_set(err, ENOSPC, "network", "more than %d networks are %s", SENDER_NETWORKS_MAX,
                   what);
}

int sender_rules_allow(struct sender_rules *r, struct view network, struct view listener,
                       struct err *err)
{
    struct ip_network n;
    unsigned listeners = listener.n == 0 ? ANY_LISTENER : 0;
    int rc = check_room(&r->allow, "allowed", err);
    if (rc == 0)
        rc = parse_network(network, &n, err);
    if (rc < 0)
        return rc;
    for (unsigned i = 0; i < LISTENER_COUNT; i++)
        if (view_eq(listener, view_str(listener_name(i))))
            listeners = 1u << i;
    if (listeners == 0)
        return err_set(err, EINVAL, "listener", "%.*s is not a listener: udp, tcp or tls",
                       (int)MIN(listener.n, (size_t)32), listener.p);
    networks_add(&r->allow, &n, (uint16_t)listeners);
    r->restricted |= (uint8_t)listeners;
    return 0;
}

int sender_rules_limit(struct sender_rules *r, struct view network, struct view rate,
                       struct view burst, struct err *err)
{
    struct ip_network n;
    struct sender_limit limit = {0};
    int rc = check_room(&r->limits, "limited", err);
    if (rc == 0)
        rc = parse_network(network, &n, err);
    if (rc == 0)
        rc = parse_limit(rate, burst, &limit, err);
    if (rc < 0)
        return rc;
    if (!r->limit)
        r->limit = xcalloc(SENDER_NETWORKS_MAX, sizeof(*r->limit));
    r->limit[r->limits.n] = limit;
    networks_add(&r->limits, &n, (uint16_t)r->limits.n);
    return 0;
}

/* A zone, loaded once for all rows that name it. */
static int find_zone(struct sender_rules *r, struct view name, const struct zone **ret,
                     struct err *err)
{
    char text[SOURCE_ZONE_MAX_BYTES + 1];
    for (unsigned i = 0; i < r->zones_n; i++) {
        if (view_eq(name, view_str(zone_name(r->zones[i])))) {
            *ret = r->zones[i];
            return 0;
        }
    }
    if (name.n > SOURCE_ZONE_MAX_BYTES || r->zones_n == SOURCE_ZONES_MAX)
        return err_set(err, ENOENT, "zone", "%.*s is %s", (int)MIN(name.n, (size_t)64), name.p,
                       r->zones_n == SOURCE_ZONES_MAX ? "one zone too many" : "not a zone's name");
    memcpy(text, name.p, name.n);
    text[name.n] = '\0';
    int rc = zone_load(text, &r->zones[r->zones_n], err);
    if (rc < 0)
        return -ENOENT;
    *ret = r->zones[r->zones_n++];
    return 0;
}

static int find_charset(struct view name, const struct charset **ret, struct err *err)
{
    const struct charset *c = charset_find(name);
    int rc = c ? charset_prepare(c) : -ENOENT;
    if (rc < 0)
        return err_set(err, ENOENT, "charset", "%.*s is not a charset this box knows",
                       (int)MIN(name.n, (size_t)32), name.p);
    *ret = c;
    return 0;
}

static const char *const framings[] = {
    [FRAME_AUTO] = "auto", [FRAME_COUNTED] = "counted", [FRAME_DELIMITED] = "delimited"};

static int find_framing(struct view name, int *ret, struct err *err)
{
    for (size_t i = 0; i < ARRAY_LEN(framings); i++) {
        if (view_eq(name, view_str(framings[i]))) {
            *ret = (int)i;
            return 0;
        }
    }
    return err_set(err, EINVAL, "framing", "%.*s is not a framing: auto, counted or delimited",
                   (int)MIN(name.n, (size_t)32), name.p);
}

int sender_rules_source(struct sender_rules *r, struct view network, struct view zone,
                        struct view charset, struct view framing, struct err *err)
{
    struct ip_network n;
    struct source_setting s = {.framing = SOURCE_FRAMING_INHERIT};
    struct err why = {0};
    if (r->sources.n == SOURCE_SETTINGS_MAX)
        return err_set(err, ENOSPC, "network", "more than %d networks have settings",
                       SOURCE_SETTINGS_MAX);
    int rc = parse_network(network, &n, err);
    if (rc == 0 && !view_is_null(framing))
        rc = find_framing(framing, &s.framing, err);
    if (rc < 0)
        return rc;
    if (!view_is_null(zone) && find_zone(r, zone, &s.zone, &why) < 0)
        rc = -ENOENT;
    if (!view_is_null(charset) && find_charset(charset, &s.charset, rc < 0 ? NULL : &why) < 0)
        rc = -ENOENT;
    if (!r->setting)
        r->setting = xcalloc(SOURCE_SETTINGS_MAX, sizeof(*r->setting));
    r->setting[r->sources.n] = s;
    networks_add(&r->sources, &n, (uint16_t)r->sources.n);
    if (rc == 0)
        return 0;
    if (r->fault[0] == '\0')
        snprintf(r->fault, sizeof(r->fault), "%.*s: %.180s", (int)MIN(network.n, (size_t)64),
                 network.p, why.message);
    return err_set(err, ENOENT, why.code, "%.*s: %s", VIEW_ARG(network), why.message);
}

static int by_value(uint16_t a, uint16_t b)
{
    return a - b;
}

void sender_rules_seal(struct sender_rules *r)
{
    groups_seal(r->groups);
    networks_seal(&r->allow, by_value);
    networks_seal(&r->limits, by_value);
    networks_seal(&r->sources, by_value);
}

/* ---- asking ---- */

static bool is_benchmark(const struct sender_rules *r, const struct ip *source)
{
    return groups_find(r->groups, source) == SOURCE_GROUP_BENCHMARK;
}

bool sender_rules_is_allowed(const struct sender_rules *r, uint8_t listener,
                             const struct ip *source)
{
    if (!(r->restricted >> listener & 1) || is_benchmark(r, source))
        return true;
    for (const struct network *n = networks_find(&r->allow, source); n;
         n = networks_around(&r->allow, n))
        if (n->value >> listener & 1)
            return true;
    return false;
}

struct sender_limit sender_rules_limit_of(const struct sender_rules *r, const struct ip *source)
{
    if (is_benchmark(r, source))
        return (struct sender_limit){0, 1};
    const struct network *n = networks_find(&r->limits, source);
    return n ? r->limit[n->value] : r->everyone;
}

struct source_setting sender_rules_setting_of(const struct sender_rules *r, const struct ip *source)
{
    const struct network *n = networks_find(&r->sources, source);
    struct source_setting s = n ? r->setting[n->value]
                                : (struct source_setting){.framing = SOURCE_FRAMING_INHERIT};
    if (!s.charset)
        s.charset = r->charset;
    if (charset_is_utf8(s.charset))
        s.charset = NULL; /* nothing to look for, on the way of a message */
    return s;
}

/* ---- as text ---- */

static void add_network(const struct network *n, const char *word, struct buf *out)
{
    char text[IP_TEXT_MAX];
    (void)ip_format(&n->network.address, text);
    (void)buf_printf(out, "%s %s/%u ", word, text, n->network.prefix);
}

/* Another row of the same network is found before this one: read again in the order of the text,
 * it would be this one. */
static bool is_hidden(const struct networks *s, size_t i)
{
    return i + 1 < s->n && s->list[i].network.prefix == s->list[i + 1].network.prefix &&
           ip_eq(&s->list[i].network.address, &s->list[i + 1].network.address);
}

static void format_source(const struct sender_rules *r, const struct network *n, struct buf *out)
{
    const struct source_setting *s = &r->setting[n->value];
    add_network(n, "source", out);
    (void)buf_printf(out, "%s %s %s\n", s->zone ? zone_name(s->zone) : "-",
                     s->charset ? charset_name(s->charset) : "-",
                     s->framing == SOURCE_FRAMING_INHERIT ? "-" : framings[s->framing]);
}

void sender_rules_format(const struct sender_rules *r, struct buf *out)
{
    groups_format(r->groups, out);
    for (size_t i = 0; i < r->allow.n; i++) {
        const struct network *n = &r->allow.list[i];
        unsigned one = (unsigned)__builtin_ctz(n->value);
        add_network(n, "allow", out);
        (void)buf_printf(out, "%s\n", n->value == ANY_LISTENER ? "any" : listener_name(one));
    }
    for (size_t i = 0; i < r->limits.n; i++) {
        const struct network *n = &r->limits.list[i];
        if (is_hidden(&r->limits, i))
            continue;
        add_network(n, "limit", out);
        (void)buf_printf(out, "%u %u\n", r->limit[n->value].rate, r->limit[n->value].burst);
    }
    (void)buf_printf(out, "everyone %u %u\n", r->everyone.rate, r->everyone.burst);
    for (size_t i = 0; i < r->sources.n; i++)
        if (!is_hidden(&r->sources, i))
            format_source(r, &r->sources.list[i], out);
    if (r->charset)
        (void)buf_printf(out, "charset %s\n", charset_name(r->charset));
}

static struct view cut(struct view *rest, char end)
{
    const char *at = rest->n ? memchr(rest->p, end, rest->n) : NULL;
    size_t n = at ? (size_t)(at - rest->p) : rest->n;
    struct view v = view_of(rest->p, n);
    *rest = view_of(rest->p + n + (at != NULL), rest->n - n - (at != NULL));
    return v;
}

/* "-": not set. */
static struct view cut_optional(struct view *rest)
{
    struct view v = cut(rest, ' ');
    return view_eq(v, VIEW("-")) || v.n == 0 ? VIEW_NULL : v;
}

static int parse_source(struct sender_rules *r, struct view rest, struct err *err)
{
    struct view network = cut(&rest, ' '), zone = cut_optional(&rest);
    struct view charset = cut_optional(&rest), framing = cut_optional(&rest);
    if (rest.n > 0)
        return err_set(err, EINVAL, "source", "more than a network, zone, charset and framing");
    int rc = sender_rules_source(r, network, zone, charset, framing, err);
    return rc == -ENOENT ? 0 : rc; /* what was known once and is not any more: the box's own */
}

static int parse_line(struct sender_rules *r, struct view line, struct err *err)
{
    struct view rest = line, word = cut(&rest, ' ');
    if (view_eq(word, VIEW("allow"))) {
        struct view network = cut(&rest, ' ');
        if (rest.n == 0)
            return err_set(err, EINVAL, "listener", "no listener: udp, tcp, tls or any");
        return sender_rules_allow(r, network, view_eq(rest, VIEW("any")) ? VIEW("") : rest, err);
    }
    if (view_eq(word, VIEW("limit"))) {
        struct view network = cut(&rest, ' '), rate = cut(&rest, ' ');
        return sender_rules_limit(r, network, rate, rest, err);
    }
    if (view_eq(word, VIEW("everyone"))) {
        struct view rate = cut(&rest, ' ');
        return parse_limit(rate, rest, &r->everyone, err);
    }
    if (view_eq(word, VIEW("source")))
        return parse_source(r, rest, err);
    if (view_eq(word, VIEW("charset")))
        return find_charset(rest, &r->charset, err) < 0 ? -EINVAL : 0;
    return groups_parse_line(r->groups, line, err);
}

int sender_rules_parse(struct sender_rules *r, struct view text, struct err *err)
{
    int rc = 0;
    for (unsigned n = 1; rc == 0 && text.n > 0; n++) {
        struct view line = cut(&text, '\n');
        struct err why = {0};
        if (line.n > 0 && (rc = parse_line(r, line, &why)) < 0)
            (void)err_set(err, -rc, why.code, "line %u: %s", n, why.message);
    }
    sender_rules_seal(r);
    return rc;
}
