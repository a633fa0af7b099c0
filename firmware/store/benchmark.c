/* Statements about the benchmark (benchmark.h).  A bench asks for the counts once a second: each of
 * them reads some rows of the minutes asked for, and none of the messages. */
#include "store/benchmark.h"

#include "store/retention_hand.h"
#include "store/event.h"
#include "store/search.h"

/* ---- what came ---- */

int benchmark_read_counts(PGconn *c, int64_t since_us, struct benchmark_counts *ret,
                          struct err *err)
{
    char since[RFC3339_MAX];
    const char *values[] = {store_time_param(since_us, since)};
    PGresult *r = NULL;
    int rc = store_query(
        c,
        "select coalesce(sum(arrived), 0), coalesce(sum(stored), 0), coalesce(sum(bytes), 0),"
        " coalesce(sum(not_allowed), 0), coalesce(sum(rate_limit), 0), coalesce(sum(oversize), 0),"
        " coalesce(sum(bad_frame), 0), coalesce(sum(over_budget), 0), coalesce(sum(queue_full), 0),"
        " coalesce(sum(crash), 0), coalesce(sum(rejected), 0),"
        /* of what was queued when the receiver reported, less what has been stored since */
        " coalesce((select greatest(s.benchmark_queued - (t.stored - s.benchmark_stored), 0)"
        "   from azekura.benchmark_total t, (select * from azekura.receiver_status"
        "   order by at desc limit 1) s), 0)"
        " from azekura.benchmark_count"
        " where minute >= coalesce(date_trunc('minute', $1::timestamptz), '-infinity')",
        1, values, &r, err);
    if (rc < 0)
        return rc;
    *ret = (struct benchmark_counts){.counts = {.arrived = store_number(r, 0, 0),
                                                .stored = store_number(r, 0, 1),
                                                .bytes = store_number(r, 0, 2)}};
    for (int i = 0; i < REASON_COUNT; i++)
        ret->counts.refused[i] = store_number(r, 0, 3 + i);
    ret->queued = store_number(r, 0, 3 + REASON_COUNT);
    ret->counts.arrived += ret->queued;
    PQclear(r);
    return 0;
}

int benchmark_read_kept(PGconn *c, struct benchmark_kept *ret, struct err *err)
{
    PGresult *r = NULL;
    int rc = store_query(c,
                         "select messages, bytes, oldest, newest from azekura.benchmark_messages()",
                         0, NULL, &r, err);
    if (rc < 0)
        return rc;
    *ret = (struct benchmark_kept){.messages = store_number(r, 0, 0),
                                   .bytes = store_number(r, 0, 1),
                                   .oldest_us = store_time_parse(PQgetvalue(r, 0, 2)),
                                   .newest_us = store_time_parse(PQgetvalue(r, 0, 3))};
    PQclear(r);
    return 0;
}

int benchmark_request_deletion(const struct retention_hand *h, int64_t *ret_id, struct err *err)
{
    struct number_text group = number_text(SOURCE_GROUP_BENCHMARK);
    PGresult *r = NULL;
    int rc = store_query(h->db,
                         "select to_char(min(day), 'YYYYMMDD'), to_char(max(day), 'YYYYMMDD'),"
                         " sum(messages) from azekura.day_partition"
                         " where source_group = $1::smallint and messages > 0",
                         1, (const char *const[]){group.text}, &r, err);
    if (rc < 0)
        return rc;
    struct deletion_wish wish = {.from_day = (int32_t)store_number(r, 0, 0),
                                 .to_day = (int32_t)store_number(r, 0, 1),
                                 .group = SOURCE_GROUP_BENCHMARK,
                                 .messages = store_number(r, 0, 2)};
    PQclear(r);
    if (wish.messages == 0)
        return err_set(err, EEXIST, "nothing_to_delete", "no message of the benchmark is kept");
    return retention_request_deletion(h, &wish, ret_id, err);
}

/* ---- the box ---- */

/* The daemons that run on this machine now: a process id alone may be somebody else's by now. */
static int read_daemons(PGconn *c, struct benchmark_box *b, struct err *err)
{
    PGresult *r = NULL;
    int rc = store_query(c,
                         "select d.daemon, d.pid, d.started, azekura.server_pid()"
                         " from (values (1)) one left join azekura.daemon d"
                         " on d.stopped_at is null and d.boot = $1",
                         1, (const char *const[]){b->boot}, &r, err);
    if (rc < 0)
        return rc;
    for (int row = 0; row < PQntuples(r); row++) {
        const char *name = PQgetvalue(r, row, 0);
        int32_t pid = (int32_t)store_number(r, row, 1);
        b->postmaster = (int32_t)store_number(r, row, 3);
        if (pid == 0 || event_process_started(pid) != store_number(r, row, 2))
            continue; /* none of them has said so yet, or this one is gone */
        if (strcmp(name, "receiver") == 0)
            b->receiver = pid;
        else if (strcmp(name, "keeper") == 0)
            b->keeper = pid;
        else if (strcmp(name, "web") == 0)
            b->web = pid;
    }
    PQclear(r);
    return 0;
}

static int read_listeners(PGconn *c, struct benchmark_box *b, struct err *err)
{
    PGresult *r = NULL;
    int rc = store_query(
        c,
        /* of several addresses the first: one line a listener */
        "select distinct on (l.name) l.name, host(l.address), l.port, "
        "coalesce(l.receive_buffer_bytes, -1),"
        " case l.name when 'udp' then s.kernel_dropped else 0 end"
        " from (select receiver, kernel_dropped from azekura.receiver_status order by at desc limit"
        " 1) s join azekura.receiver_listener l using (receiver)"
        " order by l.name desc, l.address, l.port",
        0, NULL, &r, err);
    if (rc < 0)
        return rc;
    for (int row = 0; row < PQntuples(r) && b->listeners_n < LISTENER_COUNT; row++) {
        struct benchmark_listener *l = &b->listeners[b->listeners_n++];
        snprintf(l->name, sizeof(l->name), "%s", PQgetvalue(r, row, 0));
        snprintf(l->address, sizeof(l->address), "%s", PQgetvalue(r, row, 1));
        l->port = (int32_t)store_number(r, row, 2);
        l->buffer_bytes = store_number(r, row, 3);
        l->kernel_dropped = store_number(r, row, 4);
    }
    PQclear(r);
    return 0;
}

int benchmark_read_box(PGconn *c, struct benchmark_box *ret, struct err *err)
{
    int64_t started;
    *ret = (struct benchmark_box){0};
    event_this_process(ret->boot, &started);
    int rc = read_daemons(c, ret, err);
    return rc < 0 ? rc : read_listeners(c, ret, err);
}

/* ---- senders ---- */

/* An address that one machine can have: no network, nobody, everybody or a group. */
static int parse_sender(struct view text, struct ip *ret, struct err *err)
{
    static const char *const none[] = {"0.0.0.0/8", "224.0.0.0/4", "255.255.255.255/32",
                                       "::/128",    "ff00::/8",    BENCHMARK_NETWORK};
    if (ip_parse(text, ret) < 0)
        return err_set_field(err, EINVAL, "bad_value", "address",
                             "address: \"%.*s\" is not one address like 192.0.2.7",
                             (int)MIN(text.n, (size_t)64), text.p ? text.p : "");
    for (size_t i = 0; i < ARRAY_LEN(none); i++) {
        struct ip_network n;
        CHECK(ip_network_parse(view_str(none[i]), &n) == 0);
        if (n.address.family == ret->family && ip_in_network(ret, &n))
            return err_set_field(err, EINVAL, "bad_value", "address",
                                 strcmp(none[i], BENCHMARK_NETWORK) == 0
                                     ? "address: %.*s is the benchmark's already, as all of %s"
                                     : "address: %.*s lies in %s, where no sender is",
                                 (int)MIN(text.n, (size_t)64), text.p, none[i]);
    }
    return 0;
}

/* What there is to know of registrations, and of what came from there as logs. */
#define SENDER_COLUMNS \
    "select host(b.address), b.actor, b.since, b.until, coalesce(s.messages, 0), s.last_heard"
#define SENDER_DEVICE " left join azekura.source s on s.address = b.address"

static void take_sender(const PGresult *r, int row, struct benchmark_sender *ret)
{
    snprintf(ret->address, sizeof(ret->address), "%s", PQgetvalue(r, row, 0));
    snprintf(ret->actor, sizeof(ret->actor), "%s", PQgetvalue(r, row, 1));
    ret->since_us = store_time_parse(PQgetvalue(r, row, 2));
    ret->until_us = store_time_parse(PQgetvalue(r, row, 3));
    ret->device_messages = store_number(r, row, 4);
    ret->device_heard_us = store_time_parse(PQgetvalue(r, row, 5));
}

int benchmark_read_senders(PGconn *c, struct benchmark_sender ret[BENCHMARK_SENDERS_MAX],
                           struct err *err)
{
    struct number_text most = number_text(BENCHMARK_SENDERS_MAX);
    PGresult *r = NULL;
    int rc = store_query(c,
                         SENDER_COLUMNS " from azekura.benchmark_sender b" SENDER_DEVICE
                                        " where b.until > now() order by b.address limit $1::int",
                         1, (const char *const[]){most.text}, &r, err);
    if (rc < 0)
        return rc;
    int n = PQntuples(r);
    for (int row = 0; row < n; row++)
        take_sender(r, row, &ret[row]);
    PQclear(r);
    return n;
}

static int tell_begin(PGconn *c, const struct benchmark_sender *s, struct err *err)
{
    char until[RFC3339_MAX];
    struct number_text messages = number_text(s->device_messages);
    rfc3339_format(s->until_us, until);
    struct event_params p = {.text = {"actor", s->actor, "address", s->address, "until", until,
                                      "messages", messages.text},
                             .n = 4};
    return event_add(c, EVENT_BENCH_SENDER_ADDED, &p, err);
}

static int tell_end(PGconn *c, const char *actor, const char *address, struct err *err)
{
    struct event_params p = {.text = {"actor", actor, "address", address}, .n = 2};
    return event_add(c, EVENT_BENCH_SENDER_ENDED, &p, err);
}

/* 1: it was not registered before, 0: it was; or negative. */
static int keep_sender(const struct retention_hand *h, const char *address,
                       struct benchmark_sender *ret, struct err *err)
{
    struct number_text hours = number_text(BENCHMARK_SENDER_HOURS),
                       most = number_text(BENCHMARK_SENDERS_MAX);
    const char *values[] = {address, hours.text, h->actor, most.text};
    PGresult *r = NULL;
    int rc = store_query(
        h->db,
        "with kept as (insert into azekura.benchmark_sender as b (address, until, actor)"
        " select $1::inet, now() + make_interval(hours => $2::int), $3 where"
        " (select count(*) from azekura.benchmark_sender where until > now()"
        "   and address <> $1::inet) < $4::int"
        " on conflict (address) do update set since = case when b.until > now() then b.since"
        " else now() end, until = excluded.until, is_over = false, actor = excluded.actor"
        " returning *),"
        " noted as (insert into azekura.audit (actor, action, detail)"
        " select $3, 'bench.sender.add', jsonb_build_object('address', address, 'until', until)"
        " from kept) " SENDER_COLUMNS ", b.since = now() from kept b" SENDER_DEVICE,
        4, values, &r, err);
    if (rc < 0)
        return rc;
    bool is_kept = PQntuples(r) > 0, is_new = is_kept && PQgetvalue(r, 0, 6)[0] == 't';
    if (is_kept)
        take_sender(r, 0, ret);
    PQclear(r);
    if (!is_kept)
        return err_set(err, EEXIST, "too_many",
                       "%d addresses are registered for benchmarks already, as many as there can "
                       "be",
                       BENCHMARK_SENDERS_MAX);
    return is_new;
}

int benchmark_add_sender(const struct retention_hand *h, struct view address,
                         struct benchmark_sender *ret, struct err *err)
{
    struct ip ip;
    char text[IP_TEXT_MAX];
    int rc = parse_sender(address, &ip, err);
    if (rc < 0)
        return rc;
    (void)ip_format(&ip, text);
    rc = hand_begin(h, err);
    if (rc < 0)
        return rc;
    int64_t locked = store_execute(
        h->db, "lock table azekura.benchmark_sender in share row exclusive mode", 0, NULL, err);
    rc = locked < 0 ? (int)locked : keep_sender(h, text, ret, err);
    if (rc > 0)
        rc = tell_begin(h->db, ret, err);
    return hand_end(h, rc, err);
}

int benchmark_remove_sender(const struct retention_hand *h, struct view address, struct err *err)
{
    struct ip ip;
    char text[IP_TEXT_MAX];
    if (ip_parse(address, &ip) < 0)
        return err_set(err, ENOENT, "not_found", "\"%.*s\" is no address",
                       (int)MIN(address.n, (size_t)64), address.p ? address.p : "");
    (void)ip_format(&ip, text);
    const char *values[] = {text, h->actor};
    int begun = hand_begin(h, err);
    if (begun < 0)
        return begun;
    /* it stays until its minutes have been counted */
    int64_t rc = store_execute(
        h->db,
        "with gone as (update azekura.benchmark_sender set until = greatest(now(), since +"
        " interval '1 us'), is_over = true where address = $1::inet and until > now()"
        " returning address), noted as (insert into azekura.audit (actor, action, detail)"
        " select $2, 'bench.sender.remove', to_jsonb(gone) from gone) select from gone",
        2, values, err);
    if (rc == 0)
        rc = err_set(err, ENOENT, "not_found", "%s is not registered for a benchmark", text);
    if (rc > 0)
        rc = tell_end(h->db, h->actor, text, err);
    return hand_end(h, (int)rc, err);
}

static int end_senders(PGconn *c, struct err *err)
{
    PGresult *r = NULL;
    int rc = store_query(c,
                         "select host(a) from unnest(azekura.end_benchmark_senders()) a order by a",
                         0, NULL, &r, err);
    if (rc < 0)
        return rc;
    int n = PQntuples(r);
    for (int row = 0; row < n && rc >= 0; row++)
        rc = tell_end(c, "azekura", PQgetvalue(r, row, 0), err);
    PQclear(r);
    return rc < 0 ? rc : n;
}

int64_t benchmark_end_senders(PGconn *c, struct err *err)
{
    int64_t rc = store_execute(c, "begin", 0, NULL, err);
    int n = rc < 0 ? (int)rc : end_senders(c, err);
    if (n >= 0)
        rc = store_execute(c, "commit", 0, NULL, err);
    else if (PQtransactionStatus(c) != PQTRANS_IDLE)
        (void)!store_execute(c, "rollback", 0, NULL, NULL);
    return n < 0 ? n : rc < 0 ? rc : n;
}
