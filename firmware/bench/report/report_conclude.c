/* From the trials to the verdict.  Everything written here is derived: it may be called again. */
#include "bench/report/report.h"

#include <math.h>

#include "bench/report/answer.h"
#include "bench/facts.h"
#include "bench/report/report_parts.h"

static bool is_valid_rung(const struct rung *r)
{
    return r->worst && !isnan(r->loss_percent);
}

static bool passes(const cJSON *report, const struct rung *r)
{
    const char *profile = facts_text(report, "profile");
    if (strcmp(profile, "crash") == 0)
        return r->duplicated == 0 &&
               !(facts_number(r->worst, "stages.stored") > facts_found(r->worst));
    if (strcmp(profile, "mixed") == 0 && facts_count(r->worst, "searches.errors") > 0)
        return false;
    return r->loss_percent <= facts_count(report, "goal.loss_percent") && r->duplicated == 0 &&
           r->unaccounted == 0 && r->others == 0;
}

static const char *verdict_of_knees(const cJSON *report, const char *target)
{
    const cJSON *k;
    const char *verdict = "none";
    cJSON_ArrayForEach(k, facts_get(report, "knees"))
    {
        if (!facts_is(k, "target", target))
            continue;
        const cJSON *t = facts_trial(report, facts_index(k, "lossless_trial"));
        if (t && facts_false(t, "is_valid"))
            return "invalid";
        if (!(facts_number(k, "lossless") > 0))
            verdict = "fail";
        else if (strcmp(verdict, "none") == 0)
            verdict = "pass";
    }
    return verdict;
}

static const char *verdict_of(const cJSON *report)
{
    const char *target = facts_first_target(report), *verdict = "none";
    if (!facts_is(report, "state", "complete"))
        return verdict;
    if (cJSON_GetArraySize(facts_get(report, "knees")) > 0)
        return verdict_of_knees(report, target);
    struct rung *r;
    size_t n = answer_rungs(report, target, &r);
    for (size_t i = 0; i < n; i++) {
        if (!is_valid_rung(&r[i])) {
            verdict = "invalid";
            break;
        }
        if (!passes(report, &r[i]))
            verdict = "fail";
        else if (strcmp(verdict, "none") == 0)
            verdict = "pass";
    }
    free(r);
    const struct answer_goal *goal;
    if (strcmp(verdict, "pass") == 0 && answer_over_goal(report, target, &goal))
        verdict = "fail";
    return verdict;
}

static void conclude_knees(cJSON *report)
{
    cJSON *k;
    cJSON_ArrayForEach(k, cJSON_GetObjectItemCaseSensitive(report, "knees"))
    {
        struct answer a;
        if (!cJSON_IsObject(k))
            continue;
        answer_init(&a);
        answer_knee(report, k, &a);
        facts_set_sentence(k, "sentence", buf_str(&a.en), buf_str(&a.ja));
        answer_done(&a);
    }
}

static void conclude_bottleneck(cJSON *report)
{
    const cJSON *t = answer_trial(report), *first_loss = NULL;
    struct rung *r;
    size_t n = answer_rungs(report, facts_first_target(report), &r);
    /* what stops it is seen where it begins to lose, not where all is well */
    for (size_t i = 0; i < n && !first_loss; i++)
        if (r[i].worst && r[i].loss_percent > 0)
            first_loss = r[i].worst;
    free(r);
    if (first_loss)
        t = first_loss;
    if (!t) {
        facts_set(report, "bottleneck", cJSON_CreateNull());
        return;
    }
    cJSON *b = cJSON_CreateObject();
    CHECK(b);
    facts_set_text(b, "kind", facts_text(t, "bottleneck"));
    facts_set_number(b, "trial", facts_number(t, "number"));
    facts_set_sentence(b, "why", facts_sentence(t, "bottleneck_why", FACTS_EN),
                       facts_sentence(t, "bottleneck_why", FACTS_JA));
    facts_set(report, "bottleneck", b);
}

void report_conclude(cJSON *report)
{
    struct answer a;
    if (!cJSON_IsObject(report))
        return;
    cJSON *t;
    cJSON_ArrayForEach(t, cJSON_GetObjectItemCaseSensitive(report, "trials"))
    {
        if (cJSON_IsObject(t) && !*facts_text(t, "bottleneck"))
            report_bottleneck(report, t);
    }
    report_peers(report);
    conclude_knees(report);
    const char *verdict = verdict_of(report);
    facts_set_text(report, "verdict", verdict);
    answer_init(&a);
    answer_of(report, verdict, &a);
    facts_set_sentence(report, "answer", buf_str(&a.en), buf_str(&a.ja));
    answer_done(&a);
    conclude_bottleneck(report);
}
