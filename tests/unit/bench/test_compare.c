#include <criterion/criterion.h>

#include <math.h>

#include "bench/report/compare.h"
#include "bench/facts.h"
#include "bench/report/report.h"

#define CORPUS AZEKURA_SOURCE_DIR "/tests/corpus/bench"

static cJSON *document(const char *name)
{
    char path[512];
    struct err err = {0};
    struct samples samples;
    cJSON *r;
    snprintf(path, sizeof(path), CORPUS "/%s", name);
    cr_assert_eq(report_read(path, &r, &err), 0, "%s", err.message);
    report_conclude(r);
    snprintf(path, sizeof(path), CORPUS "/%s/samples.csv", name);
    cr_assert_eq(samples_read(path, &samples, &err), 0, "%s", err.message);
    compare_add_noise(r, &samples);
    samples_free(&samples);
    return r;
}

static const cJSON *row_of(const cJSON *comparison, const char *name)
{
    const cJSON *row;
    cJSON_ArrayForEach(row, facts_get(comparison, "rows"))
    {
        if (facts_is(row, "name.en", name))
            return row;
    }
    cr_assert(false, "no row %s", name);
    return NULL;
}

static bool warns(const cJSON *comparison, const char *part)
{
    const cJSON *w;
    cJSON_ArrayForEach(w, facts_get(comparison, "warnings"))
    {
        if (strstr(facts_text(w, "en"), part) && *facts_text(w, "ja"))
            return true;
    }
    return false;
}

Test(compare, a_run_with_itself_differs_in_nothing)
{
    static const char *const names[] = {"ladder", "ladder_with_loss", "knee", "sngbench", "soak"};
    for (size_t i = 0; i < ARRAY_LEN(names); i++) {
        cJSON *a = document(names[i]), *c = report_compare(a, a);
        const cJSON *row;
        cr_assert_gt(cJSON_GetArraySize(facts_get(c, "rows")), 0, "%s", names[i]);
        cJSON_ArrayForEach(row, facts_get(c, "rows"))
        {
            cr_assert(facts_true(row, "is_noise"), "%s: %s", names[i], facts_text(row, "name.en"));
            cr_assert(cJSON_IsNull(facts_get(row, "is_better")));
        }
        cr_assert_not_null(strstr(facts_text(c, "answer.en"), "No difference beyond noise"), "%s",
                           facts_text(c, "answer.en"));
        cr_assert_eq(cJSON_GetArraySize(facts_get(c, "warnings")), 0, "%s", names[i]);
        cJSON_Delete(c);
        cJSON_Delete(a);
    }
}

static void scale(cJSON *report, const char *object, const char *member, double by)
{
    cJSON *t;
    cJSON_ArrayForEach(t, cJSON_GetObjectItem(report, "trials"))
    {
        cJSON *o = cJSON_GetObjectItem(t, object);
        facts_set_number(o, member, facts_number(o, member) * by);
    }
}

Test(compare, a_difference_counts_when_it_is_beyond_the_noise_of_repetitions)
{
    static const struct {
        double by;
        bool is_noise;
        const char *answer;
    } cases[] = {
        /* 2 MAD of "1 connection" are 4 % of its median */
        {1.03, true, "No difference beyond noise"},
        {1.10, false, "B is better"},
        {0.90, false, "B is worse"},
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        cJSON *a = document("sngbench"), *b = document("sngbench");
        scale(b, "rates", "stored", cases[i].by);
        cJSON *c = report_compare(a, b);
        const cJSON *row = row_of(c, "1 connection: stored");
        cr_assert_eq(facts_true(row, "is_noise"), cases[i].is_noise, "%g", cases[i].by);
        cr_assert_float_eq(facts_number(row, "ratio"), cases[i].by, 1e-9);
        cr_assert_not_null(strstr(facts_text(c, "answer.en"), cases[i].answer), "%g: %s",
                           cases[i].by, facts_text(c, "answer.en"));
        cJSON_Delete(a);
        cJSON_Delete(b);
        cJSON_Delete(c);
    }
}

Test(compare, without_repetitions_the_noise_is_of_the_seconds_and_counts_are_exact)
{
    cJSON *a = document("soak"), *b = document("soak");
    /* the CPU of the samples moves by less than 1 % of a core */
    cJSON *t = cJSON_GetArrayItem(cJSON_GetObjectItem(b, "trials"), 0);
    facts_set_number(cJSON_GetObjectItem(cJSON_GetObjectItem(t, "cpu"), "syslog"), "mean", 14.5);
    facts_set_number(cJSON_GetObjectItem(t, "sequence"), "missing", 1);
    cJSON *c = report_compare(a, b);
    const cJSON *cpu = row_of(c, "SYSLOG CPU"), *loss = row_of(c, "loss");
    cr_assert(facts_number(cpu, "noise") > 0 && facts_number(cpu, "noise") < 2.5, "%g",
              facts_number(cpu, "noise"));
    cr_assert(facts_false(cpu, "is_noise") && facts_false(cpu, "is_better"));
    cr_assert(facts_false(loss, "is_noise") && facts_false(loss, "is_better"));
    cr_assert(cJSON_IsNull(facts_get(loss, "ratio")), "nothing is a multiple of 0");
    cr_assert_not_null(strstr(facts_text(c, "answer.en"), "loss, 0.00000006 % instead of 0 %"),
                       "%s", facts_text(c, "answer.en"));
    cJSON_Delete(a);
    cJSON_Delete(b);
    cJSON_Delete(c);
}

Test(compare, a_knee_is_no_more_exact_than_the_step_of_its_search)
{
    static const struct {
        double lossless, failed;
        bool is_noise;
    } cases[] = {
        /* A: 46,000; the next that failed was 47,500 */
        {47000, 48000, true},
        {48000, 49000, false},
        {47600, 50000, true},
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        cJSON *a = document("knee"), *b = document("knee");
        cJSON *knee = cJSON_GetArrayItem(cJSON_GetObjectItem(b, "knees"), 0),
              *points = cJSON_CreateArray(), *point = cJSON_CreateObject();
        facts_set_number(point, "rate", cases[i].failed);
        facts_set_number(point, "loss_percent", 1);
        cJSON_AddItemToArray(points, point);
        facts_set(knee, "points", points);
        facts_set_number(knee, "lossless", cases[i].lossless);
        cJSON *c = report_compare(a, b);
        const cJSON *row = row_of(c, "UDP: highest rate without loss");
        cr_assert_eq(facts_true(row, "is_noise"), cases[i].is_noise, "%g: noise %g",
                     cases[i].lossless, facts_number(row, "noise"));
        cJSON_Delete(a);
        cJSON_Delete(b);
        cJSON_Delete(c);
    }
}

Test(compare, a_ladder_with_a_step_that_is_not_valid_has_no_highest_step)
{
    cJSON *a = document("ladder"), *b = document("ladder"), *trial;
    const cJSON *row;
    int n = cJSON_GetArraySize(facts_get(b, "trials"));
    /* the second step was disturbed: 5,000 are not the most that was stored without loss */
    facts_set(cJSON_GetArrayItem(cJSON_GetObjectItem(b, "trials"), 1), "is_valid",
              cJSON_CreateFalse());
    cJSON *c = report_compare(a, b);
    cr_expect_null(strstr(facts_text(c, "answer.en"), "is worse"), "%s",
                   facts_text(c, "answer.en"));
    cr_expect_gt(cJSON_GetArraySize(facts_get(c, "rows")), 0, "the other steps are compared");
    cJSON_ArrayForEach(row, facts_get(c, "rows"))
        cr_expect(!facts_is(row, "name.en", "highest step without loss"));
    cJSON_Delete(c);
    /* nothing is valid: 0 is no figure */
    for (int i = 0; i < n; i++) {
        trial = cJSON_GetArrayItem(cJSON_GetObjectItem(b, "trials"), i);
        facts_set(trial, "is_valid", cJSON_CreateFalse());
    }
    c = report_compare(b, b);
    cr_expect_eq(cJSON_GetArraySize(facts_get(c, "rows")), 0);
    cr_expect(strstr(facts_text(c, "answer.en"), "Nothing can be compared"), "%s",
              facts_text(c, "answer.en"));
    cJSON_Delete(c);
    cJSON_Delete(a);
    cJSON_Delete(b);
}

Test(compare, what_makes_a_comparison_doubtful_is_said)
{
    cJSON *a = document("ladder"), *b = document("incomplete");
    cJSON *machine = cJSON_GetObjectItem(b, "machine"),
          *before = cJSON_GetObjectItem(cJSON_GetObjectItem(b, "speed"), "before");
    facts_set_text(machine, "cpu", "Another CPU");
    facts_set_number(machine, "memory_bytes", 8e9);
    facts_set_number(before, "compute_ops_s", 1e9);
    facts_set_text(b, "version", "0.2.0");
    cJSON *c = report_compare(a, b);
    cr_assert(warns(c, "B is not complete"));
    cr_assert(warns(c, "The CPUs differ: Example CPU 3.4 GHz and Another CPU"));
    cr_assert(warns(c, "The memory sizes differ: 34.4 GB and 8.00 GB"));
    cr_assert(warns(c, "The versions differ: 0.1.0 and 0.2.0"));
    cr_assert(warns(c, "computed at 80 % of its speed"));
    cr_assert(!warns(c, "kernels"));
    cJSON_Delete(c);
    cJSON_Delete(b);
    b = document("invalid");
    c = report_compare(a, b);
    cr_assert(warns(c, "B is not valid"));
    cJSON_Delete(c);
    cJSON_Delete(b);
    b = document("sngbench");
    c = report_compare(a, b);
    cr_assert(warns(c, "The profiles differ: ladder and sngbench"));
    cr_assert_not_null(strstr(facts_text(c, "answer.en"), "Nothing can be compared"), "%s",
                       facts_text(c, "answer.en"));
    cJSON_Delete(c);
    cJSON_Delete(b);
    cJSON_Delete(a);
}

Test(compare, hostile_and_empty_documents_are_compared_with_everything)
{
    static const char *const names[] = {"hostile", "empty", "failed", "ladder", "knee"};
    for (size_t i = 0; i < ARRAY_LEN(names); i++)
        for (size_t k = 0; k < ARRAY_LEN(names); k++) {
            cJSON *a = document(names[i]), *b = document(names[k]), *c = report_compare(a, b);
            struct buf text = BUF_INIT(4 << 20), page = BUF_INIT(4 << 20);
            compare_text(c, &text);
            compare_html(c, &page);
            cr_assert(!text.is_full && !page.is_full);
            cr_assert_null(strstr(buf_str(&page), "<script"), "%s with %s", names[i], names[k]);
            cr_assert_null(strchr(buf_str(&text), '\x1b'), "%s with %s", names[i], names[k]);
            buf_free(&text);
            buf_free(&page);
            cJSON_Delete(a);
            cJSON_Delete(b);
            cJSON_Delete(c);
        }
}
