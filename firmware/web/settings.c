/* GET and PATCH /settings: the table of config/settings.def with the values in force. */
#include "web/handlers.h"

#include <math.h>

#include "config/log.h"
#include "store/connection.h"
#include "store/tls_admin.h"
#include "web/auth.h"
#include "web/body.h"
#include "web/json.h"
#include "web/settings.h"

#define ANSWER_MAX_BYTES (1u << 20)
#define EXACT_INTEGER_MAX                                                  \
    9007199254740992.0 /* 2^53: beyond it a JSON number is no longer exact \
                        */

/* What the database says of each setting, beside the values. */
struct changed {
    const char *by;
    int64_t at_us;
};

struct table {
    struct config config; /* file, with the database's values over it */
    struct arena *arena;
    struct changed *changed; /* by the setting's place in config_settings */
};

static void add_row(void *context, const struct setting_row *r)
{
    struct table *t = context;
    const struct setting *s = config_find(view_str(r->name), NULL);
    /* an unknown or unusable one is of another version: the file's value stands */
    if (!s || s->scope == SETTING_FILE || config_set(&t->config, s, view_str(r->value), NULL) < 0)
        return;
    struct changed *c = &t->changed[s - config_settings];
    c->by = arena_strdup(t->arena, view_str(r->changed_by));
    c->at_us = r->changed_at_us;
}

static int read_table(struct request *rq, struct table *t, struct err *err)
{
    t->config = rq->web->file;
    t->arena = &rq->arena;
    t->changed = arena_alloc(&rq->arena, config_settings_n * sizeof(*t->changed));
    int rc = request_db(rq, err);
    return rc < 0 ? rc : setting_read(rq->db, add_row, t, err);
}

static void add_value(struct json *j, const struct setting *s, struct view text)
{
    if (s->type == SETTING_INT) {
        char number[32];
        snprintf(number, sizeof(number), "%.*s", VIEW_ARG(text));
        json_int(j, strtoll(number, NULL, 10));
    } else {
        json_view(j, text);
    }
}

static void add_setting(struct json *j, const struct table *t, const struct setting *s)
{
    static const char *const types[] = {"string", "int",    "address",  "zone",
                                        "string", "choice", "addresses"};
    static const char *const scopes[] = {"file", "live", "restart"};
    const struct changed *c = &t->changed[s - config_settings];
    struct buf value = BUF_INIT(CONFIG_STRING_MAX * 2);
    config_get(&t->config, s, &value);
    if (s == config_find(VIEW("database"), NULL) &&
        store_conninfo_has_password(t->config.database)) {
        buf_clear(&value);
        buf_add_str(&value, "(not shown: it holds a password)");
    }
    json_begin(j, '{');
    json_key(j, "name");
    json_str(j, s->name);
    json_key(j, "type");
    json_str(j, types[s->type]);
    json_key(j, "scope");
    json_str(j, scopes[s->scope]);
    json_key(j, "value");
    add_value(j, s, buf_view(&value));
    json_key(j, "default");
    add_value(j, s, view_str(s->default_value));
    json_key(j, "min");
    json_int(j, s->min);
    json_key(j, "max");
    json_int(j, s->max);
    json_key(j, "unit");
    json_str(j, s->unit);
    json_key(j, "choices");
    json_begin(j, '[');
    for (const char *p = s->choices; p && *p;) {
        size_t n = strcspn(p, "|");
        json_view(j, view_of(p, n));
        p += n + (p[n] == '|');
    }
    json_end(j, ']');
    json_key(j, "help_en");
    json_str(j, s->help_en);
    json_key(j, "help_ja");
    json_str(j, s->help_ja);
    json_key(j, "changed_at");
    json_time(j, c->by ? c->at_us : TIME_NONE);
    json_key(j, "changed_by");
    json_str(j, c->by);
    json_end(j, '}');
    buf_free(&value);
}

void settings_get(struct request *rq)
{
    struct table t;
    struct err err;
    int rc = read_table(rq, &t, &err);
    if (rc < 0) {
        reply_err(rq, rc, &err);
        return;
    }
    struct buf body = BUF_INIT(ANSWER_MAX_BYTES);
    struct json j = JSON_INIT(&body);
    json_begin(&j, '{');
    json_key(&j, "settings");
    json_begin(&j, '[');
    for (size_t i = 0; i < config_settings_n; i++)
        add_setting(&j, &t, &config_settings[i]);
    json_end(&j, ']');
    json_end(&j, '}');
    reply_json(rq, 200, NULL, &body);
}

/* The new value as text, in the arena; NULL for null: back to the file's. */
static int value_text(struct request *rq, const struct setting *s, const cJSON *item,
                      const char **ret, struct err *err)
{
    char number[32];
    *ret = NULL;
    if (cJSON_IsNull(item))
        return 0;
    if (cJSON_IsString(item)) {
        *ret = item->valuestring;
        return 0;
    }
    if (!cJSON_IsNumber(item) || floor(item->valuedouble) != item->valuedouble ||
        fabs(item->valuedouble) > EXACT_INTEGER_MAX)
        return err_set_field(err, EINVAL, "bad_value", s->name,
                             "%s: the value must be text, a whole number or null", s->name);
    snprintf(number, sizeof(number), "%.0f", item->valuedouble);
    *ret = arena_strdup(&rq->arena, view_str(number));
    return 0;
}

/* Check one member and put it into the table's config. */
static int check_change(struct request *rq, struct table *t, const cJSON *item,
                        struct setting_change *change, struct err *err)
{
    const struct setting *s = config_find(view_str(item->string), err);
    if (!s)
        return -EINVAL;
    if (s->scope == SETTING_FILE)
        return err_set_field(err, EINVAL, "read_only", s->name,
                             "%s: it can only be set in the configuration file", s->name);
    int rc = value_text(rq, s, item, &change->value, err);
    if (rc < 0)
        return rc;
    change->name = s->name;
    return change->value ? config_set(&t->config, s, view_str(change->value), err) : 0;
}

int settings_write(struct request *rq, const char *actor, const struct setting_change *changes,
                   size_t n, struct err *err)
{
    int rc = setting_write(rq->db, actor, changes, n, err);
    for (size_t i = 0; i < n && rc == 0; i++)
        log_line(LOG_INFO, "%s changed %s", actor, changes[i].name);
    return rc < 0 ? rc : web_refresh_config(rq->web, rq->db, err);
}

/* What a value needs of the rest of the box. */
static int check_needs(struct request *rq, const struct table *t,
                       const struct setting_change *changes, size_t n, struct err *err)
{
    int rc = 0;
    for (size_t i = 0; i < n && rc == 0; i++)
        if (strcmp(changes[i].name, "receiver.tls_clients") == 0)
            rc = tls_check_clients(
                rq->db, changes[i].value ? t->config.tls_clients : rq->web->file.tls_clients, err);
    return rc;
}

static int apply(struct request *rq, const cJSON *body, struct err *err)
{
    struct table t;
    size_t n = 0;
    size_t max = (size_t)cJSON_GetArraySize(body);
    struct setting_change *changes = arena_alloc(&rq->arena, (max + 1) * sizeof(*changes));
    const cJSON *item;
    if (max == 0)
        return err_set(err, EINVAL, "bad_value", "the body names no setting");
    if (max > config_settings_n)
        return err_set(err, EINVAL, "bad_value", "there are only %zu settings", config_settings_n);
    int rc = body_only(body, NULL, err);
    if (rc == 0)
        rc = read_table(rq, &t, err);
    if (rc < 0)
        return rc;
    cJSON_ArrayForEach(item, body)
    {
        rc = check_change(rq, &t, item, &changes[n++], err);
        if (rc < 0)
            return rc;
    }
    rc = check_needs(rq, &t, changes, n, err);
    if (rc < 0)
        return rc;
    char actor[AUTH_ACTOR_MAX];
    auth_actor(&rq->who, actor);
    return settings_write(rq, actor, changes, n, err);
}

void settings_patch(struct request *rq)
{
    body_apply(rq, apply, settings_get);
}
