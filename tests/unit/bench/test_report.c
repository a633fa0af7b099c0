#include <criterion/criterion.h>

#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/buf.h"
#include "bench/facts.h"
#include "bench/report/report.h"

#define CORPUS AZEKURA_SOURCE_DIR "/tests/corpus/bench"

static char folder[] = "/tmp/azekura-report-XXXXXX";

static void make_folder(void)
{
    cr_assert_not_null(mkdtemp(folder));
}

static void remove_folder(void)
{
    pid_t child = fork();
    if (child == 0) {
        execlp("rm", "rm", "-rf", folder, (char *)NULL);
        _exit(127);
    }
    waitpid(child, NULL, 0);
}

static struct buf content(const char *dir, const char *name)
{
    char path[512], block[4096];
    struct buf out = BUF_INIT(64 << 20);
    snprintf(path, sizeof(path), "%s/%s", dir, name);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    cr_assert_geq(fd, 0, "%s", path);
    for (ssize_t n; (n = read(fd, block, sizeof(block))) > 0;)
        buf_add(&out, block, (size_t)n);
    close(fd);
    return out;
}

static void put(const char *name, const char *text)
{
    char path[512];
    snprintf(path, sizeof(path), "%s/%s", folder, name);
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    cr_assert_geq(fd, 0);
    cr_assert_eq(write(fd, text, strlen(text)), (ssize_t)strlen(text));
    close(fd);
}

TestSuite(report, .init = make_folder, .fini = remove_folder);

Test(report, what_is_written_can_be_read_and_every_file_is_there)
{
    static const char *const names[] = {"report.json", "results.csv", "results_ext.csv",
                                        "report.html", "report.txt"};
    struct err err = {0};
    cJSON *r, *again;
    char path[512];
    cr_assert_eq(report_read(CORPUS "/knee", &r, &err), 0, "%s", err.message);
    report_conclude(r);
    cr_assert_eq(report_write(folder, r, &err), 0, "%s", err.message);
    for (size_t i = 0; i < ARRAY_LEN(names); i++) {
        struct buf b = content(folder, names[i]);
        cr_assert_gt(b.n, 100, "%s", names[i]);
        buf_free(&b);
        snprintf(path, sizeof(path), "%s/%s.part", folder, names[i]);
        cr_assert_eq(access(path, F_OK), -1, "%s is left", path);
    }
    cr_assert_eq(report_read(folder, &again, &err), 0, "%s", err.message);
    cr_assert(cJSON_Compare(r, again, true));
    cJSON_Delete(r);
    cJSON_Delete(again);
}

Test(report, the_page_names_the_hashes_of_the_files_beside_it)
{
    struct err err = {0};
    cJSON *r;
    cr_assert_eq(report_read(CORPUS "/ladder", &r, &err), 0);
    put("samples.csv", "trial,at_s\n");
    cr_assert_eq(report_write(folder, r, &err), 0, "%s", err.message);
    struct buf page = content(folder, "report.html"), text = content(folder, "report.txt");
    /* printf 'trial,at_s\n' | sha256sum */
    static const char sha[] = "7b457f8df1493c9ce12e922de26112564403d6ee21056165d3de05f05d915623";
    cr_assert_not_null(strstr(buf_str(&page), sha));
    cr_assert_not_null(strstr(buf_str(&text), sha));
    buf_free(&page);
    buf_free(&text);
    cJSON_Delete(r);
}

Test(report, a_document_that_is_none_is_refused_with_its_fault)
{
    static const struct {
        const char *text, *said;
    } cases[] = {
        {"", "is not JSON"},
        {"{\"schema_version\":1", "is not JSON: wrong at byte"},
        {"[1]", "is no report: a JSON object is expected"},
        {"{}", "schema_version nan cannot be read, only 1"},
        {"{\"schema_version\":2}", "schema_version 2 cannot be read, only 1"},
        {"{\"schema_version\":1,\"trials\":{}}", "trials is no list"},
        {"{\"schema_version\":1,\"trials\":[{},7]}", "trials[1] is no object"},
        {"{\"schema_version\":1,\"knees\":\"x\"}", "knees is no list"},
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct err err = {0};
        cJSON *r = NULL;
        put("report.json", cases[i].text);
        cr_assert_lt(report_read(folder, &r, &err), 0, "%s", cases[i].text);
        cr_assert_not_null(strstr(err.message, cases[i].said), "%s: %s", cases[i].text,
                           err.message);
        cr_assert_not_null(strstr(err.message, folder), "%s", err.message);
        cr_assert_null(r);
    }
}

Test(report, deep_and_huge_documents_are_refused)
{
    struct err err = {0};
    struct buf b = BUF_INIT(8 << 20);
    cJSON *r = NULL;
    buf_add_str(&b, "{\"schema_version\":1,\"x\":");
    for (int i = 0; i < 100000; i++)
        buf_add_char(&b, '[');
    put("report.json", buf_str(&b));
    cr_assert_lt(report_read(folder, &r, &err), 0);
    buf_clear(&b);
    buf_add_str(&b, "{\"schema_version\":1,\"trials\":[{}");
    for (int i = 0; i < 20000; i++)
        buf_add_str(&b, ",{}");
    buf_add_str(&b, "]}");
    put("report.json", buf_str(&b));
    cr_assert_lt(report_read(folder, &r, &err), 0);
    cr_assert_not_null(strstr(err.message, "20001 trials, at most 20000 are read"), "%s",
                       err.message);
    buf_free(&b);
    char path[512];
    snprintf(path, sizeof(path), "%s/report.json", folder);
    cr_assert_eq(truncate(path, (64 << 20) + 1), 0);
    cr_assert_lt(report_read(folder, &r, &err), 0);
    cr_assert_not_null(strstr(err.message, "is larger than 67108864 bytes"), "%s", err.message);
}

Test(report, a_folder_without_a_report_and_one_that_cannot_be_written_are_named)
{
    struct err err = {0};
    cJSON *r;
    cr_assert_lt(report_read(folder, &r, &err), 0);
    cr_assert_not_null(strstr(err.message, "report.json: No such file or directory"), "%s",
                       err.message);
    cr_assert_eq(report_read(CORPUS "/empty", &r, &err), 0);
    cr_assert_lt(report_write("/nowhere", r, &err), 0);
    cr_assert_not_null(strstr(err.message, "/nowhere/report.json"), "%s", err.message);
    cJSON_Delete(r);
}

/* The lock of a run that lives is another process's. */
static pid_t hold_lock(void)
{
    int ready[2];
    char path[512], byte;
    snprintf(path, sizeof(path), "%s/lock", folder);
    cr_assert_eq(pipe(ready), 0);
    pid_t child = fork();
    if (child == 0) {
        struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
        int fd = open(path, O_RDWR | O_CLOEXEC);
        if (fcntl(fd, F_SETLK, &whole) == 0 && write(ready[1], "x", 1) == 1)
            pause();
        _exit(1);
    }
    close(ready[1]);
    cr_assert_eq(read(ready[0], &byte, 1), 1);
    close(ready[0]);
    return child;
}

Test(report, a_run_that_was_killed_is_not_said_to_be_running)
{
    char word[] = "report", *argv[] = {word, folder, NULL};
    cJSON *r;
    struct err err = {0};
    cr_assert_eq(report_read(CORPUS "/incomplete", &r, &err), 0, "%s", err.message);
    facts_set_text(r, "state", "running");
    cr_assert_eq(report_write(folder, r, &err), 0, "%s", err.message);
    cJSON_Delete(r);
    put("lock", "");
    for (int lives = 1; lives >= 0; lives--) {
        pid_t owner = lives ? hold_lock() : 0;
        cr_assert_eq(report_command(2, argv), 0);
        if (lives) {
            kill(owner, SIGKILL);
            waitpid(owner, NULL, 0);
        }
        cr_assert_eq(report_read(folder, &r, &err), 0, "%s", err.message);
        cr_expect_eq(facts_is(r, "state", "running"), lives, "%s", facts_text(r, "state"));
        cr_expect_eq(strstr(facts_sentence(r, "answer", FACTS_EN), "killed") != NULL, !lives, "%s",
                     facts_sentence(r, "answer", FACTS_EN));
        cJSON_Delete(r);
    }
}

Test(report, as_many_trials_as_may_be_make_files_within_their_limits)
{
    struct err err = {0};
    cJSON *r, *trials, *one;
    cr_assert_eq(report_read(CORPUS "/ladder_with_loss", &r, &err), 0);
    trials = cJSON_GetObjectItem(r, "trials");
    one = cJSON_Duplicate(cJSON_GetArrayItem(trials, 2), true);
    cJSON *last = cJSON_GetArrayItem(trials, 3);
    for (int i = 5; i <= 5000; i++) {
        cJSON *t = cJSON_Duplicate(one, true);
        facts_set_number(t, "number", i);
        facts_set_number(t, "test", i);
        /* cJSON_AddItemToArray looks for the end each time: link it by hand */
        last->next = t;
        t->prev = last;
        trials->child->prev = t;
        last = t;
    }
    cJSON_Delete(one);
    report_conclude(r);
    cr_assert_eq(report_write(folder, r, &err), 0, "%s", err.message);
    struct buf page = content(folder, "report.html"), csv = content(folder, "results_ext.csv");
    cr_assert_lt(page.n, 4 << 20, "a page is for reading: %zu bytes", page.n);
    cr_assert_not_null(strstr(buf_str(&page), "and 4800 more, all in results_ext.csv"));
    size_t lines = 0;
    for (size_t i = 0; i < csv.n; i++)
        lines += csv.p[i] == '\n';
    cr_assert_eq(lines, 5001);
    buf_free(&page);
    buf_free(&csv);
    cJSON_Delete(r);
}
