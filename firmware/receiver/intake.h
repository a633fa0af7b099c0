/* From bytes cut out of a socket to a unit for the packer: may its sender send, parse, add to the
 * open block, write down, count, close it when it is due.  A lane's half of the receiver, without
 * sockets. */
#ifndef AZEKURA_RECEIVER_INTAKE_H
#define AZEKURA_RECEIVER_INTAKE_H

#include "base/zone.h"
#include "receiver/shared.h"

struct intake;

/* `zone` for times without zone; borrowed. */
MUST_USE struct intake *intake_new(struct shared *s, unsigned lane, const struct zone *zone);
void intake_free(struct intake **in);

/* Room for whatever one read can bring (a batch of datagrams, or TCP_READ_BYTES of a connection):
 * builders for the open unit and for another one, and pages for both.  When there is none, nothing
 * that can be held back should be read. */
bool intake_has_room(struct intake *in);
/* No room, and none to come soon, since the spool takes nothing: datagrams, which cannot be held
 * back, should be read and will be refused and counted (while there is a page to count in).  While
 * the spool takes units they wait in the kernel's buffer instead, for some milliseconds. */
bool intake_must_refuse(struct intake *in);

/* The wall clock of the read that the next messages come from.  A new set of rules for senders
 * (shared_put_rules) is in force from here on. */
void intake_at(struct intake *in, int64_t received_at_us);

enum intake_mark { INTAKE_WHOLE, INTAKE_TRUNCATED, INTAKE_BAD_FRAME };
/* One message: into the open unit's block of its source group and the unit's journal, or refused:
 * not_allowed, rate_limit, over_budget (its severity is shed in that group), queue_full, oversize.
 * Counted in the same unit. */
void intake_message(struct intake *in, enum listener listener, const struct ip *source,
                    struct view bytes, enum intake_mark mark);
/* The next message is the datagram with this tag (journal_tag); not 0. */
void intake_tag(struct intake *in, uint32_t tag);
/* The number of the rules in force (struct sender_rules, generation). */
uint64_t intake_rules(const struct intake *in);
/* How a sender's stream is cut by them: enum frame_mode, or SOURCE_FRAMING_INHERIT: as the listener
 * says. */
int intake_framing(struct intake *in, enum listener listener, const struct ip *source);
/* A connection may be made by this sender.  False: it is not allowed; kept for the report. */
bool intake_may_connect(struct intake *in, enum listener listener, const struct ip *source);
void intake_dropped(struct intake *in, enum listener listener, uint64_t datagrams);

/* Close the open unit when it is old enough and the writer is idle.  Once a second what is to be
 * told of senders: summaries of what was refused, gaps of streams that fell silent. */
void intake_tick(struct intake *in, int64_t now_mono_us);
/* When intake_tick has something to do, if nothing else happens before; INT64_MAX: when woken. */
int64_t intake_due_mono_us(const struct intake *in);
/* Close the open unit whatever its age. */
void intake_close(struct intake *in);
/* The receiver stops: what was to be told of senders is told now; then the unit is closed.  False:
 * there was no room for all of it; to be called again when there is some. */
MUST_USE bool intake_end(struct intake *in);

/* Counts since the start. */
struct intake_counts *intake_counts(struct intake *in);
/* The whole set that a lane publishes; the lane keeps the parts that are not the intake's. */
struct lane_counts *intake_lane_counts(struct intake *in);

#endif
