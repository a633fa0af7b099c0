/* Source groups, holds and the doubted clock: POST, PUT and DELETE /retention/groups, POST and
 * DELETE /retention/holds, POST /retention/clock. */
#include "web/handlers.h"

#include <math.h>

#include "config/log.h"
#include "web/body.h"
#include "web/retention_rule.h"

static void reply_id(struct request *rq, int status, int64_t id, bool is_text)
{
    struct buf body = BUF_INIT(256);
    struct json j = JSON_INIT(&body);
    char text[24];
    snprintf(text, sizeof(text), "%lld", (long long)id);
    json_begin(&j, '{');
    json_key(&j, "id");
    if (is_text)
        json_str(&j, text);
    else
        json_int(&j, id);
    json_end(&j, '}');
    reply_json(rq, status, NULL, &body);
}

/* The {id} of the path; what is no number is nothing that is there. */
static int path_id(const struct request *rq, uint64_t most, int64_t *ret, struct err *err)
{
    uint64_t n;
    if (view_u64(view_str(rq->id), most, &n) < 0)
        return err_set(err, ENOENT, "not_found", "there is no \"%.64s\" here", rq->id);
    *ret = (int64_t)n;
    return 0;
}

/* ---- groups ---- */

static int read_members(struct request *rq, const cJSON *body, struct group_wish *wish,
                        struct err *err)
{
    const cJSON *list = cJSON_GetObjectItemCaseSensitive(body, "members"), *item;
    if (!list || cJSON_IsNull(list))
        return 0;
    if (!cJSON_IsArray(list))
        return err_set_field(err, EINVAL, "bad_value", "members",
                             "members: it must be a list of networks and addresses");
    size_t n = (size_t)cJSON_GetArraySize(list);
    struct view *members = arena_alloc(&rq->arena, (n + 1) * sizeof(*members));
    cJSON_ArrayForEach(item, list)
    {
        if (!cJSON_IsString(item))
            return err_set_field(err, EINVAL, "bad_value", "members",
                                 "members: number %zu is not text", wish->members_n + 1);
        members[wish->members_n++] = view_str(item->valuestring);
    }
    wish->members = members;
    return 0;
}

static int read_group(struct request *rq, const cJSON *body, struct group_wish *wish,
                      struct err *err)
{
    double keep_days;
    *wish = (struct group_wish){.quota_percent = -1, .keep_days = -1};
    int rc = body_only(body, "name|quota_percent|keep_days|members", err);
    if (rc == 0)
        rc = body_text(body, "name", GROUP_NAME_MAX - 1, &wish->name, err);
    if (rc == 0)
        rc = rule_body_number(body, "quota_percent", 0.001, 100, -1, &wish->quota_percent, err);
    if (rc == 0)
        rc = rule_body_number(body, "keep_days", 0, 36600, -1, &keep_days, err);
    if (rc == 0 && floor(keep_days) != keep_days)
        rc = err_set_field(err, EINVAL, "bad_value", "keep_days", "keep_days: whole days only");
    if (rc < 0)
        return rc;
    wish->keep_days = (int64_t)keep_days;
    return read_members(rq, body, wish, err);
}

/* `id` < 0: a new one. */
static void write_group(struct request *rq, int64_t id)
{
    struct err err;
    struct group_wish wish;
    struct retention_hand h;
    cJSON *body = body_object(rq);
    if (!body)
        return;
    bool is_new = id < 0;
    int given = (int)id;
    int rc = read_group(rq, body, &wish, &err);
    if (rc == 0)
        rc = rule_hand(rq, &h, &err);
    if (rc == 0)
        rc = is_new ? retention_add_group(&h, &wish, &given, &err)
                    : retention_set_group(&h, given, &wish, &err);
    if (rc == 0)
        log_line(LOG_INFO, "%s %s source group %d", h.actor, is_new ? "added" : "changed", given);
    cJSON_Delete(body);
    if (rc < 0)
        reply_err(rq, rc, &err);
    else
        reply_id(rq, is_new ? 201 : 200, given, false);
}

void retention_group_add(struct request *rq)
{
    write_group(rq, -1);
}

void retention_group_set(struct request *rq)
{
    struct err err;
    int64_t id = 0;
    int rc = path_id(rq, SOURCE_GROUPS_MAX - 1, &id, &err);
    if (rc < 0)
        reply_err(rq, rc, &err);
    else
        write_group(rq, id);
}

void retention_group_remove(struct request *rq)
{
    struct err err;
    struct retention_hand h;
    int64_t id = 0;
    int rc = path_id(rq, SOURCE_GROUPS_MAX - 1, &id, &err);
    if (rc == 0)
        rc = rule_hand(rq, &h, &err);
    if (rc == 0)
        rc = retention_remove_group(&h, (int)id, &err);
    if (rc < 0) {
        reply_err(rq, rc, &err);
        return;
    }
    log_line(LOG_INFO, "%s removed source group %lld", h.actor, (long long)id);
    reply_empty(rq, 204, NULL);
}

/* ---- holds ---- */

static int read_time(const cJSON *body, const char *name, int64_t *ret, struct err *err)
{
    struct view text;
    int rc = body_text(body, name, RFC3339_MAX, &text, err);
    if (rc == 0 && (rfc3339_parse(text, ret) < 0 || *ret < 0))
        rc = err_set_field(err, EINVAL, "bad_value", name,
                           "%s: \"%.*s\" is not a time like 2026-03-10T12:00:00Z, from 1970 on",
                           name, (int)text.n, text.p);
    return rc;
}

static int add_hold(struct request *rq, const cJSON *body, int64_t *ret_id, struct err *err)
{
    struct hold_wish wish;
    struct retention_hand h;
    int rc = body_only(body, "from|to|group|reason", err);
    if (rc == 0)
        rc = read_time(body, "from", &wish.from_us, err);
    if (rc == 0)
        rc = read_time(body, "to", &wish.to_us, err);
    if (rc == 0)
        rc = body_text(body, "reason", (size_t)HOLD_REASON_MAX * 4, &wish.reason, err);
    if (rc == 0)
        rc = rule_body_group(rq, body, &wish.group, err);
    if (rc == 0)
        rc = rule_hand(rq, &h, err);
    if (rc == 0)
        rc = retention_add_hold(&h, &wish, ret_id, err);
    if (rc == 0)
        log_line(LOG_INFO, "%s added hold %lld", h.actor, (long long)*ret_id);
    return rc;
}

void retention_hold_add(struct request *rq)
{
    struct err err;
    int64_t id = 0;
    cJSON *body = body_object(rq);
    if (!body)
        return;
    int rc = add_hold(rq, body, &id, &err);
    cJSON_Delete(body);
    if (rc < 0)
        reply_err(rq, rc, &err);
    else
        reply_id(rq, 201, id, true);
}

void retention_hold_remove(struct request *rq)
{
    struct err err;
    struct retention_hand h;
    int64_t id = 0;
    int rc = path_id(rq, INT64_MAX, &id, &err);
    if (rc == 0)
        rc = rule_hand(rq, &h, &err);
    if (rc == 0)
        rc = retention_remove_hold(&h, id, &err);
    if (rc < 0) {
        reply_err(rq, rc, &err);
        return;
    }
    log_line(LOG_INFO, "%s removed hold %lld", h.actor, (long long)id);
    reply_empty(rq, 204, NULL);
}

/* ---- the clock ---- */

void retention_clock(struct request *rq)
{
    struct err err;
    struct retention_hand h;
    cJSON *body = body_object(rq);
    if (!body)
        return;
    int rc = body_only(body, "is_right", &err);
    if (rc == 0 && !cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(body, "is_right")))
        rc =
            err_set_field(&err, EINVAL, "bad_value", "is_right",
                          "is_right: it must be true; a clock that is wrong is set, not confirmed");
    cJSON_Delete(body);
    if (rc == 0)
        rc = rule_hand(rq, &h, &err);
    if (rc == 0)
        rc = retention_confirm_clock(&h, &err);
    if (rc < 0) {
        reply_err(rq, rc, &err);
        return;
    }
    log_line(LOG_INFO, "%s says that the clock is right", h.actor);
    reply_empty(rq, 204, NULL);
}
