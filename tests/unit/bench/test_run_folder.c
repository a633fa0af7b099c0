#include <criterion/criterion.h>
#include <fcntl.h>
#include <math.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bench/run/run_folder.h"

Test(run_folder, an_id_is_a_plain_name)
{
    char long_id[RUN_FOLDER_ID_MAX + 1];
    memset(long_id, 'a', sizeof(long_id) - 1);
    long_id[RUN_FOLDER_ID_MAX] = 0;
    static const struct {
        const char *id;
        bool is_valid;
    } cases[] = {{"2026-11-30_15-40-00_ladder", true},
                 {"a", true},
                 {"", false},
                 {".", false},
                 {"..", false},
                 {".hidden", false},
                 {"a/b", false},
                 {"a b", false},
                 {"a\n", false},
                 {"\xe3\x81\x82", false},
                 {"a..b", true}};
    for (size_t i = 0; i < ARRAY_LEN(cases); i++)
        cr_expect_eq(run_folder_id_is_valid(cases[i].id), cases[i].is_valid, "%s", cases[i].id);
    cr_expect_not(run_folder_id_is_valid(long_id));
    cr_expect(run_folder_id_is_valid(long_id + 1));
}

static char *read_all(const struct run_folder *f, const char *name)
{
    char *path = xasprintf("%s/%s", f->path, name), *text = xcalloc(1, 4096);
    FILE *in = fopen(path, "r");
    cr_assert_not_null(in, "%s", path);
    cr_assert_gt(fread(text, 1, 4095, in), 0);
    fclose(in);
    free(path);
    return text;
}

Test(run_folder, runs_of_the_same_second_have_folders_of_their_own)
{
    char base[] = "/tmp/azk-run-folder-XXXXXX";
    cr_assert_not_null(mkdtemp(base));
    char *out = xasprintf("%s/a/b", base);
    struct run_folder f[3];
    struct err err;
    for (size_t i = 0; i < 3; i++)
        cr_assert_eq(run_folder_open(out, NULL, "ladder", &f[i], &err), 0, "%s", err.message);
    cr_expect_str_neq(f[0].path, f[1].path);
    cr_expect_str_neq(f[1].path, f[2].path);
    struct run_folder again;
    cr_expect_eq(run_folder_open(out, f[0].id, "ladder", &again, &err), -EEXIST);
    cr_expect(strstr(err.message, f[0].id), "%s", err.message);
    cr_expect(strstr(err.message, "choose another --id"), "%s", err.message);
    cr_expect_lt(run_folder_open(out, "../x", "ladder", &again, &err), 0);
    for (size_t i = 0; i < 3; i++)
        run_folder_close(&f[i]);
    free(out);
    char *remove = xasprintf("rm -rf %s", base);
    cr_expect_eq(system(remove), 0);
    free(remove);
}

Test(run_folder, a_line_of_samples_leaves_empty_what_is_unknown_and_is_kept_by_name)
{
    char base[] = "/tmp/azk-run-folder-XXXXXX";
    cr_assert_not_null(mkdtemp(base));
    struct run_folder f;
    struct err err;
    cr_assert_eq(run_folder_open(base, "run", "ladder", &f, &err), 0, "%s", err.message);
    struct trial_second s = {.at_s = 1.5,
                             .load = {.scheduled = 10, .sent = 9},
                             .kernel_dropped = -1,
                             .stored = 8,
                             .latency_p50_us = NAN,
                             .latency_p99_us = 12,
                             .sample = {.load1 = 0.25, .cpu_syslog = NAN}};
    cr_assert_eq(run_folder_sample(&f, 3, &s), 0);
    char *text = read_all(&f, "samples.csv"), *line = strchr(text, '\n') + 1;
    cr_expect(strncmp(line, "3,1.500,10,9,0,,0,0,0,8,,12,0.25,", 33) == 0, "%s", line);
    int columns = 0, cells = 0;
    for (char *c = text; c < line; c++)
        columns += *c == ',';
    for (char *c = line; *c; c++)
        cells += *c == ',';
    cr_expect_eq(cells, columns);
    free(text);
    cr_assert_eq(run_folder_write(&f, "status.json", f.last_sample), 0);
    text = read_all(&f, "status.json");
    cr_expect(strstr(text, "\"trial\":3") && strstr(text, "\"kernel_dropped\":null"), "%s", text);
    free(text);
    run_folder_close(&f);
    char *remove = xasprintf("rm -rf %s", base);
    cr_expect_eq(system(remove), 0);
    free(remove);
}
