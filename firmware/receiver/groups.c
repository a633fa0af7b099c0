/* Source groups: what the rows say, as text and as a set. */
#include "receiver/groups.h"

struct groups *groups_new(void)
{
    struct groups *g = xcalloc(1, sizeof(*g));
    memset(g->shed_from, GROUPS_SHED_NONE, sizeof(g->shed_from));
    return g;
}

void groups_free(struct groups **pg)
{
    if (!*pg)
        return;
    networks_done(&(*pg)->members);
    free(*pg);
    *pg = NULL;
}

/* ---- making ---- */

static int number(struct view text, uint64_t least, uint64_t most, const char *what,
                  struct err *err, uint8_t *ret)
{
    uint64_t v;
    if (view_u64(text, most, &v) < 0 || v < least)
        return err_set(err, EINVAL, "source_group", "%s %.*s is out of %llu..%llu", what,
                       (int)MIN(text.n, (size_t)32), text.p ? text.p : "",
                       (unsigned long long)least, (unsigned long long)most);
    *ret = (uint8_t)v;
    return 0;
}

static int group_number(struct view text, struct err *err, uint8_t *ret)
{
    return number(text, 0, SOURCE_GROUPS_MAX - 1, "source group", err, ret);
}

int groups_add(struct groups *g, struct view network, struct view group, struct err *err)
{
    struct ip_network parsed;
    uint8_t id = 0;
    if (ip_network_parse(network, &parsed) < 0)
        return err_set(err, EINVAL, "source_group", "%.*s is not a network or address",
                       (int)MIN(network.n, (size_t)64), network.p ? network.p : "");
    int rc = group_number(group, err, &id);
    if (rc < 0)
        return rc;
    if (g->members.n == GROUP_MEMBERS_MAX)
        return err_set(err, ENOSPC, "source_group", "more than %d networks have a source group",
                       GROUP_MEMBERS_MAX);
    networks_add(&g->members, &parsed, id);
    return 0;
}

int groups_shed(struct groups *g, struct view group, struct view severity, struct err *err)
{
    uint8_t id = 0, from = 0; /* gcc at -O3 does not see that they are set when rc is 0 */
    int rc = group_number(group, err, &id);
    if (rc == 0 && id == SOURCE_GROUP_BENCHMARK)
        rc = err_set(err, EINVAL, "source_group",
                     "nothing of source group %u, the benchmark's, is "
                     "shed",
                     id);
    if (rc == 0)
        rc = number(severity, 1, GROUPS_SHED_NONE - 1, "shed severity", err, &from);
    if (rc == 0)
        g->shed_from[id] = MIN(g->shed_from[id], from);
    return rc;
}

/* An address registered as the benchmark's is that for the time, whosever it is else. */
static int rank(uint16_t group)
{
    return group == SOURCE_GROUP_BENCHMARK ? -1 : group;
}

/* Of two rows for the same network (one written as IPv4, one mapped into IPv6) the lower rank. */
static int by_rank(uint16_t a, uint16_t b)
{
    return rank(a) - rank(b);
}

void groups_seal(struct groups *g)
{
    networks_seal(&g->members, by_rank);
}

uint8_t groups_find(const struct groups *g, const struct ip *source)
{
    const struct network *n = networks_find(&g->members, source);
    return n ? (uint8_t)n->value : 0;
}

/* ---- as text ---- */

void groups_format(const struct groups *g, struct buf *out)
{
    for (size_t i = 0; i < g->members.n; i++) {
        const struct network *m = &g->members.list[i];
        char text[IP_TEXT_MAX];
        (void)ip_format(&m->network.address, text);
        (void)buf_printf(out, "member %s/%u %u\n", text, m->network.prefix, m->value);
    }
    for (unsigned i = 0; i < SOURCE_GROUPS_MAX; i++)
        if (g->shed_from[i] != GROUPS_SHED_NONE)
            (void)buf_printf(out, "shed %u %u\n", i, g->shed_from[i]);
}

/* Cut off what stands before the next `end`, or everything. */
static struct view cut(struct view *rest, char end)
{
    const char *at = rest->n ? memchr(rest->p, end, rest->n) : NULL;
    size_t n = at ? (size_t)(at - rest->p) : rest->n;
    struct view v = view_of(rest->p, n);
    *rest = view_of(rest->p + n + (at != NULL), rest->n - n - (at != NULL));
    return v;
}

int groups_parse_line(struct groups *g, struct view line, struct err *err)
{
    struct view rest = line, word = cut(&rest, ' '), first = cut(&rest, ' ');
    if (view_eq(word, VIEW("member")))
        return groups_add(g, first, rest, err);
    if (view_eq(word, VIEW("shed")))
        return groups_shed(g, first, rest, err);
    return err_set(err, EINVAL, "source_group", "\"%.*s\" is neither a member nor a shed",
                   (int)MIN(line.n, (size_t)64), line.p);
}

int groups_parse(struct groups *g, struct view text, struct err *err)
{
    int rc = 0;
    for (unsigned n = 1; rc == 0 && text.n > 0; n++) {
        struct view line = cut(&text, '\n');
        struct err why = {0};
        if (line.n > 0 && (rc = groups_parse_line(g, line, &why)) < 0)
            (void)err_set(err, -rc, why.code, "line %u: %s", n, why.message);
    }
    groups_seal(g);
    return rc;
}
