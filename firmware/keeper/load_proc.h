/* What files of /proc say, as numbers (proc(5)).  Pure: the caller reads the files.  All counters
 * count up since the machine or process began; every function returns 0, or -EINVAL when the text
 * is not what it should be (a kernel without it, a file that was cut). */
#ifndef AZEKURA_KEEPER_LOAD_PROC_H
#define AZEKURA_KEEPER_LOAD_PROC_H

#include "base/view.h"

/* /proc/loadavg: over 1, 5 and 15 minutes. */
MUST_USE int load_parse_loadavg(struct view text, double ret[3]);

/* /proc/stat, line "cpu": clock ticks of all cores together.  Guests' time is in user already. */
struct load_cpu {
    uint64_t user, system, iowait, irq, steal, idle;
};
MUST_USE int load_parse_stat(struct view text, struct load_cpu *ret);

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

/* /proc/PID/stat; clock ticks. */
struct load_process {
    int32_t pid, parent;
    uint64_t own;      /* user and system, of all its threads, also of those that ended */
    uint64_t children; /* the same of children that ended and were waited for */
    uint64_t started;  /* since the boot */
};
MUST_USE int load_parse_process(struct view text, struct load_process *ret);

/* /proc/PID/task/TID/children: the next process id, 0 at the end. */
int32_t load_next_child(struct view *text);

#endif
