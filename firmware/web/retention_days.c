/* GET /retention/days, /retention/preview and /retention/size: what is kept, what would go, and
 * what a storage holds.  They change nothing. */
#include "web/handlers.h"

#include "store/sizing.h"
#include "web/retention_rule.h"

#define DAYS_MAX 1100 /* three years a request */
#define YEAR_DAYS 365

static int32_t day_param(struct params *p, const char *name, int32_t absent)
{
    int32_t day = absent;
    const char *text = params_text(p, name, 16, NULL);
    if (text && day_parse(view_str(text), &day) < 0 && !p->is_bad) {
        p->is_bad = true;
        (void)err_set_field(&p->err, EINVAL, "bad_value", name,
                            "%s: \"%.16s\" is not a day like 2026-11-30", name, text);
    }
    return day;
}

static void check_days(struct params *p, int32_t from, int32_t to)
{
    if (p->is_bad)
        return;
    p->is_bad = from > to || day_after(from, DAYS_MAX) <= to;
    if (p->is_bad)
        (void)err_set_field(&p->err, EINVAL, "bad_value", "from",
                            "from: it must not be after to, nor more than %d days before",
                            DAYS_MAX);
}

static void answer_days(struct request *rq, const struct retention *r, int32_t from, int32_t to)
{
    struct day_use *days;
    size_t n = use_by_day(r, from, to, &rq->arena, &days);
    struct buf body = BUF_INIT(RULE_ANSWER_MAX_BYTES);
    struct json j = JSON_INIT(&body);
    char name[GROUP_NAME_MAX];
    json_begin(&j, '{');
    json_key(&j, "days");
    json_begin(&j, '[');
    for (size_t i = 0; i < n; i++) {
        const struct day_use *d = &days[i];
        json_begin(&j, '{');
        rule_add_day(&j, "day", d->day);
        rule_add_use(&j, &d->all);
        json_key(&j, "is_held");
        json_bool(&j, d->is_held);
        json_key(&j, "is_open");
        json_bool(&j, d->is_open);
        json_key(&j, "groups");
        json_begin(&j, '[');
        for (int g = 0; g < SOURCE_GROUPS_MAX; g++) {
            if (d->by_group[g].bytes == 0 && d->by_group[g].messages == 0)
                continue;
            json_begin(&j, '{');
            json_key(&j, "group");
            json_str(&j, use_group_name(r, g, name));
            rule_add_use(&j, &d->by_group[g]);
            json_end(&j, '}');
        }
        json_end(&j, ']');
        json_end(&j, '}');
    }
    json_end(&j, ']');
    json_end(&j, '}');
    reply_json(rq, 200, NULL, &body);
}

void retention_days(struct request *rq)
{
    struct err err;
    struct params p;
    struct retention *r;
    params_parse(&p, &rq->arena, rq->query_string);
    int32_t from = day_param(&p, "from", 0), to = day_param(&p, "to", 0);
    if (from > 0 && to > 0)
        check_days(&p, from, to);
    int rc = params_done(&p, &err);
    if (rc == 0)
        rc = rule_load(rq, rule_config(rq), &r, &err);
    if (rc < 0) {
        reply_err(rq, rc, &err);
        return;
    }
    to = to > 0 ? to : MAX(r->today, from);
    from = from > 0 ? from : day_after(to, -30);
    if (day_after(from, DAYS_MAX) <= to)
        from = day_after(to, 1 - DAYS_MAX);
    answer_days(rq, r, from, to);
}

/* ---- preview ---- */

/* The settings as they would be, with the limits they have: what cannot be set has no preview. */
static struct config *changed_config(struct request *rq, struct params *p)
{
    static const char *const settings[] = {"retention.month_share_percent",
                                           "storage.high_water_percent", "retention.keep_days",
                                           "retention.shed_severity", "storage.capacity_bytes"};
    struct config *c = rule_config(rq);
    for (size_t i = 0; i < ARRAY_LEN(settings); i++) {
        const char *name = strchr(settings[i], '.') + 1;
        const char *value = params_text(p, name, 32, NULL);
        const struct setting *s = config_find(view_str(settings[i]), NULL);
        struct err err;
        if (!value || config_set(c, s, view_str(value), &err) == 0 || p->is_bad)
            continue;
        p->is_bad = true;
        (void)err_set_field(&p->err, EINVAL, "bad_value", name, "%s", err.message);
    }
    return c;
}

void retention_preview(struct request *rq)
{
    struct err err;
    struct params p;
    struct retention *r;
    params_parse(&p, &rq->arena, rq->query_string);
    struct config *c = changed_config(rq, &p);
    int policy = params_choice(&p, "policy", "trim|shed|borrow|warn", POLICIES);
    int rc = params_done(&p, &err);
    if (rc == 0)
        rc = rule_load(rq, c, &r, &err);
    if (rc < 0) {
        reply_err(rq, rc, &err);
        return;
    }
    struct buf body = BUF_INIT(RULE_ANSWER_MAX_BYTES);
    struct json j = JSON_INIT(&body);
    json_begin(&j, '{');
    json_key(&j, "previews");
    json_begin(&j, '[');
    for (int i = 0; i < POLICIES; i++) {
        struct rule_plan plan, open;
        if (policy != POLICIES && policy != i)
            continue;
        rule_plan(r, (enum retention_policy)i, &rq->arena, &plan);
        rule_plan_open(r, (enum retention_policy)i, &plan, &rq->arena, &open);
        rule_add_preview(rq, &j, r, retention_policy_names[i], &plan, &open);
    }
    json_end(&j, ']');
    json_end(&j, '}');
    reply_json(rq, 200, NULL, &body);
}

/* ---- sizing ---- */

/* What is not asked for is this box's: its settings, its traffic of the last seven days. */
static void size_defaults(const struct retention *r, const struct config *c,
                          struct sizing_input *in)
{
    struct use_figures f;
    use_figures(r, &f);
    *in = (struct sizing_input){.rate = f.rate,
                                .message_bytes = f.message_bytes,
                                .stored_bytes = f.stored_bytes,
                                .keep_days = c->keep_days > 0 ? (double)c->keep_days : YEAR_DAYS,
                                .storage_bytes = (double)r->capacity_bytes,
                                .share_percent = (double)c->month_share_percent,
                                .high_water_percent = (double)c->high_water_percent};
}

static void size_params(struct params *p, struct sizing_input *in)
{
    double bytes = in->message_bytes;
    in->rate = params_real(p, "rate", 0, SIZING_RATE_MAX, in->rate);
    in->message_bytes = params_real(p, "bytes", 0, SIZING_BYTES_MAX, bytes);
    /* another size of messages takes another size in the store, unless that is said as well */
    double stored = bytes > 0 ? in->stored_bytes * in->message_bytes / bytes : 0;
    in->stored_bytes = params_real(p, "stored_bytes", 0, SIZING_BYTES_MAX, stored);
    in->keep_days = params_real(p, "days", 0, SIZING_DAYS_MAX, in->keep_days);
    in->storage_bytes = params_real(p, "storage", 0, SIZING_STORAGE_MAX, in->storage_bytes);
    in->share_percent = params_real(p, "share", 1, SIZING_SHARE_MAX, in->share_percent);
    in->high_water_percent =
        params_real(p, "high_water", 30, SIZING_HIGH_WATER_MAX, in->high_water_percent);
}

static void answer_size(struct request *rq, const struct sizing_input *in, const struct sizing *s)
{
    const struct {
        const char *key;
        double value;
    } numbers[] = {
        {"rate", in->rate},
        {"message_bytes", in->message_bytes},
        {"stored_bytes",
         in->stored_bytes > 0 ? in->stored_bytes : in->message_bytes * SIZING_RATIO},
        {"keep_days", in->keep_days},
        {"storage_bytes", in->storage_bytes},
        {"share_percent", in->share_percent},
        {"high_water_percent", in->high_water_percent},
        {"day_bytes", s->day_bytes},
        {"month_bytes", s->month_bytes},
        {"storage_needed_bytes", s->storage_needed_bytes},
        {"history_days", s->history_days},
        {"month_share_percent", s->month_share_percent},
    };
    struct buf body = BUF_INIT(4096);
    struct json j = JSON_INIT(&body);
    json_begin(&j, '{');
    for (size_t i = 0; i < ARRAY_LEN(numbers); i++) {
        json_key(&j, numbers[i].key);
        json_real(&j, numbers[i].value);
    }
    json_end(&j, '}');
    reply_json(rq, 200, NULL, &body);
}

void retention_size(struct request *rq)
{
    struct err err;
    struct params p;
    struct retention *r;
    struct sizing_input in;
    struct sizing s;
    const struct config *c = rule_config(rq);
    params_parse(&p, &rq->arena, rq->query_string);
    int rc = rule_load(rq, c, &r, &err);
    if (rc == 0) {
        size_defaults(r, c, &in);
        size_params(&p, &in);
        rc = params_done(&p, &err);
    }
    if (rc == 0)
        rc = sizing_check(&in, &err);
    if (rc < 0) {
        reply_err(rq, rc, &err);
        return;
    }
    sizing_compute(&in, &s);
    answer_size(rq, &in, &s);
}
