#include <criterion/criterion.h>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "web/bench_summary.h"
#include "web/body.h"

static int make_root(char state[64])
{
    snprintf(state, 64, "/tmp/azk-summary-XXXXXX");
    cr_assert(mkdtemp(state));
    char *web = xasprintf("%s/web", state);
    cr_assert_eq(mkdir(web, 0755), 0);
    free(web);
    return bench_folder_root(state, NULL);
}

/* The entry of a run that ended, with this report (NULL: none) and this output (NULL: none). */
static cJSON *entry_of(const char *report, const char *log)
{
    char state[64];
    int root = make_root(state);
    cJSON *title = body_parse(VIEW("{\"en\":\"Ladder\",\"ja\":\"ラダー\"}"));
    cJSON *begun = bench_summary_begin("run", "ladder", title, "box", "account:boss");
    int marks = bench_folder_marks(root, NULL);
    cr_assert_eq(bench_summary_write(marks, "run", begun, NULL), 0);
    if (log)
        cr_assert_eq(bench_folder_write(marks, "run.log", view_str(log), 0644, NULL), 0);
    cr_assert_eq(mkdirat(root, "run", 0755), 0);
    int dir = bench_folder_run(root, "run", NULL);
    cJSON *living = bench_summary_of(root, dir, "run", true);
    cr_expect(cJSON_Compare(living, begun, true), "while it lives it is as it began");
    if (report)
        cr_assert_eq(bench_folder_write(dir, "report.json", view_str(report), 0644, NULL), 0);
    cJSON *entry = bench_summary_of(root, dir, "run", false);
    (void)unlinkat(dir, "report.json", 0);
    (void)unlinkat(marks, "run", 0);
    cJSON *again = bench_summary_of(root, dir, "run", false);
    cr_expect(cJSON_Compare(entry, again, true), "it is read, not made again");
    cJSON_Delete(again);
    cJSON_Delete(living);
    cJSON_Delete(begun);
    cJSON_Delete(title);
    close(dir);
    close(marks);
    close(root);
    char *command = xasprintf("rm -rf -- '%s'", state);
    cr_expect_eq(system(command), 0);
    free(command);
    return entry;
}

static const char *english(const cJSON *entry, const char *name)
{
    const char *text = cJSON_GetStringValue(
        cJSON_GetObjectItemCaseSensitive(cJSON_GetObjectItemCaseSensitive(entry, name), "en"));
    return text ? text : "null";
}

Test(bench_summary, the_report_says_how_it_ended)
{
    static const struct {
        const char *name, *report, *log;
        const char *state, *verdict, *answer, *reason, *ended_at;
    } cases[] = {
        {"complete",
         "{\"state\":\"complete\",\"verdict\":\"pass\",\"answer\":{\"en\":\"so\",\"ja\":\"そう\"},"
         "\"ended_at\":\"2026-11-30T10:00:00Z\"}",
         "x\n", "complete", "pass", "so", "null", "2026-11-30T10:00:00Z"},
        {"stopped", "{\"state\":\"incomplete\",\"reason\":\"SIGTERM\"}", "x\n", "incomplete",
         "none", "null", "SIGTERM", NULL},
        {"killed while it wrote reports", "{\"state\":\"running\"}", NULL, "failed", "none", "null",
         "it left no report: it was killed, or the disk was full", NULL},
        {"failed with a word", NULL, "a\nazekura-bench: no such host\n", "failed", "none", "null",
         "no such host", NULL},
        {"nonsense", "{\"state\":[],\"verdict\":7,\"answer\":{\"en\":1},\"ended_at\":\"then\"}",
         NULL, "failed", "none", "null", "null", NULL},
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        cJSON *e = entry_of(cases[i].report, cases[i].log);
        cr_expect_str_eq(bench_summary_text(e, "state"), cases[i].state, "%s", cases[i].name);
        cr_expect_str_eq(bench_summary_text(e, "verdict"), cases[i].verdict, "%s", cases[i].name);
        cr_expect_str_eq(english(e, "answer"), cases[i].answer, "%s", cases[i].name);
        cr_expect_str_eq(english(e, "reason"), cases[i].reason, "%s: %s", cases[i].name,
                         english(e, "reason"));
        cr_expect(!cases[i].ended_at ||
                      strcmp(bench_summary_text(e, "ended_at"), cases[i].ended_at) == 0,
                  "%s: %s", cases[i].name, bench_summary_text(e, "ended_at"));
        cr_expect_str_eq(bench_summary_text(e, "profile"), "ladder", "%s", cases[i].name);
        cr_expect_str_eq(english(e, "title"), "Ladder", "%s", cases[i].name);
        cr_expect_str_eq(bench_summary_text(e, "actor"), "account:boss", "%s", cases[i].name);
        cJSON_Delete(e);
    }
}
