/* GET /bench/profiles (bench_profiles.h). */
#include "web/bench_profiles.h"

#include "web/bench_watch.h"
#include "web/body.h"
#include "web/handlers.h"
#include "web/retention_rule.h"

#define ASK_TIMEOUT_US (10 * US_PER_SECOND)
#define LIST_MAX_BYTES (256u << 10)
#define BUSY_WAIT_S 2

cJSON *bench_ask(struct request *rq, const struct bench_args *a, size_t max, int refusal)
{
    struct web *w = rq->web;
    struct err err;
    char said[300];
    struct buf out = BUF_INIT(max);
    if (!gate_enter(&w->bench_children, WEB_BENCH_CHILDREN_MAX)) {
        (void)err_set(&err, EBUSY, "busy",
                      "azekura-bench is being asked by others; try again in %d s", BUSY_WAIT_S);
        reply_too_many(rq, BUSY_WAIT_S, &err);
        return NULL;
    }
    request_release_db(rq);
    int rc = bench_run_and_read(a, "/", ASK_TIMEOUT_US, &out, said, sizeof(said), &err);
    gate_leave(&w->bench_children);
    cJSON *answer = rc == 0 ? body_parse(buf_view(&out)) : NULL;
    buf_free(&out);
    if (answer)
        return answer;
    if (rc > 0 && refusal == EINVAL)
        rc = err_set_field(&err, EINVAL, "bad_value", "options", "options: %s", said);
    else if (rc > 0)
        rc = err_set(&err, refusal, "cannot_run", "azekura-bench %s cannot be done: %s", a->list[1],
                     said[0] ? said : "it said nothing");
    else if (rc == 0)
        rc =
            err_set(&err, EIO, "cannot_run", "azekura-bench %s did not answer in JSON", a->list[1]);
    reply_err(rq, rc, &err);
    return NULL;
}

cJSON *bench_profiles_list(struct request *rq)
{
    struct bench_args a = {.n = 0};
    bench_args_add(&a, bench_watch_program(rq->web->bench));
    bench_args_add(&a, "profiles");
    bench_args_add(&a, "--json");
    return bench_ask(rq, &a, LIST_MAX_BYTES, EIO);
}

const cJSON *bench_profiles_find(const cJSON *list, const char *name)
{
    const cJSON *p;
    cJSON_ArrayForEach(p, list)
    {
        const char *its = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(p, "name"));
        if (its && strcmp(its, name) == 0)
            return p;
    }
    return NULL;
}

bool bench_profiles_allows(const cJSON *profile, const char *member, const char *text)
{
    const cJSON *item;
    cJSON_ArrayForEach(item, cJSON_GetObjectItemCaseSensitive(profile, member))
    {
        const cJSON *named = cJSON_IsObject(item) ? cJSON_GetObjectItemCaseSensitive(item, "name")
                                                  : item;
        if (cJSON_IsString(named) && strcmp(named->valuestring, text) == 0)
            return true;
    }
    return false;
}

int bench_profiles_room(struct request *rq, int64_t *ret_bytes, struct err *err)
{
    struct retention *r;
    int rc = rule_load(rq, rule_config(rq), &r, err);
    if (rc < 0)
        return rc;
    int64_t below_guard = r->high_water_bytes - retention_used_bytes(r);
    *ret_bytes = MAX(0, MIN(r->fs_free_bytes, below_guard));
    return 0;
}

static void add_estimate(cJSON *profile, int64_t room_bytes)
{
    const cJSON *bytes = cJSON_GetObjectItemCaseSensitive(profile, "bytes");
    double n = cJSON_IsNumber(bytes) ? bytes->valuedouble : 0;
    cJSON *estimate = cJSON_AddObjectToObject(profile, "estimate");
    cJSON_AddNumberToObject(estimate, "bytes", n);
    cJSON_AddNumberToObject(estimate, "free_bytes", (double)room_bytes);
    cJSON_AddBoolToObject(estimate, "fits", n <= (double)room_bytes);
}

void bench_profiles(struct request *rq)
{
    struct err err;
    int64_t room = 0;
    cJSON *list = bench_profiles_list(rq), *profile;
    if (!list)
        return;
    int rc = bench_profiles_room(rq, &room, &err);
    if (rc < 0) {
        cJSON_Delete(list);
        reply_err(rq, rc, &err);
        return;
    }
    cJSON_ArrayForEach(profile, list)
    {
        if (cJSON_IsObject(profile) && !cJSON_HasObjectItem(profile, "estimate"))
            add_estimate(profile, room);
    }
    cJSON *answer = cJSON_CreateObject();
    cJSON_AddItemToObject(answer, "profiles", list);
    body_reply(rq, 200, answer);
}
