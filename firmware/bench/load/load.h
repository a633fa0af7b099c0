/* The generator: sends messages over connections, a rate held exactly, and counts what the kernel
 * took.  Used by `azekura-bench load` and, in the same process, by `azekura-bench run`.
 *
 * Payloads are made before the clock starts (a ring of some thousand messages a connection, from
 * the seed); while sending only the sequence number and the time are written into them.  The
 * schedule is open-loop (schedule.h). */
#ifndef AZEKURA_BENCH_LOAD_H
#define AZEKURA_BENCH_LOAD_H

#include <signal.h>
#include <stdatomic.h>
#include <sys/socket.h>

#include "base/err.h"
#include "bench/target/target.h"
#include "bench/load/template.h"

#define LOAD_CONNECTIONS_MAX 16384
#define LOAD_THREADS_MAX 64
#define LOAD_PORTS_MAX TARGET_PORTS_MAX
#define LOAD_STEPS_MAX 64
#define LOAD_SIZE_MAX 65000 /* bytes of one message: a UDP datagram holds it */
#define LOAD_RATE_MAX 100000000

enum load_framing { LOAD_LF, LOAD_OCTETS };
enum load_layout {
    LOAD_MIX, /* realistic messages (mix.c) */
    LOAD_LOGGEN, /* loggen's line: "seq: …, thread: …, runid: …, stamp: …", at least 127 bytes */
    LOAD_COMPACT, /* for exact small sizes: at least LOAD_COMPACT_MIN bytes */
    LOAD_FILE     /* lines of a file */
};
enum load_format { LOAD_RFC3164, LOAD_RFC5424 };
#define LOAD_COMPACT_MIN 80

struct load_options {
    enum target_transport transport;
    struct sockaddr_storage ports[LOAD_PORTS_MAX]; /* connection i sends to port i mod ports_n */
    socklen_t ports_len[LOAD_PORTS_MAX];
    size_t ports_n;
    char source_network[64]; /* bind connection i to address 1 + i mod sources of it; "": any */
    int64_t sources;         /* distinct sender addresses, or 1 */
    enum load_framing framing;
    enum load_layout layout;
    enum load_format format;
    double rate;       /* messages/s of all connections together; 0: as fast as the peer takes */
    struct load_step { /* overrides rate: from this second on */
        double at_s, rate;
    } steps[LOAD_STEPS_MAX];
    size_t steps_n;
    int64_t burst_messages; /* so many at once … */
    double burst_at_s;      /* … at this second, beside the rate */
    int64_t number;         /* messages of all connections together; 0: until duration */
    double duration_s;      /* 0: until number */
    int64_t size;           /* bytes of every message, framing not included; 0: as the layout has */
    int64_t connections, idle_connections;
    int64_t threads; /* 0: as many as cores, at most one a connection */
    uint64_t seed, run;
    bool has_sequence; /* every message has " seq=RUN-STREAM-NUMBER": stream = connection;
                          canaries have the stream behind the last */
    bool has_reconnect;
    int64_t canary_rate; /* of messages with "canary=RUN-NUMBER", on a connection of their own; 0 */
    /* borrowed; a signal's, or NULL.  Other than 0: connecting is given up.  (A peer that does not
     * answer holds it up for CONNECTION_OPEN_MS a connection; what sends is ended by load_stop().)
     */
    const volatile sig_atomic_t *stop;
    /* what only the command has (TLS files, PROXY, loggen's quirks) is in load_command.h */
};

struct load;

/* What happened so far, all connections together. */
struct load_totals {
    int64_t scheduled, sent, bytes; /* sent: whole messages the kernel took */
    int64_t refused_by_kernel; /* ENOBUFS, ECONNREFUSED…: tried again or counted lost by `errors` */
    int64_t errors;            /* messages given up */
    int64_t behind;            /* messages the schedule is behind now */
    int64_t most_behind, late; /* late: sent more than 10 ms after they were due */
    int64_t unsent_bytes;      /* in the kernel's send queues (SIOCOUTQ) */
    double blocked_s;          /* threads waited for the peer, sum */
    double lateness_p99_us;
    double cpu_s;                   /* of the generator's threads */
    int64_t connected, failed;      /* connections */
    int64_t canaries;               /* canaries sent; not among `sent` */
    int64_t invalid, first_invalid; /* LOAD_FILE, at its end: lines that are no messages, of all
                                       connections; the number of the first */
    int error;                      /* errno of the last failure */
    bool is_done;
};

/* Resolve nothing, allocate and pre-build everything; borrows o->stop. */
MUST_USE int load_new(const struct load_options *o, struct load **ret, struct err *err);
/* Connect all; 0 when all are, negative and *err naming one that failed: without has_reconnect no
 * further ones are tried then.  -ECANCELED when load_options.stop told so. */
MUST_USE int load_connect(struct load *l, struct err *err);
/* Begin at clock_mono_us() = `at`. */
void load_start(struct load *l, int64_t at_mono_us);
void load_read(struct load *l, struct load_totals *ret);
/* Finish the message in hand, close; returns when all threads ended. */
void load_stop(struct load *l);
/* After the end: how many messages the stream sent (numbers 0…n-1 of it). */
int64_t load_stream_sent(const struct load *l, uint32_t stream);
/* When canary `number` was due, clock_mono_ns; -1: not sent. */
int64_t load_canary_due_ns(const struct load *l, int64_t number);
void load_free(struct load **pl);

/* The command: `argv` from "load" on; the exit code. */
int load_command(int argc, char **argv);

#endif
