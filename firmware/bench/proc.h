/* What files of /proc say of processes and of the host, as numbers.  The parsers are pure: 0, or
 * -EINVAL when a text is not what it should be. */
#ifndef AZEKURA_BENCH_PROC_H
#define AZEKURA_BENCH_PROC_H

#include "base/view.h"

/* /proc/PID/stat; clock ticks. */
struct proc_process {
    int32_t parent;
    uint64_t own;      /* user and system, of all its threads, also of those that ended */
    uint64_t children; /* the same of children that ended and were waited for */
    uint64_t started;  /* since the boot */
};
MUST_USE int proc_parse_process(struct view text, struct proc_process *ret);

/* /proc/stat, line "cpu"; clock ticks of all cores together. */
struct proc_host {
    uint64_t busy; /* user, nice, system, irq, softirq: what the machine did */
    uint64_t softirq, iowait, steal;
};
MUST_USE int proc_parse_host(struct view text, struct proc_host *ret);

/* /proc/loadavg. */
MUST_USE int proc_parse_loadavg(struct view text, double ret[3]);

/* "Name:   1234 kB" of /proc/PID/status, /proc/PID/io, /proc/meminfo: the number, -1 where it is
 * not. */
int64_t proc_field(struct view text, const char *name);

/* Column `name` of the lines "GROUP: …" of /proc/net/snmp; -1 where it is not. */
int64_t proc_parse_snmp(struct view text, const char *group, const char *name);
/* Sum of the second column, hexadecimal, of /proc/net/softnet_stat: packets dropped. */
int64_t proc_parse_softnet(struct view text);
/* Sum of the column "drop" of received packets in /proc/net/dev. */
int64_t proc_parse_dev_drops(struct view text);

/* Read a file; its text in `ret` is valid until the next call with the same buffer.  0, or -errno.
 */
#define PROC_TEXT_BYTES 131072
struct proc_text {
    size_t n;
    char bytes[PROC_TEXT_BYTES];
};
MUST_USE int proc_read(struct proc_text *ret, const char *fmt, ...) PRINTF(2, 3);
static inline struct view proc_view(const struct proc_text *t)
{
    return view_of(t->bytes, t->n);
}

#endif
