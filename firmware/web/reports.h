/* Reports of the database (store/report.h) as members of an answer. */
#ifndef AZEKURA_WEB_REPORTS_H
#define AZEKURA_WEB_REPORTS_H

#include "store/report.h"
#include "web/json.h"
#include "web/request.h"

/* A member `key` with the report; takes a connection if there is none yet.  0, or negative and
 * *err. */
MUST_USE int reports_add(struct request *rq, struct json *j, const char *key, enum report what,
                         const char *const *values, struct err *err);

#endif
