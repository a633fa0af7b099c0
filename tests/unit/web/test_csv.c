#include <criterion/criterion.h>

#include "web/csv.h"

Test(csv, cells_are_quoted_and_never_formulas)
{
    static const struct {
        const char *name, *in, *out;
    } cases[] = {
        {"plain text stays", "link down", "link down"},
        {"empty stays empty", "", ""},
        {"null is empty", NULL, ""},
        {"a comma is quoted", "a,b", "\"a,b\""},
        {"a quote is doubled", "say \"x\"", "\"say \"\"x\"\"\""},
        {"a line break is quoted", "a\nb", "\"a\nb\""},
        {"a carriage return is quoted", "a\rb", "\"a\rb\""},
        {"a formula is text", "=1+1", "'=1+1"},
        {"a formula with a comma is text and quoted", "=cmd|' /C calc'!A0,1",
         "\"'=cmd|' /C calc'!A0,1\""},
        {"plus", "+1", "'+1"},
        {"minus", "-1", "'-1"},
        {"at", "@SUM(A1)", "'@SUM(A1)"},
        {"tab", "\t=1", "'\t=1"},
        {"line break first", "\n=1", "\"'\n=1\""},
        {"full-width equals", "＝1", "'＝1"},
        {"full-width plus", "＋1", "'＋1"},
        {"full-width minus", "－1", "'－1"},
        {"full-width at", "＠a", "'＠a"},
        {"a sign inside is nothing", "a=b", "a=b"},
        {"Japanese", "応答なし", "応答なし"},
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct buf b = BUF_INIT(1000);
        csv_cell(&b, view_str(cases[i].in));
        cr_expect_str_eq(buf_str(&b), cases[i].out, "%s: %s", cases[i].name, buf_str(&b));
        buf_free(&b);
    }
}
