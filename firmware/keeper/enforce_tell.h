/* What the rule has to say: a change is an event, once. */
#ifndef AZEKURA_KEEPER_ENFORCE_TELL_H
#define AZEKURA_KEEPER_ENFORCE_TELL_H

#include "store/retention_act.h"
#include "store/retention_clock.h"

MUST_USE int tell_clock_doubted(PGconn *c, const struct clock_reference *ref, struct err *err);
MUST_USE int tell_clock_trusted(PGconn *c, const char *why, struct err *err);
/* `from`: severities ≥ it are refused; 8: none any more. */
MUST_USE int tell_shed(PGconn *c, const char *group, int from, struct err *err);

/* Everything of *status that this look changes: the state of the month, the guard (`guarded_us`:
 * when it last took something before this look), the file system, what holds pin. */
MUST_USE int tell_changes(PGconn *c, const struct retention *r, const struct rule_plan *plan,
                          int64_t guarded_us, struct retention_status *status, struct err *err);

#endif
