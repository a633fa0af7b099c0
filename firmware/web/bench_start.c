/* POST /bench/runs: a benchmark of this box, started by an administrator who has just shown his
 * password. */
#include "web/handlers.h"

#include <math.h>

#include "web/auth.h"
#include "web/bench_folder.h"
#include "web/bench_profiles.h"
#include "web/bench_watch.h"
#include "web/body.h"
#include "web/json.h"
#include "web/password.h"

#define TARGET_MAX_BYTES 64
#define VALUE_MAX_BYTES 200
#define LIST_MAX_VALUES 32
#define API_MAX 128
#define ANSWER_MAX_BYTES 1024
#define PLAN_MAX_BYTES (1u << 20)

/* A session's password again, under the brake of the log-in.  True to go on; else the reply has
 * been given. */
static bool has_shown_password(struct request *rq, const cJSON *body)
{
    char address[IP_TEXT_MAX];
    struct view password;
    struct err err;
    if (rq->who.is_token)
        return true;
    int rc = body_text(body, "password", PASSWORD_MAX_BYTES, &password, &err);
    if (rc < 0) {
        reply_err(rq, rc, &err);
        return false;
    }
    request_address(rq, address);
    int matches = password_check(rq, rq->who.name, address, password);
    if (matches == 0)
        reply_error(rq, 403, "wrong_password", "password", "the password is wrong");
    if (matches <= 0)
        return false;
    rc = request_db(rq, &err);
    if (rc == 0)
        rc = account_login_done(rq->db, rq->who.name, address, &err);
    if (rc < 0)
        reply_err(rq, rc, &err);
    return rc == 0;
}

/* ---- options → arguments ---- */

static int add_number(struct buf *out, const cJSON *n, const char *name, struct err *err)
{
    double x = cJSON_IsNumber(n) ? n->valuedouble : NAN;
    if (!(x >= 0 && x <= 1e15))
        return err_set_field(err, EINVAL, "bad_value", name,
                             "options.%s: it must be a number from 0 to 1e15", name);
    /* 15 digits, never with an exponent, which not every option reads */
    if (x == floor(x))
        buf_printf(out, "%.0f", x);
    else
        buf_printf(out, "%.6f", x);
    return 0;
}

static int add_text(struct buf *out, const char *text, const char *name, struct err *err)
{
    size_t n = strlen(text);
    size_t good =
        strspn(text, "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.,:_-");
    if (n < 1 || n > VALUE_MAX_BYTES || good < n || text[0] == '-')
        return err_set_field(
            err, EINVAL, "bad_value", name,
            "options.%s: it must be 1 to %d of 0-9 a-z A-Z . , : _ - and not begin "
            "with -",
            name, VALUE_MAX_BYTES);
    buf_add_str(out, text);
    return 0;
}

static int option_value(struct request *rq, const cJSON *item, const char **ret, struct err *err)
{
    struct buf out = BUF_INIT(4096);
    const cJSON *n;
    int rc = 0;
    if (cJSON_IsString(item)) {
        rc = add_text(&out, item->valuestring, item->string, err);
    } else if (cJSON_IsArray(item)) {
        int count = cJSON_GetArraySize(item);
        if (count < 1 || count > LIST_MAX_VALUES)
            rc = err_set_field(err, EINVAL, "bad_value", item->string,
                               "options.%s: it must have 1 to %d values", item->string,
                               LIST_MAX_VALUES);
        cJSON_ArrayForEach(n, item)
        {
            if (rc == 0 && out.n > 0)
                buf_add_char(&out, ',');
            if (rc == 0)
                rc = add_number(&out, n, item->string, err);
        }
    } else {
        rc = add_number(&out, item, item->string, err);
    }
    if (rc == 0)
        *ret = arena_strdup(&rq->arena, buf_view(&out));
    buf_free(&out);
    return rc;
}

/* What a browser may change of a run: numbers and words.  Never what names a file of this machine.
 */
static bool is_for_browsers(const char *option)
{
    static const char *const names[] = {
        "time",     "short_time",        "rates",  "start_rate", "min_rate",
        "max_rate", "precision_percent", "size",   "runs",       "connections",
        "sources",  "transport",         "layout", "searches",   "kills",
        "seed"};
    for (size_t i = 0; i < ARRAY_LEN(names); i++) {
        if (strcmp(names[i], option) == 0)
            return true;
    }
    return false;
}

/* Only options that the profile names; azekura-bench itself checks the values. */
static int read_options(struct request *rq, const cJSON *options, const cJSON *profile,
                        struct bench_args *a, struct err *err)
{
    const cJSON *item;
    if (!options || cJSON_IsNull(options))
        return 0;
    if (!cJSON_IsObject(options))
        return err_set_field(err, EINVAL, "bad_value", "options", "options: it must be an object");
    int rc = body_only(options, NULL, err);
    cJSON_ArrayForEach(item, options)
    {
        const char *value = NULL;
        if (rc == 0 && !bench_profiles_allows(profile, "options", item->string))
            rc = err_set_field(err, EINVAL, "bad_value", "options",
                               "options: this profile has no option \"%.64s\"", item->string);
        if (rc == 0 && !is_for_browsers(item->string))
            rc = err_set_field(err, EINVAL, "bad_value", "options",
                               "options: \"%.64s\" can only be given on the command line",
                               item->string);
        if (rc == 0)
            rc = option_value(rq, item, &value, err);
        if (rc == 0 && a->n + 2 > BENCH_ARGS_MAX / 2)
            rc = err_set_field(err, EINVAL, "bad_value", "options", "options: there are too many");
        if (rc < 0)
            return rc;
        struct buf name = BUF_INIT(BENCH_ID_MAX + 4);
        buf_printf(&name, "--%s", item->string);
        for (char *p = name.p; p < name.p + name.n; p++)
            *p = *p == '_' ? '-' : *p;
        bench_args_add(a, arena_strdup(&rq->arena, buf_view(&name)));
        bench_args_add(a, value);
        buf_free(&name);
    }
    return rc;
}

/* ---- the run ---- */

/* Where azekura-bench on this machine reaches us. */
static void own_url(const struct web *w, char out[API_MAX])
{
    const char *colon = strrchr(w->file.http, ':');
    int n = colon ? (int)(colon - w->file.http) : 0;
    bool is_any = n == 0 || view_eq(view_of(w->file.http, (size_t)n), VIEW("0.0.0.0"));
    snprintf(out, API_MAX, "http://%.*s:%d", is_any ? 9 : MIN(n, 64),
             is_any ? "127.0.0.1" : w->file.http, w->listen_port);
}

/* What the run would do, as azekura-bench plans it: it checks the options, and tells the bytes.  0,
 * or the reply has been given (-1). */
static int check_plan(struct request *rq, const char *name, const char *target,
                      const struct bench_args *more)
{
    struct err err;
    struct bench_args a = {.n = 0};
    int64_t room;
    const char *const plan[] = {bench_watch_program(rq->web->bench),
                                "run",
                                name,
                                "--target",
                                target,
                                "--dry-run",
                                "--json"};
    for (size_t i = 0; i < ARRAY_LEN(plan); i++)
        bench_args_add(&a, plan[i]);
    for (size_t i = 0; i < more->n; i++)
        bench_args_add(&a, more->list[i]);
    cJSON *answer = bench_ask(rq, &a, PLAN_MAX_BYTES, EINVAL);
    if (!answer)
        return -1;
    const cJSON *bytes = cJSON_GetObjectItemCaseSensitive(answer, "bytes");
    double needed = cJSON_IsNumber(bytes) ? bytes->valuedouble : 0;
    cJSON_Delete(answer);
    int rc = bench_profiles_room(rq, &room, &err);
    if (rc == 0 && needed > (double)room)
        rc = err_set(&err, EEXIST, "no_room",
                     "the run needs %.0f bytes on the disk and %lld are free up to its limit",
                     needed, (long long)room);
    if (rc < 0)
        reply_err(rq, rc, &err);
    return rc < 0 ? -1 : 0;
}

static int read_wish(struct request *rq, const cJSON *body, const cJSON *profile, const char *name,
                     const char *target, struct bench_args *more, struct err *err)
{
    if (!profile || !bench_id_is_valid(view_str(name)) || strlen(name) > BENCH_PROFILE_MAX)
        return err_set_field(err, EINVAL, "bad_value", "profile",
                             "profile: there is no profile \"%.64s\"", name);
    if (!bench_profiles_allows(profile, "targets", target))
        return err_set_field(err, EINVAL, "bad_value", "target",
                             "target: the profile %s is not for \"%.64s\"", name, target);
    return read_options(rq, cJSON_GetObjectItemCaseSensitive(body, "options"), profile, more, err);
}

static int start_run(struct request *rq, const cJSON *profile, const char *name, const char *target,
                     const struct bench_args *more, char id[], struct err *err)
{
    char actor[AUTH_ACTOR_MAX], api[API_MAX];
    auth_actor(&rq->who, actor);
    own_url(rq->web, api);
    struct bench_begin wish = {.profile = name,
                               .target = target,
                               .actor = actor,
                               .title = cJSON_GetObjectItemCaseSensitive(profile, "title"),
                               .more = more,
                               .api = api};
    int rc = request_db(rq, err);
    return rc < 0 ? rc : bench_watch_begin(rq->web->bench, rq->db, &wish, id, err);
}

static void reply_id(struct request *rq, const char *id)
{
    struct buf out = BUF_INIT(ANSWER_MAX_BYTES);
    struct json j = JSON_INIT(&out);
    json_begin(&j, '{');
    json_key(&j, "id");
    json_str(&j, id);
    json_end(&j, '}');
    reply_json(rq, 202, NULL, &out);
}

static void start_checked(struct request *rq, const cJSON *body)
{
    char id[BENCH_ID_MAX + 1];
    struct view name, target;
    struct err err;
    int rc = body_only(body, "profile|target|options|password", &err);
    if (rc == 0)
        rc = body_text(body, "profile", BENCH_ID_MAX, &name, &err);
    if (rc == 0)
        rc = body_text(body, "target", TARGET_MAX_BYTES, &target, &err);
    if (rc < 0) {
        reply_err(rq, rc, &err);
        return;
    }
    cJSON *list = has_shown_password(rq, body) ? bench_profiles_list(rq) : NULL;
    if (!list)
        return;
    struct bench_args more = {.n = 0};
    const cJSON *profile = bench_profiles_find(list, name.p);
    rc = read_wish(rq, body, profile, name.p, target.p, &more, &err);
    bool is_planned = rc == 0 && check_plan(rq, name.p, target.p, &more) == 0;
    if (is_planned)
        rc = start_run(rq, profile, name.p, target.p, &more, id, &err);
    cJSON_Delete(list);
    if (rc < 0)
        reply_err(rq, rc, &err);
    else if (is_planned)
        reply_id(rq, id);
}

void bench_start(struct request *rq)
{
    cJSON *body = body_object(rq);
    if (!body)
        return;
    start_checked(rq, body);
    cJSON_Delete(body);
}
