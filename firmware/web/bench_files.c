/* What a benchmark run has written: its samples second by second, its files, two runs compared. */
#include "web/handlers.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "web/bench_profiles.h"
#include "web/bench_runs.h"
#include "web/bench_samples.h"
#include "web/bench_watch.h"
#include "web/body.h"
#include "web/json.h"
#include "web/params.h"

#define SAMPLES_DEFAULT 1000
#define SAMPLES_MAX 5000
#define ANSWER_MAX_BYTES (8u << 20)
#define DOWNLOAD_MAX_BYTES (256 << 20) /* a file that is larger breaks off */
#define HEADERS_MAX 512
#define BUSY_WAIT_S 5

void bench_samples(struct request *rq)
{
    struct params p;
    struct err err;
    struct bench_run run = {-1, -1};
    params_parse(&p, &rq->arena, rq->query_string);
    int64_t after = params_int(&p, "after", 0, INT64_MAX / 2, 0);
    int limit = (int)params_int(&p, "limit", 1, SAMPLES_MAX, SAMPLES_DEFAULT);
    int rc = params_done(&p, &err);
    struct buf body = BUF_INIT(ANSWER_MAX_BYTES);
    struct json j = JSON_INIT(&body);
    if (rc == 0)
        rc = bench_runs_open(rq, rq->id, &run, &err);
    if (rc == 0) {
        int fd = bench_folder_file(run.dir, "samples.csv", &err);
        rc = fd;
        /* before its first second a run has none */
        if (fd >= 0 || fd == -ENOENT)
            rc = bench_samples_add(&j, fd, after, limit, &err);
        if (fd >= 0)
            close(fd);
    }
    bench_runs_close(&run);
    if (rc < 0) {
        buf_free(&body);
        reply_err(rq, rc, &err);
        return;
    }
    reply_json(rq, 200, NULL, &body);
}

/* ---- files ---- */

/* A page of another program in an origin of its own, without scripts, links and forms: it is told
 * to be saved, and opened here by a trick it can still do nothing. */
#define SANDBOX                                                                                 \
    "Content-Security-Policy: sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src " \
    "data:"                                                                                     \
    "\r\n"

static const struct {
    const char *name, *type, *headers;
} files[] = {
    {"report.html", "text/html; charset=utf-8", SANDBOX},
    {"report.txt", "text/plain; charset=utf-8", ""},
    {"report.json", "application/json", ""},
    {"results.csv", "text/csv; charset=utf-8", ""},
    {"results_ext.csv", "text/csv; charset=utf-8", ""},
    {"samples.csv", "text/csv; charset=utf-8", ""},
};

static void send_file(struct request *rq, int fd, size_t file)
{
    char headers[HEADERS_MAX];
    int64_t sent = 0;
    snprintf(headers, sizeof(headers), "Content-Disposition: attachment; filename=\"%s_%s\"\r\n%s",
             rq->id, files[file].name, files[file].headers);
    int rc = reply_stream(rq, files[file].type, headers);
    while (rc == 0) {
        char part[16384];
        ssize_t n = read(fd, part, sizeof(part));
        sent += n > 0 ? n : 0;
        if (n < 0 || sent > DOWNLOAD_MAX_BYTES)
            return; /* breaks off, and is seen to be incomplete */
        if (n == 0)
            break;
        rc = reply_chunk(rq, view_of(part, (size_t)n));
    }
    if (rc == 0)
        (void)!reply_stream_end(rq);
}

void bench_file(struct request *rq)
{
    struct bench_run run;
    struct err err;
    size_t file = 0;
    const char *name = strrchr(rq->path, '/') + 1;
    while (strcmp(files[file].name, name) != 0) /* a route each: it is one of them */
        CHECK(++file < ARRAY_LEN(files));
    int rc = bench_runs_open(rq, rq->id, &run, &err);
    int fd = rc < 0 ? rc : bench_folder_file(run.dir, name, &err);
    bench_runs_close(&run);
    if (fd < 0) {
        reply_err(rq, fd, &err);
        return;
    }
    if (gate_enter(&rq->web->bench_downloads, WEB_BENCH_DOWNLOADS_MAX)) {
        send_file(rq, fd, file);
        gate_leave(&rq->web->bench_downloads);
    } else {
        (void)err_set(&err, EBUSY, "busy",
                      "%d files of benchmarks are being sent; try again in %d s",
                      WEB_BENCH_DOWNLOADS_MAX, BUSY_WAIT_S);
        reply_too_many(rq, BUSY_WAIT_S, &err);
    }
    close(fd);
}

/* ---- two runs ---- */

/* The folder of a run that has a report. */
static int folder_of(struct request *rq, const char *field, const char *id, const char **ret,
                     struct err *err)
{
    struct bench_run run;
    if (!id)
        return err_set_field(err, EINVAL, "bad_value", field, "%s: it must be there, a run's id",
                             field);
    int rc = bench_runs_open(rq, id, &run, err);
    if (rc < 0)
        return rc;
    int fd = bench_folder_file(run.dir, "report.json", err);
    bench_runs_close(&run);
    if (fd < 0)
        return fd;
    close(fd);
    char *path = xasprintf("%s/%s", bench_watch_home(rq->web->bench), id);
    *ret = arena_strdup(&rq->arena, view_str(path));
    free(path);
    return 0;
}

void bench_compare(struct request *rq)
{
    struct params p;
    struct err err;
    const char *folder[2];
    struct bench_args args = {.n = 0};
    params_parse(&p, &rq->arena, rq->query_string);
    const char *a = params_text(&p, "a", BENCH_ID_MAX, NULL);
    const char *b = params_text(&p, "b", BENCH_ID_MAX, NULL);
    int rc = params_done(&p, &err);
    if (rc == 0)
        rc = folder_of(rq, "a", a, &folder[0], &err);
    if (rc == 0)
        rc = folder_of(rq, "b", b, &folder[1], &err);
    if (rc < 0) {
        reply_err(rq, rc, &err);
        return;
    }
    bench_args_add(&args, bench_watch_program(rq->web->bench));
    bench_args_add(&args, "compare");
    bench_args_add(&args, folder[0]);
    bench_args_add(&args, folder[1]);
    bench_args_add(&args, "--json");
    cJSON *answer = bench_ask(rq, &args, BENCH_REPORT_MAX_BYTES, EEXIST);
    if (cJSON_IsObject(answer)) {
        body_reply(rq, 200, answer);
    } else if (answer) {
        cJSON_Delete(answer);
        reply_error(rq, 500, "cannot_run", "",
                    "azekura-bench compare did not answer with an object");
    }
}
