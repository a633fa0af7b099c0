#include <criterion/criterion.h>

#include "bench/text_table.h"

Test(text_table, columns_are_as_wide_as_their_widest_cell)
{
    struct text_table t;
    struct buf out = BUF_INIT(4096);
    text_table_init(&t, "lr");
    text_table_add(&t, "name");
    text_table_add(&t, "n");
    text_table_add(&t, "校倉");
    text_table_add(&t, "1,000");
    text_table_add(&t, "");
    text_table_add(&t, "2");
    text_table_print(&t, true, 1, &out);
    cr_assert_str_eq(buf_str(&out), " name      n\n ────  ─────\n 校倉  1,000\n           2\n");
    text_table_done(&t);
    buf_free(&out);
}

Test(text_table, long_cells_are_cut_and_lines_have_no_blanks_at_their_end)
{
    struct text_table t;
    struct buf out = BUF_INIT(4096);
    text_table_init(&t, "ll");
    t.max_columns = 6;
    text_table_add(&t, "abcdefgh");
    text_table_add(&t, "");
    text_table_add(&t, "校倉校倉");
    text_table_add(&t, "\x1b");
    text_table_print(&t, false, 0, &out);
    cr_assert_str_eq(buf_str(&out), "abcde…\n校倉…   \uFFFD\n", "%s", buf_str(&out));
    text_table_done(&t);
    buf_free(&out);
}

Test(text_table, paragraphs_break_at_blanks_and_between_wide_characters)
{
    static const struct {
        const char *in, *out;
    } cases[] = {
        {"one two three four five six", "  one two three four\n  five six\n"},
        {"loses 0.4 % (−12,480) of it", "  loses 0.4 %\n  (−12,480) of it\n"},
        {"校倉校倉校倉校倉校倉校倉", "  校倉校倉校倉校倉校倉\n  校倉\n"},
        {"abcdefghijklmnopqrstuvwxyz", "  abcdefghijklmnopqrst\n  uvwxyz\n"},
        {"", ""},
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct buf out = BUF_INIT(4096);
        text_wrap(cases[i].in, 2, 22, &out);
        cr_assert_str_eq(buf_str(&out), cases[i].out, "%s", buf_str(&out));
        buf_free(&out);
    }
}
