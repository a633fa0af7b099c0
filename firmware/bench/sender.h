/* One connection of the command: a thread of its own. */
#ifndef AZEKURA_BENCH_SENDER_H
#define AZEKURA_BENCH_SENDER_H

#include <signal.h>
#include <stdatomic.h>
#include <sys/socket.h>

#include "bench/template.h"

#define SENDER_CONNECTIONS_MAX 4096 /* a thread each */

struct sender_options {
    struct sockaddr_storage target;
    socklen_t target_len;
    bool is_dgram;       /* UDP, else TCP */
    bool is_counted;     /* octet counting (RFC 6587 §3.4.1), else LF */
    int64_t rate;        /* messages/s and connection; 0: as fast as the peer takes them */
    int64_t number;      /* messages a connection; 0: until interval_us */
    int64_t interval_us; /* 0: until number */
    int64_t size;        /* pad or cut every message to so many bytes; 0: as the mix has them */
    int64_t connections;
    uint64_t seed;
    bool has_sequence; /* append " seq=RUN-CONNECTION-NUMBER" */
    uint64_t run;      /* the RUN of it */
};

/* What happened, of one connection; written by its thread, read by the reporter. */
struct load_count {
    _Atomic int64_t messages; /* taken by the kernel, whole */
    _Atomic int64_t bytes;
    _Atomic int64_t behind; /* most messages the schedule was ever behind, rate > 0 */
    int error;              /* errno that ended the connection early, or 0 */
};

/* One connection's work, on its own thread: connect (retrying is the caller's business), send,
 * close. `stop` is polled. */
void load_connection(const struct sender_options *o, const struct template *mix, size_t mix_n,
                     unsigned number, const atomic_bool *stop, struct load_count *count);

#endif
