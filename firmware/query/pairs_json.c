/* JSON objects, flattened: {"a":{"b":[1,"x"]}} gives a.b.0 = 1 and a.b.1 = x; a.b is the alias of
 * both.  Numbers, true, false and null stay as they are written.  What is broken or cut ends the
 * reading, and what came before it stands; an object inside a string is a string. */
#include "query/pairs_internal.h"

#include "base/utf8.h"

#define DEPTH_MAX 16 /* objects and arrays within one another; deeper ones are given as written */

struct json_reader {
    struct pairs_sink *sink;
    struct view text;
    size_t at;
    size_t path_n;
    size_t alias_n; /* of the path, when the last part is an array's index; else 0 */
    char path[PAIRS_NAME_MAX + 1];
};

enum step { STOP, GO_ON };

static enum step read_value(struct json_reader *r, unsigned depth);

/* ---- strings ---- */

/* At the closing quote, or the end of the text. */
static size_t string_end(struct view text, size_t at, bool *ret_has_escape)
{
    for (; at < text.n && text.p[at] != '"'; at++)
        if (text.p[at] == '\\') {
            *ret_has_escape = true;
            at++;
        }
    return MIN(at, text.n);
}

static bool read_hex4(struct view v, size_t at, uint32_t *ret)
{
    uint32_t c = 0;
    if (at + 4 > v.n)
        return false;
    for (size_t i = at; i < at + 4; i++) {
        char x = v.p[i];
        int digit = x >= '0' && x <= '9'                 ? x - '0'
                    : (x | 32) >= 'a' && (x | 32) <= 'f' ? (x | 32) - 'a' + 10
                                                         : -1;
        if (digit < 0)
            return false;
        c = c * 16 + (uint32_t)digit;
    }
    *ret = c;
    return true;
}

/* The code point of "\uXXXX" at `at`, or of a surrogate pair; its bytes, or 0 when it is none. */
static size_t read_unicode(struct view v, size_t at, uint32_t *ret)
{
    uint32_t c, low;
    if (!read_hex4(v, at + 2, &c))
        return 0;
    *ret = c == 0 ? 0x2400 : c;
    if (c < 0xd800 || c > 0xdfff)
        return 6;
    *ret = 0xfffd;
    if (c < 0xdc00 && at + 12 <= v.n && v.p[at + 6] == '\\' && v.p[at + 7] == 'u' &&
        read_hex4(v, at + 8, &low) && low >= 0xdc00 && low <= 0xdfff) {
        *ret = 0x10000 + ((c - 0xd800) << 10) + (low - 0xdc00);
        return 12;
    }
    return 6;
}

static bool is_word(uint32_t c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '.';
}

/* Undo escapes into `to` (written.n bytes at least); an unknown one stays as it is. */
static size_t unescape(struct view written, char *to, bool *ret_is_veiled)
{
    static const char from_letters[] = "\"\\/bfnrt", to_letters[] = "\"\\/\b\f\n\r\t";
    size_t n = 0;
    for (size_t i = 0; i < written.n;) {
        char next = i + 1 < written.n ? written.p[i + 1] : '\0';
        const char *letter = written.p[i] == '\\' && next ? strchr(from_letters, next) : NULL;
        uint32_t c;
        size_t bytes = written.p[i] == '\\' && next == 'u' ? read_unicode(written, i, &c) : 0;
        if (bytes > 0) {
            n += utf8_encode(c, to + n);
            *ret_is_veiled |= is_word(c);
            i += bytes;
        } else if (letter) {
            to[n++] = to_letters[letter - from_letters];
            i += 2;
        } else {
            to[n++] = written.p[i++];
        }
    }
    return n;
}

/* ---- the path ---- */

static void path_add(struct json_reader *r, struct view part)
{
    if (r->path_n > 0 && r->path_n < PAIRS_NAME_MAX)
        r->path[r->path_n++] = '.';
    size_t n = MIN(part.n, PAIRS_NAME_MAX - r->path_n);
    memcpy(r->path + r->path_n, part.p, n);
    r->path_n += n;
    r->path_n = utf8_clean_prefix(view_of(r->path, r->path_n));
}

static void path_add_name(struct json_reader *r, struct view written, bool has_escape)
{
    /* an escape makes no name longer; a name that is far too long is cut before it is read */
    char name[PAIRS_NAME_MAX * 6];
    bool is_veiled = false;
    struct view cut = view_of(written.p, MIN(written.n, sizeof(name)));
    struct view plain = cut;
    if (has_escape)
        plain = view_of(name, unescape(cut, name, &is_veiled));
    path_add(r, is_veiled ? cut : plain);
}

static bool give(struct json_reader *r, struct pair p)
{
    p.name = view_of(r->path, r->path_n);
    if (r->alias_n > 0)
        p.alias = view_of(r->path, r->alias_n);
    return pairs_give(r->sink, p);
}

/* ---- values ---- */

static void skip_blanks(struct json_reader *r)
{
    r->at = pairs_skip_blanks(r->text, r->at);
}

static char here(const struct json_reader *r)
{
    return r->at < r->text.n ? r->text.p[r->at] : '\0';
}

static enum step read_string(struct json_reader *r)
{
    bool has_escape = false;
    size_t from = r->at + 1, end = string_end(r->text, from, &has_escape);
    struct pair p = {.value = pairs_between(r->text, from, MAX(end, from))};
    if (has_escape && r->sink->fn) {
        p.written = p.value;
        p.value = pairs_take(r->sink, unescape(p.written, pairs_scratch(r->sink), &p.is_veiled));
    }
    bool is_cut = end >= r->text.n;
    r->at = end + 1;
    return give(r, p) && !is_cut ? GO_ON : STOP;
}

/* A number or a name, as it is written. */
static enum step read_word(struct json_reader *r)
{
    size_t from = r->at;
    while (r->at < r->text.n && !pairs_is_blank(here(r)) && !strchr(",]}:\"{[", here(r)))
        r->at++;
    if (r->at == from)
        return STOP;
    return give(r, (struct pair){.value = pairs_between(r->text, from, r->at)}) ? GO_ON : STOP;
}

/* An object or array that is too deep: the text up to its end. */
static enum step read_as_written(struct json_reader *r)
{
    size_t from = r->at, depth = 0;
    for (; r->at < r->text.n; r->at++) {
        char c = here(r);
        bool has_escape = false;
        if (c == '"')
            r->at = string_end(r->text, r->at + 1, &has_escape);
        depth += c == '{' || c == '[';
        if ((c == '}' || c == ']') && --depth == 0) {
            r->at++;
            break;
        }
    }
    r->at = MIN(r->at, r->text.n);
    return give(r, (struct pair){.value = pairs_between(r->text, from, r->at)}) ? GO_ON : STOP;
}

/* Behind a member: a comma goes on, the closing bracket ends, and anything else is broken. */
static enum step after_member(struct json_reader *r, char close, bool *ret_is_end)
{
    skip_blanks(r);
    *ret_is_end = here(r) == close;
    if (*ret_is_end || here(r) == ',') {
        r->at++;
        skip_blanks(r);
        return GO_ON;
    }
    return STOP;
}

static enum step read_member_name(struct json_reader *r)
{
    bool has_escape = false;
    if (here(r) != '"')
        return STOP;
    size_t from = r->at + 1, end = string_end(r->text, from, &has_escape);
    r->at = end + 1;
    skip_blanks(r);
    if (end >= r->text.n || here(r) != ':')
        return STOP;
    r->at++;
    skip_blanks(r);
    path_add_name(r, pairs_between(r->text, from, end), has_escape);
    return r->at < r->text.n ? GO_ON : STOP;
}

/* The members of an object or array whose bracket was read. */
static enum step read_members(struct json_reader *r, char close, unsigned depth)
{
    size_t path_n = r->path_n;
    bool is_end = false;
    for (unsigned i = 0; !is_end; i++) {
        char index[12];
        if (close == '}') {
            if (read_member_name(r) == STOP)
                return STOP;
            r->alias_n = 0;
        } else {
            int n = snprintf(index, sizeof(index), "%u", i);
            path_add(r, view_of(index, (size_t)n));
            r->alias_n = path_n;
        }
        if (read_value(r, depth) == STOP || after_member(r, close, &is_end) == STOP)
            return STOP;
        r->path_n = path_n;
    }
    r->alias_n = 0;
    return GO_ON;
}

static enum step read_value(struct json_reader *r, unsigned depth)
{
    char open = here(r);
    if (open == '"')
        return read_string(r);
    if (open != '{' && open != '[')
        return read_word(r);
    if (depth == DEPTH_MAX)
        return read_as_written(r);
    char close = open == '{' ? '}' : ']';
    size_t from = r->at++;
    skip_blanks(r);
    if (here(r) != close)
        return read_members(r, close, depth + 1);
    r->at++;
    if (r->path_n == 0)
        return GO_ON;
    return give(r, (struct pair){.value = pairs_between(r->text, from, r->at)}) ? GO_ON : STOP;
}

bool pairs_json(struct pairs_sink *s, struct view text)
{
    struct json_reader r = {.sink = s, .text = text};
    return read_value(&r, 0) == GO_ON;
}
