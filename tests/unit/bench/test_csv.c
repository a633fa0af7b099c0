#include <criterion/criterion.h>

#include <math.h>

#include "bench/csv.h"

Test(csv, fields_are_quoted_where_rfc_4180_says_so)
{
    static const struct {
        const char *field, *written;
    } cases[] = {
        {"plain", "plain"},
        {"", ""},
        {" blanks stay ", " blanks stay "},
        {"a,b", "\"a,b\""},
        {"say \"x\"", "\"say \"\"x\"\"\""},
        {"\"", "\"\"\"\""},
        {"two\nlines", "\"two\nlines\""},
        {"cr\rhere", "\"cr\rhere\""},
        {"校倉", "校倉"},
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct buf b = BUF_INIT(4096);
        struct csv_writer w = {.out = &b};
        csv_field(&w, VIEW("first"));
        csv_field(&w, view_str(cases[i].field));
        csv_end_row(&w);
        char expected[64];
        snprintf(expected, sizeof(expected), "first,%s\n", cases[i].written);
        cr_assert_str_eq(buf_str(&b), expected);
        buf_free(&b);
    }
}

Test(csv, numbers_read_back_as_they_were)
{
    static const double numbers[] = {0,      1,     -1.5,   0.1,  1.0 / 3,           324365.31,
                                     1e-300, 1e300, 123456, 2e15, 4503599627370497.5};
    struct buf b = BUF_INIT(4096);
    struct csv_writer w = {.out = &b};
    for (size_t i = 0; i < ARRAY_LEN(numbers); i++)
        csv_number(&w, numbers[i]);
    csv_number(&w, NAN);
    csv_number(&w, INFINITY);
    csv_int(&w, INT64_MIN);
    csv_end_row(&w);
    struct csv_reader r = {.rest = buf_view(&b)};
    struct err err;
    cr_assert_eq(csv_next(&r, &err), 1);
    cr_assert_eq(r.fields_n, ARRAY_LEN(numbers) + 3);
    for (size_t i = 0; i < ARRAY_LEN(numbers); i++)
        cr_assert_eq(csv_value(&r, (int)i), numbers[i], "%zu: %.*s", i, VIEW_ARG(r.fields[i]));
    cr_assert(isnan(csv_value(&r, ARRAY_LEN(numbers))));
    cr_assert_eq(r.fields[ARRAY_LEN(numbers) + 1].n, 0);
    cr_assert(view_eq(r.fields[ARRAY_LEN(numbers) + 2], VIEW("-9223372036854775808")));
    cr_assert(view_eq(r.fields[3], VIEW("0.1")));
    cr_assert_eq(csv_next(&r, &err), 0);
    csv_reader_done(&r);
    buf_free(&b);
}

/* Fields of any of these bytes, in rows of any of these lengths, come back as they were. */
Test(csv, what_is_written_is_read_back)
{
    static const char bytes[] = {'a', ',', '"', '\n', '\r', ' ', '\0', (char)0xe6};
    uint64_t random = 1;
    struct buf b = BUF_INIT(1 << 22);
    struct csv_writer w = {.out = &b};
    for (int pass = 0; pass < 2; pass++) {
        struct csv_reader r = {.rest = buf_view(&b)};
        random = 1;
        for (int row = 0; row < 2000; row++) {
            struct err err;
            size_t fields = 1 + (size_t)row % 7;
            if (pass)
                cr_assert_eq(csv_next(&r, &err), 1, "row %d: %s", row, err.message);
            if (pass)
                cr_assert_eq(r.fields_n, fields, "row %d: %zu fields", row, r.fields_n);
            for (size_t f = 0; f < fields; f++) {
                char text[8];
                random = random * UINT64_C(6364136223846793005) + 1442695040888963407;
                size_t n = random >> 61;
                for (size_t i = 0; i < n; i++)
                    text[i] = bytes[(random >> (20 + 3 * i)) & 7];
                if (pass)
                    cr_assert(view_eq(r.fields[f], view_of(text, n)), "row %d field %zu", row, f);
                else
                    csv_field(&w, view_of(text, n));
            }
            if (!pass)
                csv_end_row(&w);
        }
        if (pass)
            cr_assert_eq(csv_next(&r, NULL), 0);
        csv_reader_done(&r);
    }
    buf_free(&b);
}

Test(csv, both_line_ends_and_a_last_line_without_are_read)
{
    struct csv_reader r = {.rest = VIEW("name,\"a\nb\"\r\n\r\n\n1,2\n3,")};
    struct err err;
    cr_assert_eq(csv_next(&r, &err), 1);
    cr_assert_eq(r.line, 1);
    cr_assert_eq(csv_find(&r, "name"), 0);
    cr_assert_eq(csv_find(&r, "a\nb"), 1);
    cr_assert_eq(csv_find(&r, "none"), -1);
    cr_assert_eq(csv_next(&r, &err), 1);
    cr_assert_eq(r.line, 5);
    cr_assert_eq(csv_value(&r, 1), 2);
    cr_assert(isnan(csv_value(&r, 2)));
    cr_assert(isnan(csv_value(&r, -1)));
    cr_assert_eq(csv_next(&r, &err), 1);
    cr_assert_eq(r.fields_n, 2);
    cr_assert_eq(r.fields[1].n, 0);
    cr_assert_eq(csv_next(&r, &err), 0);
    cr_assert_eq(csv_next(&r, &err), 0);
    csv_reader_done(&r);
}

Test(csv, faults_are_named_with_their_line)
{
    static const struct {
        const char *text, *said;
    } cases[] = {
        {"a\n\"b", "line 2: a quote is not closed"},
        {"a\nb\"c\n", "line 2: a quote inside a field that is not quoted"},
        {"\"a\"b\n", "line 1: text where a comma or a line end belongs"},
        {"a\rb\n", "line 1: text where a comma or a line end belongs"},
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct csv_reader r = {.rest = view_str(cases[i].text)};
        struct err err;
        int e;
        while ((e = csv_next(&r, &err)) > 0)
            ;
        cr_assert_eq(e, -EINVAL, "%s", cases[i].text);
        cr_assert_str_eq(err.message, cases[i].said);
        csv_reader_done(&r);
    }
}

Test(csv, a_row_has_limits)
{
    size_t n = CSV_ROW_MAX_BYTES + 2;
    char *text = xmalloc(n);
    struct err err;
    memset(text, 'a', n);
    struct csv_reader r = {.rest = view_of(text, n)};
    cr_assert_eq(csv_next(&r, &err), -EINVAL);
    cr_assert_str_eq(err.message, "line 1: the row is longer than 1 MiB");
    csv_reader_done(&r);
    memset(text, ',', n);
    r = (struct csv_reader){.rest = view_of(text, n)};
    cr_assert_eq(csv_next(&r, &err), -EINVAL);
    cr_assert_str_eq(err.message, "line 1: more than 256 fields");
    csv_reader_done(&r);
    free(text);
}
