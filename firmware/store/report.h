/* What the database says of listeners, senders and certificates, as it is shown: each report is one
 * statement, its columns are the members of the API's objects and the columns of the command line's
 * tables. */
#ifndef AZEKURA_STORE_REPORT_H
#define AZEKURA_STORE_REPORT_H

#include "base/buf.h"
#include "base/clock.h"
#include "store/connection.h"

/* A receiver reports each second; one that has not for so long does not run. */
#define REPORT_SILENT_US (10 * US_PER_SECOND)

/* REPORT(NAME, parameters, is one object or null in place of a list, "select …") */
#define REPORT(name, parameters, is_one, sql) REPORT_##name,
enum report {
#include "store/report.def"
    REPORT_COUNT
};
#undef REPORT

/* The rows (PQclear).  0, or negative and *err. */
MUST_USE int report_rows(PGconn *c, enum report what, const char *const *values, PGresult **ret,
                         struct err *err);
/* The same as JSON, appended to `out`: a list of objects, or one object or null.  0, or negative
 * and *err; -E2BIG when `out` is full. */
MUST_USE int report_json(PGconn *c, enum report what, const char *const *values, struct buf *out,
                         struct err *err);

#endif
