/* Receive rates, read.  The sums are SQL functions; here they get names, order and shares. */
#include "store/rate.h"

#include "store/search.h"

#define HOUR_US (60 * US_PER_MINUTE)

/* The dimensions of sql/migrations/0008_rates.sql. */
enum { LISTENERS = 5, REFUSED = 6, HOSTNAME_SEVERITY = 7, APP_NAME_SEVERITY = 8 };
static const int dimension_of[] = {
    [RATE_SOURCE] = 1,   [RATE_HOSTNAME] = 2, [RATE_APP_NAME] = 3,
    [RATE_SEVERITY] = 4, [RATE_LISTENER] = 5,
};

static double store_real(const PGresult *r, int row, int column)
{
    return PQgetisnull(r, row, column) ? 0 : strtod(PQgetvalue(r, row, column), NULL);
}

/* A name's first character says what it is. */
static const char *value_of(const char *name, bool *ret_is_others)
{
    *ret_is_others = name[0] == '*';
    return name[0] == '=' ? name + 1 : NULL;
}

/* ---- over time ---- */

#define PLAN_POINTS 1000 /* of a step that was not asked for */
#define PLAN_SHORTEST_S 60

static int64_t usual_step_s(int64_t span_us)
{
    static const int64_t steps_s[] = {60, 300, 900, 3600, 14400};
    for (size_t i = 0; i < ARRAY_LEN(steps_s); i++)
        if (span_us / US_PER_SECOND / steps_s[i] < PLAN_POINTS)
            return steps_s[i];
    return 86400;
}

static int64_t cut_down(int64_t us, int64_t unit_us)
{
    int64_t rest = us % unit_us;
    return us - rest - (rest < 0 ? unit_us : 0);
}

int rate_plan_make(int64_t from_us, int64_t to_us, int64_t step_s, int64_t now_us, int n_max,
                   struct rate_plan *ret, struct err *err)
{
    if (step_s == 0)
        step_s = usual_step_s(to_us - from_us);
    bool is_counted = step_s >= PLAN_SHORTEST_S;
    /* a minute less: the oldest may go while it is asked for */
    bool is_old = from_us < now_us - RATE_MINUTES_DAYS * US_PER_DAY + US_PER_MINUTE;
    if (is_counted) {
        int64_t unit_s = is_old ? 3600 : 60;
        step_s = MAX(step_s / unit_s, INT64_C(1)) * unit_s;
        from_us = cut_down(from_us, unit_s * US_PER_SECOND);
    }
    int64_t step_us = step_s * US_PER_SECOND;
    int64_t n = (to_us - from_us + step_us - 1) / step_us;
    if (n > n_max)
        return err_set_field(err, EINVAL, "bad_value", "step",
                             "step: from, to and step make %lld points, more than %d", (long long)n,
                             n_max);
    *ret = (struct rate_plan){from_us, step_us, (int)n, is_counted};
    return 0;
}

static void add_arrived(struct rate_point *p, const char *name, int64_t n)
{
    for (unsigned l = 0; l < LISTENER_COUNT; l++)
        if (name[0] == '=' && strcmp(name + 1, listener_name(l)) == 0)
            p->arrived[l] += n;
}

static void add_refused(struct rate_point *p, const char *name, int64_t n)
{
    if (strcmp(name, "=kernel") == 0)
        p->kernel_dropped += n;
    else
        p->refused += n;
}

static int read_points(PGconn *c, int dimension, int64_t from_us, int64_t step_us, int n,
                       struct rate_point *ret, struct err *err)
{
    char from[RFC3339_MAX], to[RFC3339_MAX];
    bool is_hours = step_us % HOUR_US == 0 && from_us % HOUR_US == 0;
    struct number_text d = number_text(dimension), step = number_text(step_us / US_PER_SECOND),
                       longest = number_text(is_hours ? 3600 : 60);
    const char *values[] = {d.text, store_time_param(from_us, from),
                            store_time_param(from_us + n * step_us, to), step.text, longest.text};
    PGresult *r = NULL;
    int rc = store_query(c,
                         "select point, name, messages from azekura.rate_points($1::smallint,"
                         " $2::timestamptz, $3::timestamptz, $4::bigint, $5::integer)",
                         5, values, &r, err);
    if (rc < 0)
        return rc;
    for (int row = 0; row < PQntuples(r); row++) {
        int64_t i = store_number(r, row, 0);
        if (i < 0 || i >= n)
            continue;
        (dimension == LISTENERS ? add_arrived : add_refused)(&ret[i], PQgetvalue(r, row, 1),
                                                             store_number(r, row, 2));
    }
    PQclear(r);
    return 0;
}

int rate_read_points(PGconn *c, int64_t from_us, int64_t step_us, int n, struct rate_point *ret,
                     struct err *err)
{
    for (int i = 0; i < n; i++)
        ret[i] = (struct rate_point){.at_us = from_us + i * step_us};
    int rc = read_points(c, LISTENERS, from_us, step_us, n, ret, err);
    return rc < 0 ? rc : read_points(c, REFUSED, from_us, step_us, n, ret, err);
}

/* ---- tables ---- */

/* $1 dimension, $2 zone, $3 filter, $4 bytes of the month, $5 limit.  Rows of equal rank are in the
 * order of their values, so that a table does not jump about. */
#define TABLE                                                                          \
    "select name, now10, minute1, hour1, day1, month1, bytes_day, bytes_month,"        \
    " disk_month * $4::double precision / nullif(sum(disk_month) over (), 0) as disk," \
    " case when week_before > 0 then 100 * (day1 - week_before)::double precision"     \
    " / week_before end as change, first_heard, last_heard, count(*) over () as total" \
    " from azekura.rates_by($1::smallint, $2)"

#define FILTERED                                                                                 \
    "with t as (" TABLE ") select name, now10, minute1, hour1, day1, month1, bytes_day,"         \
    " bytes_month, disk, change, first_heard, last_heard, count(*) over ()"                      \
    " from t where $3 = '' or (name like '=%' and position(lower($3) in lower(substr(name, 2)))" \
    " > 0) order by "

/* Addresses are sorted as numbers, severities from the most severe on. */
static const char order_of_value[] =
    "case when $1::smallint = 1 and name like '=%' then substr(name, 2)::inet end,"
    " case when $1::smallint = 4 then array_position(array['=emerg', '=alert', '=crit', '=err',"
    " '=warning', '=notice', '=info', '=debug'], name) end, name";
static const char order_of_value_down[] =
    "case when $1::smallint = 1 and name like '=%' then substr(name, 2)::inet end desc,"
    " case when $1::smallint = 4 then array_position(array['=emerg', '=alert', '=crit', '=err',"
    " '=warning', '=notice', '=info', '=debug'], name) end desc, name desc";

static const char *const order_of[] = {
    [RATE_SORT_NOW] = "now10",
    [RATE_SORT_MINUTE] = "minute1",
    [RATE_SORT_HOUR] = "hour1",
    [RATE_SORT_DAY] = "day1",
    [RATE_SORT_MONTH] = "month1",
    [RATE_SORT_BYTES_DAY] = "bytes_day",
    [RATE_SORT_BYTES_MONTH] = "bytes_month",
    [RATE_SORT_DISK_MONTH] = "disk",
    [RATE_SORT_BUDGET_PERCENT] = "disk",
    [RATE_SORT_CHANGE_PERCENT] = "change",
    [RATE_SORT_FIRST_HEARD] = "first_heard",
    [RATE_SORT_LAST_HEARD] = "last_heard",
};

static void table_sql(const struct rate_wish *wish, struct buf *out)
{
    (void)buf_add_str(out, FILTERED);
    if (wish->sort != RATE_SORT_VALUE)
        (void)buf_printf(out, "%s %s nulls last, ", order_of[wish->sort],
                         wish->is_descending ? "desc" : "asc");
    (void)buf_add_str(out, wish->sort == RATE_SORT_VALUE && wish->is_descending
                               ? order_of_value_down
                               : order_of_value);
    (void)buf_add_str(out, " limit $5::integer");
}

static void read_row(const PGresult *r, int row, struct rate_row *ret)
{
    *ret = (struct rate_row){
        .now = (double)store_number(r, row, 1) / 10,
        .minute = store_number(r, row, 2),
        .hour = store_number(r, row, 3),
        .day = store_number(r, row, 4),
        .month = store_number(r, row, 5),
        .bytes_day = store_number(r, row, 6),
        .bytes_month = store_number(r, row, 7),
        .disk_month = (int64_t)(store_real(r, row, 8) + 0.5),
        .has_change = !PQgetisnull(r, row, 9),
        .change_percent = store_real(r, row, 9),
        .first_heard_us = store_time_parse(PQgetvalue(r, row, 10)),
        .last_heard_us = store_time_parse(PQgetvalue(r, row, 11)),
    };
    ret->value = value_of(PQgetvalue(r, row, 0), &ret->is_others);
    if (ret->is_others)
        ret->first_heard_us = ret->last_heard_us = TIME_NONE;
}

int rate_read_table(PGconn *c, const struct rate_wish *wish, rate_row_fn each, void *context,
                    int64_t *ret_total, struct err *err)
{
    struct number_text dimension = number_text(dimension_of[wish->field]),
                       disk = number_text(wish->month_disk_bytes), limit = number_text(wish->limit);
    const char *values[] = {dimension.text, wish->zone, wish->filter, disk.text, limit.text};
    struct buf sql = BUF_INIT(8192);
    PGresult *r = NULL;
    table_sql(wish, &sql);
    int rc = store_query(c, buf_str(&sql), 5, values, &r, err);
    buf_free(&sql);
    if (rc < 0)
        return rc;
    int rows = PQntuples(r);
    *ret_total = rows > 0 ? store_number(r, 0, 12) : 0;
    for (int row = 0; row < rows; row++) {
        struct rate_row given;
        read_row(r, row, &given);
        each(context, &given);
    }
    PQclear(r);
    return rows;
}

/* ---- cost ---- */

int rate_read_cost(PGconn *c, enum rate_cost_by by, const char *zone, int64_t month_disk_bytes,
                   int limit, rate_cost_fn each, void *context, struct err *err)
{
    struct number_text dimension = number_text(by == RATE_COST_HOSTNAME ? HOSTNAME_SEVERITY
                                                                        : APP_NAME_SEVERITY),
                       n = number_text(limit);
    const char *values[] = {dimension.text, zone, n.text};
    PGresult *r = NULL;
    int rc = store_query(c,
                         "select name, severity, messages, bytes,"
                         " coalesce(disk / nullif(sum(disk) over (), 0), 0) as share"
                         " from azekura.rates_by_severity($1::smallint, $2)"
                         " order by share desc, bytes desc, name, severity limit $3::integer",
                         3, values, &r, err);
    if (rc < 0)
        return rc;
    int rows = PQntuples(r);
    for (int row = 0; row < rows; row++) {
        struct rate_cost cost = {.severity = (int)store_number(r, row, 1),
                                 .messages = store_number(r, row, 2),
                                 .bytes = store_number(r, row, 3),
                                 .share = store_real(r, row, 4)};
        cost.name = value_of(PQgetvalue(r, row, 0), &cost.is_others);
        cost.disk_bytes = (int64_t)((double)month_disk_bytes * cost.share + 0.5);
        each(context, &cost);
    }
    PQclear(r);
    return rows;
}

/* ---- the keeper ---- */

int64_t rate_fold(PGconn *c, const char *zone, int64_t most, bool clock_is_doubted, struct err *err)
{
    struct number_text n = number_text(most);
    PGresult *r = NULL;
    const char *values[] = {zone, n.text, clock_is_doubted ? "true" : "false"};
    int rc = store_query(c, "select azekura.fold_rates($1, $2::integer, false, $3::boolean)", 3,
                         values, &r, err);
    if (rc < 0)
        return rc;
    int64_t folded = store_number(r, 0, 0);
    PQclear(r);
    return folded;
}
