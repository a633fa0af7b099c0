/* The folder of a run: lock, log, samples, status. */
#include "bench/run/run_folder.h"

#include <fcntl.h>
#include <math.h>
#include <stdarg.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "bench/facts.h"

#define SAME_SECOND_MAX 100

bool run_folder_id_is_valid(const char *id)
{
    static const char allowed[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-";
    size_t n = strlen(id);
    return n > 0 && n < RUN_FOLDER_ID_MAX && id[0] != '.' && strspn(id, allowed) == n;
}

static int make_out(const char *out, struct err *err)
{
    char *path = xstrdup(out);
    int rc = 0;
    for (char *p = path + 1; rc == 0; p++) {
        char c = *p;
        if (c != '/' && c != 0)
            continue;
        *p = 0;
        if (mkdir(path, 0755) < 0 && errno != EEXIST)
            rc = err_set(err, errno, "cannot_write",
                         "cannot make the folder %s: %s; choose another with --out", path,
                         strerror(errno));
        *p = c;
        if (c == 0)
            break;
    }
    free(path);
    return rc;
}

/* By the local clock, as people look for it. */
static void default_id(const char *profile, int number, char ret[RUN_FOLDER_ID_MAX])
{
    time_t now = time(NULL);
    struct tm tm;
    char date[32];
    localtime_r(&now, &tm);
    strftime(date, sizeof(date), "%Y-%m-%d_%H-%M-%S", &tm);
    if (number > 1)
        snprintf(ret, RUN_FOLDER_ID_MAX, "%s_%.32s_%d", date, profile, number);
    else
        snprintf(ret, RUN_FOLDER_ID_MAX, "%s_%.32s", date, profile);
}

static int make_folder(const char *out, const char *id, const char *profile, struct run_folder *f,
                       struct err *err)
{
    for (int i = 1; i <= SAME_SECOND_MAX; i++) {
        if (id)
            snprintf(f->id, sizeof(f->id), "%s", id);
        else
            default_id(profile, i, f->id);
        char *path = xasprintf("%s/%s", out, f->id);
        if (mkdir(path, 0755) == 0) {
            f->path = realpath(path, NULL);
            free(path);
            return f->path ? 0
                           : err_set(err, errno, "cannot_write", "cannot find %s/%s: %s", out,
                                     f->id, strerror(errno));
        }
        int error = errno;
        if (error == EEXIST && id) {
            free(path);
            return err_set_field(err, EEXIST, "exists", "id",
                                 "there is a run %s/%s already: choose another --id, or none", out,
                                 id);
        }
        if (error != EEXIST) {
            err_set(err, error, "cannot_write",
                    "cannot make the folder %s: %s; choose another with --out", path,
                    strerror(error));
            free(path);
            return -error;
        }
        free(path);
    }
    return err_set(err, EEXIST, "cannot_write", "%s has %d runs of this second already", out,
                   SAME_SECOND_MAX);
}

static int open_in(const struct run_folder *f, const char *name)
{
    char *path = xasprintf("%s/%s", f->path, name);
    int fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0644);
    free(path);
    return fd;
}

static int take_lock(struct run_folder *f)
{
    struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    f->lock_fd = open_in(f, "lock");
    return f->lock_fd < 0 || fcntl(f->lock_fd, F_SETLK, &whole) < 0 ? -errno : 0;
}

int run_folder_open(const char *out, const char *id, const char *profile, struct run_folder *ret,
                    struct err *err)
{
    struct run_folder f = {.lock_fd = -1};
    int rc;
    if (id && !run_folder_id_is_valid(id))
        return err_set_field(err, EINVAL, "bad_value", "id",
                             "--id %s: 1 to %d letters, digits, '.', '_' and '-', not beginning "
                             "with '.'",
                             id, RUN_FOLDER_ID_MAX - 1);
    if ((rc = make_out(out, err)) < 0 || (rc = make_folder(out, id, profile, &f, err)) < 0)
        return rc;
    int samples = -1, log = -1;
    if ((rc = take_lock(&f)) == 0 &&
        ((samples = open_in(&f, "samples.csv")) < 0 || (log = open_in(&f, "log")) < 0))
        rc = -errno;
    f.samples = samples >= 0 ? fdopen(samples, "w") : NULL;
    f.log = log >= 0 ? fdopen(log, "w") : NULL;
    if (rc < 0 || !f.samples || !f.log) {
        rc = rc < 0 ? rc : -ENOMEM;
        err_set(err, -rc, "cannot_write", "cannot write in %s: %s", f.path, strerror(-rc));
        run_folder_close(&f);
        return rc;
    }
    setvbuf(f.log, NULL, _IOLBF, 0);
    fputs("trial,at_s,scheduled,sent,send_errors,kernel_dropped,received,refused,queued,stored,"
          "latency_p50_us,latency_p99_us,load1,load5,load15,cpu_syslog,cpu_database,cpu_generator,"
          "cpu_host,cpu_foreign,cpu_steal,memory_syslog_bytes,memory_database_bytes,"
          "disk_write_bytes_s\n",
          f.samples);
    *ret = f;
    return 0;
}

void run_folder_close(struct run_folder *f)
{
    if (f->samples)
        fclose(f->samples);
    if (f->log)
        fclose(f->log);
    if (f->lock_fd >= 0)
        close(f->lock_fd);
    cJSON_Delete(f->last_sample);
    free(f->path);
    *f = (struct run_folder){.lock_fd = -1};
}

void run_folder_log(struct run_folder *f, const char *fmt, ...)
{
    char when[RFC3339_MAX];
    va_list ap;
    rfc3339_format(clock_wall_us(), when);
    fprintf(f->log, "%s ", when);
    va_start(ap, fmt);
    vfprintf(f->log, fmt, ap);
    va_end(ap);
    fputc('\n', f->log);
}

/* ---- samples ---- */

static void column(struct run_folder *f, const char *name, double value, int decimals)
{
    if (isfinite(value))
        fprintf(f->samples, ",%.*f", decimals, value);
    else
        fputc(',', f->samples);
    facts_set_number(f->last_sample, name, value);
}

static void column_n(struct run_folder *f, const char *name, int64_t n)
{
    column(f, name, n < 0 ? NAN : (double)n, 0);
}

int run_folder_sample(struct run_folder *f, int trial, const struct trial_second *s)
{
    cJSON_Delete(f->last_sample);
    f->last_sample = cJSON_CreateObject();
    fprintf(f->samples, "%d", trial);
    facts_set_number(f->last_sample, "trial", trial);
    column(f, "at_s", s->at_s, 3);
    column_n(f, "scheduled", s->load.scheduled);
    column_n(f, "sent", s->load.sent);
    column_n(f, "send_errors", s->load.errors);
    column_n(f, "kernel_dropped", s->kernel_dropped);
    column_n(f, "received", s->received);
    column_n(f, "refused", s->refused);
    column_n(f, "queued", s->queued);
    column_n(f, "stored", s->stored);
    column(f, "latency_p50_us", s->latency_p50_us, 0);
    column(f, "latency_p99_us", s->latency_p99_us, 0);
    column(f, "load1", s->sample.load1, 2);
    column(f, "load5", s->sample.load5, 2);
    column(f, "load15", s->sample.load15, 2);
    column(f, "cpu_syslog", s->sample.cpu_syslog, 2);
    column(f, "cpu_database", s->sample.cpu_database, 2);
    column(f, "cpu_generator", s->sample.cpu_generator, 2);
    column(f, "cpu_host", s->sample.cpu_host, 2);
    column(f, "cpu_foreign", s->sample.cpu_foreign, 2);
    column(f, "cpu_steal", s->sample.cpu_steal, 2);
    column(f, "memory_syslog_bytes", s->sample.syslog_bytes, 0);
    column(f, "memory_database_bytes", s->sample.database_bytes, 0);
    column(f, "disk_write_bytes_s", s->sample.write_bytes_s, 0);
    fputc('\n', f->samples);
    return fflush(f->samples) == 0 ? 0 : -errno;
}

/* ---- documents ---- */

static int write_all(int fd, const char *text)
{
    for (size_t n = strlen(text); n > 0;) {
        ssize_t done = write(fd, text, n);
        if (done < 0 && errno != EINTR)
            return -errno;
        if (done > 0) {
            text += done;
            n -= (size_t)done;
        }
    }
    return 0;
}

int run_folder_write(struct run_folder *f, const char *name, const cJSON *document)
{
    char *text = cJSON_PrintUnformatted(document);
    char *path = xasprintf("%s/%s", f->path, name), *next = xasprintf("%s/.%s.new", f->path, name);
    int fd = open(next, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0644);
    int rc = fd < 0 ? -errno : text ? write_all(fd, text) : -ENOMEM;
    if (fd >= 0 && close(fd) < 0 && rc == 0)
        rc = -errno;
    if (rc == 0 && rename(next, path) < 0)
        rc = -errno;
    if (rc < 0)
        unlink(next);
    cJSON_free(text);
    free(path);
    free(next);
    return rc;
}
