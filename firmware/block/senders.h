/* The distinct source addresses of a block, as stored in log_block.senders: sorted by family, then
 * bytes; one byte family (4 or 6) and 4 or 16 bytes of address each. */
#ifndef AZEKURA_SENDERS_H
#define AZEKURA_SENDERS_H

#include "base/buf.h"
#include "base/ip.h"

/* Whether any sender lies in the network; a malformed list counts as yes (never skip by mistake).
 */
bool senders_in_network(struct view senders, const struct ip_network *net);
/* Iterate: *position starts at 0; false at the end or on a malformed list. */
bool senders_next(struct view senders, size_t *position, struct ip *ret);

#endif
