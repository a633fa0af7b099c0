/* Times as devices write them.  Private to firmware/syslog. */
#ifndef AZEKURA_TIMESTAMP_H
#define AZEKURA_TIMESTAMP_H

#include "syslog/parse.h"

enum timestamp_result {
    TIMESTAMP_ABSENT, /* no time stands here; the cursor has not moved */
    TIMESTAMP_GOOD,
    TIMESTAMP_UNUSABLE, /* it has the shape of a time, but no such instant exists ("Feb 31
                           25:00:00") */
};

struct timestamp {
    struct civil civil;
    bool has_year;
    bool has_offset;   /* offset_min is in the text: Z, +09:00, EDT */
    bool has_slashes;  /* "03/10/2026": month and day may be the other way round */
    bool is_ambiguous; /* a zone word that means nothing certain: CST, IST, BST */
    int16_t offset_min;
    uint8_t form;   /* enum time_form */
    uint8_t digits; /* of the fraction, 0…6 */
    struct view text;
};

/* ISO 8601 as in RFC 5424 §6.2.3 and its relatives: blank for T, "/" for "-", comma for the point,
 * no zone, "+0900", " +09:00", a zone word. */
enum timestamp_result timestamp_iso(struct cursor *c, struct timestamp *ret);

/* The above, and RFC 3164's with its relatives: year before, between or after, fractions, zone
 * words, the day first, a weekday before. */
enum timestamp_result timestamp_scan(struct cursor *c, struct syslog_cache *cache,
                                     struct timestamp *ret);

/* Seconds since the epoch, "1773143100.123456789", or milliseconds, "1773143100123", and the blank
 * after them. */
bool timestamp_epoch(struct cursor *c, int64_t *ret_us);

/* Set the time members of the record: the instant (year-less: nearest to received_at; without zone:
 * in ctx->zone; in the repeated hour: nearest to received_at), its text and form for the layout. */
void timestamp_apply(const struct timestamp *t, enum timestamp_result result,
                     struct syslog_context *ctx, struct record *r);

#endif
