/* How many connections each peer has, so that one peer cannot take them all. */
#ifndef AZEKURA_NET_PEERS_H
#define AZEKURA_NET_PEERS_H

#include "base/ip.h"

struct peer {
    struct ip ip;
    int connections, half_open;
    struct peer *next; /* private */
};

struct peers;

/* For about `expected` peers at once; more only make it slower. */
struct peers *peers_new(int expected);
void peers_free(struct peers **p);

/* The peer of an address, with one connection more.  Valid until peers_leave() has been called as
 * often. */
struct peer *peers_enter(struct peers *p, const struct ip *ip);
void peers_leave(struct peers *p, struct peer *one);
/* Connections of an address. */
int peers_connections(const struct peers *p, const struct ip *ip);
int peers_count(const struct peers *p);

#endif
