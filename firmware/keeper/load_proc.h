/* What files of /proc say of memory, disk and network; base/proc.h has the rest, and its rules hold
 * here: pure, 0 or -EINVAL. */
#ifndef AZEKURA_KEEPER_LOAD_PROC_H
#define AZEKURA_KEEPER_LOAD_PROC_H

#include "base/proc.h"

/* /proc/meminfo, bytes.  `used`: what cannot be had without swapping (total - available). */
struct load_memory {
    uint64_t total, used, cached, swap_used;
};
MUST_USE int load_parse_meminfo(struct view text, struct load_memory *ret);

/* /proc/diskstats, the line of a device "major:minor"; -ENOENT when it has none (tmpfs, overlay).
 */
struct load_disk {
    uint64_t reads, writes, read_bytes, written_bytes;
    uint64_t wait_ms; /* of all finished reads and writes together */
    uint64_t busy_ms; /* time in which there was one at least */
};
MUST_USE int load_parse_diskstats(struct view text, const char *device, struct load_disk *ret);

/* /proc/net/dev, the sum over the interfaces that `counts` accepts. */
struct load_net {
    uint64_t received_bytes, received_packets, sent_bytes, sent_packets, errors, drops;
    int interfaces;
};
typedef bool (*load_interface_fn)(void *context, struct view name);
MUST_USE int load_parse_net(struct view text, load_interface_fn counts, void *context,
                            struct load_net *ret);

#endif
