/* Counts of datagrams by source.  Pure.
 *
 * A table with linear probing.  When all counters are in use, one is taken from each for the new
 * source (which stays uncounted), and those that come to nothing leave the table, which is built
 * anew then.  A round takes FLOOD_COUNTERS from the total, so it costs a constant a datagram. */
#include "net/flood.h"

enum { SLOTS = 2 * FLOOD_COUNTERS };
_Static_assert((SLOTS & (SLOTS - 1)) == 0, "a mask finds the slot");

static unsigned slot_of(const struct ip *a)
{
    uint64_t high, low;
    memcpy(&high, a->bytes, sizeof(high));
    memcpy(&low, a->bytes + sizeof(high), sizeof(low));
    uint64_t h = (high ^ (low * UINT64_C(0x9e3779b97f4a7c15)) ^ a->family);
    h *= UINT64_C(0xd6e8feb86659fd93);
    return (unsigned)(h >> 40) & (SLOTS - 1);
}

static unsigned place_of(const struct flood *f, const struct ip *source)
{
    unsigned i = slot_of(source);
    while (f->counters[i].count > 0 && !ip_eq(&f->counters[i].source, source))
        i = (i + 1) & (SLOTS - 1);
    return i;
}

void flood_clear(struct flood *f)
{
    memset(f, 0, sizeof(*f));
}

static void take_one_of_each(struct flood *f)
{
    struct flood_counter kept[FLOOD_COUNTERS];
    unsigned n = 0;
    for (unsigned i = 0; i < SLOTS; i++) {
        if (f->counters[i].count > 1) {
            kept[n] = f->counters[i];
            kept[n++].count--;
        }
        f->counters[i].count = 0;
    }
    for (unsigned i = 0; i < n; i++)
        f->counters[place_of(f, &kept[i].source)] = kept[i];
    f->used = n;
    f->rounds++;
}

void flood_count(struct flood *f, const struct ip *source)
{
    struct flood_counter *c = &f->counters[place_of(f, source)];
    f->total++;
    if (c->count > 0) {
        c->count += c->count < UINT32_MAX;
    } else if (f->used < FLOOD_COUNTERS) {
        *c = (struct flood_counter){*source, 1};
        f->used++;
    } else {
        take_one_of_each(f);
    }
}

uint32_t flood_counted(const struct flood *f, const struct ip *source)
{
    return f->counters[place_of(f, source)].count;
}

unsigned flood_largest(const struct flood *f, uint32_t share, struct ip *ret, unsigned max)
{
    uint32_t counts[SLOTS]; /* of ret, largest first */
    unsigned n = 0;
    for (unsigned i = 0; i < SLOTS && max > 0; i++) {
        const struct flood_counter *c = &f->counters[i];
        if (c->count == 0 || (c->count + f->rounds) * share < f->total)
            continue;
        if (n == max && c->count <= counts[n - 1])
            continue;
        unsigned at = n < max ? n++ : n - 1;
        for (; at > 0 && counts[at - 1] < c->count; at--) {
            counts[at] = counts[at - 1];
            ret[at] = ret[at - 1];
        }
        counts[at] = c->count;
        ret[at] = c->source;
    }
    return n;
}

static int by_count(const void *a, const void *b)
{
    const uint32_t *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

uint32_t flood_median(const struct flood *f)
{
    uint32_t counts[FLOOD_COUNTERS];
    unsigned n = 0;
    for (unsigned i = 0; i < SLOTS; i++)
        if (f->counters[i].count > 0)
            counts[n++] = f->counters[i].count;
    CHECK(n == f->used);
    if (n < FLOOD_SOURCES_MIN)
        return 0;
    qsort(counts, n, sizeof(counts[0]), by_count);
    return counts[(n - 1) / 2];
}
