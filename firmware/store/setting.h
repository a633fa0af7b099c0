/* The settings kept in the database (they win over the configuration file), and the audit log that
 * says who changed what.  Names and checks are config's; here they are text. */
#ifndef AZEKURA_STORE_SETTING_H
#define AZEKURA_STORE_SETTING_H

#include "store/connection.h"
#include "base/clock.h"

struct setting_row {
    const char *name, *value, *changed_by; /* valid inside the callback */
    int64_t changed_at_us;
};
typedef void (*setting_row_fn)(void *context, const struct setting_row *r);
/* All of them by name.  Returns how many, or negative. */
MUST_USE int setting_read(PGconn *c, setting_row_fn each, void *context, struct err *err);

struct setting_change {
    const char *name;
    const char *value; /* NULL: back to the file's or default value */
};
/* All or nothing, with one entry in the audit log that names old and new values, and an event; in
 * the caller's transaction if there is one. */
MUST_USE int setting_write(PGconn *c, const char *actor, const struct setting_change *changes,
                           size_t n, struct err *err);

/* The database answers: 0, or negative and *err. */
MUST_USE int setting_ping(PGconn *c, struct err *err);

#endif
