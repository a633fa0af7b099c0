#include <criterion/criterion.h>

#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "web/bench_folder.h"

/* STATE/web/bench in a folder of its own. */
static int fresh_root(char state[64])
{
    struct err err;
    snprintf(state, 64, "/tmp/azk-bench-XXXXXX");
    cr_assert(mkdtemp(state));
    char *web = xasprintf("%s/web", state);
    cr_assert_eq(mkdir(web, 0755), 0);
    free(web);
    int root = bench_folder_root(state, &err);
    cr_assert(root >= 0, "%s", err.message);
    return root;
}

static void remove_root(int root, const char *state)
{
    char *command = xasprintf("rm -rf -- '%s'", state);
    close(root);
    cr_expect_eq(system(command), 0);
    free(command);
}

Test(bench_folder, an_id_can_be_no_path)
{
    static const struct {
        const char *id;
        bool is_valid;
    } cases[] = {
        {"2026-11-30_15-40-00_ladder", true},
        {"a", true},
        {"", false},
        {".", false},
        {"..", false},
        {".open", false},
        {"a.b", false},
        {"a/b", false},
        {"a b", false},
        {"a\n", false},
        {"校", false},
        {"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", true},
        {"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", false},
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++)
        cr_expect_eq(bench_id_is_valid(view_str(cases[i].id)), cases[i].is_valid, "\"%s\"",
                     cases[i].id);
    cr_expect_not(bench_id_is_valid(view_of("a\0b", 3)));
}

Test(bench_folder, the_lock_tells_who_holds_it_until_it_dies)
{
    char state[64];
    int root = fresh_root(state), ready[2];
    char byte;
    cr_assert_eq(mkdirat(root, "run", 0755), 0);
    int dir = bench_folder_run(root, "run", NULL);
    cr_expect_eq(bench_folder_holder(dir), 0, "there is no lock");
    cr_assert_eq(pipe(ready), 0);
    pid_t pid = fork();
    if (pid == 0) {
        struct flock l = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
        int fd = openat(dir, "lock", O_RDWR | O_CREAT, 0644);
        if (fcntl(fd, F_SETLK, &l) == 0 && write(ready[1], "x", 1) == 1)
            pause();
        _exit(1);
    }
    cr_assert_eq(read(ready[0], &byte, 1), 1);
    cr_expect_eq(bench_folder_holder(dir), pid);
    cr_expect_eq(bench_folder_holder(dir), pid, "looking does not take it away");
    cr_expect_eq(bench_folder_stop(dir, "it was stopped by \"me\"", "停止"), 0);
    int status = 0;
    cr_expect_eq(waitpid(pid, &status, 0), pid);
    cr_expect(WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM);
    cr_expect_eq(bench_folder_holder(dir), 0);
    cJSON *why = bench_folder_json(dir, "stop.json", 4096, NULL);
    cr_assert_not_null(why, "it is told why");
    cr_expect_str_eq(cJSON_GetObjectItem(why, "en")->valuestring, "it was stopped by \"me\"");
    cr_expect_str_eq(cJSON_GetObjectItem(why, "ja")->valuestring, "停止");
    cJSON_Delete(why);
    cr_expect_eq(unlinkat(dir, "stop.json", 0), 0);
    cr_expect_eq(bench_folder_stop(dir, "x", "x"), -ESRCH);
    cr_expect_eq(faccessat(dir, "stop.json", F_OK, 0), -1, "nobody is told anything");
    close(dir);
    remove_root(root, state);
}

Test(bench_folder, a_list_is_newest_first_and_holds_only_ids)
{
    static const char *const names[] = {"2026-01-01_a", "2026-03-01_b", "2026-02-01_c", ".open",
                                        "no.id"};
    static const struct {
        const char *before;
        int n;
        const char *first;
    } cases[] = {{NULL, 3, "2026-03-01_b"},
                 {"2026-03-01_b", 2, "2026-02-01_c"},
                 {"2026-01-01_a", 0, NULL},
                 {"zzz", 3, "2026-03-01_b"}};
    char state[64];
    int root = fresh_root(state);
    for (size_t i = 0; i < ARRAY_LEN(names); i++)
        cr_assert_eq(mkdirat(root, names[i], 0755), 0);
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct arena arena = ARENA_INIT;
        const char **list;
        int n = bench_folder_list(root, cases[i].before, &arena, &list, NULL);
        cr_expect_eq(n, cases[i].n, "%s: %d", cases[i].before, n);
        cr_expect(n <= 0 || strcmp(list[0], cases[i].first) == 0, "%s", cases[i].before);
        arena_done(&arena);
    }
    remove_root(root, state);
}

Test(bench_folder, what_is_written_is_read_back_and_bounded)
{
    char state[64];
    int root = fresh_root(state);
    struct buf text;
    struct err err;
    cr_assert_eq(bench_folder_write(root, "a.json", VIEW("{\"a\":1}"), 0600, &err), 0);
    cr_assert_eq(bench_folder_write(root, "a.json", VIEW("{\"a\":2}"), 0600, &err), 0);
    struct stat st;
    cr_expect(fstatat(root, "a.json", &st, 0) == 0 && (st.st_mode & 0777) == 0600);
    cr_assert_eq(bench_folder_read(root, "a.json", 7, &text, &err), 0);
    cr_expect_str_eq(buf_str(&text), "{\"a\":2}");
    buf_free(&text);
    cr_expect_eq(bench_folder_read(root, "a.json", 6, &text, &err), -E2BIG);
    cr_expect_eq(bench_folder_read(root, "none", 6, &text, &err), -ENOENT);
    cJSON *object = bench_folder_json(root, "a.json", 100, &err);
    cr_expect(cJSON_IsObject(object));
    cJSON_Delete(object);
    cr_assert_eq(bench_folder_write(root, "b.json", VIEW("[1]"), 0600, &err), 0);
    cr_expect_null(bench_folder_json(root, "b.json", 100, &err));
    cr_expect_str_eq(err.code, "damaged");
    remove_root(root, state);
}

Test(bench_folder, no_link_is_followed)
{
    char state[64];
    int root = fresh_root(state);
    struct err err;
    cr_assert_eq(symlinkat("/etc", root, "link"), 0);
    cr_assert_eq(mkdirat(root, "run", 0755), 0);
    cr_expect_eq(bench_folder_run(root, "link", &err), -ENOENT);
    cr_expect_eq(bench_folder_run(root, "../run", &err), -ENOENT);
    int dir = bench_folder_run(root, "run", &err);
    cr_assert(dir >= 0);
    cr_assert_eq(symlinkat("/etc/passwd", dir, "report.txt"), 0);
    cr_assert_eq(mkfifoat(dir, "fifo", 0600), 0);
    cr_expect(bench_folder_file(dir, "report.txt", &err) < 0);
    cr_expect_eq(bench_folder_file(dir, "fifo", &err), -EIO);
    cr_assert_eq(bench_folder_write(root, "kept", VIEW("x"), 0600, &err), 0);
    cr_assert_eq(symlinkat("../kept", dir, "kept"), 0);
    cr_assert_eq(symlinkat("..", dir, "up"), 0);
    cr_assert_eq(mkdirat(dir, "inner", 0755), 0);
    close(dir);
    cr_expect_geq(bench_folder_bytes(root, "run"), 0);
    cr_expect_eq(bench_folder_remove(root, "run", &err), 0);
    cr_expect_eq(faccessat(root, "kept", F_OK, 0), 0);
    cr_expect_neq(faccessat(root, "run", F_OK, 0), 0);
    remove_root(root, state);
}
