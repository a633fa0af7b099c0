#include <criterion/criterion.h>

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "web/bench_spawn.h"

#define LONG_US (60 * US_PER_SECOND)

static void shell(const char *script, struct bench_args *ret)
{
    *ret = (struct bench_args){.n = 0};
    bench_args_add(ret, "/bin/sh");
    bench_args_add(ret, "-c");
    bench_args_add(ret, script);
}

Test(bench_spawn, what_it_prints_and_its_exit_code_come_back)
{
    static const struct {
        const char *script, *out, *said;
        int code;
    } cases[] = {
        {"echo hello", "hello\n", "", 0},
        {"echo first >&2; echo 'azekura-bench: --time: too long' >&2; exit 2", "",
         "--time: too long", 2},
        {"exec >&- 2>&-; exit 3", "", "", 3},
        {"kill -9 $$", "", "", 137},
        {"cat", "", "", 0},
        {"pwd", "/\n", "", 0},
        {"printf 'bad \\377 bytes\\n' >&2", "", "bad \xef\xbf\xbd bytes", 0},
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct bench_args a;
        struct buf out = BUF_INIT(100);
        struct err err;
        char said[100];
        shell(cases[i].script, &a);
        int rc = bench_run_and_read(&a, "/", LONG_US, &out, said, sizeof(said), &err);
        cr_expect_eq(rc, cases[i].code, "%s: %d", cases[i].script, rc);
        cr_expect_str_eq(buf_str(&out), cases[i].out, "%s", cases[i].script);
        cr_expect_str_eq(said, cases[i].said, "%s: %s", cases[i].script, said);
        buf_free(&out);
    }
}

Test(bench_spawn, it_gets_nothing_of_ours)
{
    struct bench_args a;
    struct buf out = BUF_INIT(4096);
    struct err err;
    sigset_t blocked;
    char said[100];
    cr_assert_eq(setenv("PGPASSWORD", "secret", 1), 0);
    int leak = dup(0); /* not closed at exec by itself */
    cr_assert(leak >= 0);
    sigemptyset(&blocked);
    sigaddset(&blocked, SIGTERM);
    pthread_sigmask(SIG_BLOCK, &blocked, NULL);
    signal(SIGPIPE, SIG_IGN);
    /* ls has the folder itself open as 3; of the signals the first 28 (the C library has its own)
     */
    shell("ls /proc/self/fd | tr '\\n' ' '; env | grep -c PG;"
          " sed -n 's/^Sig\\(Blk\\|Ign\\):.*\\(.......\\)$/\\1 \\2/p' /proc/self/status;"
          " [ \"$(cut -d ' ' -f 6 /proc/$$/stat)\" = $$ ] && echo own session",
          &a);
    cr_expect_eq(bench_run_and_read(&a, "/", LONG_US, &out, said, sizeof(said), &err), 0);
    cr_expect_str_eq(buf_str(&out), "0 1 2 3 0\nBlk 0000000\nIgn 0000000\nown session\n", "%s",
                     buf_str(&out));
    close(leak);
    buf_free(&out);
}

Test(bench_spawn, what_takes_too_long_or_prints_too_much_is_ended)
{
    static const struct {
        const char *script;
        int64_t timeout_us;
        int error;
    } cases[] = {
        {"exec sleep 1000", 100000, -ETIMEDOUT},
        {"exec >&- 2>&-; exec sleep 1000", 100000, 137}, /* silent, and still there */
        {"exec yes", LONG_US, -E2BIG},
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct bench_args a;
        struct buf out = BUF_INIT(1000);
        struct err err;
        char said[100];
        shell(cases[i].script, &a);
        int rc = bench_run_and_read(&a, "/", cases[i].timeout_us, &out, said, sizeof(said), &err);
        cr_expect_eq(rc, cases[i].error, "%s: %d", cases[i].script, rc);
        cr_expect_eq(waitpid(-1, NULL, WNOHANG), -1, "%s: no child is left", cases[i].script);
        buf_free(&out);
    }
}

Test(bench_spawn, a_program_that_is_not_there_is_told)
{
    struct bench_args a = {.n = 0};
    struct buf out = BUF_INIT(100);
    struct err err;
    char said[100];
    bench_args_add(&a, "/nonexistent/azekura-bench");
    bench_args_add(&a, "profiles");
    cr_expect_eq(bench_run_and_read(&a, "/", LONG_US, &out, said, sizeof(said), &err), -EIO);
    cr_expect(strstr(err.message, "/nonexistent/azekura-bench"), "%s", err.message);
    buf_free(&out);
}

Test(bench_spawn, the_last_line_is_cut_between_characters)
{
    static const struct {
        const char *text, *line;
        size_t max;
    } cases[] = {
        {"", "", 20},
        {"\n\n", "", 20},
        {"one", "one", 20},
        {"one\ntwo\n\n", "two", 20},
        {"azekura-bench: three", "three", 20},
        {"校倉校倉", "校", 8},
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        char out[20];
        bench_last_line(view_str(cases[i].text), out, cases[i].max);
        cr_expect(strncmp(out, cases[i].line, strlen(cases[i].line)) == 0 &&
                      strlen(out) < cases[i].max,
                  "\"%s\": \"%s\"", cases[i].text, out);
    }
}
