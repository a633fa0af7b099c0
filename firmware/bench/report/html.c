#include "bench/report/html.h"

#include "base/utf8.h"

static bool is_shown(uint32_t c)
{
    if (c < 0x20 || (c >= 0x7f && c < 0xa0))
        return false;
    /* marks and overrides of direction, line and paragraph separators, byte order mark */
    return !(c == 0x061c || c == 0x200e || c == 0x200f || (c >= 0x2028 && c <= 0x202e) ||
             (c >= 0x2066 && c <= 0x2069) || c == 0xfeff);
}

static void add_escaped(struct buf *out, const char *p, unsigned n)
{
    static const struct {
        char c;
        const char *entity;
    } entities[] = {{'&', "&amp;"}, {'<', "&lt;"}, {'>', "&gt;"}, {'"', "&quot;"}, {'\'', "&#39;"}};
    for (size_t i = 0; n == 1 && i < ARRAY_LEN(entities); i++)
        if (*p == entities[i].c) {
            buf_add_str(out, entities[i].entity);
            return;
        }
    buf_add(out, p, n);
}

static void add(struct buf *out, const char *s, bool is_html)
{
    struct buf clean = BUF_INIT(3 * TEXT_SHOWN_MAX + 16);
    size_t all = strlen(s), n = MIN(all, TEXT_SHOWN_MAX);
    while (n < all && n > 0 && ((unsigned char)s[n] & 0xc0) == 0x80)
        n--;
    if (utf8_clean(view_of(s, n), &clean) < 0)
        buf_clear(&clean);
    for (size_t i = 0; i < clean.n;) {
        uint32_t c;
        unsigned used = utf8_decode(clean.p + i, clean.n - i, &c);
        if (c == '\n' || c == '\t')
            buf_add_char(out, ' ');
        else if (!is_shown(c))
            buf_add_str(out, "\uFFFD");
        else if (is_html)
            add_escaped(out, clean.p + i, used);
        else
            buf_add(out, clean.p + i, used);
        i += used;
    }
    if (n < all)
        buf_add_str(out, "…");
    buf_free(&clean);
}

void html_text(struct buf *out, const char *s)
{
    add(out, s, true);
}

void text_clean(struct buf *out, const char *s)
{
    add(out, s, false);
}

void html_words(struct buf *out, struct words w)
{
    if (strcmp(w.en, w.ja) == 0) {
        html_text(out, w.en);
        return;
    }
    html_cell(out, "<span class=\"en\">", w.en, "</span>");
    html_cell(out, "<span class=\"ja\" lang=\"ja\">", w.ja, "</span>");
}

void html_cell(struct buf *out, const char *before, const char *text, const char *after)
{
    buf_add_str(out, before);
    html_text(out, text);
    buf_add_str(out, after);
}

size_t text_columns(const char *s)
{
    size_t n = strlen(s), columns = 0;
    for (size_t i = 0; i < n;) {
        uint32_t c;
        i += utf8_decode(s + i, n - i, &c);
        bool is_wide = (c >= 0x1100 && c <= 0x115f) || (c >= 0x2e80 && c <= 0xa4cf) ||
                       (c >= 0xac00 && c <= 0xd7a3) || (c >= 0xf900 && c <= 0xfaff) ||
                       (c >= 0xfe30 && c <= 0xfe6f) || (c >= 0xff00 && c <= 0xff60) ||
                       (c >= 0xffe0 && c <= 0xffe6) || (c >= 0x1f300 && c <= 0x3fffd);
        bool is_combining = (c >= 0x0300 && c <= 0x036f) || (c >= 0x200b && c <= 0x200d);
        columns += is_combining ? 0 : is_wide ? 2 : 1;
    }
    return columns;
}
