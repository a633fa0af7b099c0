/* Rows about sources (source_setting.h); all checks but that of the zone are the database's. */
#include "store/source_setting.h"

#include "base/zone.h"
#include "store/source_fault.h"

int source_fault(const PGresult *r, struct err *err)
{
    static const struct {
        const char *code;
        int error;
    } codes[] = {{"bad_value", EINVAL}, {"not_found", ENOENT}};
    if (PQntuples(r) == 0 || PQgetisnull(r, 0, 0))
        return 0;
    const char *code = PQgetvalue(r, 0, 0);
    int error = EEXIST;
    for (size_t i = 0; i < ARRAY_LEN(codes); i++)
        if (strcmp(codes[i].code, code) == 0)
            error = codes[i].error;
    return err_set_field(err, error, code, PQgetvalue(r, 0, 1), "%s", PQgetvalue(r, 0, 2));
}

static int change(PGconn *c, const char *sql, int n, const char *const *values, struct err *err)
{
    PGresult *r = NULL;
    int rc = store_query(c, sql, n, values, &r, err);
    if (rc == 0)
        rc = source_fault(r, err);
    PQclear(r);
    return rc;
}

int source_setting_put(const struct source_hand *h, const char *network, const char *row,
                       struct err *err)
{
    const char *values[] = {network, row, h->version, h->actor};
    return change(h->db,
                  "select code, field, message from"
                  " azekura.set_source_setting($1, $2::jsonb, $3, $4) limit 1",
                  4, values, err);
}

int source_setting_change(const struct source_hand *h, const char *network, const char *members,
                          const char *group, struct err *err)
{
    const char *values[] = {network, members, group, h->version, h->actor};
    return change(h->db,
                  "select code, field, message from azekura.set_source_setting($1, coalesce((select"
                  " jsonb_build_object('name', s.name, 'zone', s.zone, 'charset', s.charset,"
                  " 'framing', s.framing, 'note', s.note) from azekura.source_setting s"
                  " where s.network = azekura.parse_network($1)), '{}') || jsonb_object($2::text[])"
                  " || case when $3::text is null then '{}' else jsonb_build_object('source_group',"
                  " nullif($3::text, '')::integer) end, $4, $5) limit 1",
                  5, values, err);
}

int source_setting_remove(const struct source_hand *h, const char *network, struct err *err)
{
    const char *values[] = {network, h->version, h->actor};
    return change(h->db,
                  "select code, field, message from azekura.unset_source_setting($1, $2, $3)", 3,
                  values, err);
}

int source_setting_json(PGconn *c, const char *network, struct buf *out, struct err *err)
{
    PGresult *r = NULL;
    int rc = store_query(c,
                         "select row_to_json(x) from (select network, name, zone, charset, framing,"
                         " source_group, note, azekura.json_time(changed_at) as changed_at,"
                         " changed_by, sources from azekura.source_settings()"
                         " where network = abbrev(azekura.parse_network($1)::inet)) x",
                         1, &network, &r, err);
    if (rc == 0 && PQntuples(r) == 0)
        rc =
            err_set_field(err, ENOENT, "not_found", "network", "there is no row of %.64s", network);
    else if (rc == 0 && buf_add_str(out, PQgetvalue(r, 0, 0)) < 0)
        rc = err_set(err, E2BIG, "too_large", "the answer is larger than %zu bytes", out->max);
    PQclear(r);
    return rc;
}

int source_zone_check(struct view zone, struct err *err)
{
    char name[65];
    struct zone *z = NULL;
    struct err why;
    if (zone.n >= sizeof(name) || memchr(zone.p, 0, zone.n))
        return err_set_field(err, EINVAL, "bad_value", "zone",
                             "zone: it has %zu bytes, more than %zu", zone.n, sizeof(name) - 1);
    memcpy(name, zone.p, zone.n);
    name[zone.n] = 0;
    if (zone_load(name, &z, &why) < 0)
        return err_set_field(err, EINVAL, "bad_value", "zone",
                             "zone: \"%s\" is no time zone that is known here, such as Asia/Tokyo",
                             name);
    zone_free(&z);
    return 0;
}
