/* What the handlers of the 20 % rule share (retention_rule.h). */
#include "web/retention_rule.h"

#include "base/record.h"
#include "web/auth.h"
#include "web/body.h"

#include <math.h>

struct config *rule_config(struct request *rq)
{
    struct config *c = arena_alloc(&rq->arena, sizeof(*c));
    web_config(rq->web, c);
    return c;
}

int rule_load(struct request *rq, const struct config *config, struct retention **ret,
              struct err *err)
{
    struct retention *r = arena_alloc(&rq->arena, sizeof(*r));
    int rc = request_db(rq, err);
    if (rc == 0)
        rc = retention_load(rq->db, config, clock_wall_us(), &rq->arena, r, err);
    if (rc < 0)
        return rc;
    *ret = r;
    return 0;
}

int rule_hand(struct request *rq, struct retention_hand *ret, struct err *err)
{
    char *actor = arena_alloc(&rq->arena, AUTH_ACTOR_MAX);
    int rc = request_db(rq, err);
    if (rc < 0)
        return rc;
    auth_actor(&rq->who, actor);
    *ret = (struct retention_hand){.db = rq->db, .actor = actor};
    return 0;
}

/* ---- JSON ---- */

void rule_add_use(struct json *j, const struct use *u)
{
    json_key(j, "bytes");
    json_int(j, u->bytes);
    json_key(j, "messages");
    json_int(j, u->messages);
    json_key(j, "raw_bytes");
    json_int(j, u->raw_bytes);
}

void rule_add_day(struct json *j, const char *key, int32_t day)
{
    char text[DAY_TEXT_MAX];
    json_key(j, key);
    json_str(j, day_format(day, text));
}

void rule_add_severity(struct json *j, const char *key, int severity)
{
    json_key(j, key);
    json_str(j, severity >= 1 && severity <= 7 ? severity_name((unsigned)severity) : NULL);
}

/* "open": of each group at most one piece is written to. */
static void add_open(struct json *j, const struct retention *r, const struct rule_plan *open)
{
    char name[GROUP_NAME_MAX];
    json_key(j, "open");
    json_begin(j, '[');
    for (size_t i = 0; open && i < open->deletions_n; i++) {
        const struct rule_deletion *d = &open->deletions[i];
        json_begin(j, '{');
        json_key(j, "group");
        json_str(j, use_group_name(r, d->piece->group, name));
        json_key(j, "reason");
        json_str(j, rule_reason_names[d->reason]);
        rule_add_use(j, &(struct use){d->piece->bytes, d->piece->messages, d->piece->raw_bytes});
        json_end(j, '}');
    }
    json_end(j, ']');
}

void rule_add_preview(struct request *rq, struct json *j, const struct retention *r,
                      const char *policy, const struct rule_plan *plan,
                      const struct rule_plan *open)
{
    struct deletion_range *ranges;
    size_t n = use_deletions(plan, &rq->arena, &ranges);
    char name[GROUP_NAME_MAX];
    json_begin(j, '{');
    json_key(j, "policy");
    json_str(j, policy);
    json_key(j, "deletions");
    json_begin(j, '[');
    for (size_t i = 0; i < n; i++) {
        json_begin(j, '{');
        rule_add_day(j, "from_day", ranges[i].from_day);
        rule_add_day(j, "to_day", ranges[i].to_day);
        json_key(j, "group");
        json_str(j, use_group_name(r, ranges[i].group, name));
        json_key(j, "reason");
        json_str(j, rule_reason_names[ranges[i].reason]);
        rule_add_use(j, &ranges[i].all);
        json_end(j, '}');
    }
    json_end(j, ']');
    add_open(j, r, open);
    rule_add_use(j, &(struct use){plan->bytes, plan->messages, plan->raw_bytes});
    rule_add_severity(j, "shed_from", use_shed_from(r, plan));
    json_key(j, "held_bytes");
    json_int(j, plan->held_bytes);
    json_end(j, '}');
}

/* ---- bodies ---- */

int rule_body_group(struct request *rq, const cJSON *body, int *ret, struct err *err)
{
    struct view name;
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(body, "group");
    *ret = -1;
    if (!item || cJSON_IsNull(item))
        return 0;
    int rc = body_text(body, "group", GROUP_NAME_MAX - 1, &name, err);
    if (rc == 0)
        rc = request_db(rq, err);
    return rc < 0 ? rc : retention_find_group(rq->db, name, ret, err);
}

int rule_body_number(const cJSON *body, const char *name, double least, double most, double absent,
                     double *ret, struct err *err)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(body, name);
    *ret = absent;
    if (!item || cJSON_IsNull(item))
        return 0;
    if (!cJSON_IsNumber(item) || !(item->valuedouble >= least && item->valuedouble <= most))
        return err_set_field(err, EINVAL, "bad_value", name,
                             "%s: it must be null or a number of %.15g..%.15g", name, least, most);
    *ret = item->valuedouble;
    return 0;
}
