/* The keeper's statements of the rule.
 *
 * Splitting and dropping need log_block for themselves for a moment.  Whoever waits for that lock
 * makes everybody else wait behind him, the receiver too, so it is not asked for while a session
 * that may not be cancelled has been reading for a while.  Else they wait for it briefly, cancel
 * what is in the way and can be done again, and wait once more. */
#include "store/retention_act.h"

#include "config/log.h"
#include "store/array.h"
#include "store/event.h"

#define FIRST_WAIT "300ms"
#define SECOND_WAIT "2s"
#define NAMES_MAX_BYTES (RETENTION_DROP_MAX * (PIECE_NAME_MAX * 2 + 8))
#define NUMBERS_MAX_BYTES (RETENTION_DROP_MAX * 24)

struct moment_text {
    char text[RFC3339_MAX];
};

static struct moment_text time_text(int64_t us)
{
    struct moment_text t = {""};
    if (us != TIME_NONE)
        (void)rfc3339_format(us, t.text);
    return t;
}

static int64_t time_or_none(const PGresult *q, int row, int column)
{
    return PQgetisnull(q, row, column) ? TIME_NONE : store_number(q, row, column);
}

/* ---- the lock ---- */

typedef int64_t (*act_fn)(PGconn *c, const void *context, struct err *err);

static int statement(PGconn *c, const char *sql, struct err *err)
{
    int64_t rc = store_execute(c, sql, 0, NULL, err);
    return rc < 0 ? (int)rc : 0;
}

/* One try, in a transaction of its own. */
static int64_t try_act(PGconn *c, const char *lock_timeout, act_fn act, const void *context,
                       struct err *err)
{
    int64_t rc = statement(c, "begin", err);
    if (rc < 0)
        return rc;
    rc = store_execute(c, "select set_config('lock_timeout', $1, true)", 1,
                       (const char *const[]){lock_timeout}, err);
    if (rc >= 0)
        rc = act(c, context, err);
    struct err ignored;
    int end = statement(c, rc < 0 ? "rollback" : "commit", rc < 0 ? &ignored : err);
    return rc >= 0 && end < 0 ? end : rc;
}

/* Somebody whom we may not cancel has been reading for a while: -EALREADY. */
static int look_for_readers(PGconn *c, struct err *err)
{
    PGresult *q = NULL;
    int rc = store_query(c,
                         "select pid, application, role,"
                         " extract(epoch from clock_timestamp() - since)::bigint"
                         " from azekura.lock_holders() where whose = 'foreign'"
                         " and since < clock_timestamp() - interval '1 s' order by since limit 1",
                         0, NULL, &q, err);
    if (rc < 0)
        return rc;
    if (PQntuples(q) > 0)
        rc = err_set(
            err, EALREADY, "busy", "process %s (%s of %s) has been reading the messages for %s s",
            PQgetvalue(q, 0, 0), PQgetvalue(q, 0, 1), PQgetvalue(q, 0, 2), PQgetvalue(q, 0, 3));
    PQclear(q);
    return rc;
}

/* -EBUSY when somebody is left who would have to be waited for. */
static int cancel_blockers(PGconn *c, bool is_harsh, struct err *err)
{
    PGresult *q = NULL;
    int rc = store_query(
        c, "select pid, role, application, what, remains from azekura.cancel_blockers($1)", 1,
        (const char *const[]){is_harsh ? "t" : "f"}, &q, err);
    if (rc < 0)
        return rc;
    for (int i = 0; i < PQntuples(q); i++) {
        const char *pid = PQgetvalue(q, i, 0), *role = PQgetvalue(q, i, 1),
                   *application = PQgetvalue(q, i, 2);
        bool remains = PQgetvalue(q, i, 4)[0] == 't';
        if (remains)
            rc = err_set(err, EBUSY, "busy", "process %s (%s of %s) is reading the messages", pid,
                         application, role);
        else
            log_line(LOG_WARNING, "the rule has to change the store: process %s (%s of %s) is %s",
                     pid, application, role, PQgetvalue(q, i, 3));
    }
    PQclear(q);
    return rc;
}

static int64_t act_alone(PGconn *c, const struct retention *r, act_fn act, const void *context,
                         struct err *err)
{
    bool is_harsh = rule_is_in_need(r);
    int64_t rc = is_harsh ? 0 : look_for_readers(c, err);
    if (rc == 0)
        rc = try_act(c, FIRST_WAIT, act, context, err);
    if (rc != -EBUSY)
        return rc;
    rc = cancel_blockers(c, is_harsh, err);
    return rc < 0 ? rc : try_act(c, SECOND_WAIT, act, context, err);
}

/* ---- looking ---- */

int retention_look(PGconn *c, struct retention_glance *ret, struct err *err)
{
    struct number_text benchmark = number_text(SOURCE_GROUP_BENCHMARK);
    PGresult *q = NULL;
    int rc =
        store_query(c,
                    "select m.bytes, azekura.wal_bytes(), f.total_bytes, f.free_bytes, f.device,"
                    " exists (select from azekura.deletion_request where state = 'waiting'),"
                    " (select coalesce(sum(s.bytes), 0) from azekura.day_partition d"
                    "   join azekura.piece_size s using (name) where d.source_group = $1::smallint)"
                    " from azekura.measure_pieces() m, azekura.file_system() f",
                    1, (const char *const[]){benchmark.text}, &q, err);
    if (rc < 0)
        return rc;
    ret->pieces_bytes = store_number(q, 0, 0);
    ret->wal_bytes = store_number(q, 0, 1);
    ret->fs_total_bytes = store_number(q, 0, 2);
    ret->fs_free_bytes = store_number(q, 0, 3);
    snprintf(ret->fs_device, sizeof(ret->fs_device), "%s", PQgetvalue(q, 0, 4));
    ret->has_request = PQgetvalue(q, 0, 5)[0] == 't';
    ret->benchmark_bytes = store_number(q, 0, 6);
    PQclear(q);
    return 0;
}

/* ---- pieces ---- */

struct split {
    const struct piece *piece;
    int64_t latest_us;
};

static int64_t do_split(PGconn *c, const void *context, struct err *err)
{
    const struct split *s = context;
    struct moment_text latest = time_text(s->latest_us);
    return store_execute(c, "select azekura.split_piece($1, null, $2)", 2,
                         (const char *const[]){s->piece->name, latest.text}, err);
}

int retention_split(PGconn *c, const struct retention *r, const struct piece *piece,
                    int64_t latest_us, struct err *err)
{
    struct split s = {piece, latest_us};
    int64_t rc = act_alone(c, r, do_split, &s, err);
    if (rc < 0)
        err_prefix(err, "cannot split %s: ", piece->name);
    return rc < 0 ? (int)rc : 0;
}

struct drop {
    const struct retention *r;
    const struct rule_deletion *deletions;
    size_t n;
    const struct retention_request *request; /* NULL: the rule's own */
};

static const char *actor_of(const struct drop *d)
{
    return d->request ? d->request->actor : "azekura-keeper";
}

static const char *group_name(const struct retention *r, uint8_t id)
{
    for (size_t i = 0; i < r->groups_n; i++)
        if (r->groups[i].id == id)
            return r->groups[i].name;
    return "?";
}

/* The event of a deletion, in its transaction: there is one exactly when there is a receipt. */
static int tell_drop(PGconn *c, const struct drop *d, struct err *err)
{
    int64_t from_us = INT64_MAX, to_us = INT64_MIN, messages = 0, bytes = 0;
    for (size_t i = 0; i < d->n; i++) {
        const struct piece *p = d->deletions[i].piece;
        from_us = MIN(from_us, p->lower_us);
        to_us = MAX(to_us, p->upper_us);
        messages += p->messages;
        bytes += p->bytes;
    }
    struct moment_text from = time_text(from_us), to = time_text(to_us);
    struct number_text m = number_text(messages), b = number_text(bytes);
    struct event_params params = {
        .text = {"from", from.text, "to", to.text, "group",
                 group_name(d->r, d->deletions[0].piece->group), "messages", m.text, "bytes",
                 b.text, "reason", rule_reason_names[d->deletions[0].reason], "actor", actor_of(d)},
        .n = 7,
    };
    return event_add(c, EVENT_RETENTION_DELETED, &params, err);
}

/* A request goes on where it was, should the keeper end between two steps. */
static int note_done(PGconn *c, const struct drop *d, int64_t audit_id, struct err *err)
{
    int64_t messages = 0;
    for (size_t i = 0; i < d->n; i++)
        messages += d->deletions[i].piece->messages;
    struct number_text request = number_text(d->request->id), done = number_text(messages),
                       audit = number_text(audit_id);
    int64_t rc = store_execute(c,
                               "update azekura.deletion_request"
                               " set done_messages = done_messages + $2, audit_id = $3"
                               " where id = $1",
                               3, (const char *const[]){request.text, done.text, audit.text}, err);
    return rc < 0 ? (int)rc : 0;
}

static int64_t do_drop(PGconn *c, const void *context, struct err *err)
{
    const struct drop *d = context;
    struct buf names = BUF_INIT(NAMES_MAX_BYTES), messages = BUF_INIT(NUMBERS_MAX_BYTES);
    for (size_t i = 0; i < d->n; i++) {
        array_add_text(&names, d->deletions[i].piece->name);
        array_add_int(&messages, d->deletions[i].piece->messages);
    }
    array_end(&names);
    array_end(&messages);
    CHECK(!names.is_full && !messages.is_full);
    const char *values[] = {buf_str(&names), buf_str(&messages),
                            rule_reason_names[d->deletions[0].reason], actor_of(d)};
    PGresult *q = NULL;
    int64_t id = store_query(c, "select azekura.drop_pieces($1, $2, $3, $4)", 4, values, &q, err);
    if (id >= 0) {
        id = store_number(q, 0, 0);
        PQclear(q);
        int rc = tell_drop(c, d, err);
        if (rc == 0 && d->request)
            rc = note_done(c, d, id, err);
        if (rc < 0)
            id = rc;
    }
    buf_free(&names);
    buf_free(&messages);
    return id;
}

int64_t retention_drop(PGconn *c, const struct retention *r, const struct rule_deletion *deletions,
                       size_t n, const struct retention_request *request, struct err *err)
{
    CHECK(n > 0 && n <= RETENTION_DROP_MAX);
    struct drop d = {r, deletions, n, request};
    int64_t id = act_alone(c, r, do_drop, &d, err);
    if (id < 0)
        err_prefix(err, "cannot delete %s%s: ", deletions[0].piece->name, n > 1 ? " …" : "");
    return id;
}

int retention_shed(PGconn *c, uint8_t group, int from, int64_t now_us, struct err *err)
{
    struct number_text g = number_text(group), severity = number_text(from);
    struct moment_text now = time_text(now_us);
    const char *values[] = {g.text, severity.text, now.text};
    int64_t rc =
        from >= 8
            ? store_execute(c, "delete from azekura.shed where source_group = $1", 1, values, err)
            : store_execute(c,
                            "insert into azekura.shed as s values ($1, $2, $3)"
                            " on conflict (source_group) do update"
                            " set severity = excluded.severity, since = excluded.since",
                            3, values, err);
    return rc < 0 ? (int)rc : 0;
}

/* ---- what the rule said last ---- */

int retention_status_read(PGconn *c, struct retention_status *ret, struct err *err)
{
    PGresult *q = NULL;
    int rc = store_query(c,
                         "select month, state, growth_bytes_s,"
                         " (extract(epoch from guarded_at) * 1000000)::bigint,"
                         " (extract(epoch from full_since) * 1000000)::bigint, is_held"
                         " from azekura.retention_status",
                         0, NULL, &q, err);
    if (rc < 0)
        return rc;
    *ret = (struct retention_status){.guarded_us = TIME_NONE, .full_since_us = TIME_NONE};
    if (PQntuples(q) > 0) {
        ret->month = (int32_t)store_number(q, 0, 0);
        for (int s = 0; s < RETENTION_STATES; s++)
            if (strcmp(PQgetvalue(q, 0, 1), retention_state_names[s]) == 0)
                ret->state = s;
        ret->growth_bytes_s = store_number(q, 0, 2);
        ret->guarded_us = time_or_none(q, 0, 3);
        ret->full_since_us = time_or_none(q, 0, 4);
        ret->is_held = PQgetvalue(q, 0, 5)[0] == 't';
    }
    PQclear(q);
    return 0;
}

int retention_status_write(PGconn *c, const struct retention_status *s, int64_t now_us,
                           struct err *err)
{
    struct number_text month = number_text(s->month), growth = number_text(s->growth_bytes_s);
    struct moment_text now = time_text(now_us), guarded = time_text(s->guarded_us),
                       full = time_text(s->full_since_us);
    const char *values[] = {
        now.text,
        month.text,
        retention_state_names[s->state],
        growth.text,
        s->guarded_us == TIME_NONE ? NULL : guarded.text,
        s->full_since_us == TIME_NONE ? NULL : full.text,
        s->is_held ? "t" : "f",
    };
    int64_t rc = store_execute(
        c,
        "insert into azekura.retention_status"
        " (at, month, state, growth_bytes_s, guarded_at, full_since, is_held)"
        " values ($1, $2, $3, $4, $5, $6, $7) on conflict (only_one) do update set"
        " (at, month, state, growth_bytes_s, guarded_at, full_since, is_held) = (excluded.at,"
        " excluded.month, excluded.state, excluded.growth_bytes_s, excluded.guarded_at,"
        " excluded.full_since, excluded.is_held)",
        7, values, err);
    return rc < 0 ? (int)rc : 0;
}

/* ---- requests ---- */

int retention_request_next(PGconn *c, struct retention_request *ret, struct err *err)
{
    PGresult *q = NULL;
    int rc = store_query(c,
                         "select id, messages - done_messages, to_char(from_day, 'YYYYMMDD'),"
                         " to_char(to_day, 'YYYYMMDD'), coalesce(source_group, -1), actor"
                         " from azekura.deletion_request where state = 'waiting'"
                         " order by id limit 1",
                         0, NULL, &q, err);
    if (rc < 0)
        return rc;
    int n = PQntuples(q);
    if (n > 0) {
        ret->id = store_number(q, 0, 0);
        ret->messages = store_number(q, 0, 1);
        ret->from_day = (int32_t)store_number(q, 0, 2);
        ret->to_day = (int32_t)store_number(q, 0, 3);
        ret->group = (int)store_number(q, 0, 4);
        snprintf(ret->actor, sizeof(ret->actor), "%s", PQgetvalue(q, 0, 5));
    }
    PQclear(q);
    return n;
}

/* The newest thousand are kept; what was deleted for the others is in the audit log. */
int retention_request_answer(PGconn *c, int64_t id, const char *refusal, struct err *err)
{
    struct number_text request = number_text(id);
    const char *values[] = {request.text, refusal ? "refused" : "done", refusal ? refusal : ""};
    int64_t rc = store_execute(c,
                               "update azekura.deletion_request set state = $2, message = $3"
                               " where id = $1",
                               3, values, err);
    if (rc >= 0)
        rc = store_execute(c,
                           "delete from azekura.deletion_request where state <> 'waiting' and"
                           " id <= (select max(id) from azekura.deletion_request) - 1000",
                           0, NULL, err);
    return rc < 0 ? (int)rc : 0;
}

/* ---- the write-ahead log ---- */

#define WAL_SEGMENTS_LEAST 2
#define WAL_PART 8 /* of the capacity */

struct wal_limits {
    int64_t max_mb, min_mb, segment_mb;
    int64_t configured_mb; /* max_mb without any ALTER SYSTEM */
    bool is_ours;          /* set by us, and nobody has changed it since */
    bool has_former;       /* what stood there before was set by ALTER SYSTEM, too: */
    int64_t former_max_mb, former_min_mb;
};

static int read_wal(PGconn *c, struct wal_limits *ret, struct err *err)
{
    PGresult *q = NULL;
    int rc = store_query(c,
                         "select l.max_mb, l.min_mb, l.segment_mb, l.is_altered,"
                         " coalesce(l.is_altered and w.max_mb = l.max_mb, false),"
                         " w.former_max_mb, w.former_min_mb, l.configured_mb"
                         " from azekura.wal_limits() l left join azekura.retention_wal w on true",
                         0, NULL, &q, err);
    if (rc < 0)
        return rc;
    *ret = (struct wal_limits){.max_mb = store_number(q, 0, 0),
                               .min_mb = store_number(q, 0, 1),
                               .segment_mb = store_number(q, 0, 2),
                               .is_ours = PQgetvalue(q, 0, 4)[0] == 't'};
    bool is_altered = PQgetvalue(q, 0, 3)[0] == 't';
    ret->has_former = ret->is_ours ? !PQgetisnull(q, 0, 5) : is_altered;
    ret->configured_mb = store_number(q, 0, 7);
    ret->former_max_mb = ret->is_ours ? store_number(q, 0, 5) : ret->max_mb;
    ret->former_min_mb = ret->is_ours ? store_number(q, 0, 6) : ret->min_mb;
    PQclear(q);
    return 0;
}

static int alter_wal(PGconn *c, int64_t max_mb, int64_t min_mb, struct err *err)
{
    char sql[96]; /* ALTER SYSTEM takes no parameters; these are numbers */
    snprintf(sql, sizeof(sql), "alter system set min_wal_size = %lld", (long long)min_mb);
    int rc = statement(c, sql, err);
    snprintf(sql, sizeof(sql), "alter system set max_wal_size = %lld", (long long)max_mb);
    if (rc == 0)
        rc = statement(c, sql, err);
    return rc < 0 ? rc : statement(c, "select pg_reload_conf()", err);
}

/* It cannot be done in a transaction: what is going to be set is written down before. */
static int lower_wal(PGconn *c, const struct wal_limits *was, int64_t max_mb, int64_t min_mb,
                     struct err *err)
{
    struct number_text max = number_text(max_mb), min = number_text(min_mb),
                       former_max = number_text(was->former_max_mb),
                       former_min = number_text(was->former_min_mb);
    const char *values[] = {max.text, min.text, was->has_former ? former_max.text : NULL,
                            was->has_former ? former_min.text : NULL};
    int64_t rc = store_execute(
        c,
        "insert into azekura.retention_wal (max_mb, min_mb, former_max_mb, former_min_mb)"
        " values ($1, $2, $3, $4) on conflict (only_one) do update set (max_mb, min_mb,"
        " former_max_mb, former_min_mb) = (excluded.max_mb, excluded.min_mb,"
        " excluded.former_max_mb, excluded.former_min_mb)",
        4, values, err);
    return rc < 0 ? (int)rc : alter_wal(c, max_mb, min_mb, err);
}

/* As it was before us. */
static int restore_wal(PGconn *c, const struct wal_limits *was, struct err *err)
{
    int rc = 0;
    if (was->has_former) {
        rc = alter_wal(c, was->former_max_mb, was->former_min_mb, err);
    } else {
        rc = statement(c, "alter system reset min_wal_size", err);
        if (rc == 0)
            rc = statement(c, "alter system reset max_wal_size", err);
        if (rc == 0)
            rc = statement(c, "select pg_reload_conf()", err);
    }
    return rc < 0 ? rc : statement(c, "delete from azekura.retention_wal", err);
}

int retention_fit_wal(PGconn *c, int64_t capacity_bytes, struct err *err)
{
    struct wal_limits w;
    int rc = read_wal(c, &w, err);
    if (rc < 0)
        return rc;
    int64_t least_mb = WAL_SEGMENTS_LEAST * w.segment_mb;
    int64_t most_mb = MAX((capacity_bytes / WAL_PART) >> 20, least_mb);
    int64_t former_mb = w.has_former ? w.former_max_mb : w.configured_mb;
    if (w.max_mb > most_mb || (w.is_ours && w.max_mb < most_mb && former_mb > most_mb))
        rc = lower_wal(c, &w, most_mb, MIN(w.min_mb, MAX(most_mb / 2, least_mb)), err);
    else if (w.is_ours && w.max_mb < most_mb)
        rc = restore_wal(c, &w, err);
    else
        return 0;
    return rc < 0 ? rc : 1;
}
