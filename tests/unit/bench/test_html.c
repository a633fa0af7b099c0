#include <criterion/criterion.h>

#include "bench/report/html.h"

Test(html, text_from_anywhere_becomes_text)
{
    static const struct {
        const char *in, *html, *terminal;
    } cases[] = {
        {"plain 日本語", "plain 日本語", "plain 日本語"},
        {"<b a=\"1\" c='2'>&amp;", "&lt;b a=&quot;1&quot; c=&#39;2&#39;&gt;&amp;amp;",
         "<b a=\"1\" c='2'>&amp;"},
        {"a\nb\tc", "a b c", "a b c"},
        {"\x1b[31mred\x07", "\uFFFD[31mred\uFFFD", "\uFFFD[31mred\uFFFD"},
        {"\xc2\x9b"
         "31m",
         "\uFFFD31m", "\uFFFD31m"},
        {"a\u202Eb\u2066c\uFEFF", "a\uFFFDb\uFFFDc\uFFFD", "a\uFFFDb\uFFFDc\uFFFD"},
        {"\xff\xc3", "\uFFFD\uFFFD", "\uFFFD\uFFFD"},
        {"", "", ""},
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct buf out = BUF_INIT(4096);
        html_text(&out, cases[i].in);
        cr_assert_str_eq(buf_str(&out), cases[i].html, "%zu: %s", i, buf_str(&out));
        buf_clear(&out);
        text_clean(&out, cases[i].in);
        cr_assert_str_eq(buf_str(&out), cases[i].terminal, "%zu: %s", i, buf_str(&out));
        buf_free(&out);
    }
}

Test(html, long_text_is_cut_between_characters_and_says_so)
{
    char long_text[3 * 3000 + 1];
    for (size_t i = 0; i < 3000; i++)
        memcpy(long_text + 3 * i, "校", 3);
    long_text[9000] = '\0';
    struct buf out = BUF_INIT(65536);
    html_text(&out, long_text);
    cr_assert_eq(out.n, (size_t)TEXT_SHOWN_MAX / 3 * 3 + 3);
    cr_assert_str_eq(buf_str(&out) + out.n - 6, "校…");
    buf_free(&out);
}

Test(html, words_that_are_the_same_in_both_languages_are_there_once)
{
    struct buf out = BUF_INIT(4096);
    html_words(&out, (struct words){"UDP", "UDP"});
    cr_assert_str_eq(buf_str(&out), "UDP");
    buf_clear(&out);
    html_words(&out, (struct words){"a<", "あ"});
    cr_assert_str_eq(buf_str(&out),
                     "<span class=\"en\">a&lt;</span><span class=\"ja\" lang=\"ja\">あ</span>");
    buf_free(&out);
}

Test(html, columns_are_what_a_terminal_takes)
{
    static const struct {
        const char *s;
        size_t n;
    } cases[] = {{"", 0}, {"abc", 3}, {"校倉", 4}, {"×–…", 3}, {"e\u0301", 1}, {"Ａ", 2}};
    for (size_t i = 0; i < ARRAY_LEN(cases); i++)
        cr_assert_eq(text_columns(cases[i].s), cases[i].n, "%s: %zu", cases[i].s,
                     text_columns(cases[i].s));
}
