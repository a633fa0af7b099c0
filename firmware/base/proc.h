/* What /proc says of processes and of the machine, as numbers (proc(5)).  Parsers are pure: 0, or
 * -EINVAL when a text is not what it should be (a kernel without it, a file that was cut).  Readers
 * take the folder, "/proc" outside of tests; 0, or -errno.  All counters count up since the machine
 * or the process began. */
#ifndef AZEKURA_BASE_PROC_H
#define AZEKURA_BASE_PROC_H

#include "base/view.h"

/* ---- texts ---- */

#define PROC_TEXT_BYTES 131072 /* diskstats of 1,000 disks; what is longer is cut */
struct proc_text {
    size_t n;
    char bytes[PROC_TEXT_BYTES];
};
/* A text that was cut ends with its last whole line. */
MUST_USE int proc_read(struct proc_text *ret, const char *fmt, ...) PRINTF(2, 3);
static inline struct view proc_view(const struct proc_text *t)
{
    return view_of(t->bytes, t->n);
}

/* The next line, without its newline; false at the end. */
bool proc_next_line(struct view *text, struct view *ret);
/* The next word between blanks; empty at the end. */
struct view proc_next_word(struct view *line);
/* The next n words as numbers; false when one is none. */
MUST_USE bool proc_next_numbers(struct view *line, uint64_t *ret, int n);
/* "Name:   1234 kB" of PID/status, PID/io, meminfo: the number, -1 where it is not. */
int64_t proc_field(struct view text, const char *name);

/* ---- the machine ---- */

/* loadavg: over 1, 5 and 15 minutes. */
MUST_USE int proc_parse_loadavg(struct view text, double ret[3]);

/* stat, line "cpu": clock ticks of all cores together.  Guests' time is in user already. */
struct proc_cpu {
    uint64_t user, system, iowait, irq, steal, idle; /* user: nice as well; irq: softirq as well */
};
MUST_USE int proc_parse_cpu(struct view text, struct proc_cpu *ret);

/* ---- processes ---- */

/* PID/stat; clock ticks. */
struct proc_process {
    int32_t pid, parent;
    uint64_t own;      /* user and system, of all its threads, also of those that ended */
    uint64_t children; /* the same of children that ended and were waited for */
    uint64_t started;  /* since the boot */
};
MUST_USE int proc_parse_process(struct view text, struct proc_process *ret);
MUST_USE int proc_read_process(const char *proc, int32_t pid, struct proc_process *ret);

/* A process and its children, of all their time, in clock ticks; as long as it lives `ticks` does
 * not fall, and misses nothing of a child, however short it lived. */
#define PROC_FAMILY_MAX 4096
struct proc_family {
    uint64_t ticks;
    uint64_t started; /* the parent */
    size_t children_n;
    int32_t children[PROC_FAMILY_MAX]; /* those alive; the time of more than these counts as well */
};
/* -ESRCH, -ENOENT: it is not there. */
MUST_USE int proc_read_family(const char *proc, int32_t pid, struct proc_family *ret);

#endif
