/* What a lane knows of each sender: the rules that hold for it, its token bucket, its sequence
 * numbers, what was refused.  One lane's thread has it; nothing here takes a lock.
 *
 * Bounded, and made for peers that make up addresses: a look-up is one keyed hash; new senders are
 * on trial until they send again a moment later, and those on trial are few and go first, so that
 * made-up addresses push out one another and stay within the processor's cache.  What goes with one
 * on trial is little: its rules are looked up again and its burst begins anew. */
#ifndef AZEKURA_RECEIVER_SENDERS_H
#define AZEKURA_RECEIVER_SENDERS_H

#include "base/limits.h"
#include "base/record.h"
#include "receiver/sender_rules.h"
#include "receiver/sequences.h"

struct senders;

struct sender {
    struct ip source;
    uint8_t listener; /* a sender of two listeners is two */
    /* by the rules of `generation` */
    uint8_t group;
    bool is_allowed;
    bool is_protected; /* it has been seen again, later */
    bool is_named;     /* in the ledger: senders_name() */
    bool is_numbered;  /* a message of it had a sequence number */
    int8_t framing;    /* enum frame_mode, or SOURCE_FRAMING_INHERIT */
    uint64_t generation;
    const struct zone *zone;       /* of the rules; NULL: the box's */
    const struct charset *charset; /* NULL: UTF-8 */
    uint32_t health_turn;          /* health.h: the report of … */
    uint16_t health_row;           /* … which this row is its own */
    int64_t interval_ns;           /* between two messages at its rate; 0: no limit */
    int64_t slack_ns;              /* what its burst may be ahead of it */
    int64_t next_ns; /* monotonic: when the next message would come at exactly its rate */
    /* refused for its rate and not yet told of */
    uint64_t limited;
    int64_t limited_since_us; /* wall clock */
    int64_t limited_mono_us;
    uint32_t rate, limited_rate; /* messages/s in force now, and when that began */
    uint32_t limited_before;     /* in the list of those; SENDERS_NONE: its head */
    uint32_t limited_after;
    uint32_t streams;    /* of sequence numbers begun since it is known */
    int64_t touched_us;  /* monotonic, to the second: when it was last put to the front */
    uint32_t hash, next; /* of the same bucket */
    uint32_t newer, older;
};
#define SENDERS_NONE UINT32_MAX

/* `sequences`: borrowed, may be NULL (numbers are not looked at then); `lane` is whose part of it
 * is ours. */
MUST_USE struct senders *senders_new(struct sequences *sequences, unsigned lane);
void senders_free(struct senders **s);

/* The sender, with what the rules say of it; never NULL; valid until the next call.  Free of charge
 * for the one of the last call. */
struct sender *senders_find(struct senders *s, const struct sender_rules *r, uint8_t listener,
                            const struct ip *source, int64_t now_mono_us);

/* Whether what it sends is counted under its own address.  Those that are new are named as long as
 * there are not too many (SENDERS_NAMED_BURST, SENDERS_NAMED_RATE), since made-up addresses would
 * cost the database a row each; who has been seen again comes first.  Who is named stays so while
 * it is known. */
bool senders_name(struct senders *s, struct sender *sender, int64_t now_mono_us);
/* The same by its address, which is not taken for a message of it. */
bool senders_name_address(struct senders *s, uint8_t listener, const struct ip *source,
                          int64_t now_mono_us);

/* A message of it may pass.  False: its rate is used up; the caller refuses it (rate_limit), and it
 * is counted for the summary. */
bool sender_take(struct senders *s, struct sender *sender, int64_t now_mono_us,
                 int64_t received_at_us);

/* A message of a sender that is not allowed, or a connection (no bytes): kept with its first bytes
 * for the report.  Returns the address it is to be counted under: its own, or, beyond
 * SENDERS_REFUSED_MAX of them in one report, 0.0.0.0 or ::, so that made-up addresses fill neither
 * ledger nor database.  Valid until the next call. */
const struct ip *senders_refuse(struct senders *s, uint8_t listener, const struct ip *source,
                                struct view bytes, int64_t received_at_us);

/* The message's sequence number, if it has one.  True: *ret has something for ledger_gap(). */
bool senders_sequence(struct senders *s, struct sender *sender, const struct record *r,
                      struct sequence_gap *ret);

/* ---- once a second ---- */

/* A message of ours about a sender, to be taken as one of it: counted as arrived, stored.  RFC
 * 5424, app_name azekura, msgid RATELIMIT.  False: there is no room for another one now. */
typedef bool (*senders_summary_fn)(void *context, uint8_t listener, const struct ip *source,
                                   struct view message);
/* Those of which messages were refused for a minute now, or, with `is_all` (the end), at all.
 * False: there was no room for all of them; the rest comes with the next call. */
bool senders_due_summaries(struct senders *s, int64_t now_mono_us, int64_t now_wall_us, bool is_all,
                           senders_summary_fn each, void *context);

typedef void (*senders_gap_fn)(void *context, uint8_t listener, const struct ip *source,
                               const struct sequence_gap *gap);
/* Gaps of streams that fell silent.  Each call looks at a part of them. */
void senders_due_gaps(struct senders *s, int64_t now_wall_us, bool is_all, senders_gap_fn each,
                      void *context);

/* Make what was refused since the last report ready for the writer, if it has taken that one. */
void senders_put_refused(struct senders *s);

struct senders_counts {
    uint64_t known;             /* now */
    uint64_t limited;           /* of them, with messages refused in this minute */
    uint64_t refused;           /* addresses not allowed, since the last report */
    uint64_t evicted;           /* since the start: forgotten to make room */
    uint64_t missing, repeated; /* since the start */
};
void senders_counts(const struct senders *s, struct senders_counts *ret);

/* ---- the writer thread ---- */

struct refused_sender {
    struct ip source;
    uint8_t listener;
    uint64_t messages; /* and connections */
    int64_t first_at_us, last_at_us;
    uint16_t payload_n; /* bytes of `payload` */
    char payload[SENDERS_REFUSED_PAYLOAD_BYTES];
};
struct refused_senders {
    size_t n;
    uint64_t messages, others;                /* of all; of addresses beyond the list */
    uint16_t places[2 * SENDERS_REFUSED_MAX]; /* by hash: 1 + index in `list`; 0: none */
    struct refused_sender list[SENDERS_REFUSED_MAX];
};
/* What senders_put_refused made ready, to be freed (free), or NULL. */
MUST_USE struct refused_senders *senders_take_refused(struct senders *s);
/* It could not be told: it is taken again next time, unless a newer one is ready, which has what
 * came since; then it is freed. */
void senders_give_back(struct senders *s, struct refused_senders **r);

#endif
