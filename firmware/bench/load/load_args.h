/* The command line of `azekura-bench load`. */
#ifndef AZEKURA_BENCH_LOAD_ARGS_H
#define AZEKURA_BENCH_LOAD_ARGS_H

#include "bench/load/load_command.h"

enum load_summary { LOAD_SUMMARY_SYSLOG_NG, LOAD_SUMMARY_AXO, LOAD_SUMMARY_AZEKURA };

struct load_args {
    struct load_options o;
    struct load_more more;
    enum load_summary summary;
    bool is_quiet, is_json, is_csv, is_debug;
    /* while parsing */
    bool is_inet, is_unix, is_stream, is_dgram, is_tls, is_ipv6, is_permanent, is_unframed,
        is_counted, has_size, has_total_rate, has_burst_start, is_perf, has_interval, has_rate,
        has_layout, is_given_no_verify;
    double each_rate, total_rate; /* messages/s */
    int64_t each_number;
};

/* 0; 1 when help or version were asked for and printed; negative when the usage is wrong, which was
 * said on standard error. */
MUST_USE int load_args_parse(int argc, char **argv, struct load_args *ret);

#endif
