/* The state folder: one receiver at a time, files whole or not at all. */
#include <criterion/criterion.h>

#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "receiver/state.h"

static char folder[] = "/tmp/azk-state-XXXXXX";

static void make_folder(void)
{
    cr_assert_not_null(mkdtemp(folder));
}

static void remove_folder(void)
{
    char command[96];
    snprintf(command, sizeof(command), "rm -r %s", folder);
    cr_assert_eq(system(command), 0);
}

TestSuite(state, .init = make_folder, .fini = remove_folder);

static struct state open_state(void)
{
    struct state s;
    struct err err = {0};
    cr_assert_eq(state_open(&s, folder, &err), 0, "%s", err.message);
    return s;
}

Test(state, a_second_receiver_is_told_who_has_the_folder)
{
    struct state first = open_state(), second;
    struct err err = {0};
    char pid[32];
    snprintf(pid, sizeof(pid), "process %d)", (int)getpid());
    cr_expect_eq(state_open(&second, folder, &err), -EBUSY);
    cr_expect_str_eq(err.code, "in_use");
    cr_expect_not_null(strstr(err.message, pid), "%s", err.message);
    state_close(&first);
    second = open_state();
    state_close(&second);
}

Test(state, the_lock_ends_with_its_process)
{
    pid_t child = fork();
    if (child == 0) {
        (void)open_state();
        kill(getpid(), SIGKILL);
    }
    cr_assert_eq(waitpid(child, NULL, 0), child);
    struct state s = open_state();
    state_close(&s);
}

Test(state, a_written_file_replaces_the_old_one_and_leaves_nothing_beside_it)
{
    struct state s = open_state();
    struct err err = {0};
    char path[STATE_PATH_MAX], text[32] = "";
    cr_assert_eq(state_write(&s, "listeners", VIEW("udp 127.0.0.1:1\n"), &err), 0);
    cr_assert_eq(state_write(&s, "listeners", VIEW("tcp\n"), &err), 0);
    state_path(&s, "listeners", path);
    FILE *f = fopen(path, "r");
    cr_assert_not_null(f);
    cr_expect_eq(fread(text, 1, sizeof(text) - 1, f), 4);
    fclose(f);
    cr_expect_str_eq(text, "tcp\n");
    state_path(&s, "listeners.new", path);
    cr_expect_neq(access(path, F_OK), 0);
    state_remove(&s, "listeners");
    state_path(&s, "listeners", path);
    cr_expect_neq(access(path, F_OK), 0);
    state_close(&s);
}

Test(state, a_folder_of_files_is_made_when_it_is_first_needed)
{
    struct state s = open_state();
    struct err err = {0};
    cr_expect_eq(state_write_synced(&s, "rejected", "a.copy", VIEW("x"), &err), 0, "%s",
                 err.message);
    char path[STATE_PATH_MAX];
    struct stat st;
    state_path(&s, "rejected/a.copy", path);
    cr_assert_eq(stat(path, &st), 0);
    cr_expect_eq(st.st_size, 1);
    state_close(&s);
}

Test(state, what_cannot_be_made_is_named_with_the_reason)
{
    struct state s;
    struct err err = {0};
    char long_path[400];
    cr_expect_eq(state_open(&s, "/proc/nothing/here", &err), -ENOENT);
    cr_expect_not_null(strstr(err.message, "/proc/nothing/here"));
    cr_expect_str_eq(err.field, "state.dir");
    memset(long_path, 'x', sizeof(long_path));
    long_path[0] = '/';
    long_path[sizeof(long_path) - 1] = '\0';
    cr_expect_eq(state_open(&s, long_path, &err), -ENAMETOOLONG);
    cr_expect_not_null(strstr(err.message, "longer than"));
}
