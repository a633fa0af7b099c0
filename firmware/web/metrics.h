/* Prometheus text (format 0.0.4): what this daemon counts itself, and what the database says of
 * receiving. */
#ifndef AZEKURA_WEB_METRICS_H
#define AZEKURA_WEB_METRICS_H

#include "base/buf.h"
#include "store/ledger.h"
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

#endif
