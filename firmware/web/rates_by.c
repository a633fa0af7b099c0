/* GET /rates/by: who sends how much, a row a source, hostname, app_name, severity or listener; in
 * JSON or as CSV.  GET /retention/cost: what each of them takes of the month. */
#include "web/handlers.h"

#include "store/rate.h"
#include "store/retention_use.h"
#include "web/csv.h"
#include "web/json.h"
#include "web/params.h"
#include "web/request.h"

#define ANSWER_MAX_BYTES (16u << 20) /* RATE_NAMES_MAX rows of 500 bytes and a name each */
#define FILTER_MAX_BYTES 256
#define LIMIT_DEFAULT 1000
#define LIMIT_MAX (RATE_NAMES_MAX + 2) /* those without a value, and the others */
#define COST_LIMIT_DEFAULT 100
#define COST_LIMIT_MAX 10000

/* The month's budget and use, for shares. */
struct month {
    int32_t month;
    int64_t bytes, budget_bytes;
    double fits_days; /* days of history that fit; < 0: unknown */
};

/* `has_forecast`: fits_days is asked for. */
static int read_month(struct request *rq, const struct config *config, bool has_forecast,
                      struct month *ret, struct err *err)
{
    struct retention r = {0};
    int rc = retention_load(rq->db, config, clock_wall_us(), &rq->arena, &r, err);
    if (rc < 0)
        return rc;
    *ret = (struct month){.month = r.month,
                          .bytes = retention_month_bytes(&r, r.month, -1),
                          .budget_bytes = r.budget_bytes,
                          .fits_days = -1};
    if (has_forecast) {
        struct forecast forecast;
        struct history history;
        use_forecast(&r, &forecast);
        use_history(&r, &forecast, &history);
        ret->fits_days = history.fits_days;
    }
    return 0;
}

/* The parameters are done: a connection and the settings.  0, or the reply has been given. */
static int begin(struct request *rq, struct params *p, struct config *ret_config)
{
    struct err err;
    int rc = params_done(p, &err);
    if (rc == 0)
        rc = request_db(rq, &err);
    if (rc < 0)
        reply_err(rq, rc, &err);
    else
        web_config(rq->web, ret_config);
    return rc;
}

/* ---- tables ---- */

struct table {
    struct json *json; /* NULL: CSV */
    struct buf *out;
    int64_t budget_bytes;
};

static void key_real(struct json *j, const char *key, double n, bool is_known)
{
    json_key(j, key);
    if (is_known)
        json_real(j, n);
    else
        json_str(j, NULL);
}

static double budget_percent(const struct table *t, const struct rate_row *r)
{
    return 100 * (double)r->disk_month / (double)MAX(t->budget_bytes, INT64_C(1));
}

static void add_row(void *context, const struct rate_row *r)
{
    struct table *t = context;
    const struct {
        const char *key;
        int64_t value;
    } numbers[] = {
        {"minute", r->minute},         {"hour", r->hour},           {"day", r->day},
        {"month", r->month},           {"bytes_day", r->bytes_day}, {"bytes_month", r->bytes_month},
        {"disk_month", r->disk_month},
    };
    json_begin(t->json, '{');
    json_key(t->json, "value");
    json_str(t->json, r->value);
    json_key(t->json, "is_others");
    json_bool(t->json, r->is_others);
    key_real(t->json, "now", r->now, true);
    for (size_t i = 0; i < ARRAY_LEN(numbers); i++) {
        json_key(t->json, numbers[i].key);
        json_int(t->json, numbers[i].value);
    }
    key_real(t->json, "budget_percent", budget_percent(t, r), t->budget_bytes > 0);
    key_real(t->json, "change_percent", r->change_percent, r->has_change);
    json_key(t->json, "first_heard");
    json_time(t->json, r->first_heard_us);
    json_key(t->json, "last_heard");
    json_time(t->json, r->last_heard_us);
    json_end(t->json, '}');
}

static void add_csv_time(struct buf *out, int64_t us)
{
    char text[RFC3339_MAX];
    buf_add_char(out, ',');
    if (us != TIME_NONE)
        buf_add(out, text, rfc3339_format(us, text));
}

static void add_csv_row(void *context, const struct rate_row *r)
{
    struct table *t = context;
    csv_cell(t->out, r->is_others ? VIEW("(others)") : view_str(r->value));
    buf_printf(t->out, ",%.1f,%lld,%lld,%lld,%lld,%lld,%lld,%lld,", r->now, (long long)r->minute,
               (long long)r->hour, (long long)r->day, (long long)r->month, (long long)r->bytes_day,
               (long long)r->bytes_month, (long long)r->disk_month);
    if (t->budget_bytes > 0)
        buf_printf(t->out, "%.4f", budget_percent(t, r));
    buf_add_char(t->out, ',');
    if (r->has_change)
        buf_printf(t->out, "%.1f", r->change_percent);
    add_csv_time(t->out, r->first_heard_us);
    add_csv_time(t->out, r->last_heard_us);
    buf_add_str(t->out, "\r\n");
}

static void reply_csv(struct request *rq, const char *field, struct buf *body)
{
    char headers[120];
    snprintf(headers, sizeof(headers),
             "Content-Disposition: attachment; filename=\"azekura-rates-%s.csv\"\r\n", field);
    if (body->is_full)
        reply_error(rq, 500, "too_large", "", "the table is larger than %zu bytes", body->max);
    else
        reply_bytes(rq, 200, "text/csv; charset=utf-8", headers, buf_view(body));
    buf_free(body);
}

static void table_csv(struct request *rq, const struct rate_wish *wish, int64_t budget_bytes)
{
    static const char *const fields[] = {"source", "hostname", "app_name", "severity", "listener"};
    struct buf body = BUF_INIT(ANSWER_MAX_BYTES);
    struct table t = {NULL, &body, budget_bytes};
    int64_t total;
    struct err err;
    /* with a byte order mark: without it spreadsheets guess the character set */
    buf_printf(&body,
               "\xef\xbb\xbf%s,now,minute,hour,day,month,bytes_day,bytes_month,disk_month,"
               "budget_percent,change_percent,first_heard,last_heard\r\n",
               fields[wish->field]);
    int rc = rate_read_table(rq->db, wish, add_csv_row, &t, &total, &err);
    if (rc < 0) {
        buf_free(&body);
        reply_err(rq, rc, &err);
        return;
    }
    reply_csv(rq, fields[wish->field], &body);
}

static void table_json(struct request *rq, const struct rate_wish *wish, int64_t budget_bytes)
{
    struct buf body = BUF_INIT(ANSWER_MAX_BYTES);
    struct json j = JSON_INIT(&body);
    struct table t = {&j, &body, budget_bytes};
    int64_t total = 0;
    struct err err;
    json_begin(&j, '{');
    json_key(&j, "at");
    json_time(&j, clock_wall_us());
    json_key(&j, "rows");
    json_begin(&j, '[');
    int rc = rate_read_table(rq->db, wish, add_row, &t, &total, &err);
    if (rc < 0) {
        buf_free(&body);
        reply_err(rq, rc, &err);
        return;
    }
    json_end(&j, ']');
    json_key(&j, "total");
    json_int(&j, total);
    json_end(&j, '}');
    reply_json(rq, 200, NULL, &body);
}

void rates_by(struct request *rq)
{
    struct params p;
    struct config config;
    struct month month;
    struct err err;
    params_parse(&p, &rq->arena, rq->query_string);
    struct rate_wish wish = {
        .field = (enum rate_field)params_choice(&p, "field", RATE_FIELDS, -1),
        .sort = (enum rate_sort)params_choice(&p, "sort", RATE_SORTS, RATE_SORT_DAY)};
    bool is_text = wish.sort == RATE_SORT_VALUE;
    wish.is_descending = params_choice(&p, "order", "asc|desc", is_text ? 0 : 1) == 1;
    wish.filter = params_text(&p, "filter", FILTER_MAX_BYTES, "");
    bool is_csv = params_choice(&p, "format", "json|csv", 0) == 1;
    wish.limit = (int)params_int(&p, "limit", 1, LIMIT_MAX, is_csv ? LIMIT_MAX : LIMIT_DEFAULT);
    if (begin(rq, &p, &config) < 0)
        return;
    wish.zone = config.time_zone;
    int rc = read_month(rq, &config, false, &month, &err);
    if (rc < 0) {
        reply_err(rq, rc, &err);
        return;
    }
    wish.month_disk_bytes = month.bytes;
    (is_csv ? table_csv : table_json)(rq, &wish, month.budget_bytes);
}

/* ---- cost ---- */

struct cost {
    struct json *json;
    enum rate_cost_by by;
    double fits_days;
};

/* Without a row that takes the share s of what comes, 1 / (1 - s) as many days fit. */
static void add_cost(void *context, const struct rate_cost *r)
{
    struct cost *c = context;
    struct json *j = c->json;
    json_begin(j, '{');
    json_key(j, "hostname");
    json_str(j, c->by == RATE_COST_HOSTNAME ? r->name : NULL);
    json_key(j, "app_name");
    json_str(j, c->by == RATE_COST_APP_NAME ? r->name : NULL);
    json_key(j, "is_others");
    json_bool(j, r->is_others);
    json_key(j, "severity");
    json_str(j, severity_name((unsigned)r->severity));
    json_key(j, "messages");
    json_int(j, r->messages);
    json_key(j, "bytes");
    json_int(j, r->bytes);
    json_key(j, "disk_bytes");
    json_int(j, r->disk_bytes);
    key_real(j, "share_percent", 100 * r->share, true);
    key_real(j, "days_gained", c->fits_days / (1 - r->share) - c->fits_days,
             c->fits_days >= 0 && r->share < 0.9999);
    json_end(j, '}');
}

void rates_cost(struct request *rq)
{
    struct params p;
    struct config config;
    struct month month;
    struct err err;
    char text[DAY_TEXT_MAX];
    params_parse(&p, &rq->arena, rq->query_string);
    enum rate_cost_by by =
        (enum rate_cost_by)params_choice(&p, "by", "hostname|app_name", RATE_COST_HOSTNAME);
    int limit = (int)params_int(&p, "limit", 1, COST_LIMIT_MAX, COST_LIMIT_DEFAULT);
    if (begin(rq, &p, &config) < 0)
        return;
    int rc = read_month(rq, &config, true, &month, &err);
    if (rc < 0) {
        reply_err(rq, rc, &err);
        return;
    }
    struct buf body = BUF_INIT(ANSWER_MAX_BYTES);
    struct json j = JSON_INIT(&body);
    struct cost cost = {&j, by, month.fits_days};
    json_begin(&j, '{');
    json_key(&j, "month");
    json_str(&j, month_format(month.month, text));
    key_real(&j, "days_of_history", month.fits_days, month.fits_days >= 0);
    json_key(&j, "rows");
    json_begin(&j, '[');
    rc = rate_read_cost(rq->db, by, config.time_zone, month.bytes, limit, add_cost, &cost, &err);
    if (rc < 0) {
        buf_free(&body);
        reply_err(rq, rc, &err);
        return;
    }
    json_end(&j, ']');
    json_end(&j, '}');
    reply_json(rq, 200, NULL, &body);
}
