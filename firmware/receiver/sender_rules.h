/* What holds for which sender: its source group, whether it may send at all, how fast, and how its
 * messages are read: zone, charset, framing.
 *
 * A set is made by the writer thread from the database, or at the start from what an earlier run
 * was told; then it is sealed and not changed any more.  All lanes share it: each holds a
 * reference. */
#ifndef AZEKURA_RECEIVER_SENDER_RULES_H
#define AZEKURA_RECEIVER_SENDER_RULES_H

#include <stdatomic.h>

#include "base/record.h"
#include "base/zone.h"
#include "receiver/groups.h"
#include "syslog/charset.h"
#include "syslog/frame.h"

struct sender_limit {
    uint32_t rate;  /* messages a second; 0: no limit */
    uint32_t burst; /* messages beyond it at once, ≥ 1 */
};

/* How messages of a source are read (azekura.source_setting). */
#define SOURCE_FRAMING_INHERIT (-1)
struct source_setting {
    const struct zone *zone;       /* of the rules; NULL: the box's */
    const struct charset *charset; /* NULL: receiver.charset */
    int framing;                   /* enum frame_mode, or SOURCE_FRAMING_INHERIT: the listener's */
};

struct sender_rules {
    uint64_t generation;    /* a number no other set of this process has; what a sender remembers */
    struct groups *groups;  /* owned, never NULL */
    struct networks allow;  /* value: listeners the network may use, a bit each */
    uint8_t restricted;     /* listeners that any row is about: only their rows may use them */
    struct networks limits; /* value: index in `limit` */
    struct sender_limit *limit;
    struct sender_limit everyone; /* of senders that no row of `limits` is about */
    struct networks sources;      /* value: index in `setting` */
    struct source_setting *setting;
    const struct charset *charset;        /* of sources that no row gives one; NULL: UTF-8 */
    struct zone *zones[SOURCE_ZONES_MAX]; /* owned: each that a row names, once */
    unsigned zones_n;
    char fault[256]; /* the first row with a zone or charset not known here, a sentence; "": none */
    _Atomic unsigned references;
};

/* Every sender in group 0 and allowed, without limit; one reference; not sealed. */
MUST_USE struct sender_rules *sender_rules_new(void);
/* Another reference. */
MUST_USE struct sender_rules *sender_rules_hold(struct sender_rules *r);
/* Give a reference back; the last one frees it.  *pr may be NULL. */
void sender_rules_free(struct sender_rules **pr);

/* Rows.  0, or negative and *err (-EINVAL: a text is none; -ENOSPC: too many rows); then nothing
 * has changed.  `listener`: a name, or "" for all. */
MUST_USE int sender_rules_allow(struct sender_rules *r, struct view network, struct view listener,
                                struct err *err);
MUST_USE int sender_rules_limit(struct sender_rules *r, struct view network, struct view rate,
                                struct view burst, struct err *err);
/* Null views: not set.  Of a row with a zone or charset that is not known here the rest holds all
 * the same, so that its source does not lose it: `fault` says so, and *err with -ENOENT. */
MUST_USE int sender_rules_source(struct sender_rules *r, struct view network, struct view zone,
                                 struct view charset, struct view framing, struct err *err);
/* To be called once after the last row. */
void sender_rules_seal(struct sender_rules *r);

/* A binary search each; callers keep the answer with the sender.  The benchmark's senders are
 * always allowed and have no limit: what they send has to count as arrived and stored, or as
 * lost. */
bool sender_rules_is_allowed(const struct sender_rules *r, uint8_t listener,
                             const struct ip *source);
struct sender_limit sender_rules_limit_of(const struct sender_rules *r, const struct ip *source);

/* The row of the longest prefix that contains the address, as a whole, with what it leaves open
 * filled in where the rules know it (charset). */
struct source_setting sender_rules_setting_of(const struct sender_rules *r,
                                              const struct ip *source);

/* As text for STATE/receiver/senders, a line each: those of groups.h, "allow NETWORK LISTENER|any",
 * "limit NETWORK RATE BURST", "everyone RATE BURST", "source NETWORK ZONE|- CHARSET|- FRAMING|-",
 * "charset CHARSET". */
void sender_rules_format(const struct sender_rules *r, struct buf *out);
#define SENDER_RULES_TEXT_MAX_BYTES \
    (GROUPS_TEXT_MAX_BYTES + 2 * SENDER_NETWORKS_MAX * 96 + SOURCE_SETTINGS_MAX * 192 + 128)
/* Add what the text says and seal.  0, or negative and *err, which names the line; then some lines
 * may have been added. */
MUST_USE int sender_rules_parse(struct sender_rules *r, struct view text, struct err *err);

#endif
