/* Escaping for a terminal and for JSON, and numbers for people. */
#include "cli/text.h"

#include "base/utf8.h"

static bool is_unsafe(uint32_t c)
{
    return c < 0x20 || (c >= 0x7f && c < 0xa0) || c == 0x61c || (c >= 0x200e && c <= 0x200f) ||
           (c >= 0x2028 && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069) || c == 0xfeff;
}

static void add_escape(struct buf *out, uint32_t c)
{
    if (c == '\n')
        buf_add_str(out, "\\n");
    else if (c == '\r')
        buf_add_str(out, "\\r");
    else if (c == '\t')
        buf_add_str(out, "\\t");
    else if (c < 0x100)
        buf_printf(out, "\\x%02x", c);
    else
        buf_printf(out, "\\u%04x", c);
}

void text_add_visible(struct buf *out, struct view v)
{
    size_t from = 0;
    for (size_t at = 0; at < v.n;) {
        uint32_t c;
        unsigned n = utf8_decode(v.p + at, v.n - at, &c);
        if (is_unsafe(c)) {
            buf_add(out, v.p + from, at - from);
            add_escape(out, c);
            from = at + n;
        }
        at += n;
    }
    if (v.n > from)
        buf_add(out, v.p + from, v.n - from);
}

void text_add_json(struct buf *out, struct view v)
{
    if (view_is_null(v)) {
        buf_add_str(out, "null");
        return;
    }
    buf_add_char(out, '"');
    size_t from = 0;
    for (size_t at = 0; at < v.n; at++) {
        unsigned char c = (unsigned char)v.p[at];
        if (c >= 0x20 && c != '"' && c != '\\' && c != 0x7f)
            continue;
        buf_add(out, v.p + from, at - from);
        if (c == '"' || c == '\\')
            buf_printf(out, "\\%c", c);
        else if (c == '\n')
            buf_add_str(out, "\\n");
        else
            buf_printf(out, "\\u%04x", c);
        from = at + 1;
    }
    buf_add(out, v.p + from, v.n - from);
    buf_add_char(out, '"');
}

static bool is_wide(uint32_t c)
{
    return (c >= 0x1100 && c < 0x1160) || (c >= 0x2e80 && c < 0xa4d0) ||
           (c >= 0xac00 && c < 0xd7a4) || (c >= 0xf900 && c < 0xfb00) ||
           (c >= 0xff01 && c < 0xff61) || c >= 0x1f000;
}

int text_columns(struct view v)
{
    int n = 0;
    for (size_t at = 0; at < v.n;) {
        uint32_t c;
        at += utf8_decode(v.p + at, v.n - at, &c);
        n += is_wide(c) ? 2 : 1;
    }
    return n;
}

const char *text_number(int64_t n, char out[TEXT_NUMBER_MAX])
{
    char digits[24];
    int len = snprintf(digits, sizeof(digits), "%lld", (long long)n);
    size_t o = 0;
    for (int i = 0; i < len; i++) {
        if (i > 0 && (len - i) % 3 == 0 && digits[i - 1] != '-')
            out[o++] = ',';
        out[o++] = digits[i];
    }
    out[o] = 0;
    return out;
}

const char *text_bytes(int64_t n, char out[TEXT_NUMBER_MAX])
{
    static const char *const units[] = {"bytes", "kB", "MB", "GB", "TB", "PB"};
    double v = (double)n;
    size_t unit = 0;
    while (v >= 999.5 && unit + 1 < ARRAY_LEN(units)) {
        v /= 1000;
        unit++;
    }
    snprintf(out, TEXT_NUMBER_MAX, unit > 0 && v < 99.95 ? "%.1f %s" : "%.0f %s", v, units[unit]);
    return out;
}
