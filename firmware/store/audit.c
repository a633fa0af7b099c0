/* The audit log (audit.h). */
#include "store/audit.h"

#include "store/array.h"

#define DETAIL_MAX_BYTES 65536

int audit_add(PGconn *c, const char *actor, const char *action, const char *const *pairs, int n,
              struct err *err)
{
    struct buf list = BUF_INIT(DETAIL_MAX_BYTES);
    for (int i = 0; i < 2 * n; i++)
        array_add_text(&list, pairs[i]);
    array_end(&list);
    int64_t rc = -E2BIG;
    if (list.is_full) {
        (void)err_set(err, E2BIG, "too_large", "the particulars of %s exceed %d bytes", action,
                      DETAIL_MAX_BYTES);
    } else {
        const char *values[] = {actor, action, buf_str(&list)};
        rc = store_execute(c,
                           "insert into azekura.audit (actor, action, detail)"
                           " values ($1, $2, jsonb_object($3::text[]))",
                           3, values, err);
    }
    buf_free(&list);
    return rc < 0 ? (int)rc : 0;
}
