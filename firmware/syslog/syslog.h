/* Parse one message (RFC 5424, RFC 3164 and its relatives) into a struct record.  Pure: no clock,
 * no I/O, no allocation; what it needs to know comes in the context. */
#ifndef AZEKURA_SYSLOG_H
#define AZEKURA_SYSLOG_H

#include "base/record.h"
#include "base/buf.h"
#include "base/zone.h"

struct syslog_context {
    int64_t received_at_us;  /* year-less times resolve to the year nearest to it */
    const struct zone *zone; /* for times without zone; never NULL */
    struct buf
        *scratch; /* cleaned text goes here; cleared by each parse; max ≥ 3 × message limit + 64 */
};

/* Fill *ret from the bytes of one message (framing removed; a UDP datagram as it came).  Never
 * fails: what has no recognisable form becomes FORMAT_RAW with the whole text as message.  Sets
 * every member but source, listener and received_at_us-independent marks of the caller
 * (RECORD_TRUNCATED); copies received_at_us from the context.  Views borrow from `raw` and
 * `ctx->scratch`. */
void syslog_parse(const struct syslog_context *ctx, struct view raw, struct record *ret);

#endif
