/* The runs of the benchmark: /bench/runs, one of them, its stop and its end. */
#include "web/bench_runs.h"

#include <unistd.h>

#include "store/audit.h"
#include "web/auth.h"
#include "web/bench_summary.h"
#include "web/bench_watch.h"
#include "web/body.h"
#include "web/handlers.h"
#include "web/params.h"

#define LIMIT_DEFAULT 50

int bench_runs_open(struct request *rq, const char *id, struct bench_run *ret, struct err *err)
{
    ret->dir = -1;
    ret->root = bench_folder_root(rq->web->file.state_dir, err);
    if (ret->root < 0)
        return ret->root;
    ret->dir = bench_folder_run(ret->root, id, err);
    if (ret->dir >= 0)
        return 0;
    int rc = ret->dir;
    bench_runs_close(ret);
    return rc;
}

void bench_runs_close(struct bench_run *r)
{
    if (r->dir >= 0)
        close(r->dir);
    if (r->root >= 0)
        close(r->root);
    r->dir = r->root = -1;
}

/* ---- the list ---- */

static cJSON *entry_of(struct request *rq, int root, const char *id)
{
    int dir = bench_folder_run(root, id, NULL);
    if (dir < 0)
        return NULL; /* gone meanwhile, or no folder */
    bool lives = bench_watch_is_running(rq->web->bench, dir, id);
    cJSON *entry = bench_summary_of(root, dir, id, lives);
    close(dir);
    return entry;
}

static cJSON *list_page(struct request *rq, const char *before, int limit, struct err *err)
{
    const char **ids;
    int root = bench_folder_root(rq->web->file.state_dir, err);
    if (root < 0)
        return NULL;
    int n = bench_folder_list(root, before, &rq->arena, &ids, err);
    cJSON *answer = n < 0 ? NULL : cJSON_CreateObject();
    cJSON *entries = n < 0 ? NULL : cJSON_AddArrayToObject(answer, "entries");
    int i = 0;
    for (int taken = 0; i < n && taken < limit; i++) {
        cJSON *entry = entry_of(rq, root, ids[i]);
        if (!entry)
            continue;
        cJSON_AddItemToArray(entries, entry);
        taken++;
    }
    close(root);
    if (answer && i < n)
        cJSON_AddStringToObject(answer, "next", ids[i - 1]);
    else if (answer)
        cJSON_AddNullToObject(answer, "next");
    return answer;
}

void bench_runs(struct request *rq)
{
    struct params p;
    struct err err;
    params_parse(&p, &rq->arena, rq->query_string);
    int limit = (int)params_int(&p, "limit", 1, BENCH_RUNS_MAX, LIMIT_DEFAULT);
    const char *before = params_text(&p, "cursor", BENCH_ID_MAX, NULL);
    int rc = params_done(&p, &err);
    if (rc == 0 && before && !bench_id_is_valid(view_str(before)))
        rc = err_set_field(&err, EINVAL, "bad_value", "cursor", "cursor: it is not one of ours");
    if (rc < 0) {
        reply_err(rq, rc, &err);
        return;
    }
    cJSON *answer = list_page(rq, before, limit, &err);
    if (answer)
        body_reply(rq, 200, answer);
    else
        reply_err(rq, -EIO, &err);
}

/* ---- one ---- */

static void set_text(cJSON *object, const char *name, const char *text)
{
    cJSON_DeleteItemFromObjectCaseSensitive(object, name);
    cJSON_AddStringToObject(object, name, text);
}

/* status.json as it is, with what it may lack; a run that died says in it that it runs. */
static cJSON *status_of(struct request *rq, const struct bench_run *run, const char *id)
{
    static const char *const always[] = {"profile",          "step",        "steps", "step_number",
                                         "progress_percent", "time_left_s", "trial", "sample",
                                         "reason",           "pid"};
    bool lives = bench_watch_is_running(rq->web->bench, run->dir, id);
    cJSON *summary = bench_summary_of(run->root, run->dir, id, lives);
    cJSON *status = bench_folder_json(run->dir, "status.json", BENCH_STATUS_MAX_BYTES, NULL);
    if (!status)
        status = cJSON_CreateObject();
    set_text(status, "id", id);
    if (!cJSON_HasObjectItem(status, "profile"))
        set_text(status, "profile", bench_summary_text(summary, "profile"));
    for (size_t i = 0; i < ARRAY_LEN(always); i++) {
        if (!cJSON_HasObjectItem(status, always[i]))
            cJSON_AddNullToObject(status, always[i]);
    }
    if (!lives) { /* as the report says; one that died says in its status that it runs */
        cJSON_DeleteItemFromObjectCaseSensitive(status, "reason");
        cJSON_AddItemToObject(
            status, "reason",
            cJSON_Duplicate(cJSON_GetObjectItemCaseSensitive(summary, "reason"), true));
    }
    set_text(status, "state", bench_summary_text(summary, "state"));
    cJSON_AddItemToObject(status, "summary", summary);
    return status;
}

void bench_run(struct request *rq)
{
    struct bench_run run;
    struct err err;
    int rc = bench_runs_open(rq, rq->id, &run, &err);
    if (rc < 0) {
        reply_err(rq, rc, &err);
        return;
    }
    cJSON *answer = cJSON_CreateObject(), *status = status_of(rq, &run, rq->id);
    cJSON_AddItemToObject(answer, "status", status);
    cJSON *report = bench_folder_json(run.dir, "report.json", BENCH_REPORT_MAX_BYTES, &err);
    if (report) /* it is renewed while the run lives: one that was killed says in it that it runs */
        set_text(report, "state", bench_summary_text(status, "state"));
    bool has_none = !report && strcmp(err.code, "not_found") == 0;
    cJSON_AddItemToObject(answer, "report", report ? report : cJSON_CreateNull());
    /* why there is a report that is not shown */
    cJSON_AddItemToObject(answer, "report_problem",
                          report || has_none ? cJSON_CreateNull()
                                             : cJSON_CreateString(err.message));
    bench_runs_close(&run);
    body_reply(rq, 200, answer);
}

/* ---- its end ---- */

static int say(struct request *rq, const char *action, struct err *err)
{
    char actor[AUTH_ACTOR_MAX];
    const char *detail[] = {"id", rq->id};
    auth_actor(&rq->who, actor);
    int rc = request_db(rq, err);
    return rc < 0 ? rc : audit_add(rq->db, actor, action, detail, 1, err);
}

/* Whose wish it is, for the report. */
static int stop(const struct request *rq, int dir)
{
    char en[ACCOUNT_NAME_MAX + 80], ja[ACCOUNT_NAME_MAX + 120];
    const char *name = rq->who.name;
    snprintf(en, sizeof(en),
             rq->who.is_token ? "it was stopped through the API with the token %s"
                              : "it was stopped by %s in the console",
             name);
    snprintf(ja, sizeof(ja),
             rq->who.is_token ? "トークン %s により API から停止されました"
                              : "%s がコンソールで停止しました",
             name);
    return bench_folder_stop(dir, en, ja);
}

void bench_stop(struct request *rq)
{
    struct bench_run run;
    struct err err;
    int rc = bench_runs_open(rq, rq->id, &run, &err);
    if (rc == 0 && bench_folder_holder(run.dir) == 0)
        rc = err_set(&err, EEXIST, "not_running", "this benchmark run does not run (any more)");
    if (rc == 0)
        rc = say(rq, "bench.stop", &err);
    if (rc == 0 && stop(rq, run.dir) < 0)
        rc = err_set(&err, EEXIST, "not_running", "this benchmark run has just ended");
    bench_runs_close(&run);
    if (rc < 0) {
        reply_err(rq, rc, &err);
        return;
    }
    cJSON *answer = cJSON_CreateObject();
    cJSON_AddStringToObject(answer, "id", rq->id);
    body_reply(rq, 202, answer);
}

void bench_remove(struct request *rq)
{
    struct bench_run run;
    struct err err;
    int rc = bench_runs_open(rq, rq->id, &run, &err);
    if (rc == 0 && bench_watch_is_open(rq->web->bench, run.root, run.dir, rq->id))
        rc = err_set(&err, EEXIST, "running", "this benchmark run has not ended; stop it first");
    if (rc == 0)
        rc = say(rq, "bench.delete", &err);
    if (rc == 0)
        rc = bench_folder_remove(run.root, rq->id, &err);
    bench_runs_close(&run);
    if (rc < 0)
        reply_err(rq, rc, &err);
    else
        reply_empty(rq, 204, NULL);
}
