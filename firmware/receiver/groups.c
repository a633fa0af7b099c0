/* Source groups: longest prefix over sorted networks.
 *
 * Networks are nested or disjoint, so those that contain an address are the last one at or before
 * it in the order (address, prefix), or the ones around that: a binary search finds the first, and
 * each member knows the next one outwards.
 *
 *     10.0.0.0/8  ◀── 10.1.0.0/16 ◀── 10.1.2.0/24      10.1.200.7: found 10.1.2.0/24, not inside,
 *          ▲───────── 10.2.0.0/16                      outwards 10.1.0.0/16: inside */
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
    free((*pg)->members);
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
    struct group_member m = {.parent = -1};
    if (ip_network_parse(network, &m.network) < 0)
        return err_set(err, EINVAL, "source_group", "%.*s is not a network or address",
                       (int)MIN(network.n, (size_t)64), network.p ? network.p : "");
    int rc = group_number(group, err, &m.group);
    if (rc < 0)
        return rc;
    if (g->members_n == GROUP_MEMBERS_MAX)
        return err_set(err, ENOSPC, "source_group", "more than %d networks have a source group",
                       GROUP_MEMBERS_MAX);
    if ((g->members_n & (g->members_n - 1)) == 0) /* at each power of two */
        g->members = xrealloc(g->members, MAX(2 * g->members_n, (size_t)1), sizeof(*g->members));
    g->members[g->members_n++] = m;
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
static int rank(const struct group_member *m)
{
    return m->group == SOURCE_GROUP_BENCHMARK ? -1 : m->group;
}

/* Of two rows for the same network (one written as IPv4, one mapped into IPv6) the lower rank is
 * found, so that the answer does not depend on their order. */
static int by_address(const void *a, const void *b)
{
    const struct group_member *x = a, *y = b;
    int order = memcmp(&x->network.address, &y->network.address, sizeof(struct ip));
    if (order == 0)
        order = x->network.prefix - y->network.prefix;
    return order ? order : rank(y) - rank(x);
}

void groups_seal(struct groups *g)
{
    if (g->members_n == 0)
        return;
    qsort(g->members, g->members_n, sizeof(*g->members), by_address);
    for (int i = 0; i < (int)g->members_n; i++) {
        int around = i - 1;
        while (around >= 0 &&
               !ip_in_network(&g->members[i].network.address, &g->members[around].network))
            around = g->members[around].parent;
        g->members[i].parent = (int16_t)around;
    }
}

/* ---- finding ---- */

uint8_t groups_find(const struct groups *g, const struct ip *source)
{
    size_t low = 0, high = g->members_n;
    while (low < high) { /* members below `low` are at or before the address */
        size_t middle = low + (high - low) / 2;
        if (memcmp(&g->members[middle].network.address, source, sizeof(*source)) <= 0)
            low = middle + 1;
        else
            high = middle;
    }
    for (int i = (int)low - 1; i >= 0; i = g->members[i].parent)
        if (ip_in_network(source, &g->members[i].network))
            return g->members[i].group;
    return 0;
}

/* ---- as text ---- */

void groups_format(const struct groups *g, struct buf *out)
{
    for (size_t i = 0; i < g->members_n; i++) {
        const struct group_member *m = &g->members[i];
        char text[IP_TEXT_MAX];
        (void)ip_format(&m->network.address, text);
        (void)buf_printf(out, "member %s/%u %u\n", text, m->network.prefix, m->group);
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

static int parse_line(struct groups *g, struct view line, struct err *err)
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
        if (line.n > 0 && (rc = parse_line(g, line, &why)) < 0)
            (void)err_set(err, -rc, why.code, "line %u: %s", n, why.message);
    }
    groups_seal(g);
    return rc;
}
