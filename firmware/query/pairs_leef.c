/* LEEF (IBM QRadar's Log Event Extended Format): five fields between bars, in 2.0 a sixth with the
 * delimiter, then key=value between delimiters (a tab when nothing else is said).
 *
 *   LEEF:1.0|vendor|product|version|event id|k=v⇥k=v
 *   LEEF:2.0|vendor|product|version|event id|^|k=v^k=v        the delimiter may be x5E or 0x5E */
#include "query/pairs_internal.h"

static int hex_digit(char c)
{
    return c >= '0' && c <= '9'   ? c - '0'
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                  : -1;
}

/* No letter, digit or dot, which would make one word of a value and the next name. */
static bool is_delimiter(char c)
{
    return c > 0 && c != '.' && hex_digit(c) < 0 && !((c | 32) >= 'a' && (c | 32) <= 'z');
}

/* "^", "x5e", "0x09", "\t" or nothing: the delimiter in *ret.  false: it is something else, so that
 * the pairs have begun already. */
static bool read_delimiter(struct view text, char *ret)
{
    text = view_trim(text);
    if (text.n == 0) {
        *ret = '\t';
        return true;
    }
    if (text.n == 1) {
        if (!is_delimiter(text.p[0]))
            return false;
        *ret = text.p[0];
        return true;
    }
    if (view_eq(text, VIEW("\\t"))) {
        *ret = '\t';
        return true;
    }
    size_t x = text.p[0] == '0' || text.p[0] == '\\' ? 1 : 0;
    if (text.p[x] != 'x' && text.p[x] != 'X')
        return false;
    unsigned c = 0;
    if (text.n == x + 1 || text.n > x + 5)
        return false;
    for (size_t i = x + 1; i < text.n; i++) {
        int digit = hex_digit(text.p[i]);
        if (digit < 0)
            return false;
        c = c * 16 + (unsigned)digit;
    }
    if (c >= 0x80 || !is_delimiter((char)c))
        return false;
    *ret = (char)c;
    return true;
}

static bool give_attribute(struct pairs_sink *s, struct view text)
{
    size_t equals = pairs_find(text, 0, '=');
    struct view name = view_trim(pairs_between(text, 0, equals));
    if (equals >= text.n || name.n == 0)
        return true;
    return pairs_give(
        s,
        (struct pair){.name = name, .value = view_trim(pairs_between(text, equals + 1, text.n))});
}

/* Between delimiters; `delimiter` may be several bytes, as rsyslog's #011 for a tab. */
static bool give_attributes(struct pairs_sink *s, struct view text, struct view delimiter)
{
    for (size_t at = 0; at < text.n;) {
        const char *p = memmem(text.p + at, text.n - at, delimiter.p, delimiter.n);
        size_t end = p ? (size_t)(p - text.p) : text.n;
        if (!give_attribute(s, pairs_between(text, at, end)))
            return false;
        at = end + delimiter.n;
    }
    return true;
}

static bool extension(struct pairs_sink *s, struct view text, char delimiter)
{
    if (delimiter != '\t' || pairs_find(text, 0, '\t') < text.n)
        return give_attributes(s, text, view_of(&delimiter, 1));
    if (text.n && memmem(text.p, text.n, "#011", 4))
        return give_attributes(s, text, VIEW("#011"));
    return pairs_cef_extension(s, text, false); /* a relay made blanks of the tabs */
}

bool pairs_leef(struct pairs_sink *s, struct view text)
{
    static const char *const names[] = {"leef.version", "leef.vendor", "leef.product",
                                        "leef.product_version", "leef.event_id"};
    size_t at = 5; /* "LEEF:" */
    if (at >= text.n || text.p[at] < '1' || text.p[at] > '9')
        return true;
    bool has_delimiter = text.p[at] != '1';
    for (size_t i = 0; i < ARRAY_LEN(names); i++) {
        size_t bar = pairs_find(text, at, '|');
        if (bar >= text.n && i == 0)
            return true;
        if (!pairs_give(s, (struct pair){.name = view_str(names[i]),
                                         .alias = view_str(names[i] + 5),
                                         .value = pairs_between(text, at, bar)}))
            return false;
        if (bar >= text.n)
            return true;
        at = bar + 1;
    }
    char delimiter = '\t';
    size_t bar = pairs_find(text, at, '|');
    /* the bar itself may be the delimiter: "||" then is one bar of it, and one of the header */
    if (has_delimiter && at < text.n && text.p[at] == '|' && at + 1 < text.n &&
        text.p[at + 1] == '|')
        return extension(s, pairs_between(text, at + 2, text.n), '|');
    if (has_delimiter && bar < text.n && bar - at <= 6 &&
        read_delimiter(pairs_between(text, at, bar), &delimiter))
        at = bar + 1;
    return extension(s, pairs_between(text, at, text.n), delimiter);
}
