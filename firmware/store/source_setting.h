/* What administrators say of their sources, a row a network: name, zone, charset, framing, group,
 * note.  The longest prefix that contains an address decides.  Every change is one transaction with
 * its entry in the audit log; the receiver is told. */
#ifndef AZEKURA_STORE_SOURCE_SETTING_H
#define AZEKURA_STORE_SOURCE_SETTING_H

#include "base/buf.h"
#include "base/view.h"
#include "store/connection.h"

#define SOURCE_NETWORK_MAX 80 /* bytes of a network as text */
#define SOURCE_VERSION_MAX 32

struct source_hand {
    PGconn *db;
    const char *actor;   /* "account:admin", "cli:root" */
    const char *version; /* of the rows as they were seen; NULL: whatever they are */
};

/* Put a row, a JSON object {"name", "zone", "charset", "framing", "source_group", "note"}, in the
 * place of what is there; null or missing: nothing said (of source_group missing: as it is).  0;
 * -EINVAL "bad_value" with the field; -EEXIST "changed": the rows are not those of `version`, and
 * *err says who changed them, "too_many", or "built_in" for the benchmark's network. */
MUST_USE int source_setting_put(const struct source_hand *h, const char *network, const char *row,
                                struct err *err);
/* Some members of a row, the others as they are: `members` is PostgreSQL's array literal of names
 * and texts in turn (null: nothing said), `group` the id of a group as text (NULL: as it is, "":
 * none of its own).  Errors as above. */
MUST_USE int source_setting_change(const struct source_hand *h, const char *network,
                                   const char *members, const char *group, struct err *err);
/* Take a row away, and the network out of its group.  -ENOENT; and as above. */
MUST_USE int source_setting_remove(const struct source_hand *h, const char *network,
                                   struct err *err);
/* The row as a JSON object.  -ENOENT. */
MUST_USE int source_setting_json(PGconn *c, const char *network, struct buf *out, struct err *err);

/* Whether a zone can be loaded.  0, or -EINVAL "bad_value" of field "zone". */
MUST_USE int source_zone_check(struct view zone, struct err *err);

#endif
