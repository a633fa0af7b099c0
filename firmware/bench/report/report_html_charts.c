/* Graphs over time, a target's trials one after the other, and the curve of a knee. */
#include <math.h>

#include "bench/facts.h"
#include "bench/report/report_html.h"
#include "bench/stats.h"

#define POINTS 360       /* about one a pixel on a phone, two pixels in a column of the page */
#define TRIALS_DRAWN 200 /* of one target */
#define GAP_S 5          /* seconds without a sample: a gap, not a line */

struct timeline {
    double *x; /* 0…1 */
    double *y[SAMPLES_COLUMNS];
    size_t n;
    double mean[SAMPLES_COLUMNS], max[SAMPLES_COLUMNS]; /* of every sample */
    struct svg_mark marks[TRIALS_DRAWN];
    size_t marks_n;
    double seconds;
};

/* A run of rows of one trial. */
struct part {
    size_t from, to;
    const cJSON *trial;
    double begin_s, end_s; /* on the axis */
};

static bool shows_greatest(int column)
{
    return column == SAMPLES_DROPPED || column == SAMPLES_REFUSED || column == SAMPLES_P99_US ||
           column == SAMPLES_QUEUED;
}

/* The target's trials in the file's order, on one axis. */
static size_t parts_of(const struct report_view *v, const char *target,
                       struct part ret[TRIALS_DRAWN], double *ret_seconds)
{
    struct facts_trials trials;
    size_t n = 0;
    facts_trials_init(&trials, v->report);
    double at = 0;
    for (size_t i = 0, end; i < v->samples->n && n < TRIALS_DRAWN; i = end) {
        const struct samples_row *rows = v->samples->rows;
        end = samples_end(v->samples, i);
        const cJSON *t = facts_trials_find(&trials, rows[i].trial);
        if (!t || !facts_is(t, "target", target))
            continue;
        double seconds = rows[end - 1].at_s;
        if (!(seconds > 0))
            continue;
        ret[n++] = (struct part){i, end, t, at, at + seconds};
        at += seconds;
    }
    facts_trials_done(&trials);
    *ret_seconds = at;
    return n;
}

static void add_point(struct timeline *t, double x)
{
    t->x[t->n] = x;
    for (int c = 0; c < SAMPLES_COLUMNS; c++)
        t->y[c][t->n] = NAN;
    t->n++;
}

/* One point from the rows [from, to). */
static void add_rows(struct timeline *t, const struct samples_row *rows, size_t from, size_t to,
                     double x)
{
    add_point(t, x);
    for (int c = 0; c < SAMPLES_COLUMNS; c++) {
        double sum = 0, most = -INFINITY;
        size_t known = 0;
        for (size_t i = from; i < to; i++) {
            if (isnan(rows[i].v[c]))
                continue;
            sum += rows[i].v[c];
            most = MAX(most, rows[i].v[c]);
            known++;
        }
        if (known)
            t->y[c][t->n - 1] = shows_greatest(c) ? most : sum / (double)known;
    }
}

static void summarise(struct timeline *t, const struct samples_row *rows, const struct part *parts,
                      size_t n)
{
    for (int c = 0; c < SAMPLES_COLUMNS; c++) {
        double sum = 0, known = 0;
        t->max[c] = NAN;
        for (size_t p = 0; p < n; p++)
            for (size_t i = parts[p].from; i < parts[p].to; i++) {
                double v = rows[i].v[c];
                if (isnan(v))
                    continue;
                sum += v;
                known++;
                if (!(t->max[c] >= v))
                    t->max[c] = v;
            }
        t->mean[c] = known > 0 ? sum / known : NAN;
    }
}

static void add_mark(struct timeline *t, const struct part *p, size_t parts)
{
    struct svg_mark *m = &t->marks[t->marks_n++];
    double rate = facts_number(p->trial, "load.rate");
    m->at = p->begin_s / t->seconds;
    m->label[0] = '\0';
    if (parts > 8)
        return;
    if (rate > 0)
        snprintf(m->label, sizeof(m->label), "%.12s/s", figure_short(rate).s);
    else
        snprintf(m->label, sizeof(m->label), "%d", facts_index(p->trial, "number"));
}

static void timeline_init(struct timeline *t, const struct report_view *v, const char *target)
{
    struct part *parts = xcalloc(TRIALS_DRAWN, sizeof(*parts));
    const struct samples_row *rows = v->samples->rows;
    *t = (struct timeline){0};
    size_t n = parts_of(v, target, parts, &t->seconds), all = 0;
    for (size_t p = 0; p < n; p++)
        all += parts[p].to - parts[p].from;
    size_t step = MAX(1, (all + POINTS - 1) / POINTS), room = all * 2 + 3 * n + 2;
    t->x = xcalloc(room, sizeof(double));
    for (int c = 0; c < SAMPLES_COLUMNS; c++)
        t->y[c] = xcalloc(room, sizeof(double));
    for (size_t p = 0; p < n; p++) {
        if (n <= 40)
            add_mark(t, &parts[p], n);
        for (size_t i = parts[p].from; i < parts[p].to; i += step) {
            size_t end = MIN(i + step, parts[p].to);
            double at = parts[p].begin_s + (rows[i].at_s + rows[end - 1].at_s) / 2.0;
            bool has_gap = i > parts[p].from && rows[i].at_s - rows[i - 1].at_s > GAP_S;
            if (has_gap || (i == parts[p].from && p > 0))
                add_point(t, MIN(at, t->seconds) / t->seconds);
            add_rows(t, rows, i, end, MAX(0, MIN(at, t->seconds)) / t->seconds);
        }
    }
    summarise(t, rows, parts, n);
    free(parts);
}

static void timeline_done(struct timeline *t)
{
    free(t->x);
    for (int c = 0; c < SAMPLES_COLUMNS; c++)
        free(t->y[c]);
}

static void add_series(struct svg_chart *c, const struct timeline *t, enum samples_column column,
                       struct words name, const char *line)
{
    if (isnan(t->max[column]))
        return;
    c->series[c->series_n++] =
        (struct svg_series){name, line, t->y[column], t->mean[column], t->max[column]};
}

static struct svg_chart chart_of(const struct timeline *t, struct words title, svg_figure_fn figure,
                                 const struct words *seconds)
{
    return (struct svg_chart){.title = title,
                              .figure = figure,
                              .x = t->x,
                              .n = t->n,
                              .marks = t->marks,
                              .marks_n = t->marks_n,
                              .x_from = {"0 s", "0 秒"},
                              .x_to = *seconds,
                              .limit = NAN};
}

static void draw(const struct svg_chart *c, struct buf *out)
{
    if (c->series_n > 0)
        svg_chart(c, out);
}

static void draw_messages(const struct timeline *t, const struct words *end, struct buf *out)
{
    struct svg_chart c = chart_of(
        t, (struct words){"Messages a second", "1 秒あたりのメッセージ数"}, figure_short, end);
    add_series(&c, t, SAMPLES_OFFERED, (struct words){"offered", "予定"}, "offered");
    add_series(&c, t, SAMPLES_SENT, (struct words){"sent", "送信"}, "sent");
    add_series(&c, t, SAMPLES_STORED, (struct words){"stored", "保存"}, "stored");
    draw(&c, out);
    c = chart_of(t, (struct words){"Losses a second", "1 秒あたりの損失"}, figure_short, end);
    add_series(&c, t, SAMPLES_DROPPED,
               (struct words){"dropped by the socket's buffer", "ソケットバッファでの破棄"},
               "lost");
    add_series(&c, t, SAMPLES_REFUSED, (struct words){"refused", "拒否"}, "refused");
    c.least_max = 1;
    draw(&c, out);
}

static void draw_machine(const struct timeline *t, double cores, const struct words *end,
                         struct buf *out)
{
    struct svg_chart c =
        chart_of(t, (struct words){"CPU, % of one core", "CPU (1 コアを 100 % とする)"},
                 figure_percent, end);
    add_series(&c, t, SAMPLES_CPU_SYSLOG, (struct words){"SYSLOG", "SYSLOG"}, "syslog");
    add_series(&c, t, SAMPLES_CPU_DATABASE, (struct words){"database", "データベース"}, "database");
    add_series(&c, t, SAMPLES_CPU_GENERATOR, (struct words){"generator", "負荷生成"}, "generator");
    add_series(&c, t, SAMPLES_CPU_FOREIGN, (struct words){"others", "その他"}, "foreign");
    c.limit = cores * 100;
    c.limit_name = (struct words){"all cores", "全コア"};
    draw(&c, out);
    c = chart_of(t, (struct words){"Load average", "負荷 (ロードアベレージ)"}, figure_short, end);
    add_series(&c, t, SAMPLES_LOAD1, (struct words){"1 min", "1 分"}, "offered");
    add_series(&c, t, SAMPLES_LOAD5, (struct words){"5 min", "5 分"}, "main");
    add_series(&c, t, SAMPLES_LOAD15, (struct words){"15 min", "15 分"}, "second");
    c.limit = cores;
    c.limit_name = (struct words){"full load", "最大負荷"};
    draw(&c, out);
}

static void draw_rest(const struct timeline *t, const struct words *end, struct buf *out)
{
    struct svg_chart c = chart_of(
        t, (struct words){"From sending to findable", "送信から検索可能まで"}, figure_ms, end);
    add_series(&c, t, SAMPLES_P50_US, (struct words){"half", "半数"}, "main");
    add_series(&c, t, SAMPLES_P99_US, (struct words){"99 %", "99 %"}, "second");
    draw(&c, out);
    c = chart_of(t, (struct words){"Queued messages", "待ち行列のメッセージ数"}, figure_short, end);
    add_series(&c, t, SAMPLES_QUEUED, (struct words){"queued", "待ち行列"}, "main");
    c.least_max = 1;
    draw(&c, out);
    c = chart_of(t, (struct words){"Written to the disk a second", "1 秒あたりのディスク書き込み"},
                 figure_bytes, end);
    add_series(&c, t, SAMPLES_DISK_WRITE, (struct words){"written", "書き込み"}, "main");
    draw(&c, out);
    c = chart_of(t, (struct words){"Memory", "メモリ"}, figure_bytes, end);
    add_series(&c, t, SAMPLES_MEMORY_SYSLOG, (struct words){"SYSLOG", "SYSLOG"}, "syslog");
    add_series(&c, t, SAMPLES_MEMORY_DATABASE, (struct words){"database", "データベース"},
               "database");
    draw(&c, out);
}

static void add_target(const struct report_view *v, const char *target, bool is_open,
                       bool has_summary, struct buf *out)
{
    struct timeline *t = xcalloc(1, sizeof(*t));
    timeline_init(t, v, target);
    if (t->n > 0) {
        struct figure seconds = figure_duration(t->seconds),
                      seconds_ja = figure_duration_ja(t->seconds);
        struct words end = {seconds.s, seconds_ja.s};
        if (has_summary) {
            buf_printf(out, "<details%s><summary>", is_open ? " open" : "");
            html_text(out, target);
            buf_add_str(out, "</summary>\n");
        }
        buf_add_str(out, "<div class=\"charts\">");
        draw_messages(t, &end, out);
        draw_machine(t, facts_number(v->report, "machine.cores"), &end, out);
        draw_rest(t, &end, out);
        buf_add_str(out, has_summary ? "</div></details>\n" : "</div>\n");
    }
    timeline_done(t);
    free(t);
}

void report_html_charts(const struct report_view *v, struct buf *out)
{
    const cJSON *targets = facts_get(v->report, "targets"), *t;
    int n = 0, all = cJSON_GetArraySize(targets);
    if (v->samples->n == 0)
        return;
    report_html_heading(out, "time", (struct words){"Over time", "時間の推移"});
    cJSON_ArrayForEach(t, targets)
    {
        if (n >= REPORT_HTML_TARGETS)
            break;
        add_target(v, facts_text(t, "name"), n == 0, all > 1, out);
        n++;
    }
    if (all < 1)
        add_target(v, facts_first_target(v->report), true, false, out);
    if (v->samples->left_out == 0)
        return;
    char en[128], ja[128];
    snprintf(en, sizeof(en), "%zu later samples are not drawn: at most %d are",
             v->samples->left_out, SAMPLES_MAX);
    snprintf(ja, sizeof(ja), "以降のサンプル %zu 件は描画していません (上限 %d 件)",
             v->samples->left_out, SAMPLES_MAX);
    buf_add_str(out, "<p class=\"warn\">");
    html_words(out, (struct words){en, ja});
    buf_add_str(out, "</p>\n");
}

/* ---- knees ---- */

#define KNEE_POINTS 256

struct knee_point {
    double rate, loss, p99;
};

static int by_rate(const void *a, const void *b)
{
    const struct knee_point *x = a, *y = b;
    return (x->rate > y->rate) - (x->rate < y->rate);
}

static size_t points_of(const cJSON *report, const cJSON *knee, struct knee_point ret[KNEE_POINTS])
{
    const cJSON *p;
    size_t n = 0;
    cJSON_ArrayForEach(p, facts_get(knee, "points"))
    {
        double rate = facts_number(p, "rate");
        if (!(rate > 0))
            continue;
        if (n == KNEE_POINTS)
            break;
        const cJSON *t = facts_trial(report, facts_index(p, "trial"));
        ret[n++] = (struct knee_point){rate, facts_number(p, "loss_percent"),
                                       facts_number(t, "latency_us.p99")};
    }
    qsort(ret, n, sizeof(*ret), by_rate);
    return n;
}

static void draw_curve(const struct knee_point *p, size_t n, const cJSON *knee, bool is_loss,
                       struct buf *out)
{
    double x[KNEE_POINTS], y[KNEE_POINTS], most = p[n - 1].rate * 1.04;
    struct figure end = figure_rate(p[n - 1].rate);
    char en[96], ja[96];
    struct svg_mark mark = {facts_number(knee, "lossless") / most, ""};
    for (size_t i = 0; i < n; i++) {
        x[i] = p[i].rate / most;
        y[i] = is_loss ? p[i].loss : p[i].p99;
    }
    snprintf(en, sizeof(en), "%s messages/s", end.s);
    snprintf(ja, sizeof(ja), "%s 件/秒", end.s);
    snprintf(mark.label, sizeof(mark.label), "%.20s",
             figure_short(answer_about(facts_number(knee, "lossless"))).s);
    struct svg_chart c = {
        .title = is_loss ? (struct words){"Loss by rate", "レートと損失"}
                         : (struct words){"Delay (99 %) by rate", "レートと遅延 (99 %)"},
        .figure = is_loss ? figure_loss : figure_ms,
        .x = x,
        .n = n,
        .series = {{is_loss ? (struct words){"loss", "損失"}
                            : (struct words){"from sending to findable", "送信から検索可能まで"},
                    is_loss ? "lost" : "main", y, NAN, stats_max(y, n)}},
        .series_n = 1,
        .marks = &mark,
        .marks_n = mark.at > 0 && mark.at <= 1 ? 1 : 0,
        .x_from = {"0", "0"},
        .x_to = {en, ja},
        .limit = NAN,
        .has_points = true,
        .least_max = is_loss ? 0.01 : 0,
    };
    svg_chart(&c, out);
}

void report_html_knees(const struct report_view *v, struct buf *out)
{
    const cJSON *k;
    int shown = 0;
    if (cJSON_GetArraySize(facts_get(v->report, "knees")) < 1)
        return;
    report_html_heading(out, "knee", (struct words){"Where loss begins", "損失の始まるレート"});
    cJSON_ArrayForEach(k, facts_get(v->report, "knees"))
    {
        struct knee_point points[KNEE_POINTS];
        bool has_delay = false;
        if (shown++ >= 16)
            break;
        html_cell(out, "<h3>", facts_text(k, "target"), ": ");
        html_words(out, (struct words){facts_sentence(k, "sentence", FACTS_EN),
                                       facts_sentence(k, "sentence", FACTS_JA)});
        buf_add_str(out, "</h3>\n");
        size_t n = points_of(v->report, k, points);
        for (size_t i = 0; i < n; i++)
            has_delay |= !isnan(points[i].p99);
        if (n < 2)
            continue; /* no curve */
        buf_add_str(out, "<div class=\"charts\">");
        draw_curve(points, n, k, true, out);
        if (has_delay)
            draw_curve(points, n, k, false, out);
        buf_add_str(out, "</div>\n");
    }
}
