/* What the receiver's threads share.  Every member says who writes it; all are atomics, queues, or
 * constant while the threads run.
 *
 *   lanes ──pack──▶ packers ──write──▶ writer ──▶ PostgreSQL
 *    ▲ ▲               │                 │
 *    │ └─builders──────┘                 │   builders come back empty
 *    └──────────────wake_fd, rules──────┘   room, an idle writer, settings
 */
#ifndef AZEKURA_RECEIVER_SHARED_H
#define AZEKURA_RECEIVER_SHARED_H

#include <stdatomic.h>

#include "base/record.h"
#include "config/addresses.h"
#include "config/config.h"
#include "net/tls.h"
#include "receiver/counts.h"
#include "receiver/health.h"
#include "receiver/machine_drops.h"
#include "receiver/notes.h"
#include "receiver/sender_rules.h"
#include "receiver/tls_senders.h"
#include "receiver/work.h"

enum {
    LISTENING_MAX = 2 * LISTENER_ADDRESSES_MAX
}; /* sockets of a listener, while old ones stay */

/* Of one listener: what is wanted, what is, and why not. */
struct listening_state {
    char wanted[CONFIG_STRING_MAX];
    char error[512]; /* a sentence; "": all that is wanted is there */
    struct address bound[LISTENING_MAX];
    unsigned bound_n;
};
/* Addresses that the settings say, as text. */
struct listening_wanted {
    char of[LISTENER_COUNT][CONFIG_STRING_MAX];
};

/* An accepted connection on its way to its lane. */
struct handover {
    struct handover *next;
    int fd;
    struct ip peer;
    enum listener listener;
};

/* What is one lane's. */
struct shared_lane {
    int wake_fd;                  /* eventfd: the lane should look */
    _Atomic uint64_t counts_turn; /* odd while the lane writes counts */
    _Atomic uint64_t counts[LANE_COUNTS_N];
    _Atomic(struct sender_rules *) new_rules; /* not taken yet: writer puts, the lane takes */
    struct senders *senders;                  /* the lane's; constant once the threads run */
    struct health *health;                    /* the same */
    _Atomic(struct tls_context *) new_tls;    /* not taken yet: writer puts, the lane takes */
    _Atomic(struct handover *) handovers;     /* newest first: lane 0 puts, the lane takes */
};

struct shared {
    struct config config; /* as read at the start; constant */
    struct ledger *ledger;
    struct journal *journal;
    struct spool *spool;
    struct backlog *backlog;
    const struct zone *zone; /* config.time_zone; constant */
    /* a reference: what an earlier run's messages are read by, constant; NULL: by nothing set */
    struct sender_rules *first_rules;
    char source_fault[256]; /* of the rules, told in an event: writer */
    struct notes notes;
    struct sequences *sequences; /* NULL: numbers are not followed */
    int64_t started_at_us;

    unsigned lanes_n; /* constant */
    struct shared_lane lanes[RECEIVER_LANES_MAX];

    struct queue pack, write; /* units */
    struct builders builders;
    int done_fd; /* eventfd: who stops the receiver should look at is_written */
    int room_fd; /* eventfd: a packer should look at queued_bytes */

    _Atomic uint64_t
        pending_units; /* handed over, neither confirmed nor spooled: +lanes, -backlog */
    /* of those not packed yet, with their messages and text: +lanes, -packers */
    _Atomic uint64_t packing_units, packing_messages, packing_bytes;
    _Atomic uint64_t queued_bytes;   /* of packed units in memory: +packers, -backlog */
    _Atomic bool is_full;            /* packers: wait for room in queued_bytes */
    _Atomic bool is_spool_refusing;  /* backlog: it took nothing at the last try */
    _Atomic bool is_ending;          /* lane 0: read what is there and end */
    _Atomic bool has_accepted_all;   /* lane 0: no connection is handed over any more */
    _Atomic bool is_stopping;        /* main: all lanes have ended */
    _Atomic bool is_safe;            /* backlog: all is stored or spooled, the thread ends */
    _Atomic bool is_written;         /* writer: the thread ends */
    _Atomic int64_t give_up_mono_us; /* main: the writer's waits end then */
    _Atomic unsigned connections;    /* of all lanes: +lane 0, -lanes */

    /* settings that change while running: writer, by shared_apply() */
    _Atomic int64_t flush_us;
    _Atomic int64_t tcp_idle_us, unfinished_us, handshake_us;
    _Atomic unsigned tcp_max_per_source, tls_max_half_open;
    _Atomic unsigned framing[LISTENER_COUNT]; /* enum frame_mode */

    pthread_mutex_t listening_lock; /* of the next four */
    struct listening_state listening[LISTENER_COUNT];
    uint64_t listening_version; /* another with each change; 0: not known yet */
    struct listening_wanted wanted;
    bool has_wanted; /* not taken yet */

    struct credentials *credentials; /* NULL: none; main, then writer */
    struct tls_senders tls_senders;  /* certificates seen: lanes put, the writer takes */

    _Atomic uint64_t stored, lost;   /* messages since the start: writer */
    _Atomic uint64_t benchmark_done; /* of both: the benchmark's */
    /* what earlier runs left in journal and spool, as found: main, packers */
    _Atomic uint64_t inherited, inherited_benchmark;
    /* of it, done since: writer */
    _Atomic uint64_t inherited_stored, inherited_lost, inherited_benchmark_done;

    struct machine_drops drops_before; /* as the receiver started; constant */
};

/* 0, or negative and *err. */
MUST_USE int shared_init(struct shared *s, const struct config *c, struct err *err);
void shared_done(struct shared *s);

/* Settings as they are now: those that take effect at once do. */
void shared_apply(struct shared *s, const struct config *now);

/* Give the lanes a sealed set of rules for senders; takes the reference. */
void shared_put_rules(struct shared *s, struct sender_rules *r);
/* A lane: the newest set since the last call, a reference to be given back, or NULL. */
struct sender_rules *shared_take_rules(struct shared *s, unsigned lane);

/* Give the lanes another TLS context for new connections; takes the reference. */
void shared_put_tls(struct shared *s, struct tls_context *tls);
/* A lane: the newest since the last call, a reference to be owned, or NULL. */
struct tls_context *shared_take_tls(struct shared *s, unsigned lane);

/* Lane 0: where it listens. */
void shared_put_listening(struct shared *s, const struct listening_state of[LISTENER_COUNT]);
/* Any thread: a copy, and its version.  False, and nothing else, when that is still `seen`. */
bool shared_listening(struct shared *s, uint64_t seen, struct listening_state ret[LISTENER_COUNT],
                      uint64_t *ret_version);
/* Lane 0: where it should listen, when that was said anew since the last call. */
bool shared_take_wanted(struct shared *s, struct listening_wanted *ret);

/* Lane 0: a connection to the lane that has its source.  Takes the descriptor. */
void shared_hand_over(struct shared *s, unsigned lane, int fd, const struct ip *peer,
                      enum listener listener);
/* The lane: all that came since the last call, the oldest first; to be freed (free). */
struct handover *shared_take_handovers(struct shared *s, unsigned lane);

/* Text that an open unit may hold, so that those of all lanes leave room in the journal for units
 * on their way. */
size_t shared_unit_max_bytes(const struct shared *s);
/* A lane hands a unit over; a packer has it packed. */
void shared_packing_begins(struct shared *s, const struct work *w);
void shared_packing_ends(struct shared *s, const struct work *w);

void shared_wake(int event_fd);
void shared_wake_lanes(struct shared *s);
void shared_clear(int event_fd);

/* A lane's thread. */
void shared_publish(struct shared *s, unsigned lane, const struct lane_counts *c);
/* Any thread: the sum over the lanes, of each a set that was published together. */
void shared_counts(struct shared *s, struct lane_counts *ret);

#endif
