/* The sentences, one function a profile.  The Japanese is written, not translated word by word. */
#include "bench/report/answer.h"

#include <math.h>

#include "bench/facts.h"
#include "bench/figure.h"

#define DRIFT_TOLD_PERCENT 10.0 /* of the probe before the run */

void answer_init(struct answer *a)
{
    *a = (struct answer){BUF_INIT(ANSWER_MAX_BYTES), BUF_INIT(ANSWER_MAX_BYTES)};
}

void answer_done(struct answer *a)
{
    buf_free(&a->en);
    buf_free(&a->ja);
}

/* Who is spoken of, at the beginning of a sentence. */
static struct words subject(const cJSON *report, const char *target)
{
    const cJSON *t = facts_target(report, target);
    if (facts_true(t, "is_box") || strcmp(target, "box") == 0)
        return (struct words){"This box", "このボックスは"};
    if (strcmp(target, "azekura") == 0 || !*target)
        return (struct words){"Azekura on this machine", "このマシンの Azekura は"};
    return (struct words){target, NULL};
}

static void add_subject(const cJSON *report, const char *target, struct answer *a)
{
    struct words who = subject(report, target);
    buf_add_str(&a->en, who.en);
    buf_printf(&a->ja, "%s%s", who.ja ? who.ja : who.en, who.ja ? "" : " は");
}

static struct words by(const cJSON *trial)
{
    return answer_transport(facts_text(trial, "load.transport"));
}

/* "38,000 messages/s of 100 bytes by UDP" */
static void add_load(const cJSON *trial, double rate, struct answer *a)
{
    struct figure f = figure_rate(rate), size = figure_count(facts_size(trial));
    bool is_mix = isnan(facts_size(trial));
    buf_printf(&a->en, "%s messages/s%s%s%s by %s", f.s, is_mix ? "" : " of ", is_mix ? "" : size.s,
               is_mix ? "" : " bytes", by(trial).en);
    buf_printf(&a->ja, "%s%sメッセージを %s で毎秒 %s 件", is_mix ? "" : size.s,
               is_mix ? "" : " バイトの", by(trial).ja, f.s);
}

/* "loses 0.4 % (−216) in the kernel's socket buffer" */
static void add_loss(const struct rung *r, struct answer *a)
{
    struct words place = answer_place(r->worst);
    struct figure loss = figure_loss(r->loss_percent), lost = figure_count(facts_lost(r->worst));
    buf_printf(&a->en, "%s (−%s)%s%s", loss.s, lost.s, *place.en ? " " : "", place.en);
    buf_printf(&a->ja, "%s%s%s (−%s) を失います", place.ja, *place.ja ? " " : "", loss.s, lost.s);
}

static void ladder(const cJSON *report, struct answer *a)
{
    struct rung *r;
    const char *target = facts_first_target(report);
    size_t n = answer_rungs(report, target, &r), good = 0;
    while (good < n && r[good].worst && r[good].loss_percent == 0)
        good++;
    add_subject(report, target, a);
    if (good == 0 && n > 0 && r[0].worst) {
        buf_printf(&a->en, " already loses at %s messages/s by %s: ", figure_rate(r[0].rate).s,
                   by(r[0].worst).en);
        buf_printf(&a->ja, " %s で毎秒 %s 件のとき、すでに", by(r[0].worst).ja,
                   figure_rate(r[0].rate).s);
        add_loss(&r[0], a);
    } else if (good > 0) {
        const struct rung *top = &r[good - 1];
        buf_add_str(&a->en, " stores ");
        buf_add_char(&a->ja, ' ');
        add_load(top->worst, top->rate, a);
        if (good < n && r[good].worst) {
            buf_printf(&a->en, " without loss; at %s it loses ", figure_rate(r[good].rate).s);
            buf_printf(&a->ja, "、損失なく保存し、毎秒 %s 件では", figure_rate(r[good].rate).s);
            add_loss(&r[good], a);
        } else {
            struct figure of = figure_count(top->sent);
            double seconds = facts_number(top->worst, "load.duration_s");
            if (isnan(seconds))
                seconds = facts_number(top->worst, "duration_s");
            struct figure time = figure_duration(seconds), time_ja = figure_duration_ja(seconds);
            buf_printf(&a->en, " for %s without loss: %s of %s (100 %%)", time.s, of.s, of.s);
            buf_printf(&a->ja, "、%s にわたり損失なく保存します (%s 件中 %s 件、100 %%)", time_ja.s,
                       of.s, of.s);
        }
    }
    free(r);
}

/* One long trial: the same for soak, mixed and whatever has a single row. */
static void single(const cJSON *report, const struct rung *r, const char *target, struct answer *a)
{
    struct figure time = figure_duration(facts_number(r->worst, "duration_s")),
                  time_ja = figure_duration_ja(facts_number(r->worst, "duration_s"));
    struct figure sent = figure_count(r->sent), found = figure_count(r->sent - r->lost);
    add_subject(report, target, a);
    buf_add_str(&a->en, " stored ");
    buf_add_char(&a->ja, ' ');
    add_load(r->worst, r->rate, a);
    buf_printf(&a->en, " for %s ", time.s);
    buf_printf(&a->ja, "、%s にわたり", time_ja.s);
    if (r->loss_percent == 0) {
        buf_printf(&a->en, "without loss: %s of %s (100 %%)", found.s, sent.s);
        buf_printf(&a->ja, "損失なく保存しました (%s 件中 %s 件、100 %%)", sent.s, found.s);
        return;
    }
    struct words place = answer_place(r->worst);
    struct figure share = figure_reception(r->sent, r->lost);
    buf_printf(&a->en, "and lost some%s%s: %s of %s arrived, %s", *place.en ? " " : "", place.en,
               found.s, sent.s, share.s);
    buf_printf(&a->ja, "保存し、%s一部を失いました (%s 件中 %s 件、%s)", place.ja, sent.s, found.s,
               share.s);
}

static void mixed(const struct rung *r, struct answer *a)
{
    double n = facts_count(r->worst, "searches.n"), bad = facts_count(r->worst, "searches.errors");
    struct figure half = figure_ms(facts_number(r->worst, "searches.p50_ms") * 1000),
                  most = figure_ms(facts_number(r->worst, "searches.p99_ms") * 1000);
    buf_printf(&a->en, ", while half of %s searches were answered within %s and 99 %% within %s",
               figure_count(n).s, half.s, most.s);
    buf_printf(&a->ja, "。その間の検索 %s 件は半数が %s 以内、99 %% が %s 以内に応答",
               figure_count(n).s, half.s, most.s);
    if (bad > 0) {
        buf_printf(&a->en, "; %s failed", figure_count(bad).s);
        buf_printf(&a->ja, "、%s 件は失敗", figure_count(bad).s);
    }
}

static void crash(const cJSON *report, const struct rung *r, const char *target, struct answer *a)
{
    double stored = facts_number(r->worst, "stages.stored"), found = facts_found(r->worst);
    double gone = MAX(0, stored - found), kills = facts_count(r->worst, "crash.kills");
    struct figure times = figure_count(kills), at = figure_rate(r->rate),
                  back = figure_ms(facts_number(r->worst, "crash.restart_ms_max") * 1000);
    add_subject(report, target, a);
    buf_printf(&a->en, ", killed %s time%s at %s messages/s by %s, ", times.s,
               kills == 1 ? "" : "s", at.s, by(r->worst).en);
    buf_printf(&a->ja, " %s で毎秒 %s 件を受信中に %s 回強制終了され、", by(r->worst).ja, at.s,
               times.s);
    if (gone > 0) {
        buf_printf(&a->en, "lost %s messages that it had stored", figure_count(gone).s);
        buf_printf(&a->ja, "保存済みの %s 件を失い", figure_count(gone).s);
    } else {
        buf_add_str(&a->en, "lost nothing that it had stored");
        buf_add_str(&a->ja, "保存済みのメッセージは失わず");
    }
    if (r->duplicated > 0) {
        buf_printf(&a->en, ", stored %s twice", figure_count(r->duplicated).s);
        buf_printf(&a->ja, "、%s 件を二重に保存し", figure_count(r->duplicated).s);
    } else {
        buf_add_str(&a->en, ", stored nothing twice");
        buf_add_str(&a->ja, "、二重の保存もなく");
    }
    buf_printf(&a->en, " and was back within %s; %s were lost while it was away", back.s,
               figure_count(r->lost).s);
    buf_printf(&a->ja, "、%s 以内に復帰しました。停止中に失われたのは %s 件", back.s,
               figure_count(r->lost).s);
}

void answer_knee(const cJSON *report, const cJSON *knee, struct answer *a)
{
    double lossless = facts_number(knee, "lossless"), tolerant = facts_number(knee, "tolerant");
    struct words by_what = answer_transport(facts_text(knee, "transport"));
    struct figure size = figure_count(facts_number(knee, "size")), rate, rest;
    bool is_mix = !(facts_number(knee, "size") > 0);
    (void)report;
    rate = figure_rate(answer_about(lossless));
    rest = figure_rate(answer_about(tolerant));
    if (lossless > 0) {
        buf_printf(&a->en, "%s messages/s%s%s%s by %s without loss", rate.s, is_mix ? "" : " of ",
                   is_mix ? "" : size.s, is_mix ? "" : " bytes", by_what.en);
        buf_printf(&a->ja, "%s%s%s で毎秒 %s 件まで損失なく保存", is_mix ? "" : size.s,
                   is_mix ? "" : " バイトを ", by_what.ja, rate.s);
    } else {
        buf_printf(&a->en, "no rate by %s without loss", by_what.en);
        buf_printf(&a->ja, "%s では損失のないレートなし", by_what.ja);
    }
    if (tolerant > 0) {
        buf_printf(&a->en, " (%s with at most 0.01 %%)", rest.s);
        buf_printf(&a->ja, " (0.01 %% 以下なら %s 件)", rest.s);
    }
}

static void knees(const cJSON *report, const char *target, struct answer *a)
{
    const cJSON *k;
    int n = 0;
    add_subject(report, target, a);
    buf_add_str(&a->en, " stores ");
    buf_add_char(&a->ja, ' ');
    cJSON_ArrayForEach(k, facts_get(report, "knees"))
    {
        if (!facts_is(k, "target", target) || n >= 8)
            continue;
        if (n++) {
            buf_add_str(&a->en, "; ");
            buf_add_str(&a->ja, "、");
        }
        answer_knee(report, k, a);
    }
}

/* The best row of the first target, and what the others do in the same row. */
static void matrix(const cJSON *report, const char *target, struct answer *a)
{
    const cJSON *best = NULL, *p, *trial = answer_trial(report);
    cJSON_ArrayForEach(p, facts_get(report, "peers"))
    {
        if (facts_is(p, "target", target) &&
            (!best || facts_count(p, "median") > facts_count(best, "median")))
            best = p;
    }
    double rate = best ? facts_number(best, "median") : facts_stored_rate(trial);
    add_subject(report, target, a);
    buf_add_str(&a->en, " stores ");
    buf_add_char(&a->ja, ' ');
    add_load(trial, answer_about(rate), a);
    buf_printf(&a->en, " at best (%s)", facts_sentence(best ? best : trial, "name", FACTS_EN));
    buf_printf(&a->ja, "を保存します (最大、%s)",
               facts_sentence(best ? best : trial, "name", FACTS_JA));
    int n = 0;
    cJSON_ArrayForEach(p, facts_get(report, "peers"))
    {
        if (p == best || facts_is(p, "target", target) ||
            facts_index(p, "test") != facts_index(best, "test") || n++ >= 8)
            continue;
        struct figure median = figure_rate(answer_about(facts_number(p, "median")));
        struct figure ratio = figure_ratio(facts_number(p, "ratio"));
        bool is_noise = facts_true(p, "is_noise");
        buf_printf(&a->en, "%s %s %s (%s%s)", n == 1 ? ";" : ",", facts_text(p, "target"), median.s,
                   ratio.s, is_noise ? ", within noise" : "");
        buf_printf(&a->ja, "%s%s は %s 件 (%s%s)", n == 1 ? "。同じ条件で " : "、",
                   facts_text(p, "target"), median.s, ratio.s,
                   is_noise ? "、ばらつきの範囲内" : "");
    }
}

static void of_profile(const cJSON *report, struct answer *a)
{
    struct rung *r;
    const char *target = facts_first_target(report), *profile = facts_text(report, "profile");
    size_t n = answer_rungs(report, target, &r);
    bool is_single = n == 1 && r[0].worst && !isnan(r[0].loss_percent);
    if (cJSON_GetArraySize(facts_get(report, "knees")) > 0)
        knees(report, target, a);
    else if (strcmp(profile, "sngbench") == 0)
        matrix(report, target, a);
    else if (strcmp(profile, "crash") == 0 && is_single)
        crash(report, &r[0], target, a);
    else if (is_single && (strcmp(profile, "soak") == 0 || strcmp(profile, "mixed") == 0)) {
        single(report, &r[0], target, a);
        if (strcmp(profile, "mixed") == 0)
            mixed(&r[0], a);
    } else
        ladder(report, a);
    free(r);
}

/* Why there is no figure: the first row of the first target that has no valid trial. */
static void invalid(const cJSON *report, struct answer *a)
{
    struct rung *r;
    size_t n = answer_rungs(report, facts_first_target(report), &r), i = 0;
    while (i < n && r[i].worst && !isnan(r[i].loss_percent))
        i++;
    const cJSON *t = i < n ? r[i].first : answer_trial(report);
    const char *en = facts_sentence(t, "invalid_reason", FACTS_EN),
               *ja = facts_sentence(t, "invalid_reason", FACTS_JA);
    if (!*en) {
        en = "what was stored could not be read back";
        ja = "保存された内容を読み戻せませんでした";
    }
    buf_printf(&a->en, "Invalid, no figure is given: %s (%s)", en,
               facts_sentence(t, "name", FACTS_EN));
    buf_printf(&a->ja, "無効のため数値なし: %s (%s)", ja, facts_sentence(t, "name", FACTS_JA));
    free(r);
}

static bool has_figures(const cJSON *report)
{
    struct rung *r;
    size_t n = answer_rungs(report, facts_first_target(report), &r);
    bool has = false;
    for (size_t i = 0; i < n; i++)
        has |= r[i].worst && !isnan(r[i].loss_percent);
    /* a ladder speaks of its lowest rung first */
    has = has && r[0].worst && !isnan(r[0].loss_percent);
    free(r);
    return has;
}

/* A run may be over without a result: what it needed was not found. */
static void nothing(const cJSON *report, struct answer *a)
{
    const cJSON *skipped = cJSON_GetArrayItem(facts_get(report, "skipped"), 0);
    const char *en = facts_sentence(skipped, "why", FACTS_EN),
               *ja = facts_sentence(skipped, "why", FACTS_JA);
    buf_printf(&a->en, "Nothing was measured%s%s", *en ? ": " : "", en);
    buf_printf(&a->ja, "測定結果はありません%s%s", *ja ? ": " : "", ja);
}

/* On a box in service: what it cost those who send to it. */
static void others(const cJSON *report, struct answer *a)
{
    const cJSON *t;
    double n = 0;
    cJSON_ArrayForEach(t, facts_get(report, "trials")) n += facts_count(t, "stages.others_dropped");
    if (!(n > 0))
        return;
    buf_printf(&a->en, ". Meanwhile %s logs of other senders were lost", figure_count(n).s);
    buf_printf(&a->ja, "。その間に他の送信元のログ %s 件が失われました", figure_count(n).s);
}

const struct answer_goal answer_goals[ANSWER_GOALS] = {
    {"cpu.syslog.mean", "goal.syslog_percent", {"the syslog process", "syslog プロセス"}},
    {"cpu.database.mean", "goal.database_percent", {"the database", "データベース"}},
};

const cJSON *answer_over_goal(const cJSON *report, const char *target,
                              const struct answer_goal **ret)
{
    const cJSON *t;
    cJSON_ArrayForEach(t, facts_get(report, "trials"))
    {
        if (!facts_is(t, "target", target) || !facts_is_result(t))
            continue;
        for (size_t i = 0; i < ANSWER_GOALS; i++) {
            if (!(facts_number(t, answer_goals[i].mean) > facts_number(t, answer_goals[i].goal)))
                continue; /* one of them may not be known */
            *ret = &answer_goals[i];
            return t;
        }
    }
    return NULL;
}

/* The first of the goals for processors that was not met. */
static void processors(const cJSON *report, struct answer *a)
{
    const struct answer_goal *g = NULL;
    const cJSON *t = answer_over_goal(report, facts_first_target(report), &g);
    if (!t)
        return;
    double used = facts_number(t, g->mean), goal = facts_number(t, g->goal);
    buf_printf(&a->en, ". With %s %s used %.1f %% of a core, more than its goal of %.3g %%",
               facts_sentence(t, "name", FACTS_EN), g->who.en, used, goal);
    buf_printf(&a->ja,
               "。%sのとき%sの CPU 使用率は 1 コアの %.1f %% で、目標の %.3g %% を超えました",
               facts_sentence(t, "name", FACTS_JA), g->who.ja, used, goal);
}

/* A machine that others share has no steady speed: what was lost stays true, and what is compared
 * was measured in turns; but the figures are those of that hour. */
static void unsteady(const cJSON *report, struct answer *a)
{
    double drift = fabs(facts_number(report, "speed.drift_percent"));
    if (!has_figures(report) || !(drift > DRIFT_TOLD_PERCENT))
        return;
    buf_printf(&a->en, ". The machine's own speed changed by %.0f %% meanwhile", drift);
    buf_printf(&a->ja, "。測定中に機器自体の速度が %.0f %% 変化しました", drift);
}

static void of_run(const cJSON *report, const char *verdict, struct answer *a)
{
    const char *state = facts_text(report, "state"),
               *why_en = facts_sentence(report, "reason", FACTS_EN),
               *why_ja = facts_sentence(report, "reason", FACTS_JA);
    bool is_whole = strcmp(state, "complete") == 0;
    if (!is_whole) {
        bool has_failed = strcmp(state, "failed") == 0, is_running = strcmp(state, "running") == 0;
        buf_printf(&a->en, "%s%s%s",
                   has_failed   ? "Failed"
                   : is_running ? "Running"
                                : "Incomplete",
                   *why_en ? ": " : "", why_en);
        buf_printf(&a->ja, "%s%s%s",
                   has_failed   ? "失敗"
                   : is_running ? "実行中"
                                : "未完了",
                   *why_ja ? ": " : "", why_ja);
        if (!has_figures(report)) {
            buf_add_str(&a->en, "; nothing was measured");
            buf_add_str(&a->ja, "。測定結果はありません");
            return;
        }
        buf_add_str(&a->en, ". Until then: ");
        buf_add_str(&a->ja, "。それまでの結果: ");
    }
    if (strcmp(verdict, "invalid") == 0)
        invalid(report, a);
    else if (has_figures(report))
        of_profile(report, a);
    else
        nothing(report, a);
}

void answer_of(const cJSON *report, const char *verdict, struct answer *a)
{
    of_run(report, verdict, a);
    processors(report, a);
    others(report, a);
    unsteady(report, a);
}
