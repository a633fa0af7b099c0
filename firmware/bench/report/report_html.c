/* report.html: one file that needs nothing else, for a browser and for paper.  Both languages are
 * in it; two radio buttons and the style sheet choose, without a script. */
#include "bench/report/report_html.h"

#include <math.h>

#include "bench/facts.h"

void report_html_begin(struct buf *out, struct words title)
{
    buf_add_str(out, "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta "
                     "name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n<meta "
                     "name=\"color-scheme\" content=\"light dark\">\n<title>");
    html_text(out, title.en);
    buf_printf(out, "</title>\n<style>\n%s</style>\n</head>\n<body>\n<main>\n", report_style);
    buf_add_str(
        out, "<input class=\"lang\" type=\"radio\" name=\"lang\" id=\"lang-en\" checked><label "
             "for=\"lang-en\">English</label>\n<input class=\"lang\" type=\"radio\" name=\"lang\" "
             "id=\"lang-ja\"><label for=\"lang-ja\" lang=\"ja\">日本語</label>\n<div "
             "class=\"page\">\n<h1>校倉 Azekura · ");
    html_words(out, title);
    buf_add_str(out, "</h1>\n");
}

void report_html_end(struct buf *out)
{
    buf_add_str(out, "</div>\n</main>\n</body>\n</html>\n");
}

void report_html_heading(struct buf *out, const char *id, struct words title)
{
    buf_printf(out, "<h2 id=\"%s\">", id);
    html_words(out, title);
    buf_add_str(out, "</h2>\n");
}

void report_html_cell(struct buf *out, struct words label, const char *value)
{
    buf_add_str(out, "<td><span class=\"k\">");
    html_words(out, label);
    html_cell(out, "</span><span>", value, "</span></td>");
}

/* ---- the answer ---- */

static void add_tile(struct buf *out, struct words name, const char *value)
{
    html_cell(out, "<li class=\"tile\"><b>", value, "</b><span class=\"dim\">");
    html_words(out, name);
    buf_add_str(out, "</span></li>");
}

static void add_tiles(const cJSON *t, struct buf *out)
{
    buf_add_str(out, "<ul class=\"tiles\">");
    add_tile(out, (struct words){"messages stored a second", "保存レート (件/秒)"},
             figure_rate(facts_stored_rate(t)).s);
    add_tile(out, (struct words){"reception", "受信率"},
             figure_reception(facts_number(t, "stages.sent"), facts_lost(t)).s);
    add_tile(out, (struct words){"SYSLOG CPU, mean, of one core", "SYSLOG CPU 平均 (1 コア比)"},
             figure_percent(facts_number(t, "cpu.syslog.mean")).s);
    add_tile(out,
             (struct words){"database CPU, mean, of one core", "データベース CPU 平均 (1 コア比)"},
             figure_percent(facts_number(t, "cpu.database.mean")).s);
    add_tile(out, (struct words){"from sending to findable, 99 %", "送信から検索可能まで (99 %)"},
             figure_ms(facts_number(t, "latency_us.p99")).s);
    add_tile(out, (struct words){"bytes stored a message", "1 件あたりの保存バイト数"},
             figure_decimals(facts_number(t, "disk.stored_bytes_a_message"), 1).s);
    buf_add_str(out, "</ul>\n");
    buf_add_str(out, "<p class=\"dim\">");
    struct buf en = BUF_INIT(4096), ja = BUF_INIT(4096);
    buf_printf(&en, "Figures of trial %d, %s", facts_index(t, "number"),
               facts_sentence(t, "name", FACTS_EN));
    buf_printf(&ja, "試験 %d (%s) の値", facts_index(t, "number"),
               facts_sentence(t, "name", FACTS_JA));
    html_words(out, (struct words){buf_str(&en), buf_str(&ja)});
    buf_free(&en);
    buf_free(&ja);
    buf_add_str(out, "</p>\n");
}

static void add_bottleneck(const cJSON *report, struct buf *out)
{
    static const struct {
        const char *kind;
        struct words w;
    } kinds[] = {
        {"none", {"none", "なし"}},
        {"generator", {"the generator", "負荷生成側"}},
        {"cpu", {"CPU", "CPU"}},
        {"thread", {"a single thread", "単一スレッド"}},
        {"disk", {"the disk", "ディスク"}},
        {"buffer", {"the socket buffer", "ソケットバッファ"}},
        {"unknown", {"not clear", "不明"}},
    };
    const char *kind = facts_text(report, "bottleneck.kind");
    struct words why = {facts_sentence(report, "bottleneck.why", FACTS_EN),
                        facts_sentence(report, "bottleneck.why", FACTS_JA)};
    if (!*kind)
        return;
    struct words name = {kind, kind};
    for (size_t i = 0; i < ARRAY_LEN(kinds); i++)
        if (strcmp(kinds[i].kind, kind) == 0)
            name = kinds[i].w;
    buf_add_str(out, "<p><strong>");
    html_words(out, (struct words){"Bottleneck", "ボトルネック"});
    buf_add_str(out, ": ");
    html_words(out, name);
    buf_add_str(out, "</strong><br>");
    html_words(out, why);
    buf_add_str(out, "</p>\n");
}

static const char *class_of(const cJSON *report)
{
    const char *v = facts_text(report, "verdict");
    static const char *const known[] = {"pass", "fail", "invalid"};
    for (size_t i = 0; i < ARRAY_LEN(known); i++)
        if (strcmp(known[i], v) == 0)
            return known[i];
    return facts_is(report, "state", "failed") ? "fail" : "none";
}

static void add_answer(const struct report_view *v, struct buf *out)
{
    const cJSON *t = answer_trial(v->report);
    html_cell(out, "<p class=\"dim\">", facts_text(v->report, "id"), " · ");
    const char *end = facts_text(v->report, "ended_at");
    html_cell(out, "", facts_text(v->report, "started_at"), *end ? " – " : "");
    html_cell(out, "", end, "</p>\n");
    buf_printf(out, "<section class=\"answer %s\"><span class=\"badge\">", class_of(v->report));
    html_words(out, report_verdict(v->report));
    buf_add_str(out, "</span><p class=\"sentence\">");
    html_words(out, (struct words){facts_sentence(v->report, "answer", FACTS_EN),
                                   facts_sentence(v->report, "answer", FACTS_JA)});
    buf_add_str(out, "</p>");
    add_bottleneck(v->report, out);
    buf_add_str(out, "</section>\n");
    if (t && !facts_is(v->report, "verdict", "invalid"))
        add_tiles(t, out);
}

/* ---- the machine, and how to do it again ---- */

static void add_fact(void *context, struct words name, const char *value)
{
    struct buf *out = context;
    buf_add_str(out, "<tr><th>");
    html_words(out, name);
    html_cell(out, "</th><td>", value, "</td></tr>\n");
}

static void add_environment(const struct report_view *v, struct buf *out)
{
    report_html_heading(out, "environment", (struct words){"Environment", "環境"});
    buf_add_str(out, "<table class=\"facts\"><tbody>\n");
    report_environment(v->report, add_fact, out);
    buf_add_str(out, "</tbody></table>\n");
}

static void add_reproduce(const struct report_view *v, struct buf *out)
{
    char seed[32];
    report_html_heading(out, "reproduce", (struct words){"To repeat it", "再現方法"});
    html_cell(out, "<pre><code>", facts_text(v->report, "command"), "</code></pre>\n");
    snprintf(seed, sizeof(seed), "%.0f", facts_count(v->report, "seed"));
    buf_add_str(out, "<p>");
    html_words(out, (struct words){"Seed of the random numbers", "乱数の種"});
    html_cell(out, ": ", seed, "</p>\n");
    if (v->files_n == 0)
        return;
    buf_add_str(out, "<table class=\"facts\"><thead><tr><th class=\"l\">");
    html_words(out, (struct words){"File", "ファイル"});
    buf_add_str(out, "</th><th class=\"l\">SHA-256</th></tr></thead><tbody>\n");
    for (size_t i = 0; i < v->files_n; i++) {
        html_cell(out, "<tr><th>", v->files[i].name, " <span class=\"dim\">");
        html_cell(out, "", figure_bytes((double)v->files[i].bytes).s, "</span></th>");
        html_cell(out, "<td class=\"hash\">", v->files[i].sha256, "</td></tr>\n");
    }
    buf_add_str(out, "</tbody></table>\n");
}

void report_html(const struct report_view *v, struct buf *out)
{
    struct buf en = BUF_INIT(8192), ja = BUF_INIT(8192);
    buf_printf(&en, "Benchmark: %s", report_title(v->report, FACTS_EN));
    buf_printf(&ja, "ベンチマーク: %s", report_title(v->report, FACTS_JA));
    report_html_begin(out, (struct words){buf_str(&en), buf_str(&ja)});
    buf_free(&en);
    buf_free(&ja);
    add_answer(v, out);
    report_html_matrix(v, out);
    report_html_trials(v, out);
    report_html_ledgers(v, out);
    report_html_charts(v, out);
    report_html_knees(v, out);
    report_html_sizing(v, out);
    add_environment(v, out);
    add_reproduce(v, out);
    report_html_end(out);
}
