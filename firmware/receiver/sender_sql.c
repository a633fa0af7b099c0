/* Rows of the database to the rules for senders, and refused senders to rows. */
#include "receiver/sender_sql.h"

#include "config/log.h"

struct sender_rules *sender_sql_first_rules(void)
{
    struct sender_rules *r = sender_rules_new();
    char id[16];
    snprintf(id, sizeof(id), "%d", SOURCE_GROUP_BENCHMARK);
    CHECK(groups_add(r->groups, VIEW(BENCHMARK_NETWORK), view_str(id), NULL) == 0);
    return r;
}

/* ---- rules ---- */

enum { ROW_FIELDS = 4 };

static int take_member(struct sender_rules *r, const struct view row[ROW_FIELDS], struct err *err)
{
    return groups_add(r->groups, row[0], row[1], err);
}

static int take_shed(struct sender_rules *r, const struct view row[ROW_FIELDS], struct err *err)
{
    return groups_shed(r->groups, row[0], row[1], err);
}

static int take_allow(struct sender_rules *r, const struct view row[ROW_FIELDS], struct err *err)
{
    return sender_rules_allow(r, row[0], row[1], err);
}

static int take_limit(struct sender_rules *r, const struct view row[ROW_FIELDS], struct err *err)
{
    return sender_rules_limit(r, row[0], row[1], row[2], err);
}

/* What is not known here is left out, the rest of the row holds. */
static int take_source(struct sender_rules *r, const struct view row[ROW_FIELDS], struct err *err)
{
    return sender_rules_source(r, row[0], row[1], row[2], row[3], err);
}

/* A statement that asks for one row more than there may be, so that surplus ones are seen. */
struct question {
    const char *what, *sql;
    int parameters[3], parameters_n;
    int (*each)(struct sender_rules *r, const struct view row[ROW_FIELDS], struct err *err);
};

static const struct question questions[] = {
    /* members of retired groups are those of the network around them, else of the default group */
    {"source groups",
     "(select m.prefix::text, m.source_group, null from azekura.source_group_member m"
     " join azekura.source_group g on g.id = m.source_group where g.retired_at is null"
     " order by m.source_group = $1::smallint desc, m.prefix limit $2::int) union all"
     " (select b.address::text, $1::smallint, null from azekura.benchmark_sender b"
     " where b.until > now() order by b.address limit $3::int)",
     {SOURCE_GROUP_BENCHMARK, SOURCE_PREFIXES_MAX + 1, BENCHMARK_SENDERS_MAX},
     3,
     take_member},
    {"source groups", "select source_group, severity, null from azekura.shed", {0}, 0, take_shed},
    {"allow-list",
     "select network::text, coalesce(listener, ''), null from azekura.listener_allow"
     " order by network, listener limit $1::int",
     {SENDER_NETWORKS_MAX + 1},
     1,
     take_allow},
    {"limits",
     "select network::text, rate, burst from azekura.sender_limit"
     " order by network limit $1::int",
     {SENDER_NETWORKS_MAX + 1},
     1,
     take_limit},
    {"settings of sources",
     "select network::text, zone, charset, framing from azekura.source_setting"
     " order by network limit $1::int",
     {SOURCE_SETTINGS_MAX + 1},
     1,
     take_source},
};

static int ask(PGconn *c, const struct unit_patience *p, const struct question *q,
               struct sender_rules *rules, struct err *err)
{
    char numbers[3][16];
    const char *values[3];
    for (int i = 0; i < q->parameters_n; i++) {
        snprintf(numbers[i], sizeof(numbers[i]), "%d", q->parameters[i]);
        values[i] = numbers[i];
    }
    PGresult *r = NULL;
    int rc = unit_query(c, q->sql, q->parameters_n, values, p, &r, err);
    if (rc < 0)
        return rc;
    for (int i = 0; i < PQntuples(r); i++) {
        struct err why = {0};
        struct view row[ROW_FIELDS] = {{0}};
        for (int k = 0; k < MIN(PQnfields(r), (int)ROW_FIELDS); k++)
            row[k] = PQgetisnull(r, i, k) ? VIEW_NULL : view_str(PQgetvalue(r, i, k));
        int bad = q->each(rules, row, &why);
        if (bad < 0 && bad != -ENOENT) /* of the latter the caller says what is in `fault` */
            log_line(LOG_WARNING, "a row of the %s in the database is left out: %s", q->what,
                     why.message);
    }
    PQclear(r);
    return 0;
}

int sender_sql_rules(PGconn *c, const struct unit_patience *p, const struct config *now,
                     struct sender_rules **ret, struct err *err)
{
    struct sender_rules *r = sender_rules_new();
    r->everyone = (struct sender_limit){(uint32_t)now->rate_limit, (uint32_t)now->rate_burst};
    r->charset = charset_find(view_str(now->charset));
    int rc = charset_prepare(r->charset);
    if (rc < 0)
        r->charset = NULL;
    rc = 0;
    for (size_t i = 0; i < ARRAY_LEN(questions) && rc == 0; i++)
        rc = ask(c, p, &questions[i], r, err);
    if (rc < 0) {
        sender_rules_free(&r);
        return rc;
    }
    sender_rules_seal(r);
    *ret = r;
    return 0;
}

/* ---- the refused ---- */

enum { REFUSED_ARRAYS = 6 };

/* A bytea in an array literal: \x…, its backslash doubled. */
static void add_payload(struct buf *out, const struct refused_sender *x)
{
    (void)buf_add_str(out, "\"\\\\x");
    for (unsigned i = 0; i < x->payload_n; i++)
        (void)buf_printf(out, "%02x", (unsigned char)x->payload[i]);
    (void)buf_add_char(out, '"');
}

static void add_refused(struct buf *out, int array, const struct refused_sender *x)
{
    char text[MAX(IP_TEXT_MAX, RFC3339_MAX)];
    switch (array) {
    case 0:
        (void)buf_add(out, text, ip_format(&x->source, text));
        return;
    case 1:
        (void)buf_add_str(out, listener_name(x->listener));
        return;
    case 2:
        (void)buf_printf(out, "%llu", (unsigned long long)x->messages);
        return;
    case 3:
    case 4:
        (void)buf_add(out, text, rfc3339_format(array == 3 ? x->first_at_us : x->last_at_us, text));
        return;
    default:
        add_payload(out, x);
    }
}

static void say_refused(const struct refused_senders *r)
{
    char address[IP_TEXT_MAX];
    (void)ip_format(&r->list[0].source, address);
    log_line(LOG_WARNING,
             "%llu messages of %zu senders that are not in the allow-list were refused%s: %s by %s"
             "%s; they are counted (not_allowed), and the list of refused senders has them",
             (unsigned long long)r->messages, r->n, r->others ? ", and more than can be named" : "",
             address, listener_name(r->list[0].listener), r->n > 1 ? ", …" : "");
}

static int report_lane(PGconn *c, const struct unit_patience *p, const struct refused_senders *r,
                       struct err *err)
{
    static const char sql[] =
        "select azekura.report_refused_senders($1::inet[], $2::text[], $3::bigint[],"
        " $4::timestamptz[], $5::timestamptz[], $6::bytea[])";
    struct buf arrays[REFUSED_ARRAYS];
    const char *values[REFUSED_ARRAYS];
    if (r->n == 0)
        return 0;
    for (int i = 0; i < REFUSED_ARRAYS; i++) {
        arrays[i] = BUF_INIT(SENDERS_REFUSED_MAX * (2 * SENDERS_REFUSED_PAYLOAD_BYTES + 64) + 8);
        (void)buf_add_char(&arrays[i], '{');
        for (size_t k = 0; k < r->n; k++) {
            if (k)
                (void)buf_add_char(&arrays[i], ',');
            add_refused(&arrays[i], i, &r->list[k]);
        }
        (void)buf_add_char(&arrays[i], '}');
        CHECK(!arrays[i].is_full);
        values[i] = buf_str(&arrays[i]);
    }
    int rc = unit_query(c, sql, REFUSED_ARRAYS, values, p, NULL, err);
    for (int i = 0; i < REFUSED_ARRAYS; i++)
        buf_free(&arrays[i]);
    if (rc == 0)
        say_refused(r);
    return rc;
}

int sender_sql_report(PGconn *c, const struct unit_patience *p, struct shared *s,
                      int64_t *next_mono_us, struct err *err)
{
    int64_t now = clock_mono_us();
    if (now < *next_mono_us && !atomic_load(&s->is_stopping))
        return 0;
    for (unsigned i = 0; i < s->lanes_n; i++) {
        struct senders *of = s->lanes[i].senders;
        struct refused_senders *r = of ? senders_take_refused(of) : NULL;
        int rc = r ? report_lane(c, p, r, err) : 0;
        if (r) /* the first is told of at once */
            *next_mono_us = now + SENDER_SQL_REPORT_US;
        if (rc < 0) {
            senders_give_back(of, &r);
            return rc;
        }
        free(r);
    }
    return 0;
}
