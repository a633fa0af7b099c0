#include <criterion/criterion.h>

#include <unistd.h>

#include "web/bench_samples.h"

static int file_of(const char *text)
{
    char path[] = "/tmp/azk-samples-XXXXXX";
    int fd = mkstemp(path);
    cr_assert(fd >= 0);
    cr_assert_eq(unlink(path), 0);
    cr_assert_eq(write(fd, text, strlen(text)), (ssize_t)strlen(text));
    return fd;
}

static int rows_of(const char *text, int64_t after, int limit, struct buf *out, struct err *err)
{
    struct json j = JSON_INIT(out);
    int fd = text ? file_of(text) : -1;
    int rc = bench_samples_add(&j, fd, after, limit, err);
    if (fd >= 0)
        close(fd);
    return rc;
}

Test(bench_samples, rows_have_names_and_only_numbers)
{
    static const struct {
        const char *name, *text, *expected;
        int64_t after;
        int limit;
    } cases[] = {
        {"no file", NULL, "{\"rows\":[],\"next\":0}", 0, 9},
        {"an empty file", "", "{\"rows\":[],\"next\":0}", 0, 9},
        {"a header that is not whole", "a,b", "{\"rows\":[],\"next\":0}", 0, 9},
        {"a header alone", "a,b\n", "{\"rows\":[],\"next\":4}", 0, 9},
        {"a line that is not whole", "a,b\n1,2\n3", "{\"rows\":[{\"a\":1,\"b\":2}],\"next\":8}", 0,
         9},
        {"from a place on", "a,b\n1,2\n3,4\n", "{\"rows\":[{\"a\":3,\"b\":4}],\"next\":12}", 8, 9},
        {"at the end", "a,b\n1,2\n", "{\"rows\":[],\"next\":8}", 8, 9},
        {"a limit", "a\n1\n2\n3\n", "{\"rows\":[{\"a\":1},{\"a\":2}],\"next\":6}", 0, 2},
        {"too few values", "a,b\n1\n", "{\"rows\":[{\"a\":1,\"b\":null}],\"next\":6}", 0, 9},
        {"too many values", "a\n1,2,3\n", "{\"rows\":[{\"a\":1}],\"next\":8}", 0, 9},
        {"an empty line", "a,b\n\n", "{\"rows\":[{\"a\":null,\"b\":null}],\"next\":5}", 0, 9},
        {"numbers", "a\n-1\n0.5\n1e3\n2.5E-7\n0\n",
         "{\"rows\":[{\"a\":-1},{\"a\":0.5},{\"a\":1e3},{\"a\":2.5E-7},{\"a\":0}],\"next\":22}", 0,
         9},
        {"no numbers", "a\nNaN\n0x1\n01\n1.\n.5\n1e\n+1\n--1\n1 \n\"1\"\n\xff\n",
         "{\"rows\":[{\"a\":null},{\"a\":null},{\"a\":null},{\"a\":null},{\"a\":null},{\"a\":null},"
         "{"
         "\"a\":null},{\"a\":null},{\"a\":null},{\"a\":null},{\"a\":null}],\"next\":38}",
         0, 99},
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct buf out = BUF_INIT(4096);
        struct err err;
        cr_expect_eq(rows_of(cases[i].text, cases[i].after, cases[i].limit, &out, &err), 0, "%s",
                     cases[i].name);
        cr_expect_str_eq(buf_str(&out), cases[i].expected, "%s: %s", cases[i].name, buf_str(&out));
        buf_free(&out);
    }
}

Test(bench_samples, a_place_that_is_no_beginning_of_a_line_is_refused)
{
    static const int64_t places[] = {1, 3, 5, 9, 13, 1000, INT64_MAX / 2};
    for (size_t i = 0; i < ARRAY_LEN(places); i++) {
        struct buf out = BUF_INIT(4096);
        struct err err;
        cr_expect_eq(rows_of("a,b\n1,2\n3,4\n", places[i], 9, &out, &err), -EINVAL, "%lld",
                     (long long)places[i]);
        cr_expect_str_eq(err.field, "after");
        buf_free(&out);
    }
}

Test(bench_samples, a_header_without_names_is_damage)
{
    static const char *const headers[] = {"\n1\n", "a,,b\n", "A\n",    "a b\n",
                                          "<b>\n", "a,b,\n", "\"a\"\n"};
    for (size_t i = 0; i < ARRAY_LEN(headers); i++) {
        struct buf out = BUF_INIT(4096);
        struct err err;
        cr_expect_eq(rows_of(headers[i], 0, 9, &out, &err), -EBADMSG, "%s", headers[i]);
        buf_free(&out);
    }
}
