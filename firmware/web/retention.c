/* GET and PUT /retention: what the 20 % rule has to say about this box. */
#include "web/handlers.h"

#include <math.h>

#include "web/auth.h"
#include "web/body.h"
#include "web/retention_rule.h"
#include "web/settings.h"

/* What comes from elsewhere than struct retention; lists as JSON, written while they are read. */
struct more {
    struct forecast forecast;
    struct history history;
    struct clock_doubt clock;
    struct buf holds;
    struct json holds_json;
    struct member {
        int group;
        const char *prefix;
    } * members;
    size_t members_n;
    struct arena *arena;
    const struct retention *rule;
};

static void add_member(void *context, int group, const char *prefix)
{
    struct more *m = context;
    if (m->members_n < SOURCE_PREFIXES_MAX && group != SOURCE_GROUP_BENCHMARK)
        m->members[m->members_n++] =
            (struct member){group, arena_strdup(m->arena, view_str(prefix))};
}

static void add_hold(void *context, const struct hold_row *h)
{
    struct more *m = context;
    struct json *j = &m->holds_json;
    char id[24], name[GROUP_NAME_MAX];
    snprintf(id, sizeof(id), "%lld", (long long)h->id);
    json_begin(j, '{');
    json_key(j, "id");
    json_str(j, id);
    json_key(j, "from");
    json_time(j, h->from_us);
    json_key(j, "to");
    json_time(j, h->to_us);
    json_key(j, "group");
    json_str(j, h->group < 0 ? NULL : use_group_name(m->rule, h->group, name));
    json_key(j, "reason");
    json_str(j, h->reason);
    json_key(j, "actor");
    json_str(j, h->actor);
    json_key(j, "at");
    json_time(j, h->at_us);
    json_key(j, "bytes");
    json_int(j, h->bytes);
    json_key(j, "messages");
    json_int(j, h->messages);
    json_end(j, '}');
}

static int read_more(struct request *rq, const struct retention *r, struct more *m, struct err *err)
{
    m->arena = &rq->arena;
    m->rule = r;
    m->members = arena_alloc(&rq->arena, SOURCE_PREFIXES_MAX * sizeof(*m->members));
    use_forecast(r, &m->forecast);
    use_history(r, &m->forecast, &m->history);
    int rc = retention_read_members(rq->db, add_member, m, err);
    if (rc >= 0)
        rc = retention_read_clock(rq->db, &m->clock, err);
    if (rc >= 0)
        rc = retention_read_holds(rq->db, add_hold, m, err);
    return rc < 0 ? rc : 0;
}

/* ---- the answer ---- */

/* Of what is not known: null. */
static void add_known(struct json *j, const char *key, double n)
{
    json_key(j, key);
    json_real(j, n < 0 ? NAN : n);
}

static void add_capacity(struct json *j, const struct retention *r, const struct config *c)
{
    json_key_int(j, "capacity_bytes", r->capacity_bytes);
    json_key(j, "capacity_is_limited");
    json_bool(j, r->capacity_bytes < r->fs_total_bytes);
    json_key(j, "file_system");
    json_begin(j, '{');
    json_key_int(j, "total_bytes", r->fs_total_bytes);
    json_key_int(j, "free_bytes", r->fs_free_bytes);
    json_end(j, '}');
    json_key_int(j, "month_share_percent", c->month_share_percent);
    json_key_int(j, "budget_bytes", r->budget_bytes);
    json_key_int(j, "high_water_percent", c->high_water_percent);
    json_key_int(j, "high_water_bytes", r->high_water_bytes);
    json_key_int(j, "shed_severity", r->shed_floor);
    json_key(j, "used");
    json_begin(j, '{');
    json_key_int(j, "database_bytes", r->database_bytes);
    json_key_int(j, "wal_bytes", r->wal_bytes);
    json_key_int(j, "spool_bytes", r->spool_bytes);
    json_key_int(j, "total_bytes", retention_used_bytes(r));
    json_end(j, '}');
    json_key(j, "policy");
    json_str(j, retention_policy_names[r->policy]);
    json_key_int(j, "keep_days", r->keep_days);
}

static void add_reached(struct json *j, const struct retention *r, const char *key, int in_days)
{
    if (in_days >= 0) {
        rule_add_day(j, key, day_after(r->today, in_days));
    } else {
        json_key(j, key);
        json_str(j, NULL);
    }
}

static void add_forecast(struct json *j, const struct retention *r, const struct forecast *f)
{
    static const char *const bases[] = {"none", "days_seen", "weekdays"};
    json_key(j, "forecast");
    json_begin(j, '{');
    json_key(j, "basis");
    json_str(j, bases[f->basis]);
    json_key_int(j, "bytes", f->bytes);
    json_key_int(j, "low_bytes", f->low);
    json_key_int(j, "high_bytes", f->high);
    json_key_int(j, "day_bytes", f->day_bytes);
    add_reached(j, r, "reached_on", f->reached_in_days);
    add_reached(j, r, "reached_earliest", f->reached_earliest);
    add_reached(j, r, "reached_latest", f->reached_latest);
    json_end(j, '}');
}

static void add_history(struct json *j, const struct history *h)
{
    json_key(j, "history");
    json_begin(j, '{');
    json_key_time(j, "oldest", h->oldest_us);
    json_key(j, "days");
    json_real(j, h->days);
    add_known(j, "fits_days", h->fits_days);
    add_known(j, "fits_low", h->fits_low);
    add_known(j, "fits_high", h->fits_high);
    json_end(j, '}');
}

static void add_months(struct json *j, const struct retention *r, struct arena *arena)
{
    struct month_use *months;
    size_t n = use_by_month(r, arena, &months);
    char text[DAY_TEXT_MAX], name[GROUP_NAME_MAX];
    json_key(j, "months");
    json_begin(j, '[');
    for (size_t i = 0; i < n; i++) {
        json_begin(j, '{');
        json_key(j, "month");
        json_str(j, month_format(months[i].month, text));
        rule_add_use(j, &months[i].all);
        json_key_int(j, "days", months[i].days);
        json_key(j, "by_group");
        json_begin(j, '[');
        for (int g = 0; g < SOURCE_GROUPS_MAX; g++) {
            if (months[i].by_group[g] == 0)
                continue;
            json_begin(j, '{');
            json_key(j, "group");
            json_str(j, use_group_name(r, g, name));
            json_key_int(j, "bytes", months[i].by_group[g]);
            json_end(j, '}');
        }
        json_end(j, ']');
        json_end(j, '}');
    }
    json_end(j, ']');
}

static void add_group(struct json *j, const struct retention *r, const struct source_group *g,
                      const struct more *m)
{
    json_begin(j, '{');
    json_key_int(j, "id", g->id);
    json_key(j, "name");
    json_str(j, g->name);
    add_known(j, "quota_percent", g->quota_percent);
    json_key(j, "quota_bytes");
    if (g->quota_percent < 0)
        json_str(j, NULL);
    else
        json_int(j, (int64_t)((double)r->budget_bytes * g->quota_percent / 100));
    json_key_int(j, "month_bytes", retention_month_bytes(r, r->month, g->id));
    json_key(j, "keep_days");
    if (g->keep_days < 0)
        json_str(j, NULL);
    else
        json_int(j, g->keep_days);
    json_key(j, "members");
    json_begin(j, '[');
    for (size_t i = 0; i < m->members_n; i++) {
        if (m->members[i].group == g->id)
            json_str(j, m->members[i].prefix);
    }
    json_end(j, ']');
    json_key(j, "retired");
    json_bool(j, g->is_retired);
    rule_add_severity(j, "shed_from", r->shed_now[g->id].from);
    json_end(j, '}');
}

static void add_benchmark(struct json *j, const struct retention *r)
{
    struct use u;
    use_benchmark(r, &u);
    json_key(j, "benchmark");
    json_begin(j, '{');
    json_key_int(j, "bytes", u.bytes);
    json_key_int(j, "messages", u.messages);
    json_end(j, '}');
}

static void add_clock(struct json *j, const struct clock_doubt *c)
{
    json_key(j, "clock");
    json_begin(j, '{');
    json_key(j, "is_doubted");
    json_bool(j, c->is_doubted);
    json_key_time(j, "since", c->since_us);
    json_key_time(j, "from", c->from_us);
    json_key_time(j, "to", c->to_us);
    json_end(j, '}');
}

static void answer(struct request *rq, const struct retention *r, const struct config *c,
                   const struct more *m)
{
    struct buf body = BUF_INIT(RULE_ANSWER_MAX_BYTES);
    struct json j = JSON_INIT(&body);
    char month[DAY_TEXT_MAX];
    int64_t forecast = m->forecast.basis == FORECAST_NONE ? -1 : m->forecast.bytes;
    json_begin(&j, '{');
    json_key_time(&j, "at", r->now_us);
    json_key(&j, "zone");
    json_str(&j, r->zone);
    add_capacity(&j, r, c);
    json_key(&j, "month");
    json_str(&j, month_format(r->month, month));
    json_key_int(&j, "month_bytes", retention_month_bytes(r, r->month, -1));
    json_key(&j, "state");
    json_str(&j, retention_state_names[rule_state(r, forecast)]);
    add_forecast(&j, r, &m->forecast);
    add_history(&j, &m->history);
    add_months(&j, r, &rq->arena);
    json_key(&j, "groups");
    json_begin(&j, '[');
    for (size_t i = 0; i < r->groups_n; i++)
        if (r->groups[i].id != SOURCE_GROUP_BENCHMARK) /* nothing of it can be changed */
            add_group(&j, r, &r->groups[i], m);
    json_end(&j, ']');
    add_benchmark(&j, r);
    json_key(&j, "holds");
    json_begin(&j, '[');
    buf_add_view(&body, buf_view(&m->holds));
    json_end(&j, ']');
    add_clock(&j, &m->clock);
    json_end(&j, '}');
    body.is_full |= m->holds.is_full;
    reply_json(rq, 200, NULL, &body);
}

void retention_get(struct request *rq)
{
    struct err err;
    struct params p;
    struct retention *r;
    struct more m = {.holds = BUF_INIT(RULE_ANSWER_MAX_BYTES / 2)};
    m.holds_json = JSON_INIT(&m.holds);
    const struct config *c = rule_config(rq);
    params_parse(&p, &rq->arena, rq->query_string);
    int rc = params_done(&p, &err);
    if (rc == 0)
        rc = rule_load(rq, c, &r, &err);
    if (rc == 0)
        rc = read_more(rq, r, &m, &err);
    if (rc < 0)
        reply_err(rq, rc, &err);
    else
        answer(rq, r, c, &m);
    buf_free(&m.holds);
}

/* ---- changes ---- */

static const struct {
    const char *member, *setting;
} rule_settings[] = {
    {"month_share_percent", "retention.month_share_percent"},
    {"over_budget", "retention.over_budget"},
    {"keep_days", "retention.keep_days"},
    {"high_water_percent", "storage.high_water_percent"},
    {"capacity_bytes", "storage.capacity_bytes"},
    {"shed_severity", "retention.shed_severity"},
};
#define RULE_MEMBERS \
    "month_share_percent|over_budget|keep_days|high_water_percent|capacity_bytes|shed_severity"
#define EXACT_INTEGER_MAX 9007199254740992.0 /* 2^53 */

/* A member as the setting's text, checked; null: back to the file's value. */
static int read_change(struct request *rq, const cJSON *item, struct setting_change *change,
                       struct err *err)
{
    struct config *scratch = rule_config(rq);
    char number[32];
    const char *name = NULL;
    for (size_t i = 0; i < ARRAY_LEN(rule_settings); i++) {
        if (strcmp(rule_settings[i].member, item->string) == 0)
            name = rule_settings[i].setting;
    }
    CHECK(name != NULL); /* body_only() */
    *change = (struct setting_change){.name = name};
    if (cJSON_IsNull(item))
        return 0;
    if (cJSON_IsNumber(item) && floor(item->valuedouble) == item->valuedouble &&
        fabs(item->valuedouble) <= EXACT_INTEGER_MAX) {
        snprintf(number, sizeof(number), "%.0f", item->valuedouble);
        change->value = arena_strdup(&rq->arena, view_str(number));
    } else if (cJSON_IsString(item)) {
        change->value = item->valuestring;
    } else {
        return err_set_field(err, EINVAL, "bad_value", item->string,
                             "%s: the value must be text, a whole number or null", item->string);
    }
    int rc = config_set(scratch, config_find(view_str(name), NULL), view_str(change->value), err);
    if (rc < 0)
        snprintf(err->field, sizeof(err->field), "%s", item->string);
    return rc;
}

static int apply(struct request *rq, const cJSON *body, struct err *err)
{
    struct setting_change changes[ARRAY_LEN(rule_settings)];
    struct retention_hand h;
    size_t n = 0;
    const cJSON *item;
    int rc = body_only(body, RULE_MEMBERS, err);
    cJSON_ArrayForEach(item, body)
    {
        if (rc == 0)
            rc = read_change(rq, item, &changes[n++], err);
    }
    if (rc == 0 && n == 0)
        rc = err_set(err, EINVAL, "bad_value", "the body names nothing to change, only %s can be",
                     RULE_MEMBERS);
    if (rc == 0)
        rc = rule_hand(rq, &h, err);
    return rc < 0 ? rc : settings_write(rq, h.actor, changes, n, err);
}

void retention_put(struct request *rq)
{
    body_apply(rq, apply, retention_get);
}
