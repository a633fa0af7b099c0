#include <criterion/criterion.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench/run/run_stop.h"

static void folder(char path[32])
{
    snprintf(path, 32, "/tmp/azk-stop.XXXXXX");
    cr_assert_not_null(mkdtemp(path));
}

static void tell(const char *folder_path, const char *text, size_t n)
{
    char path[128];
    snprintf(path, sizeof(path), "%s/" RUN_STOP_FILE, folder_path);
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0644);
    cr_assert_eq(write(fd, text, n), (ssize_t)n);
    close(fd);
}

static void remove_folder(const char *folder_path)
{
    char path[128];
    snprintf(path, sizeof(path), "%s/" RUN_STOP_FILE, folder_path);
    (void)unlink(path);
    cr_expect_eq(rmdir(folder_path), 0);
}

Test(run_stop, the_reason_says_who_stopped_it)
{
    static const char told[] = "{\"en\":\"it was stopped by mori in the console\",\"ja\":\"森\"}";
    static const struct {
        const char *name, *file;
        int number, pid;
        const char *en;
    } cases[] = {
        {"a terminal", NULL, SIGINT, 0, "it was stopped by Ctrl-C (SIGINT)"},
        {"a closed terminal", NULL, SIGHUP, 0,
         "it was stopped because its terminal was closed (SIGHUP)"},
        {"the console", told, SIGTERM, 1, "it was stopped by mori in the console"},
        {"the console's is not for Ctrl-C", told, SIGINT, 0, "it was stopped by Ctrl-C (SIGINT)"},
        {"nobody any more", NULL, SIGTERM, 0x3fffffff,
         "it was stopped by SIGTERM of process 1073741823"},
        {"no JSON", "{", SIGTERM, 0, "it was stopped by SIGTERM of the kernel"},
        {"no sentence", "{\"en\":7,\"ja\":\"x\"}", SIGTERM, 0,
         "it was stopped by SIGTERM of the kernel"},
        {"no object", "[]", SIGTERM, 0, "it was stopped by SIGTERM of the kernel"},
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct stages_reason r = {.en = ""};
        char path[32];
        folder(path);
        if (cases[i].file)
            tell(path, cases[i].file, strlen(cases[i].file));
        run_stop_reason(path, cases[i].number, cases[i].pid, &r);
        cr_expect_str_eq(r.en, cases[i].en, "%s: %s", cases[i].name, r.en);
        cr_expect_gt(strlen(r.ja), 0, "%s", cases[i].name);
        remove_folder(path);
    }
}

Test(run_stop, a_long_sentence_is_not_cut_within_a_letter)
{
    struct stages_reason r = {.en = ""};
    char path[32], text[2000];
    int n = snprintf(text, sizeof(text), "{\"en\":\"x\",\"ja\":\"x");
    for (int i = 0; i < 400; i++)
        n += snprintf(text + n, sizeof(text) - (size_t)n, "森");
    n += snprintf(text + n, sizeof(text) - (size_t)n, "\"}");
    folder(path);
    tell(path, text, (size_t)n);
    run_stop_reason(path, SIGTERM, 0, &r);
    cr_expect_eq(strlen(r.ja), 1 + (sizeof(r.ja) - 2) / 3 * 3, "%zu", strlen(r.ja));
    remove_folder(path);
}

Test(run_stop, the_first_signal_and_who_sent_it_are_remembered_and_the_second_cuts_short)
{
    struct stages_reason r = {.en = ""};
    char path[32], expected[80];
    folder(path);
    run_stop_catch();
    pid_t child = fork();
    if (child == 0) {
        (void)kill(getppid(), SIGTERM);
        pause();
    }
    while (!run_stopped_by)
        usleep(1000);
    cr_expect_eq(run_stopped_by, SIGTERM);
    cr_expect_not(run_aborted);
    run_stop_why(path, &r);
    snprintf(expected, sizeof(expected), "it was stopped by SIGTERM of process %d (", (int)child);
    cr_expect_eq(strncmp(r.en, expected, strlen(expected)), 0, "%s", r.en);
    (void)kill(getpid(), SIGINT);
    cr_expect(run_aborted);
    run_stop_why(path, &r);
    cr_expect_eq(strncmp(r.en, expected, strlen(expected)), 0, "%s", r.en);
    alarm(0);
    (void)kill(child, SIGKILL);
    (void)waitpid(child, NULL, 0);
    remove_folder(path);
}

Test(run_stop, the_same_stop_told_by_two_processes_ends_in_order)
{
    run_stop_catch();
    for (int i = 0; i < 2; i++) {
        pid_t child = fork();
        if (child == 0)
            _exit(kill(getppid(), SIGTERM) < 0);
        int status;
        /* also interrupted by the signal itself */
        while (waitpid(child, &status, 0) < 0)
            cr_assert_eq(errno, EINTR);
        cr_assert_eq(status, 0);
        cr_expect_eq(run_stopped_by, SIGTERM);
        cr_expect_eq(run_aborted, 0, "told %d times", i + 1);
    }
    cr_assert_eq(raise(SIGINT), 0);
    cr_expect_eq(run_aborted, 1, "somebody is impatient");
}
