/* Texts and tables of the corpus against what was looked at by hand: expected.txt,
 * expected_results.csv and expected_results_ext.csv beside a document.  AZEKURA_WRITE_EXPECTED=1
 * writes them anew, to be looked at again. */
#include <criterion/criterion.h>

#include <fcntl.h>
#include <unistd.h>

#include "bench/report/report.h"
#include "bench/report/report_parts.h"
#include "bench/run/sample.h"

#define CORPUS AZEKURA_SOURCE_DIR "/tests/corpus/bench"

static struct buf file_content(const char *path)
{
    char block[4096];
    struct buf out = BUF_INIT(16 << 20);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    cr_assert_geq(fd, 0, "%s", path);
    for (ssize_t n; (n = read(fd, block, sizeof(block))) > 0;)
        buf_add(&out, block, (size_t)n);
    close(fd);
    return out;
}

static void compare(const char *name, const char *file, struct buf *made)
{
    char path[512];
    snprintf(path, sizeof(path), CORPUS "/%s/%s", name, file);
    if (getenv("AZEKURA_WRITE_EXPECTED")) {
        FILE *f = fopen(path, "we");
        cr_assert_not_null(f);
        fwrite(made->p, 1, made->n, f);
        fclose(f);
    }
    struct buf expected = file_content(path);
    const char *a = buf_str(made), *b = buf_str(&expected);
    size_t line = 1, begin = 0;
    for (size_t i = 0; a[i] || b[i]; i++) {
        if (a[i] != b[i]) {
            cr_assert(false, "%s, line %zu: \"%.*s\" instead of \"%.*s\"", path, line,
                      (int)strcspn(a + begin, "\n"), a + begin, (int)strcspn(b + begin, "\n"),
                      b + begin);
        }
        if (a[i] == '\n') {
            line++;
            begin = i + 1;
        }
    }
    buf_free(&expected);
}

static cJSON *concluded(const char *name)
{
    char path[512];
    struct err err = {0};
    cJSON *r;
    snprintf(path, sizeof(path), CORPUS "/%s", name);
    cr_assert_eq(report_read(path, &r, &err), 0, "%s", err.message);
    report_conclude(r);
    return r;
}

Test(report_text, a_terminal_gets_what_was_looked_at)
{
    static const char *const names[] = {"ladder_with_loss", "knee",   "sngbench", "crash",
                                        "invalid",          "failed", "empty",    "hostile"};
    for (size_t i = 0; i < ARRAY_LEN(names); i++) {
        struct samples none = {0};
        struct buf out = BUF_INIT(1 << 20);
        cJSON *r = concluded(names[i]);
        report_text(&(struct report_view){.report = r, .samples = &none}, &out);
        cr_assert(!out.is_full);
        compare(names[i], "expected.txt", &out);
        buf_free(&out);
        cJSON_Delete(r);
    }
}

Test(report_text, results_are_as_sngbench_writes_them_and_lose_no_row)
{
    static const char *const names[] = {"sngbench", "ladder", "hostile"};
    for (size_t i = 0; i < ARRAY_LEN(names); i++) {
        struct buf out = BUF_INIT(1 << 20);
        cJSON *r = concluded(names[i]);
        report_results_csv(r, &out);
        compare(names[i], "expected_results.csv", &out);
        buf_free(&out);
        cJSON_Delete(r);
    }
}

Test(report_text, results_ext_has_a_row_a_trial_and_all_columns)
{
    static const char *const names[] = {"ladder_with_loss", "invalid", "hostile", "empty"};
    for (size_t i = 0; i < ARRAY_LEN(names); i++) {
        struct buf out = BUF_INIT(1 << 20);
        cJSON *r = concluded(names[i]);
        report_results_ext_csv(r, &out);
        compare(names[i], "expected_results_ext.csv", &out);
        buf_free(&out);
        cJSON_Delete(r);
    }
}

Test(report_text, what_a_mix_needs_a_day_is_told_by_the_mean_size_that_was_sent)
{
    cJSON *r = concluded("mixed"), *trial;
    struct report_sizing_basis basis;
    struct report_sizing sizing[REPORT_SIZINGS_MAX];
    cJSON_ArrayForEach(trial, cJSON_GetObjectItem(r, "trials"))
    {
        cJSON *load = cJSON_GetObjectItem(trial, "load");
        cJSON_ReplaceItemInObject(load, "size", cJSON_CreateNull());
        cJSON_AddNumberToObject(load, "mean_size", 237.5);
    }
    cr_assert_gt(report_sizing(r, &basis, sizing), 0);
    cr_expect_eq(sizing[0].rate, 100);
    cr_expect_float_eq(sizing[0].received_bytes_day, 100 * 86400 * 237.5, 1e-3, "%f",
                       sizing[0].received_bytes_day);
    cJSON_Delete(r);
}

static void is_for_people(void *context, struct words name, const char *value)
{
    bool is_sysctl = strchr(name.en, '.') != NULL;
    (void)value;
    ++*(int *)context;
    cr_expect(is_sysctl || !strchr(name.en, '_'), "%s", name.en);
}

Test(report_text, whatever_is_found_out_of_a_machine_has_a_name_for_people)
{
    int n = 0;
    cJSON *report = cJSON_CreateObject(), *machine = sample_machine("/tmp");
    cJSON_AddStringToObject(machine, "governor", "performance");
    cJSON_AddItemToObject(report, "machine", machine);
    report_environment(report, is_for_people, &n);
    cr_expect_gt(n, 8);
    cJSON_Delete(report);
}
