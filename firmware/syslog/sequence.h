/* Sequence numbers that senders give their messages, and what is missing between them: loss before
 * this box becomes visible.  Pure: no clock, no I/O, no allocation.
 *
 *   meta    RFC 5424 §7.3.1: [meta sequenceId="N"], 1…2147483647, then 1 again
 *   cisco   "000123: " before the time of a Cisco message, 32 bits
 *   mark    "seq=RUN-STREAM-NUMBER", what azekura-bench --sequence writes
 *
 * Numbers of one sender can belong to several counters, so they are told apart by stream.  A stream
 * is followed with two tracks, since a number far away from all that was seen can be a device that
 * was restarted, a second counter under the same name, messages sent once more, or a great loss:
 *
 *   track:  … 37 38 39 40 .. 42 43 .. 45 ◀ highest        64 numbers with a bit each: seen or not
 *             ▲ what falls out of them unseen is missing
 *
 * Only what follows tells which it was: SEQUENCE_CONFIRM messages on the new track while none comes
 * on the old one. */
#ifndef AZEKURA_SEQUENCE_H
#define AZEKURA_SEQUENCE_H

#include "base/record.h"

enum sequence_kind { SEQUENCE_META, SEQUENCE_CISCO, SEQUENCE_MARK, SEQUENCE_KINDS };

struct sequence {
    uint8_t kind;    /* enum sequence_kind */
    uint64_t stream; /* hash of what tells streams of one sender apart: host and app of a meta, host
                        of a cisco, run and stream of a mark.  Not a secret one: the table's hash
                        is keyed */
    uint64_t number;
};

/* The number a message carries.  False, and *ret untouched, where it has none. */
bool sequence_of(const struct record *r, struct sequence *ret);

#define SEQUENCE_WINDOW 64           /* numbers: reordering within them is neither gap nor repeat */
#define SEQUENCE_NEAR 1024           /* numbers ahead of a track that are still its own */
#define SEQUENCE_CONFIRM 16          /* messages after which a new track is believed */
#define SEQUENCE_ALONE 1024          /* messages after which the other track is given up */
#define SEQUENCE_REPLAY_MAX 65536    /* numbers back: sent once more; farther: a restart */
#define SEQUENCE_JUMP_MAX (1u << 24) /* numbers ahead: lost; farther: a restart */

/* Lies in a mapped file: see receiver/sequences.c.  `highest` and `seen` are written by one store
 * of 16 bytes, so that a process that is killed leaves both or neither. */
struct sequence_track {
    union {
        struct {
            uint64_t highest; /* place of the greatest number seen in the circle of numbers */
            uint64_t seen;    /* bit i: highest − i was seen (or is not missed) */
        };
        uint64_t pair __attribute__((vector_size(16)));
    };
    uint16_t messages; /* since the track began; it is in use when > 0; saturates */
    uint16_t span;     /* numbers from its first to highest; saturates */
    uint32_t pending;  /* missing before it, or repeated on it, when it is believed */
};

enum sequence_meaning { SEQUENCE_APART, SEQUENCE_LOSS, SEQUENCE_REPLAY };
struct sequence_state {
    struct sequence_track track[2];
    uint8_t recent;  /* the track of the last message */
    uint8_t is_new;  /* track[recent] is not believed yet */
    uint8_t meaning; /* of track[recent] beside the other one: enum sequence_meaning */
    uint16_t run;    /* messages on track[recent] without one on the other; saturates */
};

struct sequence_gap {
    uint64_t missing, repeated; /* messages */
};

/* Take a number; what it shows is added to *gap.  A zeroed state is that of a new stream. */
void sequence_take(struct sequence_state *s, enum sequence_kind kind, uint64_t number,
                   struct sequence_gap *gap);
/* A number that was taken, or was about to be when the process was killed: it counts as seen, and
 * nothing is counted. */
void sequence_again(struct sequence_state *s, enum sequence_kind kind, uint64_t number);
/* The stream has been silent: what is still awaited within the windows is missing, and a jump is
 * believed.  True when something was added to *gap. */
bool sequence_settle(struct sequence_state *s, struct sequence_gap *gap);

#endif
