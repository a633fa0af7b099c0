/* What the receiver tells the database of itself.  The writer thread. */
#ifndef AZEKURA_RECEIVER_STATUS_H
#define AZEKURA_RECEIVER_STATUS_H

#include "receiver/detail.h"

/* Where it listens (azekura.report_listeners): when that is another than *seen, a version, 0 after
 * each connect.  0, or negative and *err. */
MUST_USE int status_listeners(PGconn *c, struct shared *s, const struct unit_patience *p,
                              uint64_t *seen, struct err *err);

/* The equation as it is now (azekura.report_receiver).  0, or negative and *err. */
MUST_USE int status_equation(PGconn *c, struct shared *s, const struct unit_patience *p,
                             struct err *err);

/* Everything else in numbers (detail.h).  The spool's are the caller's.  0, or negative and *err.
 */
MUST_USE int status_detail(PGconn *c, struct shared *s, const struct spool_status *spool,
                           const struct unit_patience *p, struct err *err);

#endif
