/* One address of listen.udp: its sockets, when they are read, and what becomes of the datagrams.
 * Used by the lane that has it (the first one). */
#ifndef AZEKURA_RECEIVER_DATAGRAMS_H
#define AZEKURA_RECEIVER_DATAGRAMS_H

#include "config/addresses.h"
#include "net/loop.h"
#include "net/udp.h"
#include "receiver/intake.h"

struct datagrams;

/* What it works with; borrowed, must outlive it.  The batch may serve several: what a read brings
 * is dealt with before the next one. */
struct datagrams_owner {
    struct loop *loop;
    struct intake *in;
    struct udp_batch *batch;
    const struct journal *journal; /* that of the intake */
};

/* Deal with what an earlier process had read into the batch's memory when it was killed, once there
 * is room for it.  True when nothing of it is left; before that datagrams_read() reads nothing. */
bool datagrams_finish(const struct datagrams_owner *o);

/* Take over what was handed to this process, or bind, and ask for `buffer_bytes` of receive buffer.
 * The sockets are kept for the next start where there is somebody to keep them (handed.h).  0, or
 * -errno of what failed. */
MUST_USE int datagrams_open(const struct address *a, int64_t buffer_bytes,
                            const struct datagrams_owner *o, struct datagrams **ret);
/* `for_good`: the address is not wanted any more, the sockets are not kept either, and what the
 * kernel still has for it is lost: datagrams_read() first. */
void datagrams_close(struct datagrams **d, bool for_good);

int datagrams_fd(const struct datagrams *d);

/* Let the loop read, or not: to be called after each step.  Not while there is no room and some is
 * to be expected, and not while the sockets rest; when a rest has ended it reads itself. */
void datagrams_update(struct datagrams *d, int64_t now_mono_us);
/* When datagrams_update() has something to do by itself; INT64_MAX: never. */
int64_t datagrams_due_mono_us(const struct datagrams *d, int64_t now_mono_us);

/* Read a few batches.  False when there is nothing more, or no room. */
bool datagrams_read(struct datagrams *d);
/* Between reads of connections: the same, when it was not read for a millisecond, so that no number
 * of busy connections can starve it. */
void datagrams_between(struct datagrams *d, int64_t now_mono_us);
/* Twice a second, and at the end: account for what the kernel dropped, and see who floods no more.
 */
void datagrams_tick(struct datagrams *d);

/* Since it was opened (counts.h). */
void datagrams_counts(const struct datagrams *d, struct datagrams_counts *ret);

#endif
