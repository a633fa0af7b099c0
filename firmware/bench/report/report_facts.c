/* What the page and the text tell alike: the ledger's stages, sizing, the machine, verdicts. */
#include <math.h>

#include "bench/facts.h"
#include "bench/figure.h"
#include "bench/report/html.h"
#include "bench/report/report_parts.h"

/* ---- the ledger ---- */

struct stages {
    struct report_stage *at;
    size_t n;
};

static void add_stage(struct stages *s, struct words name, double n, char kind)
{
    if (s->n < REPORT_STAGES_MAX)
        s->at[s->n++] = (struct report_stage){name, n, kind};
}

static void add_refusals(struct stages *s, const cJSON *trial)
{
    const cJSON *r;
    double named = 0, all = facts_number(trial, "stages.refused");
    cJSON_ArrayForEach(r, facts_get(trial, "stages.reasons"))
    {
        if (!cJSON_IsNumber(r) || r->valuedouble == 0)
            continue;
        named += r->valuedouble;
        add_stage(s, answer_reason(r->string), r->valuedouble, '-');
    }
    if (isnan(all) || all > named || named == 0)
        add_stage(s, (struct words){"refused by the product", "製品による拒否"},
                  isnan(all) ? all : all - named, '-');
}

size_t report_stages(const cJSON *trial, struct report_stage ret[REPORT_STAGES_MAX])
{
    struct stages s = {ret, 0};
#define NUMBER(member) facts_number(trial, "stages." member)
    add_stage(&s, (struct words){"due by the schedule", "送信予定"}, NUMBER("scheduled"), '=');
    if (facts_count(trial, "stages.send_errors") > 0)
        add_stage(&s, (struct words){"not taken by the kernel", "カーネルが受け付けず"},
                  NUMBER("send_errors"), '-');
    add_stage(&s, (struct words){"sent", "送信"}, NUMBER("sent"), '=');
    add_stage(&s, (struct words){"dropped by the network card", "ネットワークカードでの破棄"},
              NUMBER("nic_dropped"), '-');
    add_stage(&s, (struct words){"dropped by the socket's buffer", "ソケットバッファでの破棄"},
              NUMBER("kernel_dropped"), '-');
    add_stage(&s, (struct words){"received by the product", "製品が受信"}, NUMBER("received"), '=');
    add_refusals(&s, trial);
    if (facts_count(trial, "stages.queued") > 0)
        add_stage(&s, (struct words){"still queued", "待ち行列に残留"}, NUMBER("queued"), '-');
    add_stage(&s, (struct words){"stored", "保存"}, NUMBER("stored"), '=');
    add_stage(&s, (struct words){"found by a search", "検索で確認"}, NUMBER("visible"), '=');
    if (facts_count(trial, "stages.in_flight") > 0)
        add_stage(&s, (struct words){"in flight at the end", "終了時に転送中"}, NUMBER("in_flight"),
                  '-');
    if (facts_count(trial, "stages.others_dropped") > 0)
        add_stage(&s,
                  (struct words){"logs of others that the socket dropped meanwhile",
                                 "その間にソケットが破棄した他の送信元のログ"},
                  NUMBER("others_dropped"), '!');
    add_stage(&s, (struct words){"unaccounted for", "所在不明"}, NUMBER("unaccounted"), '?');
#undef NUMBER
    return s.n;
}

/* ---- sizing: the formulas of store/sizing.h ---- */

#define DAY_S 86400.0
#define MONTH_DAYS 30.44
#define SHARE 0.20

static int by_rate(const void *a, const void *b)
{
    const struct report_sizing *x = a, *y = b;
    return (x->rate > y->rate) - (x->rate < y->rate);
}

size_t report_sizing(const cJSON *report, struct report_sizing_basis *basis,
                     struct report_sizing ret[REPORT_SIZINGS_MAX])
{
    static const double usual[] = {100, 1000, 5000};
    const cJSON *t = answer_trial(report);
    size_t n = 0;
    double rate = facts_stored_rate(t), storage = facts_number(report, "machine.storage_bytes");
    basis->message_bytes = facts_mean_size(t);
    basis->stored_bytes = facts_number(t, "disk.stored_bytes_a_message");
    basis->is_own_storage = storage > 0;
    basis->storage_bytes = storage > 0 ? storage : 1e12;
    if (!(basis->stored_bytes > 0))
        return 0;
    for (size_t i = 0; i < ARRAY_LEN(usual); i++)
        ret[n++].rate = usual[i];
    if (rate > 0)
        ret[n++].rate = answer_about(rate / 2);
    qsort(ret, n, sizeof(*ret), by_rate);
    for (size_t i = 0; i < n; i++) {
        struct report_sizing *s = &ret[i];
        s->messages_day = s->rate * DAY_S;
        s->received_bytes_day = s->messages_day * basis->message_bytes;
        s->stored_bytes_day = s->messages_day * basis->stored_bytes;
        s->stored_bytes_month = s->stored_bytes_day * MONTH_DAYS;
        s->days_to_share = basis->storage_bytes * SHARE / s->stored_bytes_day;
        s->storage_bytes = s->stored_bytes_month / SHARE;
    }
    return n;
}

/* ---- the machine ---- */

static void tell(const cJSON *o, const char *path, struct words name, report_fact_fn each,
                 void *context)
{
    const cJSON *v = facts_get(o, path);
    if (cJSON_IsString(v) && *v->valuestring)
        each(context, name, v->valuestring);
    else if (cJSON_IsNumber(v) && strstr(path, "bytes"))
        each(context, name, figure_bytes(v->valuedouble).s);
    else if (cJSON_IsNumber(v))
        each(context, name,
             figure_decimals(v->valuedouble, v->valuedouble == floor(v->valuedouble) ? 0 : 2).s);
    else if (cJSON_IsBool(v))
        each(context, name, cJSON_IsTrue(v) ? "yes" : "no");
}

static void tell_machine(const cJSON *m, report_fact_fn each, void *context)
{
    static const struct {
        const char *path;
        struct words name;
    } known[] = {
        {"name", {"Machine", "マシン"}},
        {"cpu", {"CPU", "CPU"}},
        {"cores", {"Hardware threads", "ハードウェアスレッド"}},
        {"memory_bytes", {"Memory", "メモリ"}},
        {"kernel", {"Kernel", "カーネル"}},
        {"virtualization", {"Virtualisation", "仮想化"}},
        {"file_system", {"File system", "ファイルシステム"}},
        {"storage_bytes", {"Size of the file system", "ファイルシステムの容量"}},
        {"disk", {"Disk", "ディスク"}},
        {"disk_is_rotational", {"Rotating disk", "回転ディスク"}},
        {"free_bytes", {"Free on the file system", "ファイルシステムの空き"}},
        {"clock_source", {"Clock source", "クロックソース"}},
        {"governor", {"CPU frequency governor", "CPU 周波数ガバナー"}},
    };
    const cJSON *v;
    int n = 0;
    for (size_t i = 0; i < ARRAY_LEN(known); i++)
        tell(m, known[i].path, known[i].name, each, context);
    /* whatever else was found out, by its own name */
    cJSON_ArrayForEach(v, m)
    {
        bool is_known = strcmp(v->string, "load_before") == 0;
        for (size_t i = 0; i < ARRAY_LEN(known); i++)
            is_known |= strcmp(known[i].path, v->string) == 0;
        if (!is_known && strlen(v->string) < 60 && !strchr(v->string, '.') && n++ < 40)
            tell(m, v->string, (struct words){v->string, v->string}, each, context);
    }
    n = 0;
    cJSON_ArrayForEach(v, facts_get(m, "sysctls"))
    {
        char number[32];
        snprintf(number, sizeof(number), "%.15g", cJSON_IsNumber(v) ? v->valuedouble : 0);
        if ((cJSON_IsNumber(v) || cJSON_IsString(v)) && n++ < 40)
            each(context, (struct words){v->string, v->string},
                 cJSON_IsNumber(v) ? number : v->valuestring);
    }
}

static void tell_speed(const cJSON *report, report_fact_fn each, void *context)
{
    char line[256];
    double before = facts_number(report, "speed.before.compute_ops_s"),
           after = facts_number(report, "speed.after.compute_ops_s"),
           drift = facts_number(report, "speed.drift_percent");
    if (isnan(before))
        return;
    bool has_after = !isnan(after);
    snprintf(line, sizeof(line), "%s ops/s → %s%s", figure_short(before).s, figure_short(after).s,
             has_after ? " ops/s" : "");
    each(context, (struct words){"Speed probe, before → after", "速度測定 (前 → 後)"}, line);
    snprintf(line, sizeof(line), "%s/s → %s%s",
             figure_bytes(facts_number(report, "speed.before.write_bytes_s")).s,
             figure_bytes(facts_number(report, "speed.after.write_bytes_s")).s,
             has_after ? "/s" : "");
    each(context, (struct words){"Written with fsync, before → after", "fsync 書き込み (前 → 後)"},
         line);
    if (!isnan(drift))
        each(context, (struct words){"Drift", "変動"}, figure_percent(drift).s);
}

void report_environment(const cJSON *report, report_fact_fn each, void *context)
{
    const cJSON *t;
    int n = 0;
    tell(report, "version", (struct words){"azekura-bench", "azekura-bench"}, each, context);
    tell(report, "build", (struct words){"Build", "ビルド"}, each, context);
    cJSON_ArrayForEach(t, facts_get(report, "targets"))
    {
        char line[1024];
        if (n++ == 16)
            break;
        struct figure f = figure_bytes(facts_number(t, "receive_buffer_bytes"));
        bool has_buffer = facts_count(t, "receive_buffer_bytes") > 0;
        snprintf(line, sizeof(line), "%.80s %.80s → %.80s%s%s%s%.64s", facts_text(t, "product"),
                 facts_text(t, "version"), facts_text(t, "stores"),
                 has_buffer ? ", UDP receive buffer " : "", has_buffer ? f.s : "",
                 *facts_text(t, "config_sha256") ? ", configuration SHA-256 " : "",
                 facts_text(t, "config_sha256"));
        each(context, (struct words){facts_text(t, "name"), facts_text(t, "name")}, line);
    }
    tell_machine(facts_get(report, "machine"), each, context);
    tell_speed(report, each, context);
}

/* ---- verdicts ---- */

struct words report_verdict(const cJSON *report)
{
    const char *v = facts_text(report, "verdict"), *state = facts_text(report, "state");
    if (strcmp(state, "running") == 0)
        return (struct words){"RUNNING", "実行中"};
    if (strcmp(state, "failed") == 0)
        return (struct words){"FAILED", "失敗"};
    if (strcmp(state, "incomplete") == 0)
        return (struct words){"INCOMPLETE", "未完了"};
    if (strcmp(v, "pass") == 0)
        return (struct words){"PASS", "合格"};
    if (strcmp(v, "fail") == 0)
        return (struct words){"FAIL", "不合格"};
    if (strcmp(v, "invalid") == 0)
        return (struct words){"INVALID", "無効"};
    return (struct words){"NO VERDICT", "判定なし"};
}

struct words report_verdict_of_trial(const cJSON *trial)
{
    double loss = facts_loss_percent(trial);
    if (facts_index(trial, "run") == 0)
        return (struct words){"preparation", "準備"};
    if (facts_false(trial, "is_valid"))
        return (struct words){"invalid", "無効"};
    if (isnan(loss))
        return (struct words){"not read back", "読み戻しなし"};
    if (facts_count(trial, "sequence.duplicated") > 0)
        return (struct words){"duplicates", "重複あり"};
    if (loss > 0)
        return (struct words){"loss", "損失あり"};
    return (struct words){"lossless", "損失なし"};
}

const char *report_title(const cJSON *report, int language)
{
    const char *title = facts_sentence(report, "title", (enum facts_language)language);
    return *title ? title : facts_text(report, "profile");
}
