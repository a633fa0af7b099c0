/* STATE/receiver/sequences: how far the sequence numbers of each stream have come, in a mapped
 * file, so that a receiver that is killed goes on where it was.  Bounded.  Each lane has a part of
 * its own, and meets no other. */
#ifndef AZEKURA_RECEIVER_SEQUENCES_H
#define AZEKURA_RECEIVER_SEQUENCES_H

#include "base/err.h"
#include "base/ip.h"
#include "syslog/sequence.h"

struct sequences;

/* Which of `lanes` a sender's messages come to. */
typedef unsigned (*sequences_lane_fn)(const struct ip *source, uint8_t listener, unsigned lanes);

/* Open or create the file for so many lanes (≥ 1); streams are put into the part of their lane when
 * the number has changed.  What cannot be trusted (bad header, another boot without orderly stop)
 * is begun anew: then a stream's first number is where it begins.  0, or negative and *err. */
MUST_USE int sequences_open(const char *path, unsigned lanes, sequences_lane_fn lane_of,
                            struct sequences **ret, struct err *err);
/* `is_orderly`: written back to disk; the next boot may believe it. */
void sequences_close(struct sequences **s, bool is_orderly);

/* Before the threads run: the last message of a journal that a killed run has left.  It may have
 * been written down there and not been taken here. */
void sequences_again(struct sequences *s, const struct ip *source, uint8_t listener,
                     const struct sequence *number);

/* ---- the lane's thread ---- */

/* Take a number; *gap is set.  `may_begin`: a stream that is not known may be begun.  1: it was; 0:
 * it was known; -ENOSPC: it is not followed, since the streams of its place are all in use. */
int sequences_take(struct sequences *s, unsigned lane, const struct ip *source, uint8_t listener,
                   const struct sequence *number, int64_t received_at_us, bool may_begin,
                   struct sequence_gap *gap);

typedef void (*sequences_gap_fn)(void *context, uint8_t listener, const struct ip *source,
                                 const struct sequence_gap *gap);
/* Settle streams of the lane that have been silent for SEQUENCES_SILENT_SECONDS, in an eighth of
 * its part a call; `is_all`: in all of it, silent or not. */
void sequences_settle(struct sequences *s, unsigned lane, int64_t now_wall_us, bool is_all,
                      sequences_gap_fn each, void *context);

#endif
