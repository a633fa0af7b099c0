/* The null receiver: takes messages, counts them and their marks, keeps nothing; and on purpose
 * drops, cuts, doubles and exchanges what it was told to, so that what others say of losses can be
 * checked to the message.
 *
 *   sockets ─▶ workers (epoll; recvmmsg, 256 KiB reads) ─▶ counts, a tally a run ─▶ faults ─▶
 * store, forward
 *
 * A message is what a datagram holds, or a frame of a stream: LF or octet counting (RFC 6587), told
 * apart by the first byte of a connection. */
#ifndef AZEKURA_BENCH_SINK_H
#define AZEKURA_BENCH_SINK_H

#include <cjson/cJSON.h>

#include "base/err.h"
#include "base/ip.h"
#include "bench/target/target.h"

#define SINK_LISTENERS_MAX 16
#define SINK_THREADS_MAX 64
#define SINK_STOPS_MAX 16
#define SINK_RUNS_MAX 16 /* told apart; marks of further ones are counted foreign */
#define SINK_CONNECTIONS_MAX                    \
    65536 /* at a time, fewer where the process \
             may not have so many files; more are turned away, counted */
#define SINK_MESSAGE_MAX_BYTES \
    ((size_t)128 << 10)   /* of a stream; a longer one is passed over and counted */
#define SINK_PATH_MAX 104 /* of a unix socket, its NUL included */

struct sink_address {
    enum target_transport transport;
    struct ip ip; /* UDP, TCP, TLS */
    uint16_t port;
    char path[SINK_PATH_MAX]; /* unix */
};

/* Every N is of the messages that reach the step, from 1; 0: never.  The steps in order: */
struct sink_faults {
    int64_t close_every;     /* of all that arrived: its connection is closed behind the message */
    int64_t drop_every;      /* of all that arrived: forgotten */
    int64_t truncate_every;  /* of those kept: the first half stays */
    int64_t reorder_every;   /* of those kept: comes after the next one of its thread */
    int64_t duplicate_every; /* of those kept: twice */
    struct sink_stop {
        double at_s, for_s; /* nothing is read; at_s after the first message */
    } stops[SINK_STOPS_MAX];
    size_t stops_n;
};

struct sink_options {
    struct sink_address listeners[SINK_LISTENERS_MAX];
    size_t listeners_n;
    int64_t threads;       /* 1…SINK_THREADS_MAX; UDP: a socket each (SO_REUSEPORT) */
    int64_t buffer_bytes;  /* receive buffer asked for of datagram sockets */
    bool has_gro;          /* UDP_GRO: cheaper, but a coalesced drop counts as one */
    bool is_counting_only; /* marks are not looked for */
    struct sink_faults faults;
    const char *store;             /* file to which what remains is appended, a line each; NULL */
    const char *fault_log;         /* file with a line a fault: "drop RUN-STREAM-NUMBER"; NULL */
    bool has_forward;              /* send on what remains, to: */
    struct sink_address forward;   /* not TLS */
    struct ip forward_from;        /* bound to it; family 0: any */
    const char *certificate, *key; /* TLS, PEM files; NULL: one made for the occasion */
};

/* Sums over all threads; written while it works, each number exact for itself. */
enum sink_count {
    SINK_MESSAGES,
    SINK_BYTES,         /* of the messages, framing not included */
    SINK_CUT_BY_KERNEL, /* datagrams longer than 64 KiB */
    SINK_OVERSIZE,
    SINK_BAD_FRAMES, /* no octet count where one belongs: the connection was closed */
    SINK_UNFINISHED, /* connections that ended within a message */
    SINK_CONNECTIONS,
    SINK_TURNED_AWAY,
    SINK_FOUND, /* marks, all runs: distinct, again, after a greater one, of runs not followed */
    SINK_FOUND_AGAIN,
    SINK_FOUND_LATE,
    SINK_FOREIGN,
    SINK_REACH, /* reach - found: gaps (tally.h) */
    SINK_CLOSED,
    SINK_DROPPED,
    SINK_TRUNCATED,
    SINK_REORDERED,
    SINK_DUPLICATED,
    SINK_STORED, /* what remained: the same without faults and without a file */
    SINK_STORED_BYTES,
    SINK_FORWARDED,
    SINK_FORWARD_FAILED,
    SINK_COUNTS,
};

struct sink;

/* Open the files and all sockets.  `o` is copied, what it points to borrowed. */
MUST_USE int sink_new(const struct sink_options *o, struct sink **ret, struct err *err);
void sink_start(struct sink *s);
/* Take what the kernel holds by now, for 2 s at most, and end all threads. */
void sink_stop(struct sink *s);
void sink_free(struct sink **ps);

/* "127.0.0.1:4711" or a path, as bound; valid until sink_free(). */
const char *sink_name(const struct sink *s, size_t listener);
/* Of one of its sockets, as the kernel counts it; -1 for streams. */
int64_t sink_buffer_bytes(const struct sink *s, size_t listener);
void sink_read(const struct sink *s, int64_t ret[SINK_COUNTS]);
/* Datagrams the kernel dropped on its sockets, exact at the moment. */
int64_t sink_kernel_dropped(const struct sink *s);
/* clock_mono_us() of the latest reading that brought something; 0: nothing came yet. */
int64_t sink_last_mono_us(const struct sink *s);
/* Something made it end (a full disk): 0, or -errno and *err. */
int sink_error(struct sink *s, struct err *err);
/* While it works: {"state","listeners":[…],"elapsed_s","rate","cpu_s","messages",…}; after
 * sink_stop() with "runs":[{"run","received":{…},"stored":{…}|null}].  The caller frees it. */
cJSON *sink_report(const struct sink *s, const char *state);

/* The command: `argv` from "sink" on; the exit code. */
int sink_command(int argc, char **argv);

#endif
