/* Networks are nested or disjoint, so those that contain an address are the last one at or before
 * it in the order (address, prefix), or the ones around that: a binary search finds the first, and
 * each knows the next one outwards.
 *
 *     10.0.0.0/8  ◀── 10.1.0.0/16 ◀── 10.1.2.0/24      10.1.200.7: found 10.1.2.0/24, not inside,
 *          ▲───────── 10.2.0.0/16                      outwards 10.1.0.0/16: inside */
#include "receiver/networks.h"

void networks_add(struct networks *s, const struct ip_network *network, uint16_t value)
{
    CHECK(s->n < NETWORKS_MAX);
    if ((s->n & (s->n - 1)) == 0) /* at each power of two */
        s->list = xrealloc(s->list, MAX(2 * s->n, (size_t)1), sizeof(*s->list));
    s->list[s->n++] = (struct network){.network = *network, .value = value, .parent = -1};
}

static int by_address(const void *a, const void *b, void *context)
{
    int (*order)(uint16_t, uint16_t) = *(int (**)(uint16_t, uint16_t))context;
    const struct network *x = a, *y = b;
    int rc = memcmp(&x->network.address, &y->network.address, sizeof(struct ip));
    if (rc == 0)
        rc = x->network.prefix - y->network.prefix;
    /* the last of equal ones is found first */
    return rc ? rc : order(y->value, x->value);
}

void networks_seal(struct networks *s, int (*order)(uint16_t a, uint16_t b))
{
    if (s->n == 0)
        return;
    qsort_r(s->list, s->n, sizeof(*s->list), by_address, &order);
    for (int i = 0; i < (int)s->n; i++) {
        int around = i - 1;
        while (around >= 0 && !ip_in_network(&s->list[i].network.address, &s->list[around].network))
            around = s->list[around].parent;
        s->list[i].parent = (int16_t)around;
    }
}

void networks_done(struct networks *s)
{
    free(s->list);
    *s = (struct networks){0};
}

const struct network *networks_find(const struct networks *s, const struct ip *address)
{
    size_t low = 0, high = s->n;
    while (low < high) { /* those below `low` are at or before the address */
        size_t middle = low + (high - low) / 2;
        if (memcmp(&s->list[middle].network.address, address, sizeof(*address)) <= 0)
            low = middle + 1;
        else
            high = middle;
    }
    for (int i = (int)low - 1; i >= 0; i = s->list[i].parent)
        if (ip_in_network(address, &s->list[i].network))
            return &s->list[i];
    return NULL;
}

const struct network *networks_around(const struct networks *s, const struct network *n)
{
    return n->parent < 0 ? NULL : &s->list[n->parent];
}
