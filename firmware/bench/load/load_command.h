/* What of the generator only its command has: TLS files, PROXY headers, files to replay, a
 * distribution of sizes, and the quirks of loggen that --loggen-compat brings back. */
#ifndef AZEKURA_BENCH_LOAD_COMMAND_H
#define AZEKURA_BENCH_LOAD_COMMAND_H

#include "bench/load/load.h"

#define LOAD_SIZES_MAX 32
#define LOAD_SDATA_MAX 4096

struct load_more {
    /* TLS: all NULL and false: no verification, no certificate (as loggen) */
    const char *ca, *cert, *key, *server_name;
    bool has_verify;
    /* the PROXY protocol's header in front of every connection: version 0 (none), 1, 2 */
    int proxy_version;
    const char *proxy_src_ip, *proxy_dst_ip, *proxy_src_port, *proxy_dst_port; /* NULL: drawn */
    bool is_proxy_before_tls;
    /* LOAD_FILE; "-": standard input */
    const char *file;
    bool is_looped, is_raw;
    int64_t skip_tokens;
    const char *sdata; /* loggen's line in RFC 5424's form; NULL: "-" */
    struct load_size {
        int64_t bytes, weight;
    } sizes[LOAD_SIZES_MAX]; /* instead of load_options.size */
    size_t sizes_n;
    int64_t client_port; /* connection i binds to this + i; 0: any */
    int64_t run_id;      /* loggen's runid, 10 digits; negative: from load_options.run */
    /* loggen's quirks */
    bool is_compat;        /* LF behind PROXY headers, which count as messages; short sizes torn;
                              files as loggen rebuilds them; ends at the first error */
    bool is_dgram_counted; /* octet counts within datagrams */
};

/* load_new() with more. */
MUST_USE int load_new_more(const struct load_options *o, const struct load_more *more,
                           struct load **ret, struct err *err);
/* Multiply the rate from now on by `factor`; at least 1 message/s a connection.  0, or -ENOSPC
 * after too many changes, -EINVAL without a rate. */
MUST_USE int load_scale_rate(struct load *l, double factor);
/* Messages and bytes of one connection so far. */
void load_read_connection(const struct load *l, uint32_t connection, int64_t *ret_messages,
                          int64_t *ret_bytes);
/* From the start to the last message that was sent; the time until now while it runs. */
double load_seconds(const struct load *l);

#endif
