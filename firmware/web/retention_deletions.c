/* Receipts of what was deleted, and deletions by hand: /retention/deletions.  The keeper deletes;
 * here it is asked, and its answer is shown. */
#include "web/handlers.h"

#include "config/log.h"
#include "web/body.h"
#include "web/retention_rule.h"

#define LIMIT_MAX 1000
#define LIMIT_DEFAULT 100
#define EXACT_INTEGER_MAX 9007199254740992.0 /* 2^53 */

struct receipts {
    struct json *json;
    int64_t last_id;
    int n;
};

static void add_receipt(void *context, const struct receipt_row *r)
{
    struct receipts *list = context;
    struct json *j = list->json;
    char id[24];
    snprintf(id, sizeof(id), "%lld", (long long)r->id);
    list->last_id = r->id;
    list->n++;
    json_begin(j, '{');
    json_key(j, "id");
    json_str(j, id);
    json_key(j, "at");
    json_time(j, r->at_us);
    json_key(j, "actor");
    json_str(j, r->actor);
    json_key(j, "reason");
    json_str(j, r->reason);
    json_key(j, "from");
    json_time(j, r->from_us);
    json_key(j, "to");
    json_time(j, r->to_us);
    json_key(j, "group");
    json_str(j, r->group);
    rule_add_use(j, &(struct use){r->bytes, r->messages, r->raw_bytes});
    json_key(j, "pieces");
    json_int(j, r->pieces);
    json_end(j, '}');
}

void retention_receipts(struct request *rq)
{
    struct err err;
    struct params p;
    struct buf body = BUF_INIT(RULE_ANSWER_MAX_BYTES);
    struct json j = JSON_INIT(&body);
    struct receipts list = {.json = &j};
    params_parse(&p, &rq->arena, rq->query_string);
    int limit = (int)params_int(&p, "limit", 1, LIMIT_MAX, LIMIT_DEFAULT);
    int64_t before = params_int(&p, "cursor", 1, INT64_MAX, 0);
    int rc = params_done(&p, &err);
    json_begin(&j, '{');
    json_key(&j, "entries");
    json_begin(&j, '[');
    if (rc == 0)
        rc = request_db(rq, &err);
    if (rc == 0)
        rc = retention_read_receipts(rq->db, before, 0, limit, add_receipt, &list, &err);
    if (rc < 0) {
        buf_free(&body);
        reply_err(rq, rc, &err);
        return;
    }
    char next[24];
    snprintf(next, sizeof(next), "%lld", (long long)list.last_id);
    json_end(&j, ']');
    json_key(&j, "next");
    json_str(&j, list.n == limit ? next : NULL);
    json_end(&j, '}');
    reply_json(rq, 200, NULL, &body);
}

/* ---- by hand ---- */

static int read_day(const cJSON *body, const char *name, int32_t *ret, struct err *err)
{
    struct view text;
    int rc = body_text(body, name, 16, &text, err);
    if (rc == 0 && day_parse(text, ret) < 0)
        rc = err_set_field(err, EINVAL, "bad_value", name,
                           "%s: \"%.*s\" is not a day like 2026-11-30", name, (int)text.n, text.p);
    return rc;
}

static int read_wish(struct request *rq, const cJSON *body, const char *members,
                     struct deletion_wish *w, struct err *err)
{
    *w = (struct deletion_wish){.group = -1};
    int rc = body_only(body, members, err);
    if (rc == 0)
        rc = read_day(body, "from", &w->from_day, err);
    if (rc == 0)
        rc = read_day(body, "to", &w->to_day, err);
    if (rc == 0 && w->from_day > w->to_day)
        rc = err_set_field(err, EINVAL, "bad_value", "to", "to: it must not be before from");
    return rc < 0 ? rc : rule_body_group(rq, body, &w->group, err);
}

static int plan_wish(struct request *rq, const struct deletion_wish *w, struct retention **ret_rule,
                     struct rule_plan *ret, struct err *err)
{
    int rc = rule_load(rq, rule_config(rq), ret_rule, err);
    if (rc == 0)
        rule_plan_request(*ret_rule, w->from_day, w->to_day, w->group, &rq->arena, ret);
    return rc;
}

void retention_deletion_preview(struct request *rq)
{
    struct err err;
    struct deletion_wish wish;
    struct retention *r;
    struct rule_plan plan;
    cJSON *body = body_object(rq);
    if (!body)
        return;
    int rc = read_wish(rq, body, "from|to|group", &wish, &err);
    cJSON_Delete(body);
    if (rc == 0)
        rc = plan_wish(rq, &wish, &r, &plan, &err);
    if (rc < 0) {
        reply_err(rq, rc, &err);
        return;
    }
    struct buf out = BUF_INIT(RULE_ANSWER_MAX_BYTES);
    struct json j = JSON_INIT(&out);
    rule_add_preview(rq, &j, r, "request", &plan, NULL);
    reply_json(rq, 200, NULL, &out);
}

/* What cannot be done is refused at once; the keeper looks again in the transaction that deletes.
 */
static int request_deletion(struct request *rq, const cJSON *body, int64_t *ret_id, struct err *err)
{
    struct deletion_wish wish;
    struct retention *r;
    struct rule_plan plan;
    struct retention_hand h;
    double messages;
    int rc = read_wish(rq, body, "from|to|group|messages", &wish, err);
    if (rc == 0)
        rc = rule_body_number(body, "messages", 0, EXACT_INTEGER_MAX, -1, &messages, err);
    if (rc == 0 && messages < 0)
        rc = err_set_field(err, EINVAL, "bad_value", "messages",
                           "messages: it must be there, as the preview said it");
    if (rc == 0)
        rc = plan_wish(rq, &wish, &r, &plan, err);
    if (rc < 0)
        return rc;
    wish.messages = (int64_t)messages;
    if (plan.deletions_n == 0)
        return err_set(err, EEXIST, "nothing_to_delete",
                       "nothing of these days can be deleted: they are empty, held or written to");
    if (plan.messages != wish.messages)
        return err_set_field(err, EEXIST, "changed", "messages",
                             "messages: it would delete %lld by now, not %lld; look at the preview "
                             "again",
                             (long long)plan.messages, (long long)wish.messages);
    rc = rule_hand(rq, &h, err);
    if (rc == 0)
        rc = retention_request_deletion(&h, &wish, ret_id, err);
    if (rc == 0)
        log_line(LOG_INFO, "%s asks to delete %lld messages, request %lld", h.actor,
                 (long long)wish.messages, (long long)*ret_id);
    return rc;
}

void retention_delete(struct request *rq)
{
    struct err err;
    int64_t id = 0;
    cJSON *body = body_object(rq);
    if (!body)
        return;
    int rc = request_deletion(rq, body, &id, &err);
    cJSON_Delete(body);
    if (rc < 0) {
        reply_err(rq, rc, &err);
        return;
    }
    struct buf out = BUF_INIT(256);
    struct json j = JSON_INIT(&out);
    char text[24];
    snprintf(text, sizeof(text), "%lld", (long long)id);
    json_begin(&j, '{');
    json_key(&j, "id");
    json_str(&j, text);
    json_end(&j, '}');
    reply_json(rq, 202, NULL, &out);
}

void retention_deletion(struct request *rq)
{
    struct err err;
    struct deletion_answer a;
    uint64_t id = 0;
    struct buf body = BUF_INIT(8192);
    struct json j = JSON_INIT(&body);
    struct receipts list = {.json = &j};
    int rc = view_u64(view_str(rq->id), INT64_MAX, &id) < 0
                 ? err_set(&err, ENOENT, "not_found", "there is no request \"%.64s\"", rq->id)
                 : request_db(rq, &err);
    if (rc == 0)
        rc = retention_read_request(rq->db, (int64_t)id, &a, &err);
    if (rc == 0) {
        json_begin(&j, '{');
        json_key(&j, "state");
        json_str(&j, a.state);
        json_key(&j, "message");
        json_str(&j, a.message[0] ? a.message : NULL);
        json_key(&j, "receipt");
        if (a.receipt > 0)
            rc = retention_read_receipts(rq->db, 0, a.receipt, 1, add_receipt, &list, &err);
        if (list.n == 0)
            json_str(&j, NULL);
        json_end(&j, '}');
    }
    if (rc < 0) {
        buf_free(&body);
        reply_err(rq, rc, &err);
        return;
    }
    reply_json(rq, 200, NULL, &body);
}
