/* Every call leaves a line in the journal and comes back with the answer, for azekura.audit. */
#ifndef AZEKURA_HELPER_AUDIT_H
#define AZEKURA_HELPER_AUDIT_H

#include "helper/request.h"

/* {"actor","command","arguments","result"}: what is secret is "(secret)", long texts are cut. `err`
 * NULL: it was done.  Owned by the caller; the line is logged. */
MUST_USE cJSON *audit(const struct request *r, unsigned uid, const struct err *err);

#endif
