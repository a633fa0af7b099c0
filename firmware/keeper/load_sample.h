/* One sample of the load: counters read from /proc, the difference to those before, as values.
 * What cannot be read is NAN and nothing else suffers. */
#ifndef AZEKURA_KEEPER_LOAD_SAMPLE_H
#define AZEKURA_KEEPER_LOAD_SAMPLE_H

#include "keeper/load_proc.h"
#include "store/load.h"

/* A process's CPU time: counts up as long as `identity` stays the same. */
struct load_count {
    bool is_known;
    int64_t identity; /* of process and start: another one begins a new count */
    uint64_t ticks;
};

/* Counters at an instant. */
struct load_counters {
    int64_t mono_us; /* 0: none yet */
    bool has_average, has_cpu, has_memory, has_disk, has_net, has_server;
    double average[3];
    struct proc_cpu cpu;
    struct load_memory memory;
    struct load_disk disk;
    struct load_net net;
    struct load_server server;
    struct load_count database, daemons[LOAD_DAEMONS];
};

/* What the keeper's rule found last. */
struct load_storage {
    int64_t month_bytes, budget_bytes, used_bytes, capacity_bytes;
};

/* Read all counters.  `proc` and `sys`: "/proc" and "/sys" (others in tests).  `server`: what the
 * database says, or NULL while it is away; then its processes and the daemons are those of
 * `before`. */
void load_counters_read(const char *proc, const char *sys, const struct load_server *server,
                        const struct load_counters *before, struct load_counters *ret);

#define LOAD_INTERVAL_MAX_US (30 * US_PER_SECOND) /* counters further apart make no sample */
/* The values between two readings; NAN where either does not know, a counter fell, or another
 * process counts.  `ticks_a_second`: sysconf(_SC_CLK_TCK).  `storage` may be NULL. */
void load_values(const struct load_counters *before, const struct load_counters *now,
                 const struct load_storage *storage, long ticks_a_second, float ret[LOAD_METRICS]);

/* CPU time of the server: of the process `pid` and of all its children, those included that ended.
 * *ret is left unknown when it cannot be read. */
void load_database_read(const char *proc, int32_t pid, struct load_count *ret);

#endif
