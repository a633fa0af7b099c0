/* A run from its folder to its report. */
#include "bench/run/run.h"

#include <math.h>
#include <sys/statvfs.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "bench/facts.h"
#include "bench/figure.h"
#include "bench/run/knee.h"
#include "bench/run/progress.h"
#include "bench/report/report.h"
#include "bench/run/run_stop.h"
#include "bench/run/trial.h"

#define SPACE_FACTOR 1.2
/* A machine comes to rest after a load: what a store does late must not fall into the next trial.
 */
#define REST_MAX_US (5 * US_PER_SECOND)
#define REST_BUSY_MAX 0.15 /* of one core */

struct run {
    const struct run_options *o;
    struct run_folder folder;
    struct progress progress;
    struct run_rival rival;
    struct plan plan;
    struct target *targets[PLAN_TARGETS_MAX];
    double lossless[PLAN_TARGETS_MAX]; /* of the last search; 0: none passed */
    cJSON *report;
    int trials;
    struct sample_speed before;
};

/* ---- the report while it grows ---- */

static void set_now(cJSON *o, const char *name)
{
    char when[RFC3339_MAX];
    rfc3339_format(clock_wall_us(), when);
    facts_set_text(o, name, when);
}

static const char *build_text(void)
{
    return
#ifdef __clang__
        "clang " __clang_version__
#else
        "gcc " __VERSION__
#endif
#ifdef __OPTIMIZE__
        ", optimised"
#else
        ", not optimised"
#endif
#ifdef __SANITIZE_ADDRESS__
        ", address sanitizer"
#endif
        ;
}

static cJSON *new_report(const struct run *r)
{
    const struct profile *p = r->o->profile;
    cJSON *o = cJSON_CreateObject();
    facts_set_number(o, "schema_version", 1);
    facts_set_text(o, "id", r->folder.id);
    facts_set_text(o, "profile", p->name);
    facts_set_sentence(o, "title", p->title_en, p->title_ja);
    facts_set_text(o, "command", r->o->command);
    facts_set_number(o, "seed", (double)r->o->seed);
    facts_set_text(o, "state", "running");
    facts_set(o, "reason", cJSON_CreateNull());
    set_now(o, "started_at");
    facts_set(o, "ended_at", cJSON_CreateNull());
    cJSON *goal = cJSON_CreateNull();
    if (p->goal_loss_percent >= 0) {
        cJSON_Delete(goal);
        goal = cJSON_CreateObject();
        facts_set_number(goal, "loss_percent", p->goal_loss_percent);
    }
    facts_set(o, "goal", goal);
    facts_set_text(o, "verdict", "none");
    facts_set_text(o, "version", AZEKURA_VERSION);
    facts_set_text(o, "build", build_text());
    facts_set(o, "machine", sample_machine(r->folder.path));
    facts_set(o, "targets", cJSON_CreateArray());
    facts_set(o, "trials", cJSON_CreateArray());
    facts_set(o, "knees", cJSON_CreateArray());
    facts_set(o, "peers", cJSON_CreateArray());
    facts_set(o, "skipped", cJSON_CreateArray());
    return o;
}

static cJSON *list(const struct run *r, const char *name)
{
    return cJSON_GetObjectItemCaseSensitive(r->report, name);
}

/* A reader sees every trial as soon as it is over; the rest of the files are made at the end. */
static void keep_report(struct run *r)
{
    int rc = run_folder_write(&r->folder, "report.json", r->report);
    if (rc < 0)
        progress_print(&r->progress, "cannot write report.json: %s", strerror(-rc));
}

static cJSON *target_report(const struct target_facts *f)
{
    cJSON *o = cJSON_CreateObject();
    facts_set_text(o, "name", f->name);
    facts_set_text(o, "product", f->product);
    facts_set_text(o, "version", f->version);
    facts_set_text(o, "stores", f->stores);
    facts_set_text(o, "config_sha256", f->config_sha256);
    facts_set(o, "is_box", cJSON_CreateBool(f->is_box));
    facts_set_number(o, "receive_buffer_bytes",
                     f->receive_buffer_bytes >= 0 ? (double)f->receive_buffer_bytes : NAN);
    return o;
}

/* ---- before the first trial ---- */

static int check_space(const struct run *r, struct err *err)
{
    struct statvfs fs;
    double needed = r->plan.bytes * SPACE_FACTOR;
    if (statvfs(r->folder.path, &fs) < 0)
        return err_set(err, errno, "cannot_read", "cannot see the room in %s: %s", r->folder.path,
                       strerror(errno));
    double free_bytes = (double)fs.f_bavail * (double)fs.f_frsize;
    if (needed > free_bytes)
        return err_set(err, ENOSPC, "no_room",
                       "this run may write %s (%s × %.1f), and %s has %s free: take less --time or "
                       "fewer tests, or another --out",
                       figure_bytes(needed).s, figure_bytes(r->plan.bytes).s, SPACE_FACTOR,
                       r->folder.path, figure_bytes(free_bytes).s);
    return 0;
}

/* "syslog-ng:maxperf" as the name of a folder. */
static char *target_folder(const struct run *r, const char *spec)
{
    char *path = xasprintf("%s/%s", r->folder.path, spec);
    for (char *p = path + strlen(r->folder.path) + 1; *p; p++)
        if (*p == ':' || *p == '/')
            *p = '-';
    return path;
}

static int open_targets(struct run *r, struct err *err)
{
    for (size_t i = 0; i < r->o->targets_n; i++) {
        const char *spec = r->o->targets[i];
        char en[160], ja[160], *dir = target_folder(r, spec);
        snprintf(en, sizeof(en), "starting %.64s", spec);
        snprintf(ja, sizeof(ja), "%.64s を起動しています", spec);
        progress_step(&r->progress, 0, 0, en, ja);
        struct target_options o = {
            .spec = spec,
            .dir = dir,
            .api = r->o->api,
            .token_file = r->o->token_file,
            .syslog = r->o->syslog,
            .peers_dir = r->o->peers_dir,
            .share_dir = r->o->share_dir,
        };
        int rc = target_open(&o, &run_stopped_by, &r->targets[i], err);
        free(dir);
        if (rc < 0)
            return rc;
        cJSON_AddItemToArray(list(r, "targets"), target_report(target_facts(r->targets[i])));
    }
    return 0;
}

static cJSON *speed_report(const struct sample_speed *s)
{
    cJSON *o = cJSON_CreateObject();
    facts_set_number(o, "compute_ops_s", s->compute_ops_s);
    facts_set_number(o, "write_bytes_s", s->write_bytes_s);
    return o;
}

static void probe_before(struct run *r)
{
    progress_step(&r->progress, 0, 0, "measuring the machine's speed",
                  "機器の速度を測定しています");
    sample_speed(r->folder.path, &r->before);
    cJSON *s = cJSON_CreateObject();
    facts_set(s, "before", speed_report(&r->before));
    facts_set(s, "after", cJSON_CreateNull());
    facts_set(s, "drift_percent", cJSON_CreateNull());
    facts_set(r->report, "speed", s);
}

static void probe_after(struct run *r)
{
    struct sample_speed after;
    cJSON *s = list(r, "speed");
    if (s == NULL || run_stopped_by)
        return;
    progress_phase(&r->progress, "measuring the machine's speed again",
                   "機器の速度を再度測定しています");
    sample_speed(r->folder.path, &after);
    double drift = 100 * (after.compute_ops_s / r->before.compute_ops_s - 1);
    facts_set(s, "after", speed_report(&after));
    facts_set_number(s, "drift_percent", drift);
}

static void rest(struct run *r, double time_s)
{
    struct sample_look before, now;
    const struct target_pids nobody = {0};
    /* a short trial is not worth a long rest */
    int64_t end = clock_mono_us() + MIN((int64_t)(time_s * 1e6 / 4), REST_MAX_US);
    struct timespec quarter = {.tv_nsec = 250000000};
    sample_look(&nobody, &before);
    while (!run_stopped_by && clock_mono_us() < end) {
        nanosleep(&quarter, NULL);
        sample_look(&nobody, &now);
        if (now.busy_s - before.busy_s < REST_BUSY_MAX / 4)
            break;
        before = now;
    }
    (void)r;
}

/* ---- trials ---- */

static void on_second(void *context, const struct trial_second *s)
{
    progress_second(&((struct run *)context)->progress, s);
}

static void on_phase(void *context, const char *en, const char *ja)
{
    progress_phase(&((struct run *)context)->progress, en, ja);
}

static void print_trial(struct run *r, const struct trial *t)
{
    const char *target = target_facts(t->o.target)->name;
    const char *note = trial_note(t)->en;
    double lost = t->loss_percent * (double)t->stages.sent / 100;
    char delay[128] = "";
    if (t->latency.n > 0)
        snprintf(delay, sizeof(delay), ", found after %s (p99 %s)", figure_ms(t->latency.p50).s,
                 figure_ms(t->latency.p99).s);
    progress_print(&r->progress,
                   "%3d  %s, %s: sent %s, stored %s, lost %s, %s msg/s stored%s%s%s%s%s",
                   t->o.number, t->name, target, figure_count((double)t->stages.sent).s,
                   figure_count(t->stages.stored >= 0 ? (double)t->stages.stored : NAN).s,
                   figure_count(lost).s, figure_rate(t->stored).s, delay, *note ? "; " : "", note,
                   t->is_valid ? "" : "; INVALID: ", t->is_valid ? "" : t->invalid_reason.en);
}

static void skip(struct run *r, const struct plan_step *step, const char *why)
{
    cJSON *o = cJSON_CreateObject();
    facts_set_number(o, "test", (double)step->test + 1);
    facts_set_text(o, "target", r->o->targets[step->target]);
    facts_set_text(o, "why", why);
    cJSON_AddItemToArray(list(r, "skipped"), o);
    progress_print(&r->progress, "skipped: %s", why);
}

/* Make one trial and add it to the report.  1: made, 0: cannot be on this target; negative: failed.
 */
static int try_once(struct run *r, const struct plan_step *step, double rate, double time_s,
                    bool is_result, struct trial *ret, struct err *err)
{
    const struct profile *p = r->o->profile;
    struct trial_options o = {
        .test = &p->tests[step->test],
        .target = r->targets[step->target],
        .number = r->trials + 1,
        .test_number = (int)step->test + 1,
        .run = is_result ? step->run : 0,
        .rate = rate,
        .time_s = time_s,
        .warm_up_percent = p->warm_up_percent,
        .drain_s = p->drain_s,
        .seed = r->o->seed + (uint64_t)r->trials,
        .stop = &run_stopped_by,
        .abort = &run_aborted,
        .second = on_second,
        .phase = on_phase,
        .context = r,
    };
    rest(r, time_s);
    (void)run_rival_look(&r->rival);
    r->progress.trial = o.number;
    int rc = trial_run(&o, ret, err);
    if (rc == -ENOTSUP) {
        skip(r, step, err->message);
        return 0;
    }
    if (rc < 0)
        return rc;
    if (run_rival_look(&r->rival))
        trial_invalidate(ret, "another benchmark was at work on this machine",
                         "別のベンチマークが同じ機器で動作していました");
    r->trials++;
    cJSON_AddItemToArray(list(r, "trials"), trial_report(ret));
    print_trial(r, ret);
    keep_report(r);
    return 1;
}

static cJSON *knee_report(const struct run *r, const struct plan_step *step, const struct knee *k)
{
    const struct profile_test *t = &r->o->profile->tests[step->test];
    double lossless = knee_lossless(k), tolerant = knee_tolerant(k);
    cJSON *o = cJSON_CreateObject(), *points = cJSON_CreateArray();
    facts_set_text(o, "target", r->o->targets[step->target]);
    facts_set_text(o, "transport", profile_transport_name(t->transport));
    facts_set_number(o, "size", t->size > 0 ? (double)t->size : NAN);
    facts_set_number(o, "lossless", lossless > 0 && k->answer_trial > 0 ? lossless : NAN);
    facts_set_number(o, "lossless_trial", k->answer_trial > 0 ? k->answer_trial : NAN);
    facts_set_number(o, "tolerant", tolerant > 0 ? tolerant : NAN);
    for (size_t i = 0; i < k->points_n; i++) {
        cJSON *p = cJSON_CreateObject();
        facts_set_number(p, "rate", k->points[i].rate);
        facts_set_number(p, "loss_percent", k->points[i].loss_percent);
        facts_set_number(p, "trial", k->points[i].trial);
        facts_set(p, "is_held", cJSON_CreateBool(k->points[i].is_held));
        cJSON_AddItemToArray(points, p);
    }
    facts_set(o, "points", points);
    return o;
}

/* A rate at which a box in service loses logs of others is not one without loss. */
static double others_percent(const struct trial *t)
{
    const struct stages *s = &t->stages;
    return s->others_dropped > 0 && s->sent > 0
               ? 100.0 * (double)s->others_dropped / (double)s->sent
               : 0;
}

static int search_knee(struct run *r, const struct plan_step *step, struct err *err)
{
    const struct profile *p = r->o->profile;
    const struct profile_test *t = &p->tests[step->test];
    bool is_calibration = plan_is_calibration(p, step->test), is_long;
    int64_t begin = clock_mono_us();
    struct knee k;
    struct trial *trial = xmalloc(sizeof(*trial));
    double rate;
    int rc = 1;
    knee_init(&k, t);
    while (rc > 0 && !run_stopped_by && (rate = knee_next(&k, &is_long)) > 0) {
        rc = try_once(r, step, rate, is_long ? t->time_s : t->short_time_s, !is_calibration, trial,
                      err);
        if (rc <= 0 || !trial->is_complete)
            break;
        struct knee_point point = {
            .rate = rate,
            .loss_percent = trial->loss_percent + others_percent(trial),
            .trial = trial->o.number,
            .is_held = trial->is_held,
            .is_long = is_long,
        };
        /* what the generator cannot send fails; what others disturbed is tried again */
        knee_tell(&k, &point, trial->is_valid || trial->invalid_reason.is_generator);
        progress_expect(&r->progress, (double)(clock_mono_us() - begin) / 1e6 +
                                          knee_most_left(&k) * (t->short_time_s + 6) + t->time_s);
    }
    free(trial);
    r->lossless[step->target] = knee_lossless(&k);
    if (k.points_n > 0)
        cJSON_AddItemToArray(list(r, is_calibration ? "calibrations" : "knees"),
                             knee_report(r, step, &k));
    return rc;
}

static int make_step(struct run *r, const struct plan_step *step, struct err *err)
{
    const struct profile_test *t = &r->o->profile->tests[step->test];
    bool is_search = t->find == PROFILE_FIND_KNEE, is_warm_up = step->run == 0;
    if (is_search && !is_warm_up)
        return search_knee(r, step, err);
    double rate = is_search ? t->start_rate : t->rates.at[0];
    if (t->rate_percent > 0) {
        rate = floor(r->lossless[step->target] * t->rate_percent / 100);
        if (rate < 1) {
            skip(r, step, "no rate without loss was found that it could be a part of");
            return 0;
        }
    }
    struct trial *trial = xmalloc(sizeof(*trial));
    double time_s = is_warm_up ? plan_warm_up_s(t) : t->time_s;
    int rc = try_once(r, step, rate, time_s, true, trial, err);
    free(trial);
    return rc;
}

static int make_all(struct run *r, struct err *err)
{
    for (size_t i = 0; i < r->plan.n && !run_stopped_by; i++) {
        const struct plan_step *s = &r->plan.steps[i];
        const struct profile_test *t = &r->o->profile->tests[s->test];
        char title[160], title_ja[300], en[256], ja[400];
        const char *target = r->o->targets[s->target];
        profile_test_title(t, title, sizeof(title));
        profile_test_title_ja(t, title_ja, sizeof(title_ja));
        bool is_alone = r->o->targets_n == 1; /* the run's target is said elsewhere */
        snprintf(en, sizeof(en), "%s%s%s%s", s->run == 0 ? "warm-up: " : "", title,
                 is_alone ? "" : ", ", is_alone ? "" : target);
        snprintf(ja, sizeof(ja), "%s%s%s%s", s->run == 0 ? "準備運転：" : "", title_ja,
                 is_alone ? "" : "、", is_alone ? "" : target);
        progress_step(&r->progress, (int)i + 1, s->seconds, en, ja);
        int rc = make_step(r, s, err);
        if (rc < 0) {
            err_prefix(err, "%s: ", en);
            return run_stopped_by ? 0 : rc;
        }
    }
    return 0;
}

/* ---- the end ---- */

static void close_targets(struct run *r)
{
    for (size_t i = 0; i < r->o->targets_n; i++)
        if (r->targets[i]) {
            run_folder_log(&r->folder, "stopping %s", r->o->targets[i]);
            target_close(&r->targets[i]);
        }
}

static enum run_exit exit_of(const struct run *r)
{
    if (run_stopped_by)
        return RUN_STOPPED;
    if (!facts_is(r->report, "state", "complete"))
        return RUN_IMPOSSIBLE;
    return facts_is(r->report, "verdict", "pass") ? RUN_PASS : RUN_FAIL;
}

static enum run_exit finish(struct run *r, int rc, const struct err *failure)
{
    struct stages_reason why = {.en = ""};
    char reason[600];
    const char *state = run_stopped_by ? "incomplete" : rc < 0 ? "failed" : "complete";
    struct err err;
    snprintf(reason, sizeof(reason), "%s", failure->message);
    if (run_stopped_by) {
        run_stop_why(r->folder.path, &why);
        snprintf(reason, sizeof(reason), "%s", why.en);
    } else if (rc >= 0 && r->trials == 0) {
        state = "failed";
        snprintf(reason, sizeof(reason), "no test of the profile could be made on the target%s",
                 r->o->targets_n > 1 ? "s" : "");
    }
    bool is_complete = strcmp(state, "complete") == 0;
    facts_set_text(r->report, "state", state);
    if (is_complete)
        facts_set(r->report, "reason", cJSON_CreateNull());
    else
        facts_set_sentence(r->report, "reason", reason, run_stopped_by ? why.ja : reason);
    set_now(r->report, "ended_at");
    report_conclude(r->report);
    fflush(r->folder.samples);
    run_folder_log(&r->folder, "%s: %s", state, reason);
    if (report_write(r->folder.path, r->report, &err) < 0) {
        progress_print(&r->progress, "azekura-bench: %s", err.message);
        state = "failed";
    }
    progress_print(&r->progress, "%s", facts_sentence(r->report, "answer", FACTS_EN));
    progress_print(&r->progress, "report: %s/report.html", r->folder.path);
    progress_state(&r->progress, state, is_complete ? NULL : reason);
    if (r->o->has_json) {
        char *text = cJSON_Print(r->report);
        puts(text ? text : "null");
        cJSON_free(text);
    }
    if (r->o->is_quiet && strcmp(state, "failed") == 0)
        fprintf(stderr, "azekura-bench: %s\n", reason);
    return strcmp(state, "failed") == 0 ? RUN_IMPOSSIBLE : exit_of(r);
}

static enum run_exit run_in_folder(struct run *r)
{
    struct err err = {.message = ""};
    progress_init(&r->progress, &r->folder, r->o->profile->name, r->o->is_quiet);
    r->progress.total_s = r->plan.seconds;
    r->progress.steps = (int)r->plan.n;
    r->report = new_report(r);
    facts_set(r->report, "calibrations", cJSON_CreateArray());
    run_rival_open(&r->rival);
    if (r->rival.pid) {
        char process[40] = "";
        if (r->rival.pid > 0)
            snprintf(process, sizeof(process), " (process %d)", r->rival.pid);
        progress_print(&r->progress,
                       "warning: another benchmark%s is at work on this machine; what both measure "
                       "meanwhile is invalid",
                       process);
    }
    run_folder_log(&r->folder, "azekura-bench %s: %s", AZEKURA_VERSION, r->o->command);
    keep_report(r);
    int rc = check_space(r, &err);
    if (rc == 0)
        rc = open_targets(r, &err);
    if (rc >= 0 && !run_stopped_by) {
        probe_before(r);
        rc = make_all(r, &err);
        progress_step(&r->progress, r->progress.steps, 0, "writing the report",
                      "レポートを作成しています");
        if (rc >= 0)
            probe_after(r);
    }
    close_targets(r);
    enum run_exit code = finish(r, rc, &err);
    run_rival_close(&r->rival);
    cJSON_Delete(r->report);
    return code;
}

enum run_exit run_profile(const struct run_options *o)
{
    struct run r = {.o = o};
    struct err err;
    run_stop_catch();
    (void)target_sweep(o->out, o->share_dir);
    if (run_folder_open(o->out, o->id, o->profile->name, &r.folder, &err) < 0) {
        fprintf(stderr, "azekura-bench: %s\n", err.message);
        return strcmp(err.code, "bad_value") == 0 ? RUN_USAGE : RUN_IMPOSSIBLE;
    }
    plan_make(o->profile, o->targets, o->targets_n, &r.plan);
    enum run_exit code = run_in_folder(&r);
    plan_free(&r.plan);
    run_folder_close(&r.folder);
    return code;
}
