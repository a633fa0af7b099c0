#include <criterion/criterion.h>

#include <math.h>

#include "bench/facts.h"
#include "bench/report/report.h"

static cJSON *document(const char *name)
{
    char path[512];
    cJSON *report = NULL;
    struct err err = {0};
    snprintf(path, sizeof(path), AZEKURA_SOURCE_DIR "/tests/corpus/bench/%s", name);
    cr_assert_eq(report_read(path, &report, &err), 0, "%s", err.message);
    return report;
}

Test(report_conclude, each_profile_has_its_verdict_and_its_sentence_in_both_languages)
{
    static const struct {
        const char *name, *verdict, *bottleneck, *en, *ja;
    } cases[] = {
        {"ladder", "pass", "none",
         "Azekura on this machine stores 20,000 messages/s of 100 bytes by UDP for 60 s without "
         "loss: 1,200,000 of 1,200,000 (100 %)",
         "このマシンの Azekura は 100 バイトのメッセージを UDP で毎秒 20,000 件、60 秒 "
         "にわたり損失なく保存します (1,200,000 件中 1,200,000 件、100 %)"},
        {"ladder_with_loss", "fail", "buffer",
         "This box stores 38,000 messages/s of 100 bytes by UDP without loss; at 52,000 it loses "
         "0.4 % (−12,480) in the kernel's socket buffer",
         "このボックスは 100 バイトのメッセージを UDP で毎秒 38,000 件、損失なく保存し、毎秒 "
         "52,000 "
         "件ではカーネルのソケットバッファで 0.4 % (−12,480) を失います"},
        {"ladder_almost", "fail", "buffer",
         "This box already loses at 20,000 messages/s by UDP: 0.0003 % (−216) in the kernel's "
         "socket buffer",
         NULL},
        {"knee", "pass", "buffer",
         "Azekura on this machine stores 46,000 messages/s of 100 bytes by UDP without loss "
         "(47,500 "
         "with at most 0.01 %); 120,000 messages/s of 100 bytes by TCP without loss (120,000 with "
         "at "
         "most 0.01 %)",
         NULL},
        {"soak", "pass", "none",
         "This box stored 20,000 messages/s of 100 bytes by UDP for 24 h without loss: "
         "1,728,000,000 "
         "of 1,728,000,000 (100 %)",
         NULL},
        {"mixed", "pass", "none",
         "Azekura on this machine stored 32,000 messages/s of 100 bytes by UDP for 2 min without "
         "loss: 3,840,000 of 3,840,000 (100 %), while half of 480 searches were answered within "
         "84.5 "
         "ms and 99 % within 310 ms",
         NULL},
        {"crash", "pass", "unknown",
         "Azekura on this machine, killed 5 times at 20,000 messages/s by UDP, lost nothing that "
         "it "
         "had stored, stored nothing twice and was back within 1.18 s; 3,412 were lost while it "
         "was "
         "away",
         NULL},
        {"sngbench", "pass", "unknown",
         "Azekura on this machine stores 310,000 messages/s of 256 bytes by TCP at best (4 × 32 "
         "connections); syslog-ng:maxperf 336,000 (×1.08), rsyslog:file 166,000 (×0.54)",
         NULL},
        {"invalid", "invalid", "none",
         "Invalid, no figure is given: other programs used 35 % of a core, at most 5 % of the "
         "machine "
         "are allowed (10,000 msg/s by UDP)",
         NULL},
        {"incomplete", "none", "none",
         "Incomplete: stopped by Ctrl-C in step 3 of 4. Until then: Azekura on this machine stores "
         "10,000 messages/s of 100 bytes by UDP for 60 s without loss: 600,000 of 600,000 (100 %)",
         NULL},
        {"failed", "none", NULL,
         "Failed: the API at http://127.0.0.1:8080 answered 401; nothing was measured", NULL},
        {"empty", "none", NULL, "Incomplete; nothing was measured", "未完了。測定結果はありません"},
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        cJSON *r = document(cases[i].name);
        report_conclude(r);
        cr_assert_str_eq(facts_text(r, "verdict"), cases[i].verdict, "%s: %s", cases[i].name,
                         facts_text(r, "verdict"));
        cr_assert_str_eq(facts_text(r, "answer.en"), cases[i].en, "%s: %s", cases[i].name,
                         facts_text(r, "answer.en"));
        cr_assert(!cases[i].ja || strcmp(facts_text(r, "answer.ja"), cases[i].ja) == 0, "%s: %s",
                  cases[i].name, facts_text(r, "answer.ja"));
        cr_assert_str_not_empty(facts_text(r, "answer.ja"), "%s", cases[i].name);
        cr_assert_str_eq(facts_text(r, "bottleneck.kind"),
                         cases[i].bottleneck ? cases[i].bottleneck : "", "%s: %s", cases[i].name,
                         facts_text(r, "bottleneck.kind"));
        cJSON_Delete(r);
    }
}

Test(report_conclude, called_again_it_says_the_same)
{
    static const char *const names[] = {"ladder_with_loss", "knee", "sngbench", "hostile", "empty"};
    for (size_t i = 0; i < ARRAY_LEN(names); i++) {
        cJSON *r = document(names[i]);
        report_conclude(r);
        char *once = cJSON_PrintUnformatted(r);
        report_conclude(r);
        char *twice = cJSON_PrintUnformatted(r);
        cr_assert_str_eq(once, twice, "%s", names[i]);
        cJSON_free(once);
        cJSON_free(twice);
        cJSON_Delete(r);
    }
}

/* The member at `path` of the trial in place `n`. */
static void set(cJSON *report, int n, const char *object, const char *member, cJSON *value)
{
    cJSON *t = cJSON_GetArrayItem(cJSON_GetObjectItem(report, "trials"), n);
    facts_set(*object ? cJSON_GetObjectItem(t, object) : t, member, value);
}

static void expect(cJSON *r, const char *why, const char *verdict, const char *part)
{
    report_conclude(r);
    cr_assert_str_eq(facts_text(r, "verdict"), verdict, "%s: %s", why, facts_text(r, "verdict"));
    cr_assert_not_null(strstr(facts_text(r, "answer.en"), part), "%s: %s", why,
                       facts_text(r, "answer.en"));
    cJSON_Delete(r);
}

Test(report_conclude, a_pass_ends_where_something_is_wrong)
{
    cJSON *r = document("ladder");
    set(r, 1, "sequence", "duplicated", cJSON_CreateNumber(3));
    expect(r, "found twice", "fail", "without loss");

    r = document("ladder");
    set(r, 2, "stages", "unaccounted", cJSON_CreateNumber(-1));
    expect(r, "unaccounted for", "fail", "without loss");

    r = document("ladder");
    set(r, 2, "stages", "others_dropped", cJSON_CreateNumber(1200));
    set(r, 3, "stages", "others_dropped", cJSON_CreateNumber(34));
    expect(r, "a box in service lost logs of others", "fail",
           ". Meanwhile 1,234 logs of other senders were lost");

    r = document("ladder");
    facts_set_number(cJSON_GetObjectItem(r, "speed"), "drift_percent", -10);
    expect(r, "a steady machine", "pass", "without loss");

    r = document("ladder");
    facts_set_number(cJSON_GetObjectItem(r, "speed"), "drift_percent", -33.2);
    expect(r, "a machine that became slower", "pass",
           ". The machine's own speed changed by 33 % meanwhile");

    r = document("ladder_with_loss");
    cJSON *goal = cJSON_CreateObject();
    facts_set_number(goal, "loss_percent", 3);
    facts_set(r, "goal", goal);
    expect(r, "a goal of 3 %", "pass", "at 52,000 it loses 0.4 %");

    r = document("ladder");
    set(r, 3, "sequence", "missing", cJSON_CreateNull());
    set(r, 3, "sequence", "found", cJSON_CreateNull());
    set(r, 3, "stages", "visible", cJSON_CreateNull());
    set(r, 3, "", "loss_percent", cJSON_CreateNull());
    expect(r, "not read back", "invalid", "could not be read back (20,000 msg/s by UDP)");

    r = document("mixed");
    set(r, 0, "searches", "errors", cJSON_CreateNumber(2));
    expect(r, "searches failed", "fail", "; 2 failed");

    r = document("crash");
    set(r, 0, "stages", "stored", cJSON_CreateNumber(1196688));
    expect(r, "stored and gone", "fail", "lost 100 messages that it had stored");
}

/* `used`, `goal`: of the last trial's database; NAN: not known. */
static cJSON *with_database(double used, double goal)
{
    cJSON *r = document("ladder"), *g = cJSON_CreateObject();
    cJSON *t = cJSON_GetArrayItem(cJSON_GetObjectItem(r, "trials"), 3);
    facts_set_number(g, "database_percent", goal);
    facts_set(t, "goal", g);
    facts_set_number(cJSON_GetObjectItem(cJSON_GetObjectItem(t, "cpu"), "database"), "mean", used);
    return r;
}

Test(report_conclude, who_uses_more_of_a_core_than_the_goal_fails)
{
    expect(with_database(4, 4), "just as much", "pass", "(100 %)");
    expect(with_database(99, NAN), "no goal", "pass", "(100 %)");
    expect(with_database(NAN, 4), "not measured", "pass", "(100 %)");
    expect(with_database(4.26, 4), "more", "fail",
           "(100 %). With 20,000 msg/s by UDP the database used 4.3 % of a core, more than its "
           "goal of 4 %");
    cJSON *r = with_database(4.26, 4);
    set(r, 3, "", "target", cJSON_CreateString("other"));
    expect(r, "another target", "pass", "(100 %)");
}

Test(report_conclude, a_rate_that_the_generator_did_not_reach_is_not_claimed)
{
    cJSON *r = document("ladder");
    set(r, 3, "stages", "sent", cJSON_CreateNumber(1083333));
    set(r, 3, "sequence", "found", cJSON_CreateNumber(1083333));
    set(r, 3, "rates", "sent", cJSON_CreateNumber(18055.55));
    report_conclude(r);
    cr_assert_not_null(strstr(facts_text(r, "answer.en"), "stores 18,000 messages/s"), "%s",
                       facts_text(r, "answer.en"));
    cr_assert_str_eq(facts_text(facts_trial(r, 4), "bottleneck"), "generator");
    cJSON_Delete(r);
}

Test(report_conclude, the_place_of_the_greatest_loss_is_named)
{
    static const struct {
        const char *stage, *reason, *part;
    } cases[] = {
        {"nic_dropped", NULL, "(−12,480) at the network card"},
        {"unaccounted", NULL, "(−12,480) at a place that nothing counts"},
        {"in_flight", NULL, "(−12,480) on their way when the trial ended"},
        {"refused", "rate_limit", "(−12,480) refused: rate limit"},
        {"refused", "of_tomorrow", "(−12,480) of_tomorrow"},
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        cJSON *r = document("ladder_with_loss");
        set(r, 2, "stages", "kernel_dropped", cJSON_CreateNumber(0));
        set(r, 2, "stages", cases[i].stage, cJSON_CreateNumber(12480));
        if (cases[i].reason) {
            cJSON *reasons = cJSON_CreateObject();
            facts_set_number(reasons, cases[i].reason, 12480);
            set(r, 2, "stages", "reasons", reasons);
        }
        expect(r, cases[i].stage, "fail", cases[i].part);
    }
}

Test(report_conclude, what_stopped_a_trial_is_told_by_its_evidence)
{
    static const struct {
        const char *name, *kind;
        double host, syslog, written, dropped;
    } cases[] = {
        {"all cores busy", "cpu", 1150, 400, 0, 12480},
        {"one thread busy", "thread", 300, 97, 0, 12480},
        {"the disk", "disk", 300, 31, 3.2e8 * 60, 0},
        {"a burst", "buffer", 300, 31, 0, 12480},
        {"nobody knows", "unknown", 300, 31, 0, 0},
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        cJSON *r = document("ladder_with_loss");
        cJSON *t = cJSON_GetArrayItem(cJSON_GetObjectItem(r, "trials"), 2);
        cJSON *cpu = cJSON_GetObjectItem(t, "cpu");
        facts_set_number(cJSON_GetObjectItem(cpu, "host"), "mean", cases[i].host);
        facts_set_number(cJSON_GetObjectItem(cpu, "syslog"), "mean", cases[i].syslog);
        set(r, 2, "disk", "written_bytes", cJSON_CreateNumber(cases[i].written));
        set(r, 2, "stages", "kernel_dropped", cJSON_CreateNumber(cases[i].dropped));
        report_conclude(r);
        cr_assert_str_eq(facts_text(r, "bottleneck.kind"), cases[i].kind, "%s: %s", cases[i].name,
                         facts_text(r, "bottleneck.kind"));
        cJSON_Delete(r);
    }
}

Test(report_conclude, a_run_whose_only_step_was_skipped_says_why)
{
    cJSON *r = document("failed"), *skipped = cJSON_CreateArray(), *s = cJSON_CreateObject();
    facts_set_text(r, "state", "complete");
    facts_set_text(s, "target", "box");
    facts_set_sentence(s, "why", "no rate without loss was found", "損失のないレートがありません");
    cJSON_AddItemToArray(skipped, s);
    facts_set(r, "skipped", skipped);
    expect(r, "skipped", "none", "Nothing was measured: no rate without loss was found");
}

Test(report_conclude, targets_beside_the_first_never_decide)
{
    cJSON *r = document("sngbench");
    cJSON *t;
    cJSON_ArrayForEach(t, cJSON_GetObjectItem(r, "trials"))
    {
        if (facts_is(t, "target", "rsyslog:file"))
            facts_set_number(cJSON_GetObjectItem(t, "sequence"), "missing", 1000);
    }
    report_conclude(r);
    cr_assert_str_eq(facts_text(r, "verdict"), "pass");
    cJSON_Delete(r);
}

Test(report_conclude, peers_are_medians_of_valid_runs_without_the_warm_up)
{
    cJSON *r = document("sngbench");
    report_conclude(r);
    const cJSON *peers = facts_get(r, "peers");
    cr_assert_eq(cJSON_GetArraySize(peers), 18, "6 tests of 3 targets");
    const cJSON *p = cJSON_GetArrayItem(peers, 1); /* 1 connection, syslog-ng */
    cr_assert_str_eq(facts_text(p, "target"), "syslog-ng:maxperf");
    cr_assert_eq(cJSON_GetArraySize(facts_get(p, "rates")), 3);
    cr_assert_float_eq(facts_number(p, "median"), 88000, 1e-6);
    cr_assert_float_eq(facts_number(p, "mad"), 1760, 1e-6);
    cr_assert_float_eq(facts_number(p, "ratio"), 88000.0 / 91000, 1e-9);
    /* 3,000 apart, 2 MAD are 3,640 */
    cr_assert(facts_true(p, "is_noise"));
    /* 23,000 apart, 2 MAD are 12,960 */
    p = cJSON_GetArrayItem(peers, 7);
    cr_assert(facts_false(p, "is_noise"));
    cr_assert_float_eq(facts_number(cJSON_GetArrayItem(peers, 0), "ratio"), 1, 0);
    cJSON_Delete(r);
}

Test(report_conclude, one_run_has_no_spread)
{
    cJSON *r = document("sngbench"), *t;
    cJSON_ArrayForEach(t, cJSON_GetObjectItem(r, "trials"))
    {
        if (facts_number(t, "run") > 1)
            facts_set(t, "is_valid", cJSON_CreateBool(false));
    }
    report_conclude(r);
    const cJSON *p = cJSON_GetArrayItem(facts_get(r, "peers"), 0);
    cr_assert_eq(cJSON_GetArraySize(facts_get(p, "rates")), 1);
    cr_assert(isnan(facts_number(p, "mad")));
    cJSON_Delete(r);
}

static cJSON *trial_of_run(cJSON *r, const char *target, int run)
{
    cJSON *t;
    cJSON_ArrayForEach(t, cJSON_GetObjectItem(r, "trials"))
    {
        if (facts_is(t, "target", target) && facts_index(t, "run") == run)
            return t;
    }
    cr_assert_fail("no run %d of %s", run, target);
    return NULL;
}

Test(report_conclude,
     a_peers_reported_rate_is_the_sum_of_its_generators_and_its_loss_the_worst_runs)
{
    cJSON *r = document("sngbench");
    for (int run = 1; run <= 3; run++) {
        cJSON *t = trial_of_run(r, "syslog-ng:maxperf", run), *clients = cJSON_CreateArray();
        for (int i = 0; i < 4; i++) {
            cJSON *c = cJSON_CreateObject();
            facts_set_number(c, "rate", 1000 * run + i);
            cJSON_AddItemToArray(clients, c);
        }
        facts_set(t, "clients", clients);
        facts_set_number(cJSON_GetObjectItem(t, "rates"), "sent", 5); /* held back by then */
    }
    cJSON *bad = trial_of_run(r, "syslog-ng:maxperf", 2);
    double sent = facts_number(bad, "stages.sent");
    facts_set_number(cJSON_GetObjectItem(bad, "sequence"), "found", sent * 3 / 4);
    facts_set_number(cJSON_GetObjectItem(bad, "sequence"), "missing", sent / 4);
    report_conclude(r);
    const cJSON *peers = facts_get(r, "peers"), *p = cJSON_GetArrayItem(peers, 1);
    cr_assert_str_eq(facts_text(p, "target"), "syslog-ng:maxperf");
    cr_expect_float_eq(facts_number(p, "reported_median"), 8006, 1e-6, "%f",
                       facts_number(p, "reported_median"));
    cr_expect_float_eq(facts_number(p, "loss_percent"), 25, 0.01, "%f",
                       facts_number(p, "loss_percent"));
    cr_expect_eq(facts_number(cJSON_GetArrayItem(peers, 0), "loss_percent"), 0);
    cJSON_Delete(r);
}
