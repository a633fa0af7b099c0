/* One look at the machine, from /proc alone: what the roles, the generator and everybody else used.
 * Counters; two looks make a sample (sample_between). */
#ifndef AZEKURA_BENCH_SAMPLE_H
#define AZEKURA_BENCH_SAMPLE_H

#include "bench/target/target.h"

struct sample_look {
    int64_t mono_us;
    double syslog_s, database_s, other_s, generator_s; /* CPU seconds since start, ended children
                                                          included; generator: this process */
    double busy_s, steal_s, iowait_s, softirq_s;       /* of the host, all cores */
    bool is_softirq_apart; /* it is not in the seconds of the processes above (softirq.h) */
    double load1, load5, load15;
    int64_t syslog_bytes, database_bytes; /* resident, -1 unknown; database: RssAnon of each and the
                                             greatest RssShmem, as shared memory is there once */
    int64_t write_bytes; /* of both roles, to the disk; -1 where it may not be read */
    int64_t rx_dropped, softnet_dropped, udp_rcvbuf_errors, udp_no_ports; /* host-wide */
    int64_t identity; /* of the processes that were counted: another after a restart */
    int64_t syslog_identity, database_identity; /* of a role's alone; 0: none was seen */
};

struct sample { /* between two looks, or NAN */
    double seconds;
    double cpu_syslog, cpu_database, cpu_generator, cpu_host, cpu_foreign, cpu_steal, cpu_iowait,
        cpu_softirq; /* % of one core; foreign: host - generator - both roles - the product's
                        others, and - softirq (the path's own) where it is in none of them */
    double load1, load5, load15;
    double syslog_bytes, database_bytes, write_bytes_s;
};

/* `remote` (not is_local): everything of the roles is NAN. */
void sample_look(const struct target_pids *pids, struct sample_look *ret);
void sample_between(const struct sample_look *a, const struct sample_look *b, struct sample *ret);
/* A fixed computation, and 64 MiB written with fsync to a file in `dir`: how fast the machine is at
 * this moment.  Messages of a run are only compared when these agree. */
struct sample_speed {
    double compute_ops_s, write_bytes_s;
};
void sample_speed(const char *dir, struct sample_speed *ret);
/* cores, model, memory, kernel, virtualisation, disk, sysctls … as a JSON object; caller owns. */
struct cJSON *sample_machine(const char *dir);

#endif
