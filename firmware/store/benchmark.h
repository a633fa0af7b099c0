/* The benchmark as the box sees it: who sends for it, what came from there, what of it is kept, and
 * the processes and sockets that a benchmark wants to watch.  As azekura_web, the last one as
 * azekura_keeper.
 *
 * Which messages are its own is decided by the receiver: those of senders in source group
 * SOURCE_GROUP_BENCHMARK (BENCHMARK_NETWORK, and addresses registered here). */
#ifndef AZEKURA_STORE_BENCHMARK_H
#define AZEKURA_STORE_BENCHMARK_H

#include "base/ip.h"
#include "store/event.h"
#include "store/ledger.h"
#include "store/retention_admin.h"

/* ---- what came ---- */

/* arrived = stored + refused + queued.  What is stored and refused is exact as of the last unit
 * that was written; what has come to the receiver since its last report, within a second, is not
 * there yet.  None of them ever falls but `queued`. */
struct benchmark_counts {
    struct ledger_counts counts;
    int64_t queued;
};
/* In whole minutes from `since_us`, which is cut down to one, on (TIME_NONE: all that is known,
 * eight days).  Two readings from the same time differ by exactly what came between them.  0, or
 * negative and *err. */
MUST_USE int benchmark_read_counts(PGconn *c, int64_t since_us, struct benchmark_counts *ret,
                                   struct err *err);

/* What of it is kept. */
struct benchmark_kept {
    int64_t messages, bytes;      /* bytes: physical */
    int64_t oldest_us, newest_us; /* TIME_NONE: there is nothing */
};
MUST_USE int benchmark_read_kept(PGconn *c, struct benchmark_kept *ret, struct err *err);

/* Ask the keeper to delete all of it, also what is being written: 0 and the request's id
 * (retention_read_request); -EEXIST "nothing_to_delete". */
MUST_USE int benchmark_request_deletion(const struct retention_hand *h, int64_t *ret_id,
                                        struct err *err);

/* ---- the box ---- */

struct benchmark_listener {
    char name[8];
    char address[IP_TEXT_MAX];
    int32_t port;
    int64_t buffer_bytes;   /* granted by the kernel; < 0: it chooses for each connection */
    int64_t kernel_dropped; /* before the receiver saw it, since its start */
};

struct benchmark_box {
    char boot[EVENT_BOOT_MAX]; /* of this machine */
    /* 0: it does not run, or on another machine */
    int32_t receiver, keeper, web, postmaster;
    struct benchmark_listener listeners[LISTENER_COUNT];
    size_t listeners_n;
};
MUST_USE int benchmark_read_box(PGconn *c, struct benchmark_box *ret, struct err *err);

/* ---- senders on other machines ---- */

#define BENCHMARK_SENDER_HOURS 26 /* a registration ends by itself */

struct benchmark_sender {
    char address[IP_TEXT_MAX];
    char actor[128];
    int64_t since_us, until_us;
    /* As logs before, ever, and the last of them: of a device that somebody took for a benchmark's
     * machine.  0 and TIME_NONE: never heard. */
    int64_t device_messages, device_heard_us;
};

/* Those that are registered now, by address; at most BENCHMARK_SENDERS_MAX.  How many, or negative
 * and *err. */
MUST_USE int benchmark_read_senders(PGconn *c, struct benchmark_sender ret[BENCHMARK_SENDERS_MAX],
                                    struct err *err);
/* One address, no network, from now on (again: for as long again), and an event.  0; -EINVAL;
 * -EEXIST "too_many", there are BENCHMARK_SENDERS_MAX. */
MUST_USE int benchmark_add_sender(const struct retention_hand *h, struct view address,
                                  struct benchmark_sender *ret, struct err *err);
MUST_USE int benchmark_remove_sender(const struct retention_hand *h, struct view address,
                                     struct err *err); /* -ENOENT */
/* End those whose time is up, with an event each, and forget what is older than anything that is
 * kept.  How many ended, or negative and *err. */
MUST_USE int64_t benchmark_end_senders(PGconn *c, struct err *err);

#endif
