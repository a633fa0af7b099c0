/* The senders ever heard (source.h). */
#include "store/source.h"

#include "store/search.h"

#define SQL_MAX_BYTES 16384
#define NEWS_MAX "10000"
#define RECENT_LIMIT_MS 2000

#define RANGE                                                                             \
    "(coalesce(date_trunc('minute', $1::timestamptz), '-infinity'), coalesce(date_trunc(" \
    "'minute', $2::timestamptz + interval '59.999999 s'), 'infinity'))"
#define SUMS                                                           \
    " sum(arrived)::bigint as arrived, sum(stored)::bigint as stored," \
    " sum(refused)::bigint as refused, sum(bytes)::bigint as bytes from azekura.ledger_rows" RANGE

/* The row t in force for each source s of a table or query: the longest prefix that contains it,
 * looked for under each length there is.  All at once, by hash: one look-up a source would be
 * 100,000 of them. */
#define LENGTHS                                                           \
    "with lengths as materialized (select distinct family(network) as f," \
    " masklen(network) as bits from azekura.source_setting)"
#define SETTING_BEGIN " left join (select distinct on (a.address) a.address as of, x.* from "
#define SETTING_END                                                                            \
    " a join lengths n on n.f = family(a.address) join azekura.source_setting x"               \
    " on x.network = network(set_masklen(a.address, n.bits)) order by a.address, n.bits desc)" \
    " t on t.of = s.address"
#define IS_NEW "(s.acknowledged_at is null and t.network is null)"
#define IS_UNHEALTHY                                                                           \
    "(abs(coalesce(h.skew_us, 0)) >= 300000000 or (coalesce(h.invalid_utf8, 0) +"              \
    " coalesce(h.undecodable, 0) + coalesce(h.bad_time, 0) + coalesce(h.formats[1], 0)) * 100" \
    " >= nullif((select sum(f) from unnest(h.formats) f), 0)) is true"

static const char *const conditions[] = {
    [SOURCE_ALL] = "",
    [SOURCE_ONLY_NEW] = " and " IS_NEW,
    [SOURCE_ONLY_SILENT] = " and s.last_heard < now() - interval '1 hour'",
    [SOURCE_ONLY_UNHEALTHY] = " and " IS_UNHEALTHY,
};
static const struct {
    const char *sql;
    bool needs_setting;
} orders[] = {
    [SOURCE_BUSIEST] = {"coalesce(l.arrived, 0) desc, s.messages desc, s.address", false},
    [SOURCE_SILENT] = {"s.last_heard, s.address", false},
    [SOURCE_NAME] = {"coalesce(t.name, '') = '', lower(t.name), s.address", true},
    [SOURCE_ADDRESS] = {"s.address", false},
    [SOURCE_NEW] = {IS_NEW " desc, s.first_heard desc, s.address", true},
};

/* The object of a row of `picked` p, with range counts l and gaps g. */
static const char row_object[] =
    "json_build_object('source', host(p.address), 'name', coalesce(t.name, ''), 'zone', t.zone,"
    " 'charset', t.charset, 'framing', t.framing, 'group', (select json_build_object('id', o.id,"
    " 'name', o.name) from azekura.source_group o where o.id = coalesce((select m.source_group from"
    " azekura.source_group_member m where m.prefix >>= p.address order by masklen(m.prefix) desc"
    " limit 1), 0)), 'setting', abbrev(t.network::inet), 'note', coalesce(t.note, ''), 'is_new',"
    " p.is_new, 'first_heard', azekura.json_time(p.first_heard), 'last_heard',"
    " azekura.json_time(p.last_heard), 'messages', p.messages, 'bytes', p.bytes, 'range',"
    " json_build_object('arrived', coalesce(l.arrived, 0), 'stored', coalesce(l.stored, 0),"
    " 'refused', coalesce(l.refused, 0), 'bytes', coalesce(l.bytes, 0), 'missing',"
    " coalesce(g.missing, 0), 'repeated', coalesce(g.repeated, 0)), 'health', case when h.address"
    " is not null then json_build_object('since', azekura.json_time(h.since), 'formats', (select"
    " coalesce(json_object_agg(n.name, f.n order by f.n desc), '{}') from unnest(h.formats) with"
    " ordinality f(n, i) join unnest(azekura.format_names()) with ordinality n(name, i) using (i)"
    " where f.n > 0), 'truncated', h.truncated, 'invalid_utf8', h.invalid_utf8, 'no_pri', h.no_pri,"
    " 'bad_time', h.bad_time, 'skewed', h.skewed, 'decoded', h.decoded, 'undecodable',"
    " h.undecodable, 'skew_us', h.skew_us, 'charset_guess', case when h.charset_guess is not null"
    " then json_build_object('name', h.charset_guess, 'percent', h.charset_percent) end,"
    " 'last_raw_at', azekura.json_time(h.last_raw_at)) end)";

/* lengths ─▶ base: all sources, or the first ones where the order needs no more ─▶ picked ─▶ rows
 */
static void write_sql(struct buf *sql, const struct source_question *q)
{
    const char *order = orders[q->order].sql;
    bool is_first = !q->filter && !q->address && q->only == SOURCE_ALL &&
                    !orders[q->order].needs_setting;
    bool is_busiest = q->order == SOURCE_BUSIEST;
    const char *from = is_first ? "base" : q->address ? "one" : "azekura.source";
    const char *sums = is_busiest ? " left join l on l.source = s.address" : "";
    buf_add_str(sql, LENGTHS);
    if (is_busiest)
        buf_add_str(sql, ", l as materialized (select source," SUMS " group by source)");
    if (is_first)
        buf_printf(sql,
                   ", base as materialized (select s.*, (select count(*) from azekura.source) as n"
                   " from azekura.source s%s order by %s limit $3::integer)",
                   sums, order);
    if (q->address)
        buf_add_str(sql, ", one as materialized (select * from azekura.source"
                         " where address = $5::inet)");
    buf_printf(sql,
               ", picked as materialized (select s.*, t.network as setting, " IS_NEW " as is_new,"
               " %s as total, row_number() over (order by %s) as nth from %s s" SETTING_BEGIN
               "%s" SETTING_END " left join azekura.source_health h on h.address = s.address%s",
               is_first ? "s.n" : "count(*) over ()", order, from, from, sums);
    buf_add_str(sql, " where ($4::text is null or position(lower($4) in lower(host(s.address) ||"
                     " ' ' || coalesce(t.name, '') || ' ' || coalesce(t.note, ''))) > 0)"
                     " and ($5::inet is null or s.address = $5::inet)");
    buf_printf(sql, "%s order by %s limit $3::integer) select ", conditions[q->only], order);
    buf_add_str(sql, row_object);
    buf_add_str(
        sql, ", p.total from picked p left join azekura.source_setting t on t.network = p.setting"
             " left join azekura.source_health h on h.address = p.address");
    buf_add_str(sql, is_busiest ? " left join l on l.source = p.address"
                                : " cross join lateral (select" SUMS
                                  " where source = p.address) l");
    /* once for all: few have gaps */
    buf_add_str(sql, " left join (select source, sum(missing)::bigint as missing,"
                     " sum(repeated)::bigint as repeated from azekura.gap_totals" RANGE
                     " group by source) g on g.source = p.address order by p.nth");
}

static int count_news(PGconn *c, int64_t *ret, struct err *err)
{
    PGresult *r = NULL;
    int rc = store_query(c,
                         LENGTHS " select count(*) from (select from azekura.source s" SETTING_BEGIN
                                 "azekura.source" SETTING_END " where " IS_NEW " limit " NEWS_MAX
                                 ") x",
                         0, NULL, &r, err);
    if (rc == 0)
        *ret = store_number(r, 0, 0);
    PQclear(r);
    return rc;
}

/* Empty where the receiver has not told of it. */
#define HEALTH "(case json_typeof(j -> 'health') when 'object' then j -> 'health' else '{}' end)"

/* `head` in front of the question's SQL, `tail` behind it. */
static int ask(PGconn *c, const struct source_question *q, const char *head, const char *tail,
               PGresult **ret, struct err *err)
{
    char from[RFC3339_MAX], to[RFC3339_MAX];
    struct number_text limit = number_text(q->limit);
    const char *values[] = {store_time_param(q->from_us, from), store_time_param(q->to_us, to),
                            limit.text, q->filter, q->address};
    struct buf sql = BUF_INIT(SQL_MAX_BYTES);
    buf_add_str(&sql, head);
    write_sql(&sql, q);
    buf_add_str(&sql, tail);
    CHECK(!sql.is_full);
    int rc = store_query(c, buf_str(&sql), ARRAY_LEN(values), values, ret, err);
    buf_free(&sql);
    return rc;
}

int source_read(PGconn *c, const struct source_question *q, source_json_fn each, void *context,
                struct source_answer *ret, struct err *err)
{
    PGresult *r = NULL;
    int rc = ask(c, q, "", "", &r, err);
    if (rc < 0)
        return rc;
    ret->rows = PQntuples(r);
    ret->total = ret->rows > 0 ? store_number(r, 0, 1) : 0;
    for (int row = 0; row < ret->rows; row++)
        each(context, PQgetvalue(r, row, 0));
    PQclear(r);
    return count_news(c, &ret->news, err);
}

int source_table(PGconn *c, const struct source_question *q, PGresult **ret, struct err *err)
{
    return ask(
        c, q,
        "select j ->> 'source' as source, j ->> 'name' as name, j ->> 'setting' as setting,"
        " j ->> 'zone' as zone, j ->> 'charset' as charset, j -> 'group' ->> 'name' as"
        " source_group, case when (j ->> 'is_new')::boolean then 'new' else '' end as is_new,"
        " j ->> 'last_heard' as last_heard, (j -> 'range' ->> 'arrived')::bigint as arrived,"
        " (select string_agg(f.key || ' ' || f.value, ', ') from json_each_text(" HEALTH
        " -> 'formats') f) as formats from (",
        ") q(j, total)", ret, err);
}

int source_members(PGconn *c, const char *address, PGresult **ret, struct err *err)
{
    int64_t now_us = clock_wall_us();
    struct source_question q = {
        .from_us = now_us - US_PER_DAY, .to_us = now_us, .address = address, .limit = 1};
    PGresult *r = NULL;
    int rc = ask(c, &q, "select m.name, m.value from (",
                 ") q(j, total) cross join lateral (select a.key as name, a.value from"
                 " json_each_text(q.j) a where a.key not in ('health', 'range', 'group') union all"
                 " select 'group', q.j -> 'group' ->> 'name' union all select 'range.' || b.key,"
                 " b.value from json_each_text(q.j -> 'range') b union all select 'health.' ||"
                 " c.key, c.value from json_each_text(" HEALTH ") c) m where m.value <> ''",
                 &r, err);
    if (rc == 0 && PQntuples(r) == 0) {
        PQclear(r);
        return err_set_field(err, ENOENT, "not_found", "address", "%s was never heard", address);
    }
    *ret = r;
    return rc;
}

int source_recent(PGconn *c, const char *address, struct buf *out, struct err *err)
{
    struct number_text limit = number_text(RECENT_LIMIT_MS / 2);
    PGresult *r = NULL;
    int64_t rc = store_execute(c, "select set_config('azekura.time_limit_ms', $1, false)", 1,
                               (const char *const[]){limit.text}, err);
    if (rc >= 0)
        rc = store_query(c, "select azekura.source_recent($1::inet)", 1, &address, &r, err);
    if (rc < 0)
        return (int)rc;
    rc = buf_add_str(out, PQgetvalue(r, 0, 0));
    PQclear(r);
    return rc < 0
               ? err_set(err, E2BIG, "too_large", "the answer is larger than %zu bytes", out->max)
               : 0;
}

int64_t source_acknowledge(PGconn *c, const char *actor, const char *addresses, struct err *err)
{
    PGresult *r = NULL;
    const char *values[] = {addresses, actor};
    int rc =
        store_query(c, "select azekura.acknowledge_sources($1::inet[], $2)", 2, values, &r, err);
    int64_t n = rc < 0 ? rc : store_number(r, 0, 0);
    PQclear(r);
    return n;
}

int source_sums(PGconn *c, struct source_sums *ret, struct err *err)
{
    PGresult *r = NULL;
    int rc = store_query(c,
                         "select (select count(*) from azekura.source),"
                         " coalesce(sum(invalid_utf8), 0)::bigint, coalesce(sum(skewed), 0)::bigint"
                         " from azekura.source_health",
                         0, NULL, &r, err);
    if (rc == 0) {
        ret->sources = store_number(r, 0, 0);
        ret->invalid_utf8 = store_number(r, 0, 1);
        ret->skewed = store_number(r, 0, 2);
    }
    PQclear(r);
    return rc < 0 ? rc : count_news(c, &ret->news, err);
}
