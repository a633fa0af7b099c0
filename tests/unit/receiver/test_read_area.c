/* The mapped file that datagrams are read into. */
#include <criterion/criterion.h>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "receiver/read_area.h"

enum { BYTES = 3 * 4096 };

static char folder[] = "/tmp/azk-read-area-XXXXXX";
static char path[64];

static void make_folder(void)
{
    cr_assert_not_null(mkdtemp(folder));
    (void)snprintf(path, sizeof(path), "%s/datagrams", folder);
}

static void remove_folder(void)
{
    (void)unlink(path); /* some tests have removed it */
    cr_assert_eq(rmdir(folder), 0);
}

TestSuite(read_area, .init = make_folder, .fini = remove_folder);

static struct read_area *open_area(size_t bytes)
{
    struct read_area *a = NULL;
    struct err err = {0};
    cr_assert_eq(read_area_open(path, bytes, &a, &err), 0, "%s", err.message);
    cr_assert_eq((uintptr_t)read_area_memory(a) % 4096, 0);
    return a;
}

static void overwrite(off_t at, char byte)
{
    int fd = open(path, O_RDWR);
    cr_assert_eq(pwrite(fd, &byte, 1, at), 1);
    close(fd);
}

Test(read_area, what_lies_in_it_is_there_for_the_next_process)
{
    struct read_area *a = open_area(BYTES);
    char *memory = read_area_memory(a);
    for (int i = 0; i < BYTES; i++)
        cr_assert_eq(memory[i], 0, "a new one is empty");
    memory[0] = 'a';
    memory[BYTES - 1] = 'z';
    read_area_close(&a);
    cr_expect_null(a);
    a = open_area(BYTES);
    memory = read_area_memory(a);
    cr_expect_eq(memory[0], 'a');
    cr_expect_eq(memory[BYTES - 1], 'z');
    read_area_close(&a);
}

Test(read_area, what_another_boot_or_build_left_is_forgotten)
{
    static const struct {
        const char *name;
        off_t at;
        size_t bytes;
    } cases[] = {
        {"another mark", 0, BYTES},         {"another size", 8, BYTES},
        {"another boot", 16, BYTES},        {"a smaller one", -1, BYTES + 4096},
        {"a larger one", -1, BYTES - 4096},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct read_area *a = open_area(BYTES);
        memset(read_area_memory(a), 'x', BYTES);
        read_area_close(&a);
        if (cases[i].at >= 0)
            overwrite(cases[i].at, '!');
        a = open_area(cases[i].bytes);
        const char *memory = read_area_memory(a);
        for (size_t k = 0; k < cases[i].bytes; k++)
            cr_assert_eq(memory[k], 0, "%s: byte %zu", cases[i].name, k);
        read_area_close(&a);
        cr_assert_eq(unlink(path), 0);
    }
}

Test(read_area, all_of_it_is_on_the_disk_and_nobody_else_may_read_it)
{
    struct read_area *a = open_area(BYTES);
    struct stat st;
    cr_assert_eq(stat(path, &st), 0);
    cr_expect_eq(st.st_mode & 0777, 0600);
    cr_expect_geq(st.st_blocks * 512, BYTES);
    read_area_close(&a);
}

Test(read_area, a_path_that_cannot_be_is_named_with_its_reason)
{
    struct read_area *a = NULL;
    struct err err = {0};
    cr_expect_eq(read_area_open("/nonexistent/datagrams", BYTES, &a, &err), -ENOENT);
    cr_expect_not_null(strstr(err.message, "/nonexistent/datagrams"));
    cr_expect_not_null(strstr(err.message, "No such file"));
    cr_expect_null(a);
}
