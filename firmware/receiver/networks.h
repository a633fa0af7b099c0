/* A set of networks, each with a value; the longest prefix that contains an address is found by a
 * binary search.  Made once, sealed, then read by any thread. */
#ifndef AZEKURA_RECEIVER_NETWORKS_H
#define AZEKURA_RECEIVER_NETWORKS_H

#include "base/ip.h"

struct network {
    struct ip_network network;
    uint16_t value;
    int16_t parent; /* the smallest other network around this one; -1: none */
};
#define NETWORKS_MAX INT16_MAX

/* Zeroed it is empty. */
struct networks {
    struct network *list; /* sealed: sorted by address, then prefix */
    size_t n;
};

/* The caller keeps it below NETWORKS_MAX. */
void networks_add(struct networks *s, const struct ip_network *network, uint16_t value);
/* To be called once after the last one was added.  Of the same network twice the first by `order`
 * of the values (as qsort) is found, whatever order they came in. */
void networks_seal(struct networks *s, int (*order)(uint16_t a, uint16_t b));
void networks_done(struct networks *s);

/* The longest prefix that contains the address; NULL where none does. */
const struct network *networks_find(const struct networks *s, const struct ip *address);
/* The next one outwards; NULL: none. */
const struct network *networks_around(const struct networks *s, const struct network *n);

#endif
