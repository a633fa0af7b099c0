/* Reading the folder of migrations; applying them is in tests/scenario. */
#include "store/migrate.h"

#include <criterion/criterion.h>
#include <unistd.h>

static char dir[] = "/tmp/azk-migrate-XXXXXX";

static void make_dir(void)
{
    cr_assert(mkdtemp(dir));
}

static void write_file(const char *name, const char *text, size_t n)
{
    char path[512];
    snprintf(path, sizeof(path), "%s/%s", dir, name);
    FILE *f = fopen(path, "w");
    cr_assert(f && fwrite(text, 1, n, f) == n && fclose(f) == 0, "%s", path);
}

static void remove_file(const char *name)
{
    char path[512];
    snprintf(path, sizeof(path), "%s/%s", dir, name);
    unlink(path);
}

Test(migrate, files_are_read_in_the_order_of_their_numbers_with_their_hashes, .init = make_dir)
{
    struct migrations m;
    struct err err;
    write_file("0002_second.sql", "select 2;", 9);
    write_file("0001_first.sql", "", 0);
    write_file("README.md", "x", 1);
    write_file(".0003_hidden.sql", "x", 1);
    cr_assert_eq(migrations_read(dir, &m, &err), 0, "%s", err.message);
    cr_assert_eq(m.n, 2);
    cr_expect_str_eq(m.list[0].name, "0001_first.sql");
    cr_expect_str_eq(m.list[0].sql, "");
    /* SHA-256 of nothing (FIPS 180-4's example values) */
    cr_expect_str_eq(m.list[0].sha256,
                     "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    cr_expect_eq(m.list[1].number, 2);
    cr_expect_str_eq(m.list[1].sql, "select 2;");
    migrations_free(&m);
    cr_expect_eq(m.n, 0);
    remove_file("0002_second.sql");
    remove_file("0001_first.sql");
    remove_file("README.md");
    remove_file(".0003_hidden.sql");
    rmdir(dir);
}

Test(migrate, what_is_wrong_with_the_folder_is_named, .init = make_dir)
{
    static const struct {
        const char *files[3];
        const char *expected;
    } cases[] = {
        {{NULL}, "there is no migration in"},
        {{"0002_b.sql"}, "migration 0001 is missing before 0002_b.sql"},
        {{"0001_a.sql", "0003_c.sql"}, "migration 0002 is missing before 0003_c.sql"},
        {{"0001_a.sql", "0001_b.sql"}, "0001_a.sql and 0001_b.sql have the same number"},
        {{"0001_a.sql", "2_b.sql"}, "2_b.sql: the name of a migration is four digits"},
        {{"0000_a.sql"}, "0000_a.sql: the name of a migration"},
        {{"0001_A.sql"}, "0001_A.sql: the name of a migration"},
        {{"0001_.sql"}, "0001_.sql: the name of a migration"},
        {{"0001-a.sql"}, "0001-a.sql: the name of a migration"},
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct migrations m = {0};
        struct err err = {0};
        for (int f = 0; f < 3 && cases[i].files[f]; f++)
            write_file(cases[i].files[f], "select 1", 8);
        int rc = migrations_read(dir, &m, &err);
        cr_expect_lt(rc, 0, "case %zu", i);
        const char *both = "0001_a.sql and 0001_b.sql";
        bool is_found =
            strstr(err.message, cases[i].expected) ||
            (strstr(cases[i].expected, both) && strstr(err.message, "have the same number"));
        cr_expect(is_found, "case %zu: %s", i, err.message);
        for (int f = 0; f < 3 && cases[i].files[f]; f++)
            remove_file(cases[i].files[f]);
    }
    rmdir(dir);
}

Test(migrate, a_file_too_long_or_with_a_nul_is_refused, .init = make_dir)
{
    struct migrations m = {0};
    struct err err = {0};
    char *text = xcalloc(MIGRATION_MAX_BYTES + 1, 1);
    write_file("0001_a.sql", "a\0b", 3);
    cr_expect_eq(migrations_read(dir, &m, &err), -EINVAL);
    cr_expect(strstr(err.message, "NUL byte"), "%s", err.message);
    memset(text, ' ', MIGRATION_MAX_BYTES + 1);
    write_file("0001_a.sql", text, MIGRATION_MAX_BYTES + 1);
    cr_expect_eq(migrations_read(dir, &m, &err), -EINVAL);
    cr_expect(strstr(err.message, "at most 1048576 bytes"), "%s", err.message);
    write_file("0001_a.sql", text, MIGRATION_MAX_BYTES);
    cr_expect_eq(migrations_read(dir, &m, &err), 0, "%s", err.message);
    migrations_free(&m);
    free(text);
    remove_file("0001_a.sql");
    rmdir(dir);
}

Test(migrate, a_folder_that_is_not_there_names_the_setting)
{
    struct migrations m = {0};
    struct err err = {0};
    cr_expect_eq(migrations_read("/nonexistent/sql", &m, &err), -ENOENT);
    cr_expect_str_eq(err.field, "database.sql_dir");
    cr_expect(strstr(err.message, "/nonexistent/sql"), "%s", err.message);
}
