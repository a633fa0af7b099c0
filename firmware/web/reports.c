/* Reports as members of an answer. */
#include "web/reports.h"

int reports_add(struct request *rq, struct json *j, const char *key, enum report what,
                const char *const *values, struct err *err)
{
    int rc = request_db(rq, err);
    if (rc < 0)
        return rc;
    json_key(j, key);
    rc = report_json(rq->db, what, values, j->out, err);
    j->needs_comma = true;
    return rc;
}
