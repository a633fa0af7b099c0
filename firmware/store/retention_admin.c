/* Changes to source groups (retention_admin.h).  One transaction each;
 * the table of groups is locked in it, so that what was checked is still true when it is kept. */
#include "store/retention_admin.h"

#include <math.h>

#include "base/ip.h"
#include "base/utf8.h"
#include "store/array.h"
#include "store/event.h"
#include "store/retention_hand.h"

#define NAME_CHARACTERS_MAX 64
#define KEEP_DAYS_MAX 36600

/* ---- shared with the other files ---- */

int hand_begin(const struct retention_hand *h, struct err *err)
{
    int64_t rc = store_execute(h->db, "begin", 0, NULL, err);
    return rc < 0 ? (int)rc : 0;
}

int hand_end(const struct retention_hand *h, int rc, struct err *err)
{
    if (rc >= 0) {
        int64_t committed = store_execute(h->db, "commit", 0, NULL, err);
        return committed < 0 ? (int)committed : 0;
    }
    if (PQtransactionStatus(h->db) != PQTRANS_IDLE)
        (void)!store_execute(h->db, "rollback", 0, NULL, NULL);
    return rc;
}

int hand_event(const struct retention_hand *h, enum event_kind kind,
               const struct event_params *params, struct err *err)
{
    int64_t rc = event_keep(h->db, kind, params, err);
    return rc < 0 ? (int)rc : 0;
}

int hand_check_text(struct view text, size_t most, const char *field, struct err *err)
{
    size_t characters = 0;
    for (size_t at = 0; at < text.n; characters++) {
        uint32_t c;
        at += utf8_decode(text.p + at, text.n - at, &c);
        if (c < 0x20 || (c >= 0x7f && c < 0xa0))
            return err_set_field(err, EINVAL, "bad_value", field,
                                 "%s: character %zu is a control character", field, characters + 1);
    }
    if (characters == 0 || characters > most)
        return err_set_field(err, EINVAL, "bad_value", field,
                             "%s: it has %zu characters, out of 1..%zu", field, characters, most);
    return 0;
}

/* ---- source groups ---- */

struct group_text {
    char id[16], quota[32], keep[32];
    struct buf name, members;
    const char *values[5]; /* id, name, quota, keep, members */
};

static void group_text_done(struct group_text *t)
{
    buf_free(&t->name);
    buf_free(&t->members);
}

static int check_group(const struct group_wish *w, int id, struct err *err)
{
    int rc = hand_check_text(w->name, NAME_CHARACTERS_MAX, "name", err);
    if (rc < 0)
        return rc;
    /* nobody could tell it from the same name without, or from none */
    if (view_trim(w->name).n != w->name.n)
        return err_set_field(err, EINVAL, "bad_value", "name",
                             "name: \"%.*s\" begins or ends with a blank", VIEW_ARG(w->name));
    if (isnan(w->quota_percent) || w->quota_percent == 0 || w->quota_percent > 100)
        return err_set_field(err, EINVAL, "bad_value", "quota_percent",
                             "quota_percent: %g is not above 0 and at most 100", w->quota_percent);
    if (w->keep_days > KEEP_DAYS_MAX)
        return err_set_field(err, EINVAL, "bad_value", "keep_days",
                             "keep_days: %lld is out of 0..%d", (long long)w->keep_days,
                             KEEP_DAYS_MAX);
    if (w->members_n > SOURCE_PREFIXES_MAX)
        return err_set_field(err, EINVAL, "bad_value", "members",
                             "members: there are %zu, more than %d", w->members_n,
                             SOURCE_PREFIXES_MAX);
    if (id == 0 && w->members_n > 0)
        return err_set_field(
            err, EINVAL, "bad_value", "members",
            "members: the first group takes every sender that no other group claims and "
            "has none of its own");
    return 0;
}

/* The network as PostgreSQL writes it, with its length; an IPv4-mapped one is none of ours. */
static int add_member(struct buf *list, struct view member, struct err *err)
{
    struct ip_network n, benchmark;
    char text[IP_TEXT_MAX], whole[IP_TEXT_MAX + 8];
    if (ip_network_parse(member, &n) < 0)
        return err_set_field(err, EINVAL, "bad_value", "members",
                             "members: \"%.*s\" is no network or address like 192.0.2.0/24",
                             (int)MIN(member.n, (size_t)64), member.p);
    CHECK(ip_network_parse(VIEW(BENCHMARK_NETWORK), &benchmark) == 0);
    if (n.prefix >= benchmark.prefix && ip_in_network(&n.address, &benchmark))
        return err_set_field(err, EEXIST, "built_in", "members",
                             "members: %.*s lies in " BENCHMARK_NETWORK
                             ", which belongs to the built-in group benchmark",
                             (int)MIN(member.n, (size_t)64), member.p);
    ip_format(&n.address, text);
    snprintf(whole, sizeof(whole), "%s/%u", text, n.prefix);
    array_add_text(list, whole);
    return 0;
}

static int group_text_fill(struct group_text *t, int id, const struct group_wish *w,
                           struct err *err)
{
    *t = (struct group_text){.name = BUF_INIT(GROUP_NAME_MAX),
                             .members = BUF_INIT(SOURCE_PREFIXES_MAX * PREFIX_TEXT_MAX)};
    int rc = check_group(w, id, err);
    for (size_t i = 0; i < w->members_n && rc == 0; i++)
        rc = add_member(&t->members, w->members[i], err);
    if (rc < 0)
        return rc;
    array_end(&t->members);
    buf_add_view(&t->name, w->name);
    snprintf(t->id, sizeof(t->id), "%d", id);
    snprintf(t->quota, sizeof(t->quota), "%.6g", w->quota_percent);
    snprintf(t->keep, sizeof(t->keep), "%lld", (long long)w->keep_days);
    t->values[0] = t->id;
    t->values[1] = buf_str(&t->name);
    t->values[2] = w->quota_percent < 0 ? NULL : t->quota;
    t->values[3] = w->keep_days < 0 ? NULL : t->keep;
    t->values[4] = buf_str(&t->members);
    return 0;
}

static int lock_groups(const struct retention_hand *h, struct err *err)
{
    int64_t rc = store_execute(h->db, "lock table azekura.source_group in share row exclusive mode",
                               0, NULL, err);
    return rc < 0 ? (int)rc : 0;
}

/* The id for a new group of this name: that of a removed one, else the first free. */
static int choose_id(const struct retention_hand *h, struct group_text *t, int *ret_id,
                     struct err *err)
{
    char most[16];
    PGresult *r = NULL;
    snprintf(most, sizeof(most), "%d", SOURCE_GROUPS_USER_MAX - 1);
    const char *values[] = {t->values[1], most};
    int rc = store_query(h->db,
                         "select (select retired_at is null from azekura.source_group"
                         " where name = $1), coalesce((select id from azekura.source_group"
                         " where name = $1), (select min(i) from generate_series(1, $2::int) i"
                         " where not exists (select from azekura.source_group g where g.id = i)))",
                         2, values, &r, err);
    if (rc < 0)
        return rc;
    bool is_taken = PQgetvalue(r, 0, 0)[0] == 't', is_full = PQgetisnull(r, 0, 1);
    int id = (int)store_number(r, 0, 1);
    PQclear(r);
    if (is_taken)
        return err_set_field(err, EEXIST, "exists", "name", "there is a group \"%.100s\" already",
                             t->values[1]);
    if (is_full)
        return err_set(err, EEXIST, "too_many",
                       "there are %d source groups already, as many as there can be",
                       SOURCE_GROUPS_USER_MAX);
    snprintf(t->id, sizeof(t->id), "%d", id);
    *ret_id = id;
    return 0;
}

/* A group that is to be changed has to be there, and its new name free. */
static int check_there(const struct retention_hand *h, const struct group_text *t, struct err *err)
{
    const char *values[] = {t->id, t->values[1]};
    PGresult *r = NULL;
    int rc = store_query(h->db,
                         "select exists (select from azekura.source_group where id = $1::smallint"
                         " and retired_at is null), exists (select from azekura.source_group"
                         " where name = $2 and id <> $1::smallint)",
                         2, values, &r, err);
    if (rc < 0)
        return rc;
    bool is_there = PQgetvalue(r, 0, 0)[0] == 't', is_taken = PQgetvalue(r, 0, 1)[0] == 't';
    PQclear(r);
    if (!is_there)
        return err_set(err, ENOENT, "not_found", "there is no source group %s", t->id);
    return is_taken ? err_set_field(err, EEXIST, "exists", "name",
                                    "there is a group \"%.100s\" already", t->values[1])
                    : 0;
}

/* No member may be another group's. */
static int check_members(const struct retention_hand *h, const struct group_text *t,
                         struct err *err)
{
    struct number_text benchmark = number_text(SOURCE_GROUP_BENCHMARK);
    const char *values[] = {t->id, t->values[4], benchmark.text};
    PGresult *r = NULL;
    int rc = store_query(h->db,
                         "select m.prefix, g.name, (select count(*) from"
                         " azekura.source_group_member"
                         " where source_group not in ($1::smallint, $3::smallint))"
                         " + cardinality($2::text[]) from (values (1)) one left join"
                         " (azekura.source_group_member m join azekura.source_group g"
                         " on g.id = m.source_group) on m.prefix = any ($2::cidr[])"
                         " and m.source_group <> $1::smallint order by m.prefix limit 1",
                         3, values, &r, err);
    if (rc < 0)
        return rc;
    rc = 0;
    if (!PQgetisnull(r, 0, 0))
        rc = err_set_field(err, EEXIST, "exists", "members",
                           "members: %s belongs to the group \"%.200s\" already",
                           PQgetvalue(r, 0, 0), PQgetvalue(r, 0, 1));
    else if (store_number(r, 0, 2) > SOURCE_PREFIXES_MAX)
        rc = err_set_field(err, EINVAL, "bad_value", "members",
                           "members: all groups together would have %lld, more than %d",
                           (long long)store_number(r, 0, 2), SOURCE_PREFIXES_MAX);
    PQclear(r);
    return rc;
}

/* Group and members as wished, with audit entry. */
static int keep_group(const struct retention_hand *h, const struct group_text *t, bool is_new,
                      struct err *err)
{
    static const char audit[] =
        "insert into azekura.audit (actor, action, detail) values ($6, $7, jsonb_build_object("
        "'id', $1::smallint, 'name', $2::text, 'quota_percent', $3::real,"
        " 'keep_days', $4::integer, 'members', to_jsonb($5::text[])))";
    const char *action = is_new ? "retention.group.add" : "retention.group.set";
    const char *values[] = {t->id,        t->values[1], t->values[2], t->values[3],
                            t->values[4], h->actor,     action};
    const char *members[] = {t->id, t->values[4]};
    int64_t rc = store_execute(
        h->db,
        is_new ? "insert into azekura.source_group (id, name, quota_percent, keep_days)"
                 " values ($1, $2, $3::real, $4::integer) on conflict (id) do update"
                 " set quota_percent = excluded.quota_percent, keep_days = excluded.keep_days,"
                 " retired_at = null"
               : "update azekura.source_group set name = $2, quota_percent = $3::real,"
                 " keep_days = $4::integer where id = $1::smallint",
        4, values, err);
    if (rc >= 0)
        rc = store_execute(h->db, "delete from azekura.source_group_member where source_group = $1",
                           1, members, err);
    if (rc >= 0)
        rc = store_execute(h->db,
                           "insert into azekura.source_group_member (prefix, source_group)"
                           " select distinct p, $1::smallint from unnest($2::cidr[]) p",
                           2, members, err);
    if (rc >= 0)
        rc = store_execute(h->db, audit, 7, values, err);
    return rc < 0 ? (int)rc : 0;
}

static int group_event(const struct retention_hand *h, const char *name, struct err *err)
{
    struct event_params params = {.text = {"actor", h->actor, "group", name}, .n = 2};
    return hand_event(h, EVENT_RETENTION_GROUP_CHANGED, &params, err);
}

/* *id < 0: a new one. */
static int write_group(const struct retention_hand *h, const struct group_wish *wish, int *id,
                       struct err *err)
{
    struct group_text t;
    bool is_new = *id < 0;
    int rc = group_text_fill(&t, *id, wish, err);
    if (rc == 0)
        rc = hand_begin(h, err);
    if (rc == 0) {
        rc = lock_groups(h, err);
        if (rc == 0)
            rc = is_new ? choose_id(h, &t, id, err) : check_there(h, &t, err);
        if (rc == 0)
            rc = check_members(h, &t, err);
        if (rc == 0)
            rc = keep_group(h, &t, is_new, err);
        if (rc == 0)
            rc = group_event(h, t.values[1], err);
        rc = hand_end(h, rc, err);
    }
    group_text_done(&t);
    return rc;
}

int retention_add_group(const struct retention_hand *h, const struct group_wish *wish, int *ret_id,
                        struct err *err)
{
    int id = -1, rc = write_group(h, wish, &id, err);
    if (rc == 0)
        *ret_id = id;
    return rc;
}

/* The benchmark's group stays as it is made. */
static int check_not_built_in(int id, struct err *err)
{
    return id == SOURCE_GROUP_BENCHMARK
               ? err_set(err, EEXIST, "built_in",
                         "the group benchmark is built in: it cannot be changed or removed")
               : 0;
}

int retention_set_group(const struct retention_hand *h, int id, const struct group_wish *wish,
                        struct err *err)
{
    int rc = check_not_built_in(id, err);
    if (rc < 0)
        return rc;
    if (id < 0 || id >= SOURCE_GROUPS_MAX)
        return err_set(err, ENOENT, "not_found", "there is no source group %d", id);
    return write_group(h, wish, &id, err);
}

/* Members go first, then the group is retired, and forgotten at once when nothing refers to it. */
static int retire_group(const struct retention_hand *h, const char *id, struct err *err)
{
    const char *values[] = {id, h->actor};
    PGresult *r = NULL;
    int rc = store_query(h->db,
                         "update azekura.source_group g set retired_at = now() where id = $1"
                         " and retired_at is null returning name",
                         1, values, &r, err);
    if (rc < 0)
        return rc;
    char name[GROUP_NAME_MAX] = "";
    bool is_there = PQntuples(r) == 1;
    snprintf(name, sizeof(name), "%s", is_there ? PQgetvalue(r, 0, 0) : "");
    PQclear(r);
    if (!is_there)
        return err_set(err, ENOENT, "not_found", "there is no source group %s", id);
    int64_t n = store_execute(
        h->db, "delete from azekura.source_group_member where source_group = $1", 1, values, err);
    if (n >= 0)
        n = store_execute(h->db,
                          "insert into azekura.audit (actor, action, detail) select $2,"
                          " 'retention.group.remove', jsonb_build_object('id', id, 'name', name)"
                          " from azekura.source_group where id = $1",
                          2, values, err);
    if (n >= 0)
        n = store_execute(
            h->db,
            "delete from azekura.source_group g where id = $1 and not exists"
            " (select from azekura.day_partition d where d.source_group = g.id)"
            " and not exists (select from azekura.hold h where h.source_group = g.id)",
            1, values, err);
    return n < 0 ? (int)n : group_event(h, name, err);
}

int retention_remove_group(const struct retention_hand *h, int id, struct err *err)
{
    char text[16];
    if (id == 0)
        return err_set(err, EEXIST, "in_use",
                       "the first group takes every sender that no other group claims; it stays");
    if (check_not_built_in(id, err) < 0)
        return -EEXIST;
    snprintf(text, sizeof(text), "%d", id);
    if (id < 0 || id >= SOURCE_GROUPS_MAX)
        return err_set(err, ENOENT, "not_found", "there is no source group %d", id);
    int rc = hand_begin(h, err);
    if (rc < 0)
        return rc;
    rc = lock_groups(h, err);
    if (rc == 0)
        rc = retire_group(h, text, err);
    return hand_end(h, rc, err);
}

int retention_find_group(PGconn *c, struct view name, int *ret_id, struct err *err)
{
    PGresult *r = NULL;
    char *text = xasprintf("%.*s", (int)MIN(name.n, (size_t)GROUP_NAME_MAX), name.p);
    const char *values[] = {text};
    int rc =
        store_query(c, "select id from azekura.source_group where name = $1", 1, values, &r, err);
    if (rc == 0) {
        bool is_there = PQntuples(r) == 1;
        if (is_there)
            *ret_id = (int)store_number(r, 0, 0);
        else
            rc = err_set_field(err, ENOENT, "not_found", "group", "there is no group \"%.200s\"",
                               text);
        PQclear(r);
    }
    free(text);
    return rc;
}

int retention_read_members(PGconn *c, member_fn each, void *context, struct err *err)
{
    PGresult *r = NULL;
    int rc =
        store_query(c,
                    "select source_group, abbrev(prefix::inet) from azekura.source_group_member"
                    " order by source_group, prefix",
                    0, NULL, &r, err);
    if (rc < 0)
        return rc;
    int rows = PQntuples(r);
    for (int i = 0; i < rows; i++)
        each(context, (int)store_number(r, i, 0), PQgetvalue(r, i, 1));
    PQclear(r);
    return rows;
}
