/* The numbers that a lane publishes as one consistent set (shared_publish), all of them uint64_t
 * and all such that the sum over the lanes is the receiver's. */
#ifndef AZEKURA_RECEIVER_COUNTS_H
#define AZEKURA_RECEIVER_COUNTS_H

#include "base/record.h"
#include "receiver/senders.h"
#include "net/tls_failure.h"

/* Since the start, but for the last three. */
struct intake_counts {
    uint64_t arrived, refused; /* messages */
    uint64_t kernel_dropped;
    uint64_t truncated, bad_frames;
    uint64_t benchmark_arrived, benchmark_refused; /* of the above */
    /* of each listener: the arrived, and their bytes */
    uint64_t received[LISTENER_COUNT], received_bytes[LISTENER_COUNT];
    uint64_t open_units, open_messages, open_bytes; /* now: in the open unit's blocks */
};

/* Of all datagram sockets. */
struct datagrams_counts {
    uint64_t buffer_bytes;           /* granted to each of the two sockets of an address */
    uint64_t buffer_used;            /* now, by those who do not flood */
    uint64_t flood_buffer_used;      /* now, of the second socket, by those who do */
    uint64_t kernel_dropped;         /* since the start, as accounted for */
    uint64_t kernel_dropped_flooded; /* of them, those of flooding sources */
    uint64_t flooding_sources;       /* now */
};

/* Of connections; since the start but for the first two. */
struct streams_counts {
    uint64_t connections[LISTENER_COUNT]; /* now */
    uint64_t half_open;                   /* now: handshakes under way */
    uint64_t turned_away_limit;           /* receiver.tcp_max_connections */
    uint64_t turned_away_source;          /* receiver.tcp_max_per_source */
    uint64_t turned_away_descriptors;
    uint64_t turned_away_not_allowed;
    uint64_t idle_closed;    /* nothing came for receiver.tcp_idle_seconds */
    uint64_t slow_closed;    /* a message was not finished in receiver.unfinished_seconds */
    uint64_t tls_handshakes; /* that were done */
    uint64_t tls_resumed;    /* of them, by a session ticket */
    uint64_t tls_failed[TLS_FAIL_COUNT];
    uint64_t reads, read_bytes; /* of the wire */
};

struct lane_counts {
    struct intake_counts intake;
    struct datagrams_counts datagrams;
    struct streams_counts streams;
    struct senders_counts senders;
};
#define LANE_COUNTS_N (sizeof(struct lane_counts) / sizeof(uint64_t))

#endif
