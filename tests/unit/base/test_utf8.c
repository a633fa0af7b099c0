#include <criterion/criterion.h>

#include "base/utf8.h"

static const struct {
    const char *name;
    struct view in, out;
} cases[] = {
    {"nothing", VIEW(""), VIEW("")},
    {"ASCII", VIEW("link down on port 7"), VIEW("link down on port 7")},
    {"two, three and four bytes", VIEW("é表😀"), VIEW("é表😀")},
    {"NUL is shown", VIEW("a\0b"),
     VIEW("a\xe2\x90\x80"
          "b")},
    {"NUL in a run of eight", VIEW("abcdefg\0abcdefgh"),
     VIEW("abcdefg\xe2\x90\x80"
          "abcdefgh")},
    {"one Latin-1 byte", VIEW("Estagi\xe1rio"), VIEW("Estagi\xef\xbf\xbdrio")},
    {"a cut sequence at the end is one", VIEW("x\xe8\xa1"), VIEW("x\xef\xbf\xbd")},
    {"a cut sequence in the middle is one", VIEW("x\xf0\x9f\x98y"), VIEW("x\xef\xbf\xbdy")},
    {"overlong slash is two", VIEW("\xc0\xaf"), VIEW("\xef\xbf\xbd\xef\xbf\xbd")},
    {"a surrogate is three", VIEW("\xed\xa0\x80"), VIEW("\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd")},
    {"beyond U+10FFFF", VIEW("\xf4\x90\x80\x80"),
     VIEW("\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd")},
    {"the last code point", VIEW("\xf4\x8f\xbf\xbf"), VIEW("\xf4\x8f\xbf\xbf")},
};

Test(utf8, dirty_text_becomes_clean_and_clean_text_stays)
{
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct buf out = BUF_INIT(1000);
        cr_assert_eq(utf8_clean(cases[i].in, &out), 0, "%s", cases[i].name);
        cr_assert(view_eq(buf_view(&out), cases[i].out), "%s: got %.*s", cases[i].name,
                  VIEW_ARG(buf_view(&out)));
        cr_assert_eq(utf8_is_clean(cases[i].in), view_eq(cases[i].in, cases[i].out), "%s",
                     cases[i].name);
        cr_assert(utf8_is_clean(buf_view(&out)), "%s", cases[i].name);
        buf_free(&out);
    }
}

Test(utf8, every_code_point_is_clean_and_decodes_to_itself)
{
    for (uint32_t c = 1; c < 0x110000; c++) {
        if (c >= 0xd800 && c < 0xe000)
            continue;
        char text[4];
        uint32_t back;
        unsigned n = utf8_encode(c, text);
        cr_assert(utf8_is_clean(view_of(text, n)), "U+%04X", c);
        cr_assert_eq(utf8_decode(text, n, &back), n, "U+%04X", c);
        cr_assert_eq(back, c, "U+%04X", c);
    }
}

Test(utf8, folding_keeps_the_length_and_is_done_after_once)
{
    for (uint32_t c = 1; c < 0x110000; c++) {
        if (c >= 0xd800 && c < 0xe000)
            continue;
        char a[4], b[4];
        uint32_t folded = utf8_fold(c);
        cr_assert_eq(utf8_encode(c, a), utf8_encode(folded, b), "U+%04X → U+%04X", c, folded);
        cr_assert_eq(utf8_fold(folded), folded, "U+%04X → U+%04X", c, folded);
    }
}

Test(utf8, folding_makes_the_cases_of_a_letter_equal)
{
    static const char *const pairs[][2] = {{"ABCXYZ", "abcxyz"}, {"ÄÖÜÉ", "äöüé"}, {"ŽŁŒŸ", "žłœÿ"},
                                           {"ΑΒΣΏ", "αβσώ"},     {"ДЖЯЁ", "джяё"}, {"ＡＺ", "ａｚ"},
                                           {"Ớ", "ớ"},           {"×ß表", "×ß表"}};
    for (size_t i = 0; i < ARRAY_LEN(pairs); i++) {
        struct view v = view_str(pairs[i][0]);
        char out[64];
        utf8_fold_text(v, out);
        cr_assert(view_eq(view_of(out, v.n), view_str(pairs[i][1])), "%s", pairs[i][0]);
    }
}

Test(utf8, output_that_does_not_fit_leaves_the_buffer_as_it_was)
{
    struct buf out = BUF_INIT(64);
    cr_assert_eq(buf_add_str(&out, "before"), 0);
    char big[100];
    memset(big, 'x', sizeof(big));
    cr_assert_eq(utf8_clean(view_of(big, sizeof(big)), &out), -ENOSPC);
    cr_assert(view_eq(buf_view(&out), VIEW("before")));
    buf_free(&out);
}
