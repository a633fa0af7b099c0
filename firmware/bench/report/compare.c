/* The document of a comparison, and the command. */
#include "bench/report/compare.h"

#include <getopt.h>
#include <limits.h>
#include <math.h>
#include <unistd.h>

#include "bench/facts.h"
#include "bench/figure.h"
#include "bench/report/report.h"
#include "bench/report/report_parts.h"

/* ---- rows and the answer ---- */

struct collecting {
    cJSON *rows;
    struct answer best;
    enum compare_subject best_subject;
    double best_change; /* |log of the ratio| */
    int n;
};

static bool is_noise(const struct compare_row *r)
{
    double difference = fabs(r->a - r->b);
    if (difference == 0)
        return true;
    if (isnan(r->noise))
        return difference <= COMPARE_DRIFT * MAX(fabs(r->a), fabs(r->b));
    return difference < r->noise;
}

static double change_of(const struct compare_row *r)
{
    return r->a > 0 && r->b > 0 ? fabs(log(r->b / r->a)) : INFINITY;
}

static struct figure value_of(const struct compare_row *r, double v)
{
    if (strcmp(r->unit, "%") == 0)
        return r->subject == COMPARE_LOSS ? figure_loss(v) : figure_percent(v);
    if (strcmp(r->unit, "messages/s") == 0)
        return figure_rate(v < 1000 ? v : answer_about(v));
    return figure_decimals(v, fabs(v) < 100 ? 2 : 0);
}

static void speak_of(struct collecting *c, const struct compare_row *r)
{
    double change = change_of(r);
    bool is_first = buf_view(&c->best.en).n == 0;
    if (!is_first && (r->subject > c->best_subject ||
                      (r->subject == c->best_subject && change <= c->best_change)))
        return;
    bool is_better = (r->b > r->a) == r->is_greater_better;
    bool has_unit = strcmp(r->unit, "%") != 0;
    struct figure a = value_of(r, r->a), b = value_of(r, r->b),
                  ratio = figure_ratio(r->a > 0 ? r->b / r->a : NAN);
    buf_clear(&c->best.en);
    buf_clear(&c->best.ja);
    buf_printf(&c->best.en, "B is %s: %s, %s instead of %s%s%s", is_better ? "better" : "worse",
               r->name.en, b.s, a.s, has_unit ? " " : "", has_unit ? r->unit : "");
    buf_printf(&c->best.ja, "B の方が%s結果です: %s %s → %s%s%s", is_better ? "良い" : "悪い",
               r->name.ja, a.s, b.s, has_unit ? " " : "",
               strcmp(r->unit, "messages/s") == 0 ? "件/秒"
               : has_unit                         ? r->unit
                                                  : "");
    if (r->a > 0 && r->b > 0) {
        buf_printf(&c->best.en, " (%s)", ratio.s);
        buf_printf(&c->best.ja, " (%s)", ratio.s);
    }
    c->best_subject = r->subject;
    c->best_change = change;
}

static void take_row(void *context, const struct compare_row *r)
{
    struct collecting *c = context;
    bool noise = is_noise(r);
    cJSON *row = cJSON_CreateObject();
    CHECK(row && cJSON_AddItemToArray(c->rows, row));
    facts_set_sentence(row, "name", r->name.en, r->name.ja);
    facts_set_text(row, "unit", r->unit);
    facts_set_number(row, "a", r->a);
    facts_set_number(row, "b", r->b);
    facts_set_number(row, "ratio", r->a > 0 ? r->b / r->a : NAN);
    facts_set_number(row, "noise", r->noise);
    facts_set(row, "is_noise", cJSON_CreateBool(noise));
    facts_set(row, "is_better",
              noise ? cJSON_CreateNull() : cJSON_CreateBool((r->b > r->a) == r->is_greater_better));
    c->n++;
    if (!noise)
        speak_of(c, r);
}

/* ---- what makes a comparison doubtful ---- */

static void warn(cJSON *warnings, const char *en, const char *ja)
{
    CHECK(cJSON_AddItemToArray(warnings, facts_sentence_new(en, ja)));
}

static void text_of(const cJSON *o, const char *path, char out[160])
{
    const cJSON *v = facts_get(o, path);
    if (cJSON_IsNumber(v) && strstr(path, "bytes"))
        snprintf(out, 160, "%s", figure_bytes(v->valuedouble).s);
    else if (cJSON_IsNumber(v))
        snprintf(out, 160, "%.6g", v->valuedouble);
    else
        snprintf(out, 160, "%.150s", *facts_text(o, path) ? facts_text(o, path) : "?");
}

static void warn_of_differences(const cJSON *a, const cJSON *b, cJSON *warnings)
{
    static const struct {
        const char *path;
        struct words name;
    } of[] = {
        {"profile", {"profiles", "プロファイル"}},
        {"version", {"versions", "バージョン"}},
        {"machine.name", {"machines", "マシン"}},
        {"machine.cpu", {"CPUs", "CPU"}},
        {"machine.cores", {"hardware threads", "ハードウェアスレッド数"}},
        {"machine.memory_bytes", {"memory sizes", "メモリ容量"}},
        {"machine.kernel", {"kernels", "カーネル"}},
        {"machine.disk", {"disks", "ディスク"}},
        {"machine.file_system", {"file systems", "ファイルシステム"}},
    };
    for (size_t i = 0; i < ARRAY_LEN(of); i++) {
        char x[160], y[160], en[512], ja[512];
        text_of(a, of[i].path, x);
        text_of(b, of[i].path, y);
        if (strcmp(x, y) == 0)
            continue;
        snprintf(en, sizeof(en), "The %s differ: %s and %s", of[i].name.en, x, y);
        snprintf(ja, sizeof(ja), "%sが異なります: %s と %s", of[i].name.ja, x, y);
        warn(warnings, en, ja);
    }
}

static void warn_of_targets(const cJSON *a, const cJSON *b, cJSON *warnings)
{
    const char *x = facts_first_target(a), *y = facts_first_target(b);
    char en[512], ja[512];
    if (strcmp(x, y) == 0) {
        x = facts_text(facts_target(a, x), "version");
        y = facts_text(facts_target(b, y), "version");
        if (strcmp(x, y) == 0 ||
            (strcmp(x, facts_text(a, "version")) == 0 && strcmp(y, facts_text(b, "version")) == 0))
            return;
    }
    snprintf(en, sizeof(en), "The targets differ: %.150s and %.150s", x, y);
    snprintf(ja, sizeof(ja), "対象が異なります: %.150s と %.150s", x, y);
    warn(warnings, en, ja);
}

static void warn_of_speed(const cJSON *a, const cJSON *b, cJSON *warnings)
{
    double x = facts_number(a, "speed.before.compute_ops_s"),
           y = facts_number(b, "speed.before.compute_ops_s");
    char en[256], ja[256];
    if (isnan(x) || isnan(y) || fabs(x - y) <= COMPARE_DRIFT * MAX(x, y))
        return;
    snprintf(en, sizeof(en), "The machine computed at %s of its speed of A when B ran",
             figure_percent(y / x * 100).s);
    snprintf(ja, sizeof(ja), "B の実行時、マシンの計算速度は A のときの %s でした",
             figure_percent(y / x * 100).s);
    warn(warnings, en, ja);
}

static void warn_of_state(const cJSON *r, const char *name, cJSON *warnings)
{
    char en[256], ja[256];
    if (!facts_is(r, "state", "complete")) {
        snprintf(en, sizeof(en), "%s is not complete", name);
        snprintf(ja, sizeof(ja), "%s は最後まで実行されていません", name);
        warn(warnings, en, ja);
    } else if (facts_is(r, "verdict", "invalid")) {
        snprintf(en, sizeof(en), "%s is not valid", name);
        snprintf(ja, sizeof(ja), "%s は無効です", name);
        warn(warnings, en, ja);
    }
}

/* ---- the document ---- */

static cJSON *side_new(const cJSON *r)
{
    static const char *const members[] = {"id",     "title",      "profile",  "command",
                                          "state",  "started_at", "ended_at", "verdict",
                                          "answer", "version",    "machine",  "targets"};
    cJSON *side = cJSON_CreateObject();
    CHECK(side);
    for (size_t i = 0; i < ARRAY_LEN(members); i++) {
        const cJSON *v = facts_get(r, members[i]);
        if (v)
            facts_set(side, members[i], cJSON_Duplicate(v, true));
    }
    return side;
}

static void conclude(cJSON *document, struct collecting *c)
{
    char en[128], ja[128];
    if (buf_view(&c->best.en).n > 0) {
        facts_set_sentence(document, "answer", buf_str(&c->best.en), buf_str(&c->best.ja));
        return;
    }
    if (c->n == 0) {
        facts_set_sentence(document, "answer",
                           "Nothing can be compared: no load has a valid measurement in both runs",
                           "比較できません: 両方で有効に測定された負荷がありません");
        return;
    }
    snprintf(en, sizeof(en), "No difference beyond noise in %d figures", c->n);
    snprintf(ja, sizeof(ja), "%d 項目のいずれにも、ばらつきを超える差はありません", c->n);
    facts_set_sentence(document, "answer", en, ja);
}

cJSON *report_compare(const cJSON *a, const cJSON *b)
{
    cJSON *document = cJSON_CreateObject(), *warnings = cJSON_CreateArray();
    struct collecting c = {.rows = cJSON_CreateArray()};
    CHECK(document && warnings && c.rows);
    answer_init(&c.best);
    facts_set(document, "a", side_new(a));
    facts_set(document, "b", side_new(b));
    compare_rows(a, b, take_row, &c);
    facts_set(document, "rows", c.rows);
    conclude(document, &c);
    answer_done(&c.best);
    warn_of_state(a, "A", warnings);
    warn_of_state(b, "B", warnings);
    warn_of_differences(a, b, warnings);
    warn_of_targets(a, b, warnings);
    warn_of_speed(a, b, warnings);
    facts_set(document, "warnings", warnings);
    return document;
}

/* ---- the command ---- */

static const char usage[] =
    "azekura-bench compare: two runs side by side, with ratios and noise\n\n"
    "usage: azekura-bench compare A B [--json] [--html FILE]\n\n"
    "  --json       the comparison as JSON on standard output\n"
    "  --html FILE  as a page of its own\n"
    "  -h, --help   this text\n\n"
    "A and B are folders of runs; ratios are B to A. Exit code: 0 compared, 2 wrong usage, 3 one "
    "has no report.\n";

static int read_run(const char *dir, cJSON **ret, struct err *err)
{
    char path[PATH_MAX];
    struct samples samples;
    struct err doubt;
    int rc = report_read(dir, ret, err);
    if (rc < 0)
        return rc;
    snprintf(path, sizeof(path), "%s/samples.csv", dir);
    if (samples_read(path, &samples, &doubt) < 0)
        fprintf(stderr, "azekura-bench: %s; its noise is not known\n", doubt.message);
    else
        compare_add_noise(*ret, &samples);
    samples_free(&samples);
    return 0;
}

static int write_page(const char *path, const cJSON *document, struct err *err)
{
    struct buf out = BUF_INIT(REPORT_MAX_BYTES);
    compare_html(document, &out);
    FILE *f = fopen(path, "we");
    bool is_written = f && fwrite(buf_view(&out).p, 1, out.n, f) == out.n;
    int error = errno;
    if (f && fclose(f) != 0) {
        is_written = false;
        error = errno;
    }
    buf_free(&out);
    return is_written ? 0
                      : err_set(err, error ? error : EIO, "io", "%s: %s", path, strerror(error));
}

static int show(const cJSON *document, bool is_json, const char *page, struct err *err)
{
    struct buf out = BUF_INIT(REPORT_MAX_BYTES);
    int rc = page ? write_page(page, document, err) : 0;
    if (rc == 0 && is_json) {
        char *json = cJSON_Print(document);
        CHECK(json);
        buf_add_str(&out, json);
        buf_add_char(&out, '\n');
        cJSON_free(json);
    } else if (rc == 0 && !page)
        compare_text(document, &out);
    if (rc == 0 && (fwrite(buf_view(&out).p, 1, out.n, stdout) != out.n || fflush(stdout) != 0))
        rc = err_set(err, EIO, "io", "standard output: %s", strerror(errno));
    buf_free(&out);
    return rc;
}

int compare_command(int argc, char **argv)
{
    static const struct option options[] = {{"json", no_argument, NULL, 'j'},
                                            {"html", required_argument, NULL, 'p'},
                                            {"help", no_argument, NULL, 'h'},
                                            {NULL, 0, NULL, 0}};
    bool is_json = false;
    const char *page = NULL;
    struct err err = {0};
    cJSON *a = NULL, *b = NULL;
    int o;
    optind = 0;
    while ((o = getopt_long(argc, argv, "h", options, NULL)) != -1) {
        if (o == 'h') {
            fputs(usage, stdout);
            return 0;
        }
        if (o == '?')
            return 2;
        if (o == 'j')
            is_json = true;
        else
            page = optarg;
    }
    if (optind + 2 != argc) {
        fprintf(stderr, "azekura-bench compare: two folders are expected\n\n%s", usage);
        return 2;
    }
    int rc = read_run(argv[optind], &a, &err);
    if (rc == 0)
        rc = read_run(argv[optind + 1], &b, &err);
    if (rc == 0) {
        cJSON *document = report_compare(a, b);
        rc = show(document, is_json, page, &err);
        cJSON_Delete(document);
    }
    cJSON_Delete(a);
    cJSON_Delete(b);
    if (rc < 0)
        fprintf(stderr, "azekura-bench: %s\n", err.message);
    return rc < 0 ? 3 : 0;
}
