/* CSV cells. */
#include "web/csv.h"

static bool looks_like_formula(struct view text)
{
    /* ＝ ＋ － ＠: Japanese input methods and spreadsheets treat them as their ASCII forms */
    static const char *const starts[] = {"=",
                                         "+",
                                         "-",
                                         "@",
                                         "\t",
                                         "\r",
                                         "\n",
                                         "\xef\xbc\x9d",
                                         "\xef\xbc\x8b",
                                         "\xef\xbc\x8d",
                                         "\xef\xbc\xa0"};
    for (size_t i = 0; i < ARRAY_LEN(starts); i++) {
        if (view_starts_with(text, view_str(starts[i])))
            return true;
    }
    return false;
}

void csv_cell(struct buf *out, struct view text)
{
    if (view_is_null(text))
        return;
    bool is_formula = looks_like_formula(text), is_quoted = false;
    for (size_t i = 0; i < text.n && !is_quoted; i++)
        is_quoted = text.p[i] == '"' || text.p[i] == ',' || text.p[i] == '\n' || text.p[i] == '\r';
    if (is_quoted)
        buf_add_char(out, '"');
    if (is_formula)
        buf_add_char(out, '\'');
    if (!is_quoted) {
        buf_add_view(out, text);
        return;
    }
    for (size_t i = 0; i < text.n; i++) {
        if (text.p[i] == '"')
            buf_add_char(out, '"');
        buf_add_char(out, text.p[i]);
    }
    buf_add_char(out, '"');
}
