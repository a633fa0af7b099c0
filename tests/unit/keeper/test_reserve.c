/* The reserve on the database's file system. */
#include <criterion/criterion.h>

#include <stdio.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "keeper/reserve.h"

#define MB INT64_C(1000000)

static char folder[64], path[96], device[32];

static void set_up(void)
{
    struct stat st;
    snprintf(folder, sizeof(folder), "/tmp/azk-reserve-XXXXXX");
    cr_assert_not_null(mkdtemp(folder));
    snprintf(path, sizeof(path), "%s/keeper", folder);
    cr_assert_eq(mkdir(path, 0700), 0);
    cr_assert_eq(stat(path, &st), 0);
    snprintf(device, sizeof(device), "%u:%u", major(st.st_dev), minor(st.st_dev));
    snprintf(path, sizeof(path), "%s/keeper/reserve", folder);
}

static void tear_down(void)
{
    char keeper[96];
    (void)unlink(path);
    snprintf(keeper, sizeof(keeper), "%s/keeper", folder);
    (void)rmdir(keeper);
    (void)rmdir(folder);
}

TestSuite(reserve, .init = set_up, .fini = tear_down);

/* Bytes on disk; -1: there is none. */
static int64_t taken(void)
{
    struct stat st;
    return stat(path, &st) < 0 ? -1 : (int64_t)st.st_blocks * 512;
}

static int keep(int64_t capacity, int64_t free_bytes, const char *where)
{
    struct reserve_need need = {folder, where, capacity, free_bytes, 30 * MB};
    struct err err;
    int64_t bytes;
    int rc = reserve_keep(&need, &bytes, &err);
    cr_assert_geq(rc, 0, "%s", err.message);
    return rc;
}

Test(reserve, is_two_hundredths_of_the_capacity)
{
    cr_expect_eq(keep(50 * MB, 500 * MB, device), RESERVE_MADE);
    cr_expect_geq(taken(), MB);
    cr_expect_leq(taken(), MB + 65536);
    cr_expect_eq(keep(50 * MB, 500 * MB, device), RESERVE_SAME);
    cr_expect_eq(keep(100 * MB, 500 * MB, device), RESERVE_MADE, "it grows with the capacity");
    cr_expect_geq(taken(), 2 * MB);
    cr_expect_eq(keep(50 * MB, 500 * MB, device), RESERVE_MADE, "and gets smaller with it");
    cr_expect_leq(taken(), MB + 65536);
}

Test(reserve, is_given_up_on_a_full_disk_and_made_again_when_there_is_room)
{
    cr_expect_eq(keep(50 * MB, 500 * MB, device), RESERVE_MADE);
    cr_expect_eq(keep(50 * MB, 20 * MB, device), RESERVE_SAME, "short, and not yet that short");
    cr_expect_eq(keep(50 * MB, 9 * MB, device), RESERVE_GIVEN_UP);
    cr_expect_eq(taken(), -1);
    cr_expect_eq(keep(50 * MB, 9 * MB, device), RESERVE_SAME);
    cr_expect_eq(keep(50 * MB, 31 * MB, device), RESERVE_SAME, "it would be short at once");
    cr_expect_eq(keep(50 * MB, 40 * MB, device), RESERVE_MADE);
}

Test(reserve, is_of_no_use_on_another_file_system)
{
    cr_expect_eq(keep(50 * MB, 500 * MB, "0:0"), RESERVE_SAME);
    cr_expect_eq(taken(), -1);
    cr_expect_eq(keep(50 * MB, 500 * MB, device), RESERVE_MADE);
    cr_expect_eq(keep(50 * MB, 500 * MB, "0:0"), RESERVE_GIVEN_UP, "the database has moved");
}

Test(reserve, names_what_it_could_not_do)
{
    struct reserve_need need = {folder, device, 50 * MB, 500 * MB, 30 * MB};
    struct err err;
    int64_t bytes;
    cr_assert_eq(symlink("/nonexistent/target", path), 0);
    cr_expect_lt(reserve_keep(&need, &bytes, &err), 0);
    cr_expect_not_null(strstr(err.message, path), "%s", err.message);
}
