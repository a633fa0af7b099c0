/* What the receiver's threads share.  Every member says who writes it; all are atomics, queues, or
 * constant while the threads run.
 *
 *   network ──pack──▶ packer ──write──▶ writer ──▶ PostgreSQL
 *      ▲ ▲               │                 │
 *      │ └─builders──────┘                 │   builders come back empty
 *      └──────────────wake_fd, groups──────┘   room, an idle writer, settings
 */
#ifndef AZEKURA_RECEIVER_SHARED_H
#define AZEKURA_RECEIVER_SHARED_H

#include <stdatomic.h>

#include "config/config.h"
#include "receiver/groups.h"
#include "receiver/work.h"

/* The live half of the equation, published by the network thread as one consistent set. */
struct intake_counts {
    uint64_t arrived, refused; /* messages since the start */
    uint64_t kernel_dropped;
    uint64_t truncated, bad_frames;
    uint64_t connections;                          /* now */
    uint64_t benchmark_arrived, benchmark_refused; /* of the above */
};
#define INTAKE_COUNTS_N (sizeof(struct intake_counts) / sizeof(uint64_t))

struct shared {
    struct config config; /* as read at the start; constant */
    struct ledger *ledger;
    int64_t started_at_us;
    int64_t udp_buffer_bytes; /* granted; constant once the threads run, as are the listeners */
    struct listening {
        uint8_t listener; /* enum listener */
        struct ip address;
        uint16_t port;
        int64_t buffer_bytes; /* < 0: the kernel chooses for each connection */
    } listening[LISTENER_COUNT];
    unsigned listening_n;

    struct queue pack, write; /* units */
    struct builders builders;
    int wake_fd; /* eventfd: the network thread should look */
    int room_fd; /* eventfd: the packer should look at queued_bytes */

    _Atomic uint64_t pending_units;  /* handed over and not confirmed: +network, -writer */
    _Atomic uint64_t queued_bytes;   /* of packed units: +packer, -writer */
    _Atomic bool is_full;            /* packer: waits for room in queued_bytes */
    _Atomic bool is_stopping;        /* network */
    _Atomic bool is_written;         /* writer: everything is confirmed, the thread ends */
    _Atomic int64_t give_up_mono_us; /* network: the writer's waits end then */
    _Atomic int64_t flush_us;        /* settings that change while running: writer */
    _Atomic int64_t tcp_idle_us;
    _Atomic(struct groups *) new_groups; /* not taken yet: writer puts, network takes */

    _Atomic uint64_t counts_turn; /* odd while the network thread writes counts */
    _Atomic uint64_t counts[INTAKE_COUNTS_N];
    _Atomic uint64_t stored, lost;   /* messages since the start: writer */
    _Atomic uint64_t benchmark_done; /* of both: the benchmark's */
};

/* 0, or negative and *err. */
MUST_USE int shared_init(struct shared *s, const struct config *c, struct err *err);
void shared_done(struct shared *s);

/* Give the network thread a sealed set of source groups; takes it. */
void shared_put_groups(struct shared *s, struct groups *g);
/* Network thread: the newest set since the last call, to be owned, or NULL. */
struct groups *shared_take_groups(struct shared *s);

void shared_wake(int event_fd);
void shared_clear(int event_fd);

/* Network thread. */
void shared_publish(struct shared *s, const struct intake_counts *c);
/* Any thread: a set that was published together. */
void shared_counts(struct shared *s, struct intake_counts *ret);

#endif
