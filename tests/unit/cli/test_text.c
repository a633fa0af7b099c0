/* Text of strangers on a terminal and in JSON. */
#include "cli/text.h"

#include <criterion/criterion.h>

Test(text, control_characters_become_visible)
{
    static const struct {
        struct view in;
        const char *expected;
    } cases[] = {
        {{"", 0}, ""},
        {{"plain", 5}, "plain"},
        {{"a\nb\r\tc", 6}, "a\\nb\\r\\tc"},
        {{"\x1b[2J", 4}, "\\x1b[2J"},
        {{"\x7f", 1}, "\\x7f"},
        {{"\xc2\x9b"
          "31m",
          5},
         "\\x9b31m"},
        {{"\xe2\x80\xae"
          "evil",
          7},
         "\\u202eevil"},
        {{"\xef\xbb\xbf", 3}, "\\ufeff"},
        {{"\xe5\xbf\x9c\n", 4}, "\xe5\xbf\x9c\\n"},
        {{"<script>\"\\", 10}, "<script>\"\\"},
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct buf b = BUF_INIT(1024);
        text_add_visible(&b, cases[i].in);
        cr_expect_str_eq(buf_str(&b), cases[i].expected, "case %zu: %s", i, buf_str(&b));
        buf_free(&b);
    }
}

Test(text, json_strings_are_escaped)
{
    static const struct {
        struct view in;
        const char *expected;
    } cases[] = {
        {{NULL, 0}, "null"},
        {{"", 0}, "\"\""},
        {{"a\"b\\c", 5}, "\"a\\\"b\\\\c\""},
        {{"\n\x01\x7f", 3}, "\"\\n\\u0001\\u007f\""},
        {{"\xe5\xbf\x9c", 3}, "\"\xe5\xbf\x9c\""},
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct buf b = BUF_INIT(1024);
        text_add_json(&b, cases[i].in);
        cr_expect_str_eq(buf_str(&b), cases[i].expected, "case %zu: %s", i, buf_str(&b));
        buf_free(&b);
    }
}

Test(text, numbers_are_grouped_and_bytes_have_units)
{
    char t[TEXT_NUMBER_MAX];
    cr_expect_str_eq(text_number(0, t), "0");
    cr_expect_str_eq(text_number(999, t), "999");
    cr_expect_str_eq(text_number(1000, t), "1,000");
    cr_expect_str_eq(text_number(1234567, t), "1,234,567");
    cr_expect_str_eq(text_number(-123456, t), "-123,456");
    cr_expect_str_eq(text_number(INT64_MIN, t), "-9,223,372,036,854,775,808");
    cr_expect_str_eq(text_bytes(0, t), "0 bytes");
    cr_expect_str_eq(text_bytes(999, t), "999 bytes");
    cr_expect_str_eq(text_bytes(1000, t), "1.0 kB");
    cr_expect_str_eq(text_bytes(123456789, t), "123 MB");
    cr_expect_str_eq(text_bytes(3400000000, t), "3.4 GB");
    cr_expect_str_eq(text_bytes(INT64_MAX, t), "9223 PB");
}

Test(text, wide_characters_take_two_columns)
{
    cr_expect_eq(text_columns(VIEW("abc")), 3);
    cr_expect_eq(text_columns(VIEW("\xe5\xbf\x9c\xe7\xad\x94"
                                   "a")),
                 5);
    cr_expect_eq(text_columns(VIEW("\xc3\xa9")), 1);
}
