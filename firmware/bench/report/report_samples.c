#include "bench/report/report_samples.h"

#include <fcntl.h>
#include <math.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bench/csv.h"

static const char *const names[SAMPLES_COLUMNS] = {
    [SAMPLES_OFFERED] = "scheduled",
    [SAMPLES_SENT] = "sent",
    [SAMPLES_STORED] = "stored",
    [SAMPLES_DROPPED] = "kernel_dropped",
    [SAMPLES_REFUSED] = "refused",
    [SAMPLES_QUEUED] = "queued",
    [SAMPLES_P50_US] = "latency_p50_us",
    [SAMPLES_P99_US] = "latency_p99_us",
    [SAMPLES_LOAD1] = "load1",
    [SAMPLES_LOAD5] = "load5",
    [SAMPLES_LOAD15] = "load15",
    [SAMPLES_CPU_SYSLOG] = "cpu_syslog",
    [SAMPLES_CPU_DATABASE] = "cpu_database",
    [SAMPLES_CPU_GENERATOR] = "cpu_generator",
    [SAMPLES_CPU_HOST] = "cpu_host",
    [SAMPLES_CPU_FOREIGN] = "cpu_foreign",
    [SAMPLES_CPU_STEAL] = "cpu_steal",
    [SAMPLES_MEMORY_SYSLOG] = "memory_syslog_bytes",
    [SAMPLES_MEMORY_DATABASE] = "memory_database_bytes",
    [SAMPLES_DISK_WRITE] = "disk_write_bytes_s",
};

/* A sample over less is no second: at the end of a trial it may be some milliseconds, and its rates
 * and shares anything. */
#define SHORTEST_S 0.5

struct reading {
    int trial_at, at_at, columns[SAMPLES_COLUMNS];
    /* of the same trial before: totals, and when each was last known */
    int trial;
    double at;
    double totals[SAMPLES_REFUSED + 1], known_at[SAMPLES_REFUSED + 1];
};

static void start(struct reading *r, const struct csv_reader *header)
{
    r->trial_at = csv_find(header, "trial");
    r->at_at = csv_find(header, "at_s");
    for (int c = 0; c < SAMPLES_COLUMNS; c++)
        r->columns[c] = csv_find(header, names[c]);
    r->trial = -1;
}

static void take(struct reading *r, const struct csv_reader *in, struct samples_row *row)
{
    double trial = csv_value(in, r->trial_at), at = csv_value(in, r->at_at);
    row->trial = trial >= 0 && trial <= 1e9 ? (int)trial : -1;
    row->at_s = (float)at;
    if (row->trial != r->trial) { /* it begins at 0 */
        r->trial = row->trial;
        r->at = 0;
        memset(r->totals, 0, sizeof(r->totals));
        memset(r->known_at, 0, sizeof(r->known_at));
    }
    for (int c = 0; c < SAMPLES_COLUMNS; c++) {
        double v = csv_value(in, r->columns[c]);
        if (c <= SAMPLES_REFUSED) {
            double before = r->totals[c], seconds = at - r->known_at[c];
            if (!isnan(v) && seconds >= SHORTEST_S) {
                r->totals[c] = v;
                r->known_at[c] = at;
            }
            /* a total that shrank was begun anew: a gap, not a negative rate */
            v = seconds >= SHORTEST_S && v >= before ? (v - before) / seconds : NAN;
        } else if (c >= SAMPLES_CPU_SYSLOG && at - r->at < SHORTEST_S)
            v = NAN;
        row->v[c] = (float)v;
    }
    r->at = isnan(at) ? r->at : at;
}

int samples_parse(struct view text, struct samples *ret, struct err *err)
{
    struct csv_reader in = {.rest = text};
    struct reading r;
    struct samples s = {0};
    size_t room = 0;
    int has = csv_next(&in, err);
    if (has > 0)
        start(&r, &in);
    while (has > 0 && (has = csv_next(&in, err)) > 0) {
        if (s.n == SAMPLES_MAX) {
            s.left_out++;
            continue;
        }
        if (s.n == room) {
            room = room ? room * 2 : 256;
            s.rows = xrealloc(s.rows, room, sizeof(*s.rows));
        }
        take(&r, &in, &s.rows[s.n++]);
    }
    csv_reader_done(&in);
    if (has < 0) {
        samples_free(&s);
        return has;
    }
    *ret = s;
    return 0;
}

static int parse_file(int fd, const char *path, struct samples *ret, struct err *err)
{
    struct stat st;
    if (fstat(fd, &st) < 0)
        return err_set(err, errno, "io", "%s: %s", path, strerror(errno));
    if (!S_ISREG(st.st_mode))
        return err_set(err, EINVAL, "bad_value", "%s is not a file", path);
    if (st.st_size > (off_t)SAMPLES_MAX_BYTES)
        return err_set(err, EFBIG, "too_large", "%s has %lld bytes, at most %u are read", path,
                       (long long)st.st_size, SAMPLES_MAX_BYTES);
    if (st.st_size == 0)
        return 0;
    void *p = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
    if (p == MAP_FAILED)
        return err_set(err, errno, "io", "%s: %s", path, strerror(errno));
    int rc = samples_parse(view_of(p, (size_t)st.st_size), ret, err);
    munmap(p, (size_t)st.st_size);
    if (rc < 0)
        err_prefix(err, "%s: ", path);
    return rc;
}

int samples_read(const char *path, struct samples *ret, struct err *err)
{
    *ret = (struct samples){0};
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    if (fd < 0 && errno == ENOENT)
        return 0;
    if (fd < 0)
        return err_set(err, errno, "io", "%s: %s", path, strerror(errno));
    int rc = parse_file(fd, path, ret, err);
    close(fd);
    return rc;
}

void samples_free(struct samples *s)
{
    free(s->rows);
    *s = (struct samples){0};
}

size_t samples_values(const struct samples *s, size_t from, size_t to, enum samples_column column,
                      double *ret)
{
    size_t n = 0;
    for (size_t i = from; i < to; i++)
        if (!isnan(s->rows[i].v[column]))
            ret[n++] = s->rows[i].v[column];
    return n;
}

size_t samples_end(const struct samples *s, size_t from)
{
    size_t end = from;
    while (end < s->n && s->rows[end].trial == s->rows[from].trial)
        end++;
    return end;
}
