/* A hash table with chains, keyed by a random number: peers choose their addresses, at least in
 * IPv6. */
#include "net/peers.h"

#include <sys/random.h>

#include "base/clock.h"

struct peers {
    uint64_t key;
    size_t mask;
    int n;
    struct peer **chains;
};

struct peers *peers_new(int expected)
{
    struct peers *p = xcalloc(1, sizeof(*p));
    size_t chains = 64;
    while (chains < (size_t)expected)
        chains *= 2;
    p->mask = chains - 1;
    p->chains = xcalloc(chains, sizeof(struct peer *));
    if (getrandom(&p->key, sizeof(p->key), GRND_NONBLOCK) != (ssize_t)sizeof(p->key))
        p->key = (uint64_t)clock_mono_us();
    return p;
}

void peers_free(struct peers **pp)
{
    struct peers *p = *pp;
    *pp = NULL;
    if (!p)
        return;
    for (size_t i = 0; i <= p->mask; i++) {
        for (struct peer *one = p->chains[i], *next; one; one = next) {
            next = one->next;
            free(one);
        }
    }
    free(p->chains);
    free(p);
}

static struct peer **chain_of(const struct peers *p, const struct ip *ip)
{
    uint64_t high, low, h = p->key ^ ip->family;
    memcpy(&high, ip->bytes, 8);
    memcpy(&low, ip->bytes + 8, 8);
    h = (h ^ high) * UINT64_C(0x9e3779b97f4a7c15);
    h = ((h ^ (h >> 29)) + low) * UINT64_C(0xd6e8feb86659fd93);
    h ^= h >> 32;
    return &p->chains[h & p->mask];
}

static struct peer *find(const struct peers *p, const struct ip *ip)
{
    struct peer *one = *chain_of(p, ip);
    while (one && !ip_eq(&one->ip, ip))
        one = one->next;
    return one;
}

struct peer *peers_enter(struct peers *p, const struct ip *ip)
{
    struct peer *one = find(p, ip);
    if (!one) {
        struct peer **chain = chain_of(p, ip);
        one = xcalloc(1, sizeof(*one));
        one->ip = *ip;
        one->next = *chain;
        *chain = one;
        p->n++;
    }
    one->connections++;
    return one;
}

void peers_leave(struct peers *p, struct peer *one)
{
    CHECK(one->connections > 0);
    if (--one->connections > 0)
        return;
    struct peer **at = chain_of(p, &one->ip);
    while (*at != one)
        at = &(*at)->next;
    *at = one->next;
    free(one);
    p->n--;
}

int peers_connections(const struct peers *p, const struct ip *ip)
{
    const struct peer *one = find(p, ip);
    return one ? one->connections : 0;
}

int peers_count(const struct peers *p)
{
    return p->n;
}
