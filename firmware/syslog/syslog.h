/* Parse one message (RFC 5424, RFC 3164 and its relatives) into a struct record.  Pure: no clock,
 * no I/O, no allocation; what it needs to know comes in the context. */
#ifndef AZEKURA_SYSLOG_H
#define AZEKURA_SYSLOG_H

#include "base/record.h"
#include "base/buf.h"
#include "base/zone.h"

/* What was found out about the last messages' times: most are those of the message before.  Changes
 * nothing in the answers.  Zeroed it is empty; private to syslog/. */
struct syslog_cache {
    struct {
        char text[24];
        uint8_t n;      /* bytes of text; 0: none */
        uint8_t result; /* enum timestamp_result */
        struct civil civil;
        uint8_t form, has_year;
    } scanned[2]; /* without year and with it */
    struct {
        uint64_t civil; /* packed, never 0 for a time; without the fraction */
        uint32_t microsecond;
        const struct zone *zone;
        int64_t received_at_us, at_us;
        int16_t text_offset_min, offset_min;
    } resolved;
};

struct charset;

struct syslog_context {
    int64_t received_at_us;  /* year-less times resolve to the year nearest to it */
    const struct zone *zone; /* for times without zone; never NULL, never changed while in use */
    struct buf
        *scratch; /* cleaned text goes here; cleared by each parse; max ≥ 3 × message limit + 64 */
    const struct charset *charset; /* what text is in that is not UTF-8; NULL: in nothing else */
    struct syslog_cache cache;
};

/* Fill *ret from the bytes of one message (framing removed; a UDP datagram as it came).  Never
 * fails: what has no recognisable form becomes FORMAT_RAW with the whole text as message.  Sets
 * every member but source, listener and received_at_us-independent marks of the caller
 * (RECORD_TRUNCATED); copies received_at_us from the context.  Views borrow from `raw` and
 * `ctx->scratch`. */
void syslog_parse(struct syslog_context *ctx, struct view raw, struct record *ret);

#endif
