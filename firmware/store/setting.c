/* Settings in the database, and the audit log. */
#include "store/setting.h"

#include "base/buf.h"
#include "store/array.h"
#include "store/event.h"
#include "store/search.h"

#define CHANGES_MAX_BYTES                                                  \
    262144 /* both arrays of one change; a request body is a quarter of it \
            */

#define EVENT_NAMES_BYTES 512 /* of changed settings that an event names */

int setting_read(PGconn *c, setting_row_fn each, void *context, struct err *err)
{
    PGresult *r = NULL;
    int rc = store_query(
        c, "select name, value, changed_by, changed_at from azekura.setting order by name", 0, NULL,
        &r, err);
    if (rc < 0)
        return rc;
    int rows = PQntuples(r);
    for (int row = 0; row < rows; row++) {
        struct setting_row s = {.name = PQgetvalue(r, row, 0),
                                .value = PQgetvalue(r, row, 1),
                                .changed_by = PQgetvalue(r, row, 2),
                                .changed_at_us = store_time_parse(PQgetvalue(r, row, 3))};
        each(context, &s);
    }
    PQclear(r);
    return rows;
}

/* "box.name, time.zone"; what is too long for an event ends in "…". */
static void list_names(const struct setting_change *changes, size_t n, struct buf *out)
{
    for (size_t i = 0; i < n; i++) {
        if (out->n > EVENT_NAMES_BYTES) {
            buf_add_str(out, ", …");
            return;
        }
        buf_printf(out, "%s%s", i > 0 ? ", " : "", changes[i].name);
    }
}

/* Values and audit entry: one statement. */
static int write_changes(PGconn *c, const char *actor, const struct setting_change *changes,
                         size_t n, struct err *err)
{
    static const char sql[] =
        "with change as (select u.name, u.value, s.value as old"
        "  from unnest($2::text[], $3::text[]) u(name, value) left join azekura.setting s using "
        "(name)),"
        " gone as (delete from azekura.setting s using change"
        "  where s.name = change.name and change.value is null),"
        " kept as (insert into azekura.setting (name, value, changed_by)"
        "  select name, value, $1 from change where value is not null"
        "  on conflict (name) do update set value = excluded.value, changed_at = now(),"
        "  changed_by = excluded.changed_by)"
        " insert into azekura.audit (actor, action, detail) select $1, 'settings.change',"
        "  jsonb_build_object('changes', jsonb_agg(jsonb_build_object('name', name, 'old', old,"
        "  'new', value) order by name)) from change";
    struct buf names = BUF_INIT(CHANGES_MAX_BYTES), values = BUF_INIT(CHANGES_MAX_BYTES);
    for (size_t i = 0; i < n; i++) {
        array_add_text(&names, changes[i].name);
        array_add_text(&values, changes[i].value);
    }
    array_end(&names);
    array_end(&values);
    int64_t rc;
    if (names.is_full || values.is_full) {
        rc = err_set(err, E2BIG, "too_large", "the changes are larger than %d bytes",
                     CHANGES_MAX_BYTES);
    } else {
        const char *parameters[] = {actor, buf_str(&names), buf_str(&values)};
        rc = store_execute(c, sql, 3, parameters, err);
    }
    buf_free(&names);
    buf_free(&values);
    return rc < 0 ? (int)rc : 0;
}

int setting_write(PGconn *c, const char *actor, const struct setting_change *changes, size_t n,
                  struct err *err)
{
    bool is_ours = PQtransactionStatus(c) == PQTRANS_IDLE;
    int64_t rc = is_ours ? store_execute(c, "begin", 0, NULL, err) : 0;
    if (rc >= 0)
        rc = write_changes(c, actor, changes, n, err);
    if (rc >= 0) {
        struct buf names = BUF_INIT(EVENT_NAMES_BYTES + 256);
        list_names(changes, n, &names);
        struct event_params p = {.text = {"actor", actor, "names", buf_str(&names)}, .n = 2};
        rc = event_keep(c, EVENT_SETTINGS_CHANGED, &p, err);
        buf_free(&names);
    }
    if (is_ours && rc >= 0)
        rc = store_execute(c, "commit", 0, NULL, err);
    else if (is_ours && PQtransactionStatus(c) == PQTRANS_INERROR)
        (void)!store_execute(c, "rollback", 0, NULL, NULL);
    return rc < 0 ? (int)rc : 0;
}

int setting_ping(PGconn *c, struct err *err)
{
    int64_t rc = store_execute(c, "select from azekura.setting limit 1", 0, NULL, err);
    return rc < 0 ? (int)rc : 0;
}
