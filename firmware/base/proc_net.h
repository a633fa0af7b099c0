/* Packets that the kernel dropped before a socket was found for them, of the machine as a whole.
 * Pure; base/proc.h reads the files. */
#ifndef AZEKURA_BASE_PROC_NET_H
#define AZEKURA_BASE_PROC_NET_H

#include "base/proc.h"

/* Column `name` of the lines "GROUP: …" of /proc/net/snmp; -1 where it is not. */
int64_t proc_net_snmp(struct view text, const char *group, const char *name);
/* Sum of the second column, hexadecimal, of /proc/net/softnet_stat: packets dropped. */
int64_t proc_net_softnet(struct view text);
/* Sum of the column "drop" of received packets in /proc/net/dev. */
int64_t proc_net_dev_drops(struct view text);

#endif
