/* When messages are due.  Pure: it is told the time and never asks for it.
 *
 * A schedule is a rate over time, in pieces, and at most one burst.  Message k (0, 1, …) is due at
 * the first nanosecond at which more than k messages' worth of rate has passed, so at 1,000/s
 * message 0 is due at 0, message 1 at 1 ms, and exactly 1,000 in every second; everything is
 * integer arithmetic (rates in millionths of a message/s, sums in 10^-15 of a message, 128 bit), so
 * that nothing drifts: after a year as exact as after a second.
 *
 * A pace follows a schedule on a thread's own clock.  While the thread keeps up, its clock is the
 * time.  After a stall of more than SCHEDULE_LATE_NS of the thread (the machine was busy, the
 * process stopped) at most SCHEDULE_LATE_NS worth is let go at once and the rest is spread: the
 * pace's clock runs faster until it has the time again, by 1 % (SCHEDULE_GAIN_MIN_PPM) when it is
 * up to 100 ms behind, by as much as it takes to have it back within about 10 s when it is more, by
 * 10 % at most. So no second after a stall is more than 1 % (and those 10 ms) above the rate unless
 * the stall was long; nothing is left out while there is time; what is still behind at the end is
 * skipped, and scheduled = sent + skipped.  (Left out: skipping at once what is late, which would
 * lose messages of a fixed --number to every hiccup of the machine.) */
#ifndef AZEKURA_BENCH_SCHEDULE_H
#define AZEKURA_BENCH_SCHEDULE_H

#include "base/base.h"

#define SCHEDULE_PIECES_MAX 256
#define SCHEDULE_LATE_NS INT64_C(10000000)
#define SCHEDULE_CATCH_UP_NS INT64_C(10000000000)
#define SCHEDULE_GAIN_MIN_PPM INT64_C(10000)
#define SCHEDULE_GAIN_MAX_PPM INT64_C(100000)
#define SCHEDULE_RATE_MIN 0.000001
#define NS_PER_SECOND INT64_C(1000000000)

struct schedule {
    struct schedule_piece {
        int64_t from_ns;          /* of the first: 0 */
        int64_t rate_u;           /* millionths of a message/s */
        unsigned __int128 before; /* 10^-15 messages due before from_ns */
    } pieces[SCHEDULE_PIECES_MAX];
    size_t pieces_n;
    int64_t burst_messages, burst_at_ns, burst_first; /* the burst is messages first…first+n-1 */
    int64_t number;                                   /* no more messages than this */
    int64_t end_ns;                                   /* none is due at or after it */
};

/* `rate` from the start on, messages/s ≥ 0, to a millionth. */
void schedule_init(struct schedule *s, double rate);
/* Another rate from `at_ns` on; later than every earlier piece, or at the same time, which replaces
 * it.  0, -ENOSPC beyond SCHEDULE_PIECES_MAX, -EINVAL when it is not later. */
MUST_USE int schedule_add(struct schedule *s, int64_t at_ns, double rate);
/* `messages` at once at `at_ns`; after all pieces are added up to there. */
void schedule_burst(struct schedule *s, int64_t messages, int64_t at_ns);
/* End with `number` messages (0: no such end), and before end_ns (0: no such end). */
void schedule_end(struct schedule *s, int64_t number, int64_t end_ns);

/* How many messages are due at `at_ns` or before. */
int64_t schedule_due(const struct schedule *s, int64_t at_ns);
/* When message k is due; INT64_MAX when never. */
int64_t schedule_due_ns(const struct schedule *s, int64_t k);
/* How many are due in all; INT64_MAX without end. */
int64_t schedule_total(const struct schedule *s);
/* The rate at `at_ns`, messages/s. */
double schedule_rate(const struct schedule *s, int64_t at_ns);

struct pace {
    int64_t seen_ns;    /* when it was asked last */
    int64_t clock_ns;   /* how far the schedule is followed; ≤ seen_ns */
    int64_t planned_ns; /* until then nothing was to be done: sleeping so long is no stall */
    int64_t stalls;     /* how often it was late by more than SCHEDULE_LATE_NS */
};

void pace_init(struct pace *p);
/* It is `now_ns` (since the start, never going back): messages due at the returned time or before
 * may be sent. */
int64_t pace_advance(struct pace *p, int64_t now_ns);
/* When to wake for something that is due at due_ns of the schedule; noted as planned. */
int64_t pace_plan(struct pace *p, int64_t due_ns);

#endif
