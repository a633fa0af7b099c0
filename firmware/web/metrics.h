/* Prometheus text (format 0.0.4): what this daemon counts itself, and what the database says of
 * receiving. */
#ifndef AZEKURA_WEB_METRICS_H
#define AZEKURA_WEB_METRICS_H

#include "base/buf.h"
#include "store/ledger.h"
#include "store/source.h"
#include "web/route.h"

/* Count a request that was answered; route NULL: a page.  Any thread. */
void metrics_count(const struct route *route, int status);
/* Count one that never became a request: too large, malformed. */
void metrics_count_malformed(void);

/* azekura_build_info, azekura_web_… */
void metrics_write_web(struct buf *out, int tails, int exports, int64_t uptime_us);
/* azekura_messages_…_total by listener and reason, azekura_kernel_dropped_total; these never fall.
 */
void metrics_write_ledger(struct buf *out, const struct ledger_totals *t);
/* azekura_queue_…, azekura_connections, … */
void metrics_write_receiver(struct buf *out, const struct ledger_receiver *r);
/* azekura_listener_…, azekura_spool_…, azekura_tls_…: the receiver's detail, a JSON object.  What
 * is not as it should be in it is left out.  Not `is_current`: the receiver does not run, and
 * nothing is said but that its listeners are not up. */
void metrics_write_detail(struct buf *out, struct view detail, bool is_current);
/* How long the certificate of the listener for TLS lasts; negative: it has expired. */
void metrics_write_certificate(struct buf *out, int64_t days_left);
/* azekura_source…: all of them together. */
void metrics_write_sources(struct buf *out, const struct source_sums *s);

#endif
