/* Who sends most: counts of datagrams by source over a while, in fixed memory whatever comes. Pure.
 *
 * Counting is that of Misra and Gries: with FLOOD_COUNTERS counters no count is too small by more
 * than a FLOOD_COUNTERS-th of all that was counted, and none is too large.  So whoever has twice
 * that share is found, also among any number of forged addresses. */
#ifndef AZEKURA_NET_FLOOD_H
#define AZEKURA_NET_FLOOD_H

#include "base/ip.h"

enum { FLOOD_COUNTERS = 256 };

struct flood {
    uint64_t total;  /* counted */
    uint64_t rounds; /* what a count may be too small by */
    unsigned used;
    struct flood_counter {
        struct ip source;
        uint32_t count;             /* 0: free */
    } counters[2 * FLOOD_COUNTERS]; /* open addressing, at most half of it used */
};

void flood_clear(struct flood *f);
void flood_count(struct flood *f, const struct ip *source);
/* At least this many of the total were this source's; never more than there were. */
uint32_t flood_counted(const struct flood *f, const struct ip *source);
/* The sources with at least a `share`-th of the total, the largest first, at most `max`; among them
 * may be some with less by a FLOOD_COUNTERS-th.  Returns how many. */
unsigned flood_largest(const struct flood *f, uint32_t share, struct ip *ret, unsigned max);

/* The count that half of the sources do not exceed; 0 with fewer than FLOOD_SOURCES_MIN, of which
 * none is usual. */
enum { FLOOD_SOURCES_MIN = 5 };
uint32_t flood_median(const struct flood *f);

#endif
