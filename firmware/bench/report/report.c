/* The files of a run: written whole and renamed, so that a reader never sees half of one. */
#include "bench/report/report.h"

#include <fcntl.h>
#include <getopt.h>
#include <limits.h>
#include <openssl/evp.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bench/facts.h"
#include "bench/report/report_parts.h"

#define SCHEMA_VERSION 1

static int path_of(const char *dir, const char *name, char out[PATH_MAX], struct err *err)
{
    int n = snprintf(out, PATH_MAX, "%s/%s", dir, name);
    if (n < 0 || n >= PATH_MAX)
        return err_set(err, ENAMETOOLONG, "bad_value", "%.100s…/%s is longer than %d bytes", dir,
                       name, PATH_MAX - 1);
    return 0;
}

/* ---- writing ---- */

static int write_all(int fd, const char *p, size_t n)
{
    while (n > 0) {
        ssize_t done = write(fd, p, n);
        if (done < 0 && errno == EINTR)
            continue;
        if (done < 0)
            return -errno;
        p += done;
        n -= (size_t)done;
    }
    return fsync(fd) < 0 ? -errno : 0;
}

static int write_file(const char *dir, const char *name, const struct buf *b, struct err *err)
{
    char path[PATH_MAX], part[PATH_MAX];
    int rc = path_of(dir, name, path, err);
    if (rc < 0)
        return rc;
    if (b->is_full)
        return err_set(err, EFBIG, "too_large", "%s would be larger than %u bytes", path,
                       REPORT_MAX_BYTES);
    int n = snprintf(part, sizeof(part), "%s.part", path);
    if (n < 0 || n >= PATH_MAX)
        return err_set(err, ENAMETOOLONG, "bad_value", "%.100s… is too long a path", path);
    int fd = open(part, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0644);
    if (fd < 0)
        return err_set(err, errno, "io", "%s: %s", part, strerror(errno));
    rc = write_all(fd, buf_view(b).p, b->n);
    if (close(fd) < 0 && rc == 0)
        rc = -errno;
    if (rc == 0 && rename(part, path) < 0)
        rc = -errno;
    if (rc < 0) {
        unlink(part);
        return err_set(err, -rc, "io", "%s: %s", path, strerror(-rc));
    }
    return 0;
}

/* ---- SHA-256 of what lies beside the report ---- */

static int hash_fd(int fd, struct report_file *f)
{
    unsigned char block[65536], digest[EVP_MAX_MD_SIZE];
    unsigned int n = 0;
    ssize_t got;
    EVP_MD_CTX *c = EVP_MD_CTX_new();
    CHECK(c && EVP_DigestInit_ex(c, EVP_sha256(), NULL) == 1);
    f->bytes = 0;
    while ((got = read(fd, block, sizeof(block))) > 0 || (got < 0 && errno == EINTR)) {
        if (got > 0)
            CHECK(EVP_DigestUpdate(c, block, (size_t)got) == 1);
        f->bytes += MAX(0, got);
    }
    CHECK(EVP_DigestFinal_ex(c, digest, &n) == 1 && n == 32);
    EVP_MD_CTX_free(c);
    for (unsigned i = 0; i < n; i++)
        snprintf(f->sha256 + 2 * i, 3, "%02x", digest[i]);
    return got < 0 ? -EIO : 0;
}

static size_t hash_files(const char *dir, struct report_file ret[REPORT_FILES_MAX])
{
    static const char *const names[] = {"report.json", "samples.csv", "results.csv",
                                        "results_ext.csv"};
    size_t n = 0;
    for (size_t i = 0; i < ARRAY_LEN(names); i++) {
        char path[PATH_MAX];
        if (path_of(dir, names[i], path, NULL) < 0)
            continue;
        int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
        if (fd < 0)
            continue;
        snprintf(ret[n].name, sizeof(ret[n].name), "%s", names[i]);
        if (hash_fd(fd, &ret[n]) == 0)
            n++;
        close(fd);
    }
    return n;
}

/* ---- the whole ---- */

enum format { FORMAT_JSON, FORMAT_CSV, FORMAT_EXT_CSV, FORMAT_HTML, FORMAT_TEXT, FORMATS };

static const struct {
    const char *name, *file;
} formats[FORMATS] = {
    [FORMAT_JSON] = {"json", "report.json"},
    [FORMAT_CSV] = {"csv", "results.csv"},
    [FORMAT_EXT_CSV] = {"ext-csv", "results_ext.csv"},
    [FORMAT_HTML] = {"html", "report.html"},
    [FORMAT_TEXT] = {"txt", "report.txt"},
};

static void render(enum format format, const struct report_view *v, struct buf *out)
{
    char *json;
    switch (format) {
    case FORMAT_JSON:
        json = cJSON_Print(v->report);
        CHECK(json);
        buf_add_str(out, json);
        buf_add_char(out, '\n');
        cJSON_free(json);
        break;
    case FORMAT_CSV:
        report_results_csv(v->report, out);
        break;
    case FORMAT_EXT_CSV:
        report_results_ext_csv(v->report, out);
        break;
    case FORMAT_HTML:
        report_html(v, out);
        break;
    case FORMAT_TEXT:
        report_text(v, out);
        break;
    case FORMATS:
        break;
    }
}

/* Samples that cannot be read make a report without graphs, not no report. */
static void read_samples(const char *dir, struct samples *ret)
{
    char path[PATH_MAX];
    struct err err;
    *ret = (struct samples){0};
    if (path_of(dir, "samples.csv", path, &err) < 0 || samples_read(path, ret, &err) < 0)
        fprintf(stderr, "azekura-bench: %s; the report has no graphs\n", err.message);
}

int report_write(const char *dir, const cJSON *report, struct err *err)
{
    struct report_file files[REPORT_FILES_MAX];
    struct samples samples;
    struct report_view v = {.report = report, .samples = &samples, .files = files};
    int rc = 0;
    read_samples(dir, &samples);
    for (int f = 0; f < FORMATS && rc == 0; f++) {
        struct buf out = BUF_INIT(REPORT_MAX_BYTES);
        if (f == FORMAT_HTML)
            v.files_n = hash_files(dir, files);
        render((enum format)f, &v, &out);
        rc = write_file(dir, formats[f].file, &out, err);
        buf_free(&out);
    }
    samples_free(&samples);
    return rc;
}

/* ---- reading ---- */

static int check_list(const cJSON *report, const char *name, const char *path, struct err *err)
{
    const cJSON *list = facts_get(report, name), *x;
    int n = 0;
    if (!list || cJSON_IsNull(list))
        return 0;
    if (!cJSON_IsArray(list))
        return err_set(err, EINVAL, "bad_value", "%s: %s is no list", path, name);
    cJSON_ArrayForEach(x, list)
    {
        if (!cJSON_IsObject(x))
            return err_set(err, EINVAL, "bad_value", "%s: %s[%d] is no object", path, name, n);
        n++;
    }
    return 0;
}

static int check(const cJSON *report, const char *path, struct err *err)
{
    double version = facts_number(report, "schema_version");
    if (!cJSON_IsObject(report))
        return err_set(err, EINVAL, "bad_value", "%s is no report: a JSON object is expected",
                       path);
    if (version != SCHEMA_VERSION)
        return err_set(err, EINVAL, "bad_value", "%s: schema_version %g cannot be read, only %d",
                       path, version, SCHEMA_VERSION);
    static const char *const lists[] = {"targets", "trials", "knees", "peers"};
    for (size_t i = 0; i < ARRAY_LEN(lists); i++) {
        int rc = check_list(report, lists[i], path, err);
        if (rc < 0)
            return rc;
    }
    int n = cJSON_GetArraySize(facts_get(report, "trials"));
    if (n > REPORT_TRIALS_MAX)
        return err_set(err, EINVAL, "too_large", "%s: %d trials, at most %d are read", path, n,
                       REPORT_TRIALS_MAX);
    return 0;
}

static int read_text(const char *path, struct buf *out, struct err *err)
{
    struct stat st;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (fd < 0)
        return err_set(err, errno, "io", "%s: %s", path, strerror(errno));
    int rc = fstat(fd, &st) < 0 ? -errno : S_ISREG(st.st_mode) ? 0 : -EISDIR;
    char block[65536];
    ssize_t got = 1;
    while (rc == 0 && got > 0) {
        got = read(fd, block, sizeof(block));
        if (got < 0)
            rc = errno == EINTR ? 0 : -errno;
        else if (got > 0)
            rc = buf_add(out, block, (size_t)got);
        if (got < 0 && rc == 0)
            got = 1;
    }
    close(fd);
    if (rc == -ENOSPC)
        return err_set(err, EFBIG, "too_large", "%s is larger than %u bytes", path,
                       REPORT_MAX_BYTES);
    if (rc < 0)
        return err_set(err, -rc, "io", "%s: %s", path, strerror(-rc));
    return 0;
}

int report_read(const char *dir, cJSON **ret, struct err *err)
{
    struct buf text = BUF_INIT(REPORT_MAX_BYTES);
    char path[PATH_MAX];
    const char *end = NULL;
    int rc = path_of(dir, "report.json", path, err);
    if (rc == 0)
        rc = read_text(path, &text, err);
    if (rc == -ENOENT)
        err_set(err, ENOENT, "not_found", "%s is not the folder of a run: %s: %s", dir, path,
                strerror(ENOENT));
    if (rc < 0) {
        buf_free(&text);
        return rc;
    }
    cJSON *report = cJSON_ParseWithLengthOpts(buf_view(&text).p, text.n, &end, false);
    if (!report)
        rc = err_set(err, EINVAL, "bad_value", "%s is not JSON: wrong at byte %zu", path,
                     end && text.p ? (size_t)(end - text.p) : (size_t)0);
    else
        rc = check(report, path, err);
    buf_free(&text);
    if (rc < 0) {
        cJSON_Delete(report);
        return rc;
    }
    *ret = report;
    return 0;
}

/* ---- the command ---- */

static const char usage[] =
    "azekura-bench report: render the report of a run again\n\n"
    "usage: azekura-bench report DIR [--format html|txt|csv|ext-csv|json]\n\n"
    "  --format F   to standard output, instead of the files in DIR\n"
    "  -h, --help   this text\n\n"
    "DIR holds report.json and samples.csv. Exit code: 0 done, 2 wrong usage, 3 DIR has no "
    "report.\n";

static int format_of(const char *name, enum format *ret)
{
    for (int f = 0; f < FORMATS; f++)
        if (strcmp(formats[f].name, name) == 0) {
            *ret = (enum format)f;
            return 0;
        }
    fprintf(stderr, "azekura-bench: --format %s: html, txt, csv, ext-csv or json is expected\n",
            name);
    return -EINVAL;
}

static int print(const char *dir, const cJSON *report, enum format format, struct err *err)
{
    struct report_file files[REPORT_FILES_MAX];
    struct samples samples;
    struct buf out = BUF_INIT(REPORT_MAX_BYTES);
    read_samples(dir, &samples);
    struct report_view v = {report, &samples, files, hash_files(dir, files)};
    int rc = 0;
    render(format, &v, &out);
    if (out.is_full)
        rc = err_set(err, EFBIG, "too_large", "the report would be larger than %u bytes",
                     REPORT_MAX_BYTES);
    else if (fwrite(buf_view(&out).p, 1, out.n, stdout) != out.n || fflush(stdout) != 0)
        rc = err_set(err, EIO, "io", "standard output: %s", strerror(errno));
    buf_free(&out);
    samples_free(&samples);
    return rc;
}

/* A run whose process was killed left the report as it was after its last trial. */
static void conclude_dead(const char *dir, cJSON *report)
{
    char path[PATH_MAX];
    struct flock l = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    struct err err;
    if (!facts_is(report, "state", "running") || path_of(dir, "lock", path, &err) < 0)
        return;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    bool lives = fd >= 0 && fcntl(fd, F_GETLK, &l) == 0 && l.l_type != F_UNLCK;
    if (fd >= 0)
        close(fd);
    if (lives)
        return;
    facts_set_text(report, "state", "incomplete");
    facts_set_sentence(
        report, "reason",
        "its process ended before it could say why: it was killed, or the machine went down",
        "プロセスが理由を残さずに終了しました(強制終了またはマシンの停止)");
    report_conclude(report);
}

int report_command(int argc, char **argv)
{
    static const struct option options[] = {{"format", required_argument, NULL, 'f'},
                                            {"help", no_argument, NULL, 'h'},
                                            {NULL, 0, NULL, 0}};
    enum format format = FORMATS;
    struct err err = {0};
    cJSON *report;
    int o;
    optind = 0;
    while ((o = getopt_long(argc, argv, "h", options, NULL)) != -1) {
        if (o == 'h') {
            fputs(usage, stdout);
            return 0;
        }
        if (o != 'f' || format_of(optarg, &format) < 0)
            return 2;
    }
    if (optind + 1 != argc) {
        fprintf(stderr, "azekura-bench report: one folder is expected\n\n%s", usage);
        return 2;
    }
    int rc = report_read(argv[optind], &report, &err);
    if (rc == 0) {
        conclude_dead(argv[optind], report);
        if (!*facts_text(report, "verdict") || !*facts_sentence(report, "answer", FACTS_EN))
            report_conclude(report);
        rc = format == FORMATS ? report_write(argv[optind], report, &err)
                               : print(argv[optind], report, format, &err);
        if (rc == 0 && format == FORMATS)
            printf("%s\nreport: %s/report.html\n", facts_sentence(report, "answer", FACTS_EN),
                   argv[optind]);
        cJSON_Delete(report);
    }
    if (rc < 0)
        fprintf(stderr, "azekura-bench: %s\n", err.message);
    return rc < 0 ? 3 : 0;
}
