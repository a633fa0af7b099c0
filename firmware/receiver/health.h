/* How well the messages of each source are understood: a lane's counts, told to the database every
 * few seconds (azekura.source_health).  A share, not the ledger: what is counted and not yet told
 * is lost with the process, and beyond HEALTH_SOURCES_MAX sources between two reports nothing is
 * counted. */
#ifndef AZEKURA_RECEIVER_HEALTH_H
#define AZEKURA_RECEIVER_HEALTH_H

#include <stdatomic.h>

#include "receiver/senders.h"
#include "store/unit.h"
#include "syslog/charset.h"

enum {
    HEALTH_SKEWS = 9,  /* of which the median is told */
    HEALTH_SAMPLE = 16 /* every so many messages: the clock, and ISO-2022-JP in ASCII */
};
#define HEALTH_REPORT_US (5 * US_PER_SECOND)

struct health_row {
    struct ip source;
    uint64_t setting; /* by which zone and charset its messages were read; a number made of them */
    uint32_t messages;
    uint32_t formats[FORMAT_COUNT];
    uint32_t truncated, invalid_utf8, no_pri, bad_time, skewed, decoded; /* with that mark */
    uint32_t undecodable; /* with bytes that the source's charset does not have */
    uint32_t skews_n;     /* ever; the last HEALTH_SKEWS are kept */
    int64_t skews_us[HEALTH_SKEWS];
    int64_t last_raw_at_us; /* 0: none */
    const struct charset *guess;
    uint8_t percent; /* how sure the guess is */
    bool is_guessed; /* a message of it was looked at for that */
};

struct health_report {
    uint32_t n, room;
    struct health_row rows[]; /* the first is of those that are not told */
};

/* A lane's; the lane's thread has it but for `ready`. */
struct health {
    struct health_report *now;
    uint32_t turn; /* another with each report, never 0: what a sender remembers */
    int64_t report_mono_us;
    unsigned guesses_left; /* until the next report */
    uint64_t key[2];
    uint16_t *places; /* by hash of the address: number of its row; 0: none */
    struct health_guess *guesses;
    _Atomic(struct health_report *) ready; /* put by the lane, taken by the writer */
};

MUST_USE struct health *health_new(void);
void health_free(struct health **h);

/* For health_count: the sender's row in the present report, begun where there is room. */
void health_begin(struct health *h, struct sender *s);
/* The rarer half of health_count. */
void health_look(struct health *h, struct health_row *row, const struct record *r);

/* A message of the sender that was kept.  Two or three ns for an ordinary one. */
static inline void health_count(struct health *h, struct sender *s, const struct record *r)
{
    if (UNLIKELY(s->health_turn != h->turn))
        health_begin(h, s);
    struct health_row *row = &h->now->rows[s->health_row];
    row->formats[r->format]++;
    if (UNLIKELY(r->flags != 0 || r->format == FORMAT_RAW || row->messages++ % HEALTH_SAMPLE == 0))
        health_look(h, row, r);
}

/* Once a second: make what was counted ready for the writer, when it is time and the last one was
 * taken; not what was counted by other settings than those of the rules. */
void health_put(struct health *h, const struct sender_rules *rules, int64_t now_mono_us);

/* ---- the writer thread ---- */

/* What health_put made ready, to be freed (free), or NULL. */
MUST_USE struct health_report *health_take(struct health *h);
/* The median of the clock's last differences in µs; false: none was measured. */
bool health_skew(const struct health_row *row, int64_t *ret_us);
/* Tell the database; 0, or negative and *err as unit_query(). */
MUST_USE int health_write(PGconn *c, const struct unit_patience *p, const struct health_report *r,
                          struct err *err);

#endif
