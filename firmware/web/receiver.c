/* GET /receiver: what the receiver says of itself once a second, stage by stage. */
#include "web/handlers.h"

#include "store/report.h"
#include "web/receiving.h"
#include "web/request.h"

#define ANSWER_MAX_BYTES (1u << 20) /* a detail has 64 KiB at most */

static void add_detail(struct json *j, const PGresult *r)
{
    bool has_detail = PQntuples(r) > 0;
    json_key(j, "detail");
    json_raw(j, has_detail ? view_str(PQgetvalue(r, 0, PQfnumber(r, "detail"))) : VIEW("null"));
    json_key(j, "age_us");
    if (has_detail)
        json_int(j, store_number(r, 0, PQfnumber(r, "age_us")));
    else
        json_str(j, NULL);
}

void receiver_get(struct request *rq)
{
    struct err err;
    struct ledger_totals totals;
    struct ledger_receiver status;
    PGresult *detail = NULL;
    int rc = request_db(rq, &err);
    if (rc == 0)
        rc = ledger_read_ever(rq->db, &totals, &err);
    if (rc == 0)
        rc = report_rows(rq->db, REPORT_RECEIVER_DETAIL, NULL, &detail, &err);
    int has_status = rc < 0 ? rc : ledger_read_receiver(rq->db, &status, &err);
    if (has_status < 0) {
        PQclear(detail);
        reply_err(rq, has_status, &err);
        return;
    }
    struct buf body = BUF_INIT(ANSWER_MAX_BYTES);
    struct json j = JSON_INIT(&body);
    json_begin(&j, '{');
    json_key(&j, "status");
    if (has_status)
        receiving_add_receiver(&j, &status);
    else
        json_str(&j, NULL);
    json_key(&j, "ever");
    json_begin(&j, '{');
    receiving_add_totals(&j, &totals);
    json_end(&j, '}');
    add_detail(&j, detail);
    PQclear(detail);
    json_end(&j, '}');
    reply_json(rq, 200, NULL, &body);
}
