/* Who may send, by network and listener, and how fast: whole lists are put in place of what is
 * there, each with its entry in the audit log.  Reading: report.h. */
#ifndef AZEKURA_STORE_LISTENER_H
#define AZEKURA_STORE_LISTENER_H

#include "store/connection.h"

/* `rows`: a JSON list of {"network", "listener", "note"}; of {"network", "rate", "burst"}.
 * 0: done.  1: nothing was changed, and *ret (PQclear) has what is wrong, a row each: "row" (from
 * 0; null: of the whole list), "field", "code" ("invalid", or "shuts_out": forced it would be
 * taken), "message".  Else negative and *err.  `is_forced`: although senders of the last hour would
 * be shut out. */
MUST_USE int listener_set_allow(PGconn *c, const char *actor, const char *rows, bool is_forced,
                                PGresult **ret, struct err *err);
MUST_USE int listener_set_limits(PGconn *c, const char *actor, const char *rows, PGresult **ret,
                                 struct err *err);

/* One row more or less of the list that is there; as above, and -ENOENT when it is not there.  The
 * row of the same network (and listener; NULL: all) is replaced.  Two at once lose nothing of each
 * other. */
struct listener_row {
    const char *network;
    const char *listener, *note; /* of the allow-list */
    const char *rate, *burst;    /* of the limits: whole numbers */
};
enum listener_list {
    LISTENER_ALLOW,
    LISTENER_LIMITS,
};
MUST_USE int listener_add_row(PGconn *c, const char *actor, enum listener_list list,
                              const struct listener_row *row, bool is_forced, PGresult **ret,
                              struct err *err);
MUST_USE int listener_remove_row(PGconn *c, const char *actor, enum listener_list list,
                                 const struct listener_row *row, bool is_forced, PGresult **ret,
                                 struct err *err);

#endif
