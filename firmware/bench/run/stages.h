/* The ledger of a trial: every message that was sent has a place.  Pure arithmetic over what the
 * generator, the kernel, the target's counters and the read back say; -1: cannot tell.
 *
 *   sent + duplicated = nic_dropped + kernel_dropped + refused + queued + stored + in_flight +
 * unaccounted
 *
 * The read back is the judge of what is lost; the counters only name the place. */
#ifndef AZEKURA_BENCH_STAGES_H
#define AZEKURA_BENCH_STAGES_H

#include "bench/load/load.h"
#include "bench/run/sample.h"
#include "bench/tally.h"

struct stages {
    int64_t scheduled, sent, send_errors, late;
    int64_t nic_dropped;    /* by interfaces and the IP layer, host-wide: at most what is missing */
    int64_t kernel_dropped; /* by the target's sockets, of what was sent here */
    /* by the same sockets, of what others sent to a box in service: logs that the benchmark cost;
     * -1 where it alone sends */
    int64_t others_dropped;
    int64_t received, truncated;
    int64_t refused, queued;
    int64_t stored;      /* by the target's counters; where it has none, what was read back */
    int64_t visible;     /* what a search finds */
    int64_t in_flight;   /* in the sender's kernel after the drain */
    int64_t unaccounted; /* has no place: 0 is the goal */
    int64_t reasons[TARGET_REASONS_MAX]; /* parts of refused; names are the counters' */
    char reason_names[TARGET_REASONS_MAX][32];
    size_t reasons_n;
};

/* What is known at the end of a trial. */
struct stages_input {
    struct load_totals load;
    struct target_counters before, after;
    bool has_counters;
    struct sample_look look_before, look_after;
    bool is_shared;    /* others send to the same sockets: a box in service */
    bool is_local;     /* the looks are of the target's machine */
    bool has_no_ports; /* datagrams to a closed port are of this trial (it was killed) */
    struct tally_result sequence;
    bool is_read_back;
    int64_t visible;       /* -1 unknown */
    int64_t message_bytes; /* mean, for bytes in flight; > 0 */
};

void stages_close(const struct stages_input *in, struct stages *ret);
/* Sent and never found, by the read back; -1 unknown. */
int64_t stages_lost(const struct stages_input *in);

/* Why a trial's figures must not be believed, in both languages; empty when they may. */
struct stages_reason {
    char en[256], ja[384];
    bool is_generator; /* the generator alone: a slower rate may be valid */
};
struct stages_validity {
    int cores;
    double rate, offered, sent_rate;       /* messages/s; rate 0: no rate was asked */
    double blocked_percent;                /* of the senders' time: the target held them back */
    double foreign_percent, steal_percent; /* of one core, mean; NAN unknown */
    int64_t late, sent;
    bool is_complete;
};
#define STAGES_FOREIGN_MAX_PERCENT 5.0 /* of the machine */
#define STAGES_STEAL_MAX_PERCENT 2.0   /* of the machine */
#define STAGES_RATE_MISS_MAX_PERCENT 1.0
bool stages_is_valid(const struct stages_validity *v, struct stages_reason *ret);

#endif
