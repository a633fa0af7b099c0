/* GET /healthz, /metrics and /api/v1/openapi.json. */
#include "web/handlers.h"

#include "store/ledger.h"
#include "store/report.h"
#include "store/setting.h"
#include "web/json.h"
#include "web/metrics.h"
#include "web/openapi.h"
#include "web/request.h"

#define HEALTH_MAX_BYTES 4096
#define METRICS_MAX_BYTES (1u << 20)

void status_openapi(struct request *rq)
{
    reply_bytes(rq, 200, "application/json", NULL, view_of(openapi_json, openapi_json_n));
}

/* The database answers now, not only that it did once. */
static int ask_database(struct request *rq, struct err *err)
{
    int rc = request_db(rq, err);
    if (rc < 0)
        return rc;
    return setting_ping(rq->db, err);
}

void status_health(struct request *rq)
{
    struct err err;
    bool is_away = ask_database(rq, &err) < 0;
    struct buf body = BUF_INIT(HEALTH_MAX_BYTES);
    struct json j = JSON_INIT(&body);
    json_begin(&j, '{');
    json_key(&j, "status");
    json_str(&j, is_away ? "degraded" : "ok");
    json_key(&j, "version");
    json_str(&j, AZEKURA_VERSION);
    json_key(&j, "uptime_s");
    json_int(&j, (clock_mono_us() - rq->web->started_mono_us) / US_PER_SECOND);
    json_key(&j, "database");
    json_begin(&j, '{');
    json_key(&j, "state");
    json_str(&j, is_away ? "away" : "ok");
    json_key(&j, "message");
    json_str(&j, is_away ? err.message : NULL);
    json_end(&j, '}');
    json_end(&j, '}');
    reply_json(rq, is_away ? 503 : 200, NULL, &body);
}

/* What a receiver says of itself in detail, and its certificate. */
static int add_detail(struct request *rq, struct buf *out, struct err *err)
{
    PGresult *r = NULL;
    int rc = report_rows(rq->db, REPORT_RECEIVER_DETAIL, NULL, &r, err);
    if (rc < 0)
        return rc;
    if (PQntuples(r) > 0)
        metrics_write_detail(out, view_str(PQgetvalue(r, 0, PQfnumber(r, "detail"))),
                             store_number(r, 0, PQfnumber(r, "age_us")) <= REPORT_SILENT_US);
    PQclear(r);
    rc = report_rows(rq->db, REPORT_TLS_CERTIFICATE, NULL, &r, err);
    if (rc < 0)
        return rc;
    if (PQntuples(r) > 0)
        metrics_write_certificate(out, store_number(r, 0, PQfnumber(r, "days_left")));
    PQclear(r);
    return 0;
}

void status_metrics(struct request *rq)
{
    struct buf out = BUF_INIT(METRICS_MAX_BYTES);
    struct ledger_totals totals;
    struct ledger_receiver receiver;
    struct err err;
    metrics_write_web(&out, atomic_load(&rq->web->tails), atomic_load(&rq->web->exports),
                      clock_mono_us() - rq->web->started_mono_us);
    int rc = request_db(rq, &err);
    if (rc == 0)
        rc = ledger_read_ever(rq->db, &totals, &err);
    int has_receiver = rc < 0 ? rc : ledger_read_receiver(rq->db, &receiver, &err);
    struct source_sums sources;
    if (has_receiver >= 0 && (rc = source_sums(rq->db, &sources, &err)) < 0)
        has_receiver = rc;
    if (has_receiver > 0 && (rc = add_detail(rq, &out, &err)) < 0)
        has_receiver = rc;
    buf_printf(&out,
               "# HELP azekura_database_up The database answers.\n"
               "# TYPE azekura_database_up gauge\nazekura_database_up %d\n",
               has_receiver >= 0);
    if (has_receiver >= 0)
        metrics_write_ledger(&out, &totals);
    if (has_receiver >= 0)
        metrics_write_sources(&out, &sources);
    if (has_receiver > 0)
        metrics_write_receiver(&out, &receiver);
    if (out.is_full)
        reply_error(rq, 500, "too_large", "", "the metrics are larger than %zu bytes", out.max);
    else
        reply_bytes(rq, 200, "text/plain; version=0.0.4; charset=utf-8", NULL, buf_view(&out));
    buf_free(&out);
}
