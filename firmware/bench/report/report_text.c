/* report.txt: the same facts as the page for a terminal, English, at most REPORT_TEXT_WIDTH columns
 * where names are not longer. */
#include <math.h>

#include "bench/facts.h"
#include "bench/figure.h"
#include "bench/report/html.h"
#include "bench/report/report_parts.h"
#include "bench/text_table.h"

#define TRIALS_SHOWN 200
#define RANGES_SHOWN 8

static void heading(struct buf *out, const char *text)
{
    buf_printf(out, "\n%s\n\n", text);
}

static void pair(char *out, size_t size, struct figure a, struct figure b)
{
    snprintf(out, size, "%s/%s", a.s, b.s);
}

static void add_head(const struct report_view *v, struct buf *out)
{
    char line[512];
    buf_add_str(out, "Azekura benchmark: ");
    text_clean(out, report_title(v->report, FACTS_EN));
    buf_printf(out, "  [%s]\n", report_verdict(v->report).en);
    const char *end = facts_text(v->report, "ended_at");
    snprintf(line, sizeof(line), "%.120s · %.40s%s%.40s", facts_text(v->report, "id"),
             facts_text(v->report, "started_at"), *end ? " – " : "", end);
    text_clean(out, line);
    buf_add_str(out, "\n\n");
    text_wrap(facts_sentence(v->report, "answer", FACTS_EN), 2, REPORT_TEXT_WIDTH, out);
    const char *why = facts_sentence(v->report, "bottleneck.why", FACTS_EN);
    if (*why) {
        struct buf b = BUF_INIT(4096);
        buf_printf(&b, "Bottleneck: %s: %s", facts_text(v->report, "bottleneck.kind"), why);
        buf_add_char(out, '\n');
        text_wrap(buf_str(&b), 2, REPORT_TEXT_WIDTH, out);
        buf_free(&b);
    }
}

static void add_counts(const cJSON *trials, struct buf *out)
{
    static const char *const head[] = {"#",      "trial",    "target",    "sent",
                                       "stored", "stored/s", "reception", "verdict"};
    struct text_table t;
    const cJSON *x;
    int n = 0;
    text_table_init(&t, "rllrrrrl");
    for (size_t i = 0; i < ARRAY_LEN(head); i++)
        text_table_add(&t, head[i]);
    cJSON_ArrayForEach(x, trials)
    {
        if (n++ >= TRIALS_SHOWN)
            break;
        text_table_add(&t, figure_count(facts_number(x, "number")).s);
        text_table_add(&t, facts_sentence(x, "name", FACTS_EN));
        text_table_add(&t, facts_text(x, "target"));
        text_table_add(&t, figure_count(facts_number(x, "stages.sent")).s);
        text_table_add(&t, figure_count(facts_number(x, "stages.stored")).s);
        text_table_add(&t, figure_rate(facts_stored_rate(x)).s);
        text_table_add(&t, figure_reception(facts_number(x, "stages.sent"), facts_lost(x)).s);
        text_table_add(&t, report_verdict_of_trial(x).en);
    }
    text_table_print(&t, true, 2, out);
    text_table_done(&t);
}

static void add_resources(const cJSON *trials, struct buf *out)
{
    static const char *const head[] = {
        "#",   "rate/s", "load5 max/avg", "SYSLOG CPU max/avg", "DB CPU max/avg", "p50",
        "p99", "max",    "drain"};
    struct text_table t;
    const cJSON *x;
    int n = 0;
    text_table_init(&t, "rrrrrrrrr");
    for (size_t i = 0; i < ARRAY_LEN(head); i++)
        text_table_add(&t, head[i]);
    cJSON_ArrayForEach(x, trials)
    {
        char cell[128];
        double rate = facts_number(x, "load.rate");
        if (n++ >= TRIALS_SHOWN)
            break;
        text_table_add(&t, figure_count(facts_number(x, "number")).s);
        text_table_add(&t, rate > 0 ? figure_rate(rate).s : "full speed");
        pair(cell, sizeof(cell), figure_decimals(facts_number(x, "load_average.5.max"), 2),
             figure_decimals(facts_number(x, "load_average.5.mean"), 2));
        text_table_add(&t, cell);
        pair(cell, sizeof(cell), figure_percent(facts_number(x, "cpu.syslog.max")),
             figure_percent(facts_number(x, "cpu.syslog.mean")));
        text_table_add(&t, cell);
        pair(cell, sizeof(cell), figure_percent(facts_number(x, "cpu.database.max")),
             figure_percent(facts_number(x, "cpu.database.mean")));
        text_table_add(&t, cell);
        text_table_add(&t, figure_ms(facts_number(x, "latency_us.p50")).s);
        text_table_add(&t, figure_ms(facts_number(x, "latency_us.p99")).s);
        text_table_add(&t, figure_ms(facts_number(x, "latency_us.max")).s);
        text_table_add(&t, figure_duration(facts_number(x, "drain_s")).s);
    }
    text_table_print(&t, true, 2, out);
    text_table_done(&t);
}

static void add_skipped(const cJSON *report, struct buf *out)
{
    const cJSON *s;
    int n = 0;
    cJSON_ArrayForEach(s, facts_get(report, "skipped"))
    {
        struct buf b = BUF_INIT(8192);
        if (n++ >= REPORT_REASONS_SHOWN)
            break;
        buf_printf(&b, "%s was not measured: %s", facts_text(s, "target"),
                   facts_sentence(s, "why", FACTS_EN));
        text_wrap(buf_str(&b), 2, REPORT_TEXT_WIDTH, out);
        buf_free(&b);
    }
}

static void add_sentence(const cJSON *trial, const char *what, const char *member, struct buf *out)
{
    struct buf b = BUF_INIT(4096);
    buf_printf(&b, "Trial %d%s: %s", facts_index(trial, "number"), what,
               facts_sentence(trial, member, FACTS_EN));
    text_wrap(buf_str(&b), 2, REPORT_TEXT_WIDTH, out);
    buf_free(&b);
}

static void add_invalid(const cJSON *trials, struct buf *out)
{
    const cJSON *t;
    int n = 0;
    cJSON_ArrayForEach(t, trials)
    {
        if (facts_false(t, "is_valid") && n++ < REPORT_REASONS_SHOWN)
            add_sentence(t, " is not valid", "invalid_reason", out);
    }
    if (n > REPORT_REASONS_SHOWN)
        buf_printf(out, "  … and %d more are not valid\n", n - REPORT_REASONS_SHOWN);
}

static void add_notes(const cJSON *trials, struct buf *out)
{
    const cJSON *t;
    int n = 0;
    cJSON_ArrayForEach(t, trials)
    {
        if (*facts_sentence(t, "note", FACTS_EN) && n++ < REPORT_REASONS_SHOWN)
            add_sentence(t, "", "note", out);
    }
}

static void add_trials(const struct report_view *v, struct buf *out)
{
    const cJSON *trials = facts_get(v->report, "trials");
    int all = cJSON_GetArraySize(trials);
    if (all == 0)
        return;
    heading(out, "TRIALS");
    add_counts(trials, out);
    buf_add_str(out, "\n  CPU in % of one core; p50, p99, max: from sending to findable\n\n");
    add_resources(trials, out);
    if (all > TRIALS_SHOWN)
        buf_printf(out, "\n  … and %d more, all in results_ext.csv\n", all - TRIALS_SHOWN);
    add_invalid(trials, out);
    add_notes(trials, out);
    add_skipped(v->report, out);
}

static void add_ranges(const cJSON *trial, const char *path, const char *title, struct buf *out)
{
    const cJSON *ranges = facts_get(trial, path), *r;
    int n = 0, all = cJSON_GetArraySize(ranges);
    if (all < 1)
        return;
    buf_printf(out, "  %s:", title);
    cJSON_ArrayForEach(r, ranges)
    {
        if (!cJSON_IsObject(r))
            continue;
        if (n++ >= RANGES_SHOWN)
            break;
        buf_printf(out, "%s %s:%s", n > 1 ? "," : "", figure_count(facts_number(r, "stream")).s,
                   figure_count(facts_number(r, "from")).s);
        if (facts_number(r, "to") > facts_number(r, "from"))
            buf_printf(out, "–%s", figure_count(facts_number(r, "to")).s);
    }
    buf_printf(out, "%s  (stream:number)\n", all > RANGES_SHOWN ? " …" : "");
}

static void add_ledger(const cJSON *trial, struct buf *out)
{
    struct report_stage stages[REPORT_STAGES_MAX];
    struct text_table t;
    size_t n = report_stages(trial, stages);
    double sent = facts_number(trial, "stages.sent");
    buf_printf(out, "  Trial %d, ", facts_index(trial, "number"));
    text_clean(out, facts_sentence(trial, "name", FACTS_EN));
    buf_add_str(out, "\n");
    text_table_init(&t, "llrr");
    for (size_t i = 0; i < n; i++) {
        char sign[2] = {stages[i].kind == '-' ? '-' : ' ', '\0'};
        text_table_add(&t, sign);
        text_table_add(&t, stages[i].name.en);
        text_table_add(&t, figure_count(stages[i].n).s);
        text_table_add(&t, stages[i].kind == '='          ? ""
                           : sent > 0 && stages[i].n >= 0 ? figure_loss(stages[i].n / sent * 100).s
                                                          : "");
    }
    text_table_print(&t, false, 2, out);
    text_table_done(&t);
    add_ranges(trial, "sequence.missing_ranges", "missing", out);
    add_ranges(trial, "sequence.duplicated_ranges", "twice", out);
    buf_add_char(out, '\n');
}

/* Of the trial that the answer rests on, and of those that lost most. */
static void add_ledgers(const struct report_view *v, struct buf *out)
{
    const cJSON *best = answer_trial(v->report), *worst = NULL, *x;
    cJSON_ArrayForEach(x, facts_get(v->report, "trials"))
    {
        if (facts_is_result(x) && facts_lost(x) > 0 &&
            (!worst || facts_loss_percent(x) > facts_loss_percent(worst)))
            worst = x;
    }
    if (!best && !worst)
        return;
    heading(out, "WHERE EVERY MESSAGE WENT");
    if (best)
        add_ledger(best, out);
    if (worst && worst != best)
        add_ledger(worst, out);
}

static void add_knees(const struct report_view *v, struct buf *out)
{
    const cJSON *k, *p;
    int shown = 0;
    if (cJSON_GetArraySize(facts_get(v->report, "knees")) < 1)
        return;
    heading(out, "KNEE");
    cJSON_ArrayForEach(k, facts_get(v->report, "knees"))
    {
        struct text_table t;
        int n = 0;
        if (shown++ >= 16)
            break;
        struct buf b = BUF_INIT(ANSWER_MAX_BYTES);
        buf_printf(&b, "%s: %s", facts_text(k, "target"), facts_sentence(k, "sentence", FACTS_EN));
        text_wrap(buf_str(&b), 2, REPORT_TEXT_WIDTH, out);
        buf_free(&b);
        if (cJSON_GetArraySize(facts_get(k, "points")) < 1)
            continue;
        text_table_init(&t, "rrr");
        text_table_add(&t, "rate/s");
        text_table_add(&t, "loss");
        text_table_add(&t, "trial");
        cJSON_ArrayForEach(p, facts_get(k, "points"))
        {
            if (n++ >= 64)
                break;
            text_table_add(&t, figure_rate(facts_number(p, "rate")).s);
            text_table_add(&t, figure_loss(facts_number(p, "loss_percent")).s);
            text_table_add(&t, figure_count(facts_number(p, "trial")).s);
        }
        text_table_print(&t, true, 4, out);
        text_table_done(&t);
        buf_add_char(out, '\n');
    }
}

static void add_matrix(const struct report_view *v, struct buf *out)
{
    static const char *const head[] = {"test",       "target", "runs",  "stored/s", "± MAD",
                                       "reported/s", "lost",   "ratio", ""};
    const cJSON *p, *peers = facts_get(v->report, "peers");
    struct text_table t;
    int n = 0;
    if (cJSON_GetArraySize(peers) < 1)
        return;
    heading(out, "SIDE BY SIDE");
    text_table_init(&t, "llrrrrrrl");
    for (size_t i = 0; i < ARRAY_LEN(head); i++)
        text_table_add(&t, head[i]);
    cJSON_ArrayForEach(p, peers)
    {
        if (n++ >= TRIALS_SHOWN)
            break;
        text_table_add(&t, facts_sentence(p, "name", FACTS_EN));
        text_table_add(&t, facts_text(p, "target"));
        text_table_add(&t, figure_count(cJSON_GetArraySize(facts_get(p, "rates"))).s);
        text_table_add(&t, figure_rate(facts_number(p, "median")).s);
        text_table_add(&t, figure_rate(facts_number(p, "mad")).s);
        text_table_add(&t, figure_rate(facts_number(p, "reported_median")).s);
        text_table_add(&t, figure_loss(facts_number(p, "loss_percent")).s);
        text_table_add(&t, figure_ratio(facts_number(p, "ratio")).s);
        text_table_add(&t, facts_true(p, "is_noise") ? "within noise" : "");
    }
    text_table_print(&t, true, 2, out);
    text_table_done(&t);
    buf_add_str(out,
                "\n  stored/s: median, what was found afterwards, drain included; reported/s: what "
                "the sender saw;\n  lost: of what was sent, in the worst of the runs\n");
}

static void add_sizing(const struct report_view *v, struct buf *out)
{
    struct report_sizing s[REPORT_SIZINGS_MAX];
    struct report_sizing_basis basis;
    static const char *const head[] = {"messages/s",   "a day",        "received a day",
                                       "stored a day", "days to 20 %", "storage for a month"};
    size_t n = report_sizing(v->report, &basis, s);
    struct text_table t;
    if (n == 0)
        return;
    heading(out, "SIZING");
    text_table_init(&t, "rrrrrr");
    for (size_t i = 0; i < ARRAY_LEN(head); i++)
        text_table_add(&t, head[i]);
    for (size_t i = 0; i < n; i++) {
        text_table_add(&t, figure_rate(s[i].rate).s);
        text_table_add(&t, figure_short(s[i].messages_day).s);
        text_table_add(&t, figure_bytes(s[i].received_bytes_day).s);
        text_table_add(&t, figure_bytes(s[i].stored_bytes_day).s);
        text_table_add(&t, figure_decimals(s[i].days_to_share, 1).s);
        text_table_add(&t, figure_bytes(s[i].storage_bytes).s);
    }
    text_table_print(&t, true, 2, out);
    text_table_done(&t);
    buf_printf(out, "\n  with %s bytes stored a message of this benchmark, and a storage of %s%s\n",
               figure_decimals(basis.stored_bytes, 1).s, figure_bytes(basis.storage_bytes).s,
               basis.is_own_storage ? "" : " (assumed)");
}

static void add_fact(void *context, struct words name, const char *value)
{
    struct buf line = BUF_INIT(8192);
    buf_printf(&line, "%s: %s", name.en, value);
    text_wrap(buf_str(&line), 2, REPORT_TEXT_WIDTH, context);
    buf_free(&line);
}

void report_text(const struct report_view *v, struct buf *out)
{
    char seed[64];
    add_head(v, out);
    add_matrix(v, out);
    add_trials(v, out);
    add_ledgers(v, out);
    add_knees(v, out);
    add_sizing(v, out);
    heading(out, "ENVIRONMENT");
    report_environment(v->report, add_fact, out);
    heading(out, "TO REPEAT IT");
    add_fact(out, (struct words){"command", ""}, facts_text(v->report, "command"));
    snprintf(seed, sizeof(seed), "%.0f", facts_count(v->report, "seed"));
    add_fact(out, (struct words){"seed", ""}, seed);
    for (size_t i = 0; i < v->files_n; i++)
        buf_printf(out, "  %s  %s\n", v->files[i].sha256, v->files[i].name);
}
