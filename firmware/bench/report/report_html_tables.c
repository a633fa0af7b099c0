/* Tables of the page: trials (for a ladder the table a buyer knows), where every message went,
 * several targets side by side, sizing. */
#include <math.h>

#include "bench/facts.h"
#include "bench/report/report_html.h"

/* ---- trials ---- */

static const struct words trial_columns[] = {
    {"Trial", "試験"},
    {"Rate/s", "レート/秒"},
    {"Sent", "送信"},
    {"Received", "受信"},
    {"Stored", "保存"},
    {"Visible", "検索可"},
    {"Reception", "受信率"},
    {"Load 5 min max / mean", "負荷 5 分 最大 / 平均"},
    {"SYSLOG CPU max / mean", "SYSLOG CPU 最大 / 平均"},
    {"DB CPU max / mean", "DB CPU 最大 / 平均"},
    {"Delay p50 / p99 / max", "遅延 p50 / p99 / 最大"},
    {"Drain", "残り処理"},
    {"Verdict", "判定"},
};

static void add_head(struct buf *out, const struct words *columns, size_t n, size_t left,
                     bool has_bars)
{
    buf_add_str(out, "<thead><tr>");
    for (size_t i = 0; i < n; i++) {
        buf_add_str(out, i < left ? "<th class=\"l\">" : "<th>");
        html_words(out, columns[i]);
        buf_add_str(out, "</th>");
    }
    /* the bars say nothing that the figures do not: no name */
    buf_printf(out, "%s</tr></thead>\n<tbody>\n", has_bars ? "<td class=\"share\"></td>" : "");
}

static void add_pair(struct buf *out, struct words label, struct figure a, struct figure b)
{
    char cell[128];
    snprintf(cell, sizeof(cell), "%s / %s", a.s, b.s);
    report_html_cell(out, label, cell);
}

static void add_verdict(const cJSON *t, struct buf *out)
{
    struct words w = report_verdict_of_trial(t);
    const char *class_name = strcmp(w.en, "lossless") == 0      ? "good"
                             : strcmp(w.en, "preparation") == 0 ? "dim"
                             : strcmp(w.en, "invalid") == 0     ? "warn"
                                                                : "bad";
    buf_add_str(out, "<td><span class=\"k\">");
    html_words(out, trial_columns[12]);
    buf_printf(out, "</span><span class=\"%s\">", class_name);
    html_words(out, w);
    buf_add_str(out, "</span></td>");
}

static void add_trial(const cJSON *t, bool has_target, struct buf *out)
{
    const struct words *c = trial_columns;
    double rate = facts_number(t, "load.rate");
    char cell[192];
    html_cell(out, "<tr><th><span>", figure_count(facts_number(t, "number")).s, ". ");
    html_words(out, (struct words){facts_sentence(t, "name", FACTS_EN),
                                   facts_sentence(t, "name", FACTS_JA)});
    if (has_target)
        html_cell(out, " <span class=\"dim\">", facts_text(t, "target"), "</span>");
    buf_add_str(out, "</span></th>");
    report_html_cell(out, c[1], rate > 0 ? figure_rate(rate).s : "–");
    report_html_cell(out, c[2], figure_count(facts_number(t, "stages.sent")).s);
    report_html_cell(out, c[3], figure_count(facts_number(t, "stages.received")).s);
    report_html_cell(out, c[4], figure_count(facts_number(t, "stages.stored")).s);
    report_html_cell(out, c[5], figure_count(facts_number(t, "stages.visible")).s);
    report_html_cell(out, c[6], figure_reception(facts_number(t, "stages.sent"), facts_lost(t)).s);
    add_pair(out, c[7], figure_decimals(facts_number(t, "load_average.5.max"), 2),
             figure_decimals(facts_number(t, "load_average.5.mean"), 2));
    add_pair(out, c[8], figure_percent(facts_number(t, "cpu.syslog.max")),
             figure_percent(facts_number(t, "cpu.syslog.mean")));
    add_pair(out, c[9], figure_percent(facts_number(t, "cpu.database.max")),
             figure_percent(facts_number(t, "cpu.database.mean")));
    snprintf(cell, sizeof(cell), "%s / %s / %s", figure_ms(facts_number(t, "latency_us.p50")).s,
             figure_ms(facts_number(t, "latency_us.p99")).s,
             figure_ms(facts_number(t, "latency_us.max")).s);
    report_html_cell(out, c[10], cell);
    report_html_cell(out, c[11], figure_duration(facts_number(t, "drain_s")).s);
    add_verdict(t, out);
    buf_add_str(out, "</tr>\n");
}

static void add_rest(struct buf *out, int n)
{
    char en[128], ja[128];
    if (n <= 0)
        return;
    snprintf(en, sizeof(en), "… and %d more, all in results_ext.csv", n);
    snprintf(ja, sizeof(ja), "ほか %d 件。すべて results_ext.csv にあります", n);
    buf_add_str(out, "<p class=\"dim\">");
    html_words(out, (struct words){en, ja});
    buf_add_str(out, "</p>\n");
}

static void add_invalid(const cJSON *trials, struct buf *out)
{
    const cJSON *t;
    int n = 0;
    cJSON_ArrayForEach(t, trials)
    {
        if (!facts_false(t, "is_valid"))
            continue;
        if (n++ >= REPORT_REASONS_SHOWN)
            continue;
        html_cell(out, "<p class=\"warn\">", figure_count(facts_number(t, "number")).s, ". ");
        html_words(out, (struct words){"not valid", "無効"});
        buf_add_str(out, ": ");
        html_words(out, (struct words){facts_sentence(t, "invalid_reason", FACTS_EN),
                                       facts_sentence(t, "invalid_reason", FACTS_JA)});
        buf_add_str(out, "</p>\n");
    }
    add_rest(out, n - REPORT_REASONS_SHOWN);
}

static void add_notes(const cJSON *trials, struct buf *out)
{
    const cJSON *t;
    int n = 0;
    cJSON_ArrayForEach(t, trials)
    {
        if (!*facts_sentence(t, "note", FACTS_EN) || n++ >= REPORT_REASONS_SHOWN)
            continue;
        html_cell(out, "<p class=\"warn\">", figure_count(facts_number(t, "number")).s, ". ");
        html_words(out, (struct words){facts_sentence(t, "note", FACTS_EN),
                                       facts_sentence(t, "note", FACTS_JA)});
        buf_add_str(out, "</p>\n");
    }
}

static void add_skipped(const cJSON *report, struct buf *out)
{
    const cJSON *s;
    int n = 0;
    cJSON_ArrayForEach(s, facts_get(report, "skipped"))
    {
        if (n++ >= REPORT_REASONS_SHOWN)
            break;
        html_cell(out, "<p class=\"warn\">", facts_text(s, "target"), ": ");
        html_words(out, (struct words){"not measured", "測定せず"});
        buf_add_str(out, ": ");
        html_words(out, (struct words){facts_sentence(s, "why", FACTS_EN),
                                       facts_sentence(s, "why", FACTS_JA)});
        buf_add_str(out, "</p>\n");
    }
}

void report_html_trials(const struct report_view *v, struct buf *out)
{
    const cJSON *trials = facts_get(v->report, "trials"), *t;
    bool has_target = cJSON_GetArraySize(facts_get(v->report, "targets")) > 1;
    int n = 0, all = cJSON_GetArraySize(trials);
    if (all < 1)
        return;
    bool is_ladder = facts_is(v->report, "profile", "ladder");
    report_html_heading(out, "trials",
                        is_ladder ? (struct words){"Steps", "段階ごとの結果"}
                                  : (struct words){"Trials", "試験ごとの結果"});
    /* beside the comparison of targets they are details */
    bool is_folded = cJSON_GetArraySize(facts_get(v->report, "peers")) > 0;
    if (is_folded)
        html_cell(out, "<details><summary>", figure_count(all).s, "</summary>\n");
    buf_add_str(out, "<table class=\"cards\">");
    add_head(out, trial_columns, ARRAY_LEN(trial_columns), 1, false);
    cJSON_ArrayForEach(t, trials)
    {
        if (n++ >= REPORT_HTML_TRIALS)
            break;
        add_trial(t, has_target, out);
    }
    buf_add_str(out, "</tbody></table>\n");
    add_rest(out, all - REPORT_HTML_TRIALS);
    if (is_folded)
        buf_add_str(out, "</details>\n");
    add_invalid(trials, out);
    add_notes(trials, out);
    add_skipped(v->report, out);
    buf_add_str(out, "<p class=\"dim\">");
    html_words(
        out, (struct words){"CPU in % of one core. Delay: from sending until a search finds it.",
                            "CPU は 1 コアを 100 % とします。遅延は送信から検索で見つかるまで。"});
    buf_add_str(out, "</p>\n");
}

/* ---- where every message went ---- */

static void add_ranges(const cJSON *t, const char *path, struct words title, struct buf *out)
{
    const cJSON *ranges = facts_get(t, path), *r;
    int n = 0, all = cJSON_GetArraySize(ranges);
    if (all < 1)
        return;
    buf_add_str(out, "<p class=\"dim\">");
    html_words(out, title);
    buf_add_str(out, ": ");
    cJSON_ArrayForEach(r, ranges)
    {
        if (!cJSON_IsObject(r))
            continue;
        if (n++ >= 10)
            break;
        double from = facts_number(r, "from"), to = facts_number(r, "to");
        buf_printf(out, "%s%s:%s", n > 1 ? ", " : "", figure_count(facts_number(r, "stream")).s,
                   figure_count(from).s);
        if (to > from)
            buf_printf(out, "–%s", figure_count(to).s);
    }
    buf_printf(out, "%s</p>\n", all > 10 ? " …" : "");
}

static void add_stage(const struct report_stage *s, double sent, struct buf *out)
{
    bool is_left = s->kind == '=', is_lost = !is_left && s->n != 0 && !isnan(s->n);
    double share = sent > 0 && s->n >= 0 ? s->n / sent : NAN;
    buf_printf(out, "<tr class=\"%s\"><th>", is_lost ? "lost" : is_left ? "equal" : "minus");
    if (s->kind == '-')
        buf_add_str(out, "− ");
    html_words(out, s->name);
    html_cell(out, "</th><td>", figure_count(s->n).s, "</td><td>");
    if (!isnan(share) && is_left)
        html_text(out, figure_reception(sent, MAX(0, sent - s->n)).s);
    else if (is_lost)
        html_text(out, figure_loss(share * 100).s);
    buf_add_str(out, "</td><td class=\"share\">");
    if (!isnan(share) && (is_left || is_lost))
        svg_bar(share, is_left ? "left" : "gone", out);
    buf_add_str(out, "</td></tr>\n");
}

static void add_ledger(const cJSON *t, bool is_open, struct buf *out)
{
    static const struct words columns[] = {{"Stage", "段階"},
                                           {"Messages", "件数"},
                                           {"Of what was sent", "送信に対する割合"},
                                           {"", ""}};
    struct report_stage stages[REPORT_STAGES_MAX];
    size_t n = report_stages(t, stages);
    double sent = facts_number(t, "stages.sent");
    buf_printf(out, "<details%s><summary>%d. ", is_open ? " open" : "", facts_index(t, "number"));
    html_words(out, (struct words){facts_sentence(t, "name", FACTS_EN),
                                   facts_sentence(t, "name", FACTS_JA)});
    html_cell(out, " <span class=\"dim\">", facts_text(t, "target"), "</span>: ");
    html_cell(out, "", figure_reception(sent, facts_lost(t)).s, "</summary>\n");
    buf_add_str(out, "<table class=\"ledger\">");
    add_head(out, columns, ARRAY_LEN(columns), 1, true);
    for (size_t i = 0; i < n; i++)
        add_stage(&stages[i], sent, out);
    buf_add_str(out, "</tbody></table>\n");
    add_ranges(t, "sequence.missing_ranges",
               (struct words){"Missing (stream:number)", "欠落 (ストリーム:番号)"}, out);
    add_ranges(t, "sequence.duplicated_ranges",
               (struct words){"Found twice (stream:number)", "重複 (ストリーム:番号)"}, out);
    buf_add_str(out, "</details>\n");
}

void report_html_ledgers(const struct report_view *v, struct buf *out)
{
    const cJSON *best = answer_trial(v->report), *worst = NULL, *t;
    int n = 0;
    cJSON_ArrayForEach(t, facts_get(v->report, "trials"))
    {
        if (facts_is_result(t) && facts_lost(t) > 0 &&
            (!worst || facts_loss_percent(t) > facts_loss_percent(worst)))
            worst = t;
    }
    if (cJSON_GetArraySize(facts_get(v->report, "trials")) < 1)
        return;
    report_html_heading(out, "ledger",
                        (struct words){"Where every message went", "メッセージの行方"});
    cJSON_ArrayForEach(t, facts_get(v->report, "trials"))
    {
        bool is_open = t == best || t == worst;
        /* those that are shown open are never the ones left out */
        if (n++ < REPORT_HTML_LEDGERS || is_open)
            add_ledger(t, is_open, out);
    }
}

/* ---- several targets ---- */

static double greatest_rate(const cJSON *peers)
{
    const cJSON *p;
    double most = 0;
    cJSON_ArrayForEach(p, peers)
    {
        most = MAX(most, MAX(facts_count(p, "median"), facts_count(p, "reported_median")));
    }
    return most;
}

static void add_rate(struct words label, double rate, double most, const char *class_name,
                     struct buf *out)
{
    buf_add_str(out, "<td><span class=\"k\">");
    html_words(out, label);
    html_cell(out, "</span><span>", figure_rate(rate).s, "</span>");
    svg_bar(rate / most, class_name, out);
    buf_add_str(out, "</td>");
}

static void add_peer(const cJSON *p, double most, const struct words *c, struct buf *out)
{
    buf_add_str(out, "<tr><th>");
    buf_add_str(out, "<span>");
    html_words(out, (struct words){facts_sentence(p, "name", FACTS_EN),
                                   facts_sentence(p, "name", FACTS_JA)});
    buf_add_str(out, "</span></th><td class=\"l\"><span class=\"k\">");
    html_words(out, c[1]);
    html_cell(out, "</span><span>", facts_text(p, "target"), "</span></td>");
    report_html_cell(out, c[2], figure_count(cJSON_GetArraySize(facts_get(p, "rates"))).s);
    add_rate(c[3], facts_number(p, "median"), most, "left", out);
    report_html_cell(out, c[4], figure_rate(facts_number(p, "mad")).s);
    add_rate(c[5], facts_number(p, "reported_median"), most, "reported", out);
    report_html_cell(out, c[6], figure_loss(facts_number(p, "loss_percent")).s);
    buf_add_str(out, "<td><span class=\"k\">");
    html_words(out, c[7]);
    html_cell(out, "</span><span>", figure_ratio(facts_number(p, "ratio")).s, "");
    if (facts_true(p, "is_noise")) {
        buf_add_str(out, " <span class=\"dim\">");
        html_words(out, (struct words){"within noise", "ばらつきの範囲内"});
        buf_add_str(out, "</span>");
    }
    buf_add_str(out, "</span></td></tr>\n");
}

void report_html_matrix(const struct report_view *v, struct buf *out)
{
    static const struct words columns[] = {
        {"Test", "試験"},        {"Target", "対象"}, {"Runs", "回数"},
        {"Stored/s", "保存/秒"}, {"± MAD", "± MAD"}, {"Sender's rate/s", "送信側レート/秒"},
        {"Lost", "損失"},        {"Ratio", "比"},
    };
    const cJSON *peers = facts_get(v->report, "peers"), *p;
    int n = 0, all = cJSON_GetArraySize(peers);
    double most = greatest_rate(peers);
    if (all < 1)
        return;
    report_html_heading(out, "peers", (struct words){"Side by side", "製品の比較"});
    buf_add_str(out, "<table class=\"cards\">");
    add_head(out, columns, ARRAY_LEN(columns), 2, false);
    cJSON_ArrayForEach(p, peers)
    {
        if (n++ >= REPORT_HTML_TRIALS)
            break;
        add_peer(p, most > 0 ? most : 1, columns, out);
    }
    buf_add_str(out, "</tbody></table>\n");
    add_rest(out, all - REPORT_HTML_TRIALS);
    buf_add_str(out, "<p class=\"dim\">");
    html_words(
        out, (struct words){
                 "Stored: median of the runs, what was found afterwards, drain included. "
                 "Sender's rate: what a generator alone would report. Lost: in the worst run. "
                 "Within noise: the "
                 "difference is below twice the wider MAD (median absolute deviation).",
                 "保存: 各回の中央値。後から検索で確認した件数で、残り処理の時間を含みます。送信側"
                 "レート: 生成ツールだけが報告する値。損失: 最も多かった回の値。ばらつきの範囲内: "
                 "差が MAD "
                 "(中央絶対偏差) の大きい方の 2 倍未満。"});
    buf_add_str(out, "</p>\n");
}

/* ---- sizing ---- */

void report_html_sizing(const struct report_view *v, struct buf *out)
{
    static const struct words c[] = {
        {"Messages/s, all day", "1 日平均 (件/秒)"},
        {"Messages a day", "1 日の件数"},
        {"Received a day", "1 日の受信量"},
        {"Stored a day", "1 日の保存量"},
        {"Days until 20 % are used", "20 % に達する日数"},
        {"Storage for a month in 20 %", "1 か月を 20 % に収める容量"},
    };
    struct report_sizing s[REPORT_SIZINGS_MAX];
    struct report_sizing_basis basis;
    size_t n = report_sizing(v->report, &basis, s);
    char en[512], ja[512];
    if (n == 0)
        return;
    report_html_heading(out, "sizing", (struct words){"Which storage for how much", "必要な容量"});
    buf_add_str(out, "<table class=\"cards\">");
    add_head(out, c, ARRAY_LEN(c), 0, false);
    for (size_t i = 0; i < n; i++) {
        buf_add_str(out, "<tr>");
        report_html_cell(out, c[0], figure_rate(s[i].rate).s);
        report_html_cell(out, c[1], figure_short(s[i].messages_day).s);
        report_html_cell(out, c[2], figure_bytes(s[i].received_bytes_day).s);
        report_html_cell(out, c[3], figure_bytes(s[i].stored_bytes_day).s);
        report_html_cell(out, c[4], figure_decimals(s[i].days_to_share, 1).s);
        report_html_cell(out, c[5], figure_bytes(s[i].storage_bytes).s);
        buf_add_str(out, "</tr>\n");
    }
    buf_add_str(out, "</tbody></table>\n<p class=\"dim\">");
    snprintf(
        en, sizeof(en),
        "With %s bytes stored a message of this benchmark and a storage of %s%s. One row is half "
        "of the highest rate without loss. A box measures its own messages on page Retention.",
        figure_decimals(basis.stored_bytes, 1).s, figure_bytes(basis.storage_bytes).s,
        basis.is_own_storage ? "" : " (assumed)");
    snprintf(ja, sizeof(ja),
             "このベンチマークのメッセージ 1 件あたり %s バイト、容量 %s%s として計算。1 "
             "行は損失のない最大レートの半分です。実際のメッセージでの値はログ保存期間のページにあ"
             "ります。",
             figure_decimals(basis.stored_bytes, 1).s, figure_bytes(basis.storage_bytes).s,
             basis.is_own_storage ? "" : " (仮定)");
    html_words(out, (struct words){en, ja});
    buf_add_str(out, "</p>\n");
}
