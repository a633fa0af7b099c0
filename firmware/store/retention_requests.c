/* Holds, requests to delete, receipts and the clock (retention_admin.h). */
#include "store/retention_hand.h"
#include "store/search.h"

/* ---- holds ---- */

static int keep_hold(const struct retention_hand *h, const struct hold_wish *w,
                     const char *const *values, int64_t *ret_id, struct err *err)
{
    PGresult *r = NULL;
    int rc = store_query(h->db,
                         "with kept as (insert into azekura.hold"
                         " (lower, upper, source_group, reason, actor)"
                         " select $1::timestamptz, $2::timestamptz, $3::smallint, $4, $5 where"
                         " (select count(*) from azekura.hold) < $6::int and ($3::smallint is null"
                         " or exists (select from azekura.source_group where id = $3::smallint))"
                         " returning *), noted as (insert into azekura.audit"
                         " (actor, action, detail) select $5, 'retention.hold.add', to_jsonb(kept)"
                         " from kept)"
                         " select (select id from kept), (select count(*) from azekura.hold)",
                         6, values, &r, err);
    if (rc < 0)
        return rc;
    int64_t id = store_number(r, 0, 0), n = store_number(r, 0, 1);
    PQclear(r);
    if (id == 0 && n >= HOLDS_MAX)
        return err_set(err, EEXIST, "too_many",
                       "there are %d holds already, as many as there can be", HOLDS_MAX);
    if (id == 0)
        return err_set_field(err, ENOENT, "not_found", "group", "there is no source group %d",
                             w->group);
    *ret_id = id;
    return 0;
}

int retention_add_hold(const struct retention_hand *h, const struct hold_wish *w, int64_t *ret_id,
                       struct err *err)
{
    char from[RFC3339_MAX], to[RFC3339_MAX];
    int rc = hand_check_text(w->reason, HOLD_REASON_MAX, "reason", err);
    if (rc < 0)
        return rc;
    if (w->from_us >= w->to_us)
        return err_set_field(err, EINVAL, "bad_value", "to", "to: it must be after from");
    if (w->group == SOURCE_GROUP_BENCHMARK)
        return err_set_field(err, EINVAL, "bad_value", "group",
                             "group: messages of the benchmark cannot be held");
    struct number_text group = number_text(w->group), most = number_text(HOLDS_MAX);
    char *reason = xasprintf("%.*s", VIEW_ARG(w->reason));
    const char *values[] = {store_time_param(w->from_us, from),
                            store_time_param(w->to_us, to),
                            w->group < 0 ? NULL : group.text,
                            reason,
                            h->actor,
                            most.text};
    struct event_params params = {
        .text = {"actor", h->actor, "from", values[0], "to", values[1], "reason", reason}, .n = 4};
    rc = hand_begin(h, err);
    if (rc == 0) {
        int64_t locked = store_execute(h->db, "lock table azekura.hold in share row exclusive mode",
                                       0, NULL, err);
        rc = locked < 0 ? (int)locked : keep_hold(h, w, values, ret_id, err);
        if (rc == 0)
            rc = hand_event(h, EVENT_RETENTION_HOLD_ADDED, &params, err);
        rc = hand_end(h, rc, err);
    }
    free(reason);
    return rc;
}

static int drop_hold(const struct retention_hand *h, int64_t id, struct err *err)
{
    struct number_text number = number_text(id);
    const char *values[] = {number.text, h->actor};
    PGresult *r = NULL;
    int rc = store_query(h->db,
                         "with gone as (delete from azekura.hold where id = $1::bigint"
                         " returning *), noted as (insert into azekura.audit"
                         " (actor, action, detail) select $2, 'retention.hold.remove',"
                         " to_jsonb(gone) from gone) select lower, upper from gone",
                         2, values, &r, err);
    if (rc < 0)
        return rc;
    if (PQntuples(r) == 0) {
        PQclear(r);
        return err_set(err, ENOENT, "not_found", "there is no hold %lld", (long long)id);
    }
    char from[RFC3339_MAX], to[RFC3339_MAX];
    rfc3339_format(store_time_parse(PQgetvalue(r, 0, 0)), from);
    rfc3339_format(store_time_parse(PQgetvalue(r, 0, 1)), to);
    PQclear(r);
    struct event_params params = {.text = {"actor", h->actor, "from", from, "to", to}, .n = 3};
    return hand_event(h, EVENT_RETENTION_HOLD_REMOVED, &params, err);
}

int retention_remove_hold(const struct retention_hand *h, int64_t id, struct err *err)
{
    int rc = hand_begin(h, err);
    return rc < 0 ? rc : hand_end(h, drop_hold(h, id, err), err);
}

int retention_read_holds(PGconn *c, hold_row_fn each, void *context, struct err *err)
{
    struct number_text benchmark = number_text(SOURCE_GROUP_BENCHMARK);
    PGresult *r = NULL;
    int rc = store_query(
        c,
        "with p as materialized (select d.source_group, d.lower, azekura.piece_reach(d.upper) "
        "reach,"
        "  d.messages, coalesce(s.bytes, 0) as bytes from azekura.day_partition d"
        "  left join azekura.piece_size s using (name) where exists (select from azekura.hold)),"
        " pinned as (select h.id, sum(p.bytes)::bigint as bytes, sum(p.messages)::bigint as "
        "messages"
        "  from azekura.hold h join p on h.lower < p.reach and h.upper > p.lower"
        "  and (p.source_group = h.source_group"
        "       or (h.source_group is null and p.source_group <> $1::smallint)) group by h.id)"
        " select h.id, h.lower, h.upper, h.at, coalesce(h.source_group, -1), h.reason, h.actor,"
        " coalesce(pinned.bytes, 0), coalesce(pinned.messages, 0) from azekura.hold h"
        " left join pinned using (id) order by h.lower, h.id",
        1, (const char *const[]){benchmark.text}, &r, err);
    if (rc < 0)
        return rc;
    int rows = PQntuples(r);
    for (int i = 0; i < rows; i++) {
        struct hold_row h = {.id = store_number(r, i, 0),
                             .from_us = store_time_parse(PQgetvalue(r, i, 1)),
                             .to_us = store_time_parse(PQgetvalue(r, i, 2)),
                             .at_us = store_time_parse(PQgetvalue(r, i, 3)),
                             .group = (int)store_number(r, i, 4),
                             .reason = PQgetvalue(r, i, 5),
                             .actor = PQgetvalue(r, i, 6),
                             .bytes = store_number(r, i, 7),
                             .messages = store_number(r, i, 8)};
        each(context, &h);
    }
    PQclear(r);
    return rows;
}

/* ---- deletions ---- */

/* The event and the receipt come when it is done: by the keeper. */
int retention_request_deletion(const struct retention_hand *h, const struct deletion_wish *w,
                               int64_t *ret_id, struct err *err)
{
    struct number_text from = number_text(w->from_day), to = number_text(w->to_day);
    struct number_text group = number_text(w->group), messages = number_text(w->messages);
    if (w->from_day > w->to_day)
        return err_set_field(err, EINVAL, "bad_value", "to", "to: it must not be before from");
    const char *values[] = {h->actor, from.text, to.text, w->group < 0 ? NULL : group.text,
                            messages.text};
    PGresult *r = NULL;
    int rc = store_query(
        h->db,
        "with asked as (insert into azekura.deletion_request"
        " (actor, from_day, to_day, source_group, messages) values ($1, to_date($2, 'YYYYMMDD'),"
        " to_date($3, 'YYYYMMDD'), $4::smallint, $5::bigint) returning *), noted as ("
        " insert into azekura.audit (actor, action, detail) select $1, 'retention.request',"
        " jsonb_build_object('id', id, 'from_day', from_day, 'to_day', to_day, 'source_group',"
        " source_group, 'messages', messages) from asked) select id from asked",
        5, values, &r, err);
    if (rc < 0)
        return rc;
    *ret_id = store_number(r, 0, 0);
    PQclear(r);
    return 0;
}

int retention_read_request(PGconn *c, int64_t id, struct deletion_answer *ret, struct err *err)
{
    struct number_text number = number_text(id);
    const char *values[] = {number.text};
    PGresult *r = NULL;
    int rc = store_query(c,
                         "select state, message, coalesce(audit_id, 0)"
                         " from azekura.deletion_request where id = $1::bigint",
                         1, values, &r, err);
    if (rc < 0)
        return rc;
    bool is_there = PQntuples(r) == 1;
    if (is_there) {
        snprintf(ret->state, sizeof(ret->state), "%s", PQgetvalue(r, 0, 0));
        snprintf(ret->message, sizeof(ret->message), "%s", PQgetvalue(r, 0, 1));
        ret->receipt = store_number(r, 0, 2);
    }
    PQclear(r);
    return is_there ? 0
                    : err_set(err, ENOENT, "not_found", "there is no request %lld to delete",
                              (long long)id);
}

int retention_read_receipts(PGconn *c, int64_t before, int64_t only, int limit, receipt_row_fn each,
                            void *context, struct err *err)
{
    struct number_text below = number_text(before > 0 ? before : INT64_MAX),
                       one = number_text(only);
    struct number_text most = number_text(limit);
    const char *values[] = {below.text, only > 0 ? one.text : NULL, most.text};
    PGresult *r = NULL;
    int rc = store_query(
        c,
        "select id, at, actor, coalesce(detail ->> 'reason', ''),"
        " (detail ->> 'from')::timestamptz, (detail ->> 'to')::timestamptz, detail ->> 'group',"
        " (detail ->> 'messages')::bigint, (detail ->> 'raw_bytes')::bigint,"
        " (detail ->> 'bytes')::bigint, jsonb_array_length(detail -> 'pieces')"
        " from azekura.audit where action = 'retention.delete' and id < $1::bigint"
        " and ($2::bigint is null or id = $2::bigint) order by id desc limit $3::int",
        3, values, &r, err);
    if (rc < 0)
        return rc;
    int rows = PQntuples(r);
    for (int i = 0; i < rows; i++) {
        struct receipt_row x = {.id = store_number(r, i, 0),
                                .at_us = store_time_parse(PQgetvalue(r, i, 1)),
                                .actor = PQgetvalue(r, i, 2),
                                .reason = PQgetvalue(r, i, 3),
                                .from_us = store_time_parse(PQgetvalue(r, i, 4)),
                                .to_us = store_time_parse(PQgetvalue(r, i, 5)),
                                .group = PQgetisnull(r, i, 6) ? NULL : PQgetvalue(r, i, 6),
                                .messages = store_number(r, i, 7),
                                .raw_bytes = store_number(r, i, 8),
                                .bytes = store_number(r, i, 9),
                                .pieces = store_number(r, i, 10)};
        each(context, &x);
    }
    PQclear(r);
    return rows;
}

/* ---- the clock ---- */

int retention_read_clock(PGconn *c, struct clock_doubt *ret, struct err *err)
{
    PGresult *r = NULL;
    int rc = store_query(c,
                         "select doubted_since, doubted_from, doubted_to"
                         " from azekura.retention_clock where doubted_since is not null",
                         0, NULL, &r, err);
    if (rc < 0)
        return rc;
    *ret = (struct clock_doubt){false, TIME_NONE, TIME_NONE, TIME_NONE};
    if (PQntuples(r) > 0)
        *ret = (struct clock_doubt){true, store_time_parse(PQgetvalue(r, 0, 0)),
                                    store_time_parse(PQgetvalue(r, 0, 1)),
                                    store_time_parse(PQgetvalue(r, 0, 2))};
    PQclear(r);
    return 0;
}

int retention_confirm_clock(const struct retention_hand *h, struct err *err)
{
    const char *values[] = {h->actor};
    int64_t rc = store_execute(h->db, "select azekura.confirm_clock($1)", 1, values, err);
    return rc < 0 ? (int)rc : 0;
}
