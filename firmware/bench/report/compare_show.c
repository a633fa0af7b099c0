/* A comparison for a terminal and as a page. */
#include <math.h>

#include "bench/report/compare.h"
#include "bench/facts.h"
#include "bench/report/report_html.h"
#include "bench/text_table.h"

static struct figure value_of(const cJSON *row, const char *member)
{
    double v = facts_number(row, member);
    if (facts_is(row, "unit", "messages/s"))
        return figure_rate(v);
    if (facts_is(row, "unit", "%") && strcmp(member, "noise") != 0)
        return figure_loss(v);
    return figure_decimals(v, fabs(v) < 100 ? 2 : 0);
}

static struct words meaning_of(const cJSON *row)
{
    if (facts_true(row, "is_noise"))
        return (struct words){"within noise", "ばらつきの範囲内"};
    if (facts_true(row, "is_better"))
        return (struct words){"better", "良い"};
    return (struct words){"worse", "悪い"};
}

void compare_text(const cJSON *comparison, struct buf *out)
{
    static const char *const head[] = {"", "unit", "A", "B", "B / A", "noise ±", ""};
    const cJSON *row, *w;
    struct text_table t;
    for (int side = 0; side < 2; side++) {
        const cJSON *s = facts_get(comparison, side ? "b" : "a");
        buf_printf(out, "%c  ", side ? 'B' : 'A');
        text_clean(out, facts_text(s, "id"));
        buf_add_str(out, ", version ");
        text_clean(out, facts_text(s, "version"));
        buf_add_char(out, '\n');
    }
    buf_add_char(out, '\n');
    text_wrap(facts_sentence(comparison, "answer", FACTS_EN), 2, REPORT_TEXT_WIDTH, out);
    buf_add_char(out, '\n');
    cJSON_ArrayForEach(w, facts_get(comparison, "warnings"))
    {
        buf_add_str(out, "! ");
        text_clean(out, cJSON_IsString(w) ? w->valuestring : facts_text(w, "en"));
        buf_add_char(out, '\n');
    }
    buf_add_char(out, '\n');
    if (cJSON_GetArraySize(facts_get(comparison, "rows")) < 1)
        return;
    text_table_init(&t, "llrrrrl");
    t.max_columns = 46;
    for (size_t i = 0; i < ARRAY_LEN(head); i++)
        text_table_add(&t, head[i]);
    cJSON_ArrayForEach(row, facts_get(comparison, "rows"))
    {
        text_table_add(&t, facts_sentence(row, "name", FACTS_EN));
        text_table_add(&t, facts_text(row, "unit"));
        text_table_add(&t, value_of(row, "a").s);
        text_table_add(&t, value_of(row, "b").s);
        text_table_add(&t, figure_ratio(facts_number(row, "ratio")).s);
        text_table_add(&t, value_of(row, "noise").s);
        text_table_add(&t, meaning_of(row).en);
    }
    text_table_print(&t, true, 2, out);
    text_table_done(&t);
}

static void add_row(const cJSON *row, const struct words *c, struct buf *out)
{
    struct words meaning = meaning_of(row);
    const char *class_name = facts_true(row, "is_noise")    ? "dim"
                             : facts_true(row, "is_better") ? "good"
                                                            : "bad";
    buf_add_str(out, "<tr><th><span>");
    html_words(out, (struct words){facts_sentence(row, "name", FACTS_EN),
                                   facts_sentence(row, "name", FACTS_JA)});
    buf_add_str(out, "</span></th>");
    report_html_cell(out, c[1], facts_text(row, "unit"));
    report_html_cell(out, c[2], value_of(row, "a").s);
    report_html_cell(out, c[3], value_of(row, "b").s);
    report_html_cell(out, c[4], figure_ratio(facts_number(row, "ratio")).s);
    report_html_cell(out, c[5], value_of(row, "noise").s);
    buf_printf(out, "<td class=\"%s\">", class_name);
    html_words(out, meaning);
    buf_add_str(out, "</td></tr>\n");
}

static void add_sides(const cJSON *comparison, struct buf *out)
{
    for (int side = 0; side < 2; side++) {
        const cJSON *s = facts_get(comparison, side ? "b" : "a");
        html_cell(out, side ? "<p><strong>B</strong> " : "<p><strong>A</strong> ",
                  facts_text(s, "id"), " <span class=\"dim\">");
        html_cell(out, "", facts_text(s, "version"), "</span><br>");
        html_words(out, (struct words){facts_sentence(s, "answer", FACTS_EN),
                                       facts_sentence(s, "answer", FACTS_JA)});
        buf_add_str(out, "</p>\n");
    }
}

static void add_warnings(const cJSON *comparison, struct buf *out)
{
    const cJSON *warnings = facts_get(comparison, "warnings"), *w;
    if (cJSON_GetArraySize(warnings) < 1)
        return;
    buf_add_str(out, "<ul class=\"warnings\">");
    cJSON_ArrayForEach(w, warnings)
    {
        buf_add_str(out, "<li>");
        html_words(out, (struct words){facts_text(w, "en"), facts_text(w, "ja")});
        buf_add_str(out, "</li>");
    }
    buf_add_str(out, "</ul>\n");
}

void compare_html(const cJSON *comparison, struct buf *out)
{
    static const struct words columns[] = {
        {"Figure", "項目"}, {"Unit", "単位"},          {"A", "A"},          {"B", "B"},
        {"B / A", "B / A"}, {"Noise ±", "ばらつき ±"}, {"Meaning", "意味"},
    };
    const cJSON *row;
    report_html_begin(out, (struct words){"Two runs compared", "2 つの実行の比較"});
    buf_add_str(out, "<section class=\"answer\"><p class=\"sentence\">");
    html_words(out, (struct words){facts_sentence(comparison, "answer", FACTS_EN),
                                   facts_sentence(comparison, "answer", FACTS_JA)});
    buf_add_str(out, "</p></section>\n");
    add_sides(comparison, out);
    add_warnings(comparison, out);
    if (cJSON_GetArraySize(facts_get(comparison, "rows")) < 1) {
        report_html_end(out);
        return;
    }
    buf_add_str(out, "<table class=\"cards\"><thead><tr>");
    for (size_t i = 0; i < ARRAY_LEN(columns); i++) {
        buf_add_str(out, i == 0 ? "<th class=\"l\">" : "<th>");
        html_words(out, columns[i]);
        buf_add_str(out, "</th>");
    }
    buf_add_str(out, "</tr></thead>\n<tbody>\n");
    cJSON_ArrayForEach(row, facts_get(comparison, "rows"))
    {
        add_row(row, columns, out);
    }
    buf_add_str(out, "</tbody></table>\n");
    report_html_end(out);
}
