/* key=value as firewalls, routers and programs write it, each in its own way:
 *
 *   a=1 b="two words" c='it''s' d=            quotes, escapes, empty
 *   service=Endpoint Mapper(tcp) proto=6      a value with blanks, up to the next key
 *   a=1, b=2; c=3|d=4                         delimiters; tabs and line ends, too
 *   (Protocol(1001)=TCP, ID = 7)              brackets around all, numbers behind keys, blanks
 *   "user id"="bob"                           keys in quotes
 *   [action:"Accept"; flags:"411908"]         Check Point: key:"value";  (key:value is text)
 *
 * Where a value without quotes ends cannot be known: "id=54321 DF proto=TCP" and "service=Endpoint
 * Mapper proto=6" look alike.  So a pair has two readings, up to the first blank and up to the next
 * key, and is found by both; which of them is shown is a guess. */
#include "query/pairs_internal.h"

/* As many '=' make a body of pairs; less of them are a sentence with some. */
#define BODY_PAIRS 6
#define BRACKET_MAX_BYTES 4096 /* of a value in brackets that is looked for as a whole */

/* Classes of bytes: a table is twice as fast as comparing, and this runs over every byte of what a
 * search looks at. */
enum {
    KEY = 1,    /* of a key; anything beyond ASCII is */
    LETTER = 2, /* a key has at least one */
    AFTER = 4,  /* what may follow a value */
    BEFORE = 8, /* what may stand before a key, inside a value too */
    OPEN = 16,  /* the same, but outside of values alone: "x=(a:b=c)" */
};

static const uint8_t classes[256] = {
    ['0' ... '9'] = KEY,
    ['a' ... 'z'] = KEY | LETTER,
    ['A' ... 'Z'] = KEY | LETTER,
    [0x80 ... 0xff] = KEY | LETTER,
    ['_'] = KEY | LETTER,
    ['.'] = KEY,
    ['@'] = KEY,
    ['$'] = KEY,
    ['-'] = KEY,
    [' '] = AFTER | BEFORE,
    ['\t'] = AFTER | BEFORE,
    ['\r'] = AFTER | BEFORE,
    ['\n'] = AFTER | BEFORE,
    [','] = AFTER | BEFORE,
    [';'] = AFTER | BEFORE,
    ['|'] = AFTER | BEFORE,
    [')'] = AFTER,
    [']'] = AFTER,
    ['}'] = AFTER,
    ['>'] = AFTER | OPEN,
    ['('] = OPEN,
    ['['] = OPEN,
    ['{'] = OPEN,
    ['<'] = OPEN,
    [':'] = OPEN,
};

static inline unsigned class_of(char c)
{
    return classes[(unsigned char)c];
}

static inline bool is_key_char(char c)
{
    return class_of(c) & KEY;
}

static bool is_delimiter(char c)
{
    return c == ',' || c == ';' || c == '|';
}

static inline bool is_before_key(char c, bool is_inside)
{
    return class_of(c) & (is_inside ? BEFORE : BEFORE | OPEN);
}

struct key {
    size_t begin;    /* with the quote or the dashes before it */
    size_t from, to; /* the name; to: before quote, blanks and '=' */
    size_t equals;
    size_t plain_to; /* without "(1001)" */
};

/* Back over "(1001)" or "[0]", which ends at `to`: where it begins, or `to`. */
static size_t before_number(struct view text, size_t from, size_t to)
{
    char open = to > from && text.p[to - 1] == ')'   ? '('
                : to > from && text.p[to - 1] == ']' ? '['
                                                     : '\0';
    size_t at = to - (open != '\0');
    while (open && at > from && text.p[at - 1] >= '0' && text.p[at - 1] <= '9')
        at--;
    return open && at + 1 < to && at > from && text.p[at - 1] == open ? at - 1 : to;
}

/* "user id"="bob": the key between the quotes, of which the second ends at `to`. */
static bool quoted_key(struct view text, size_t from, size_t to, bool is_inside, struct key *ret)
{
    size_t at = to - 1;
    while (at > from && to - at <= PAIRS_NAME_MAX && text.p[at - 1] != '"' && text.p[at - 1] != '=')
        at--;
    if (at == to - 1 || at == from || text.p[at - 1] != '"' ||
        (at > 1 && !is_before_key(text.p[at - 2], is_inside)))
        return false;
    ret->begin = at - 1;
    ret->from = at;
    ret->to = ret->plain_to = to - 1;
    return true;
}

/* The key of the '=' at `equals`, not before `from`. */
static bool key_before(struct view text, size_t from, size_t equals, bool is_inside,
                       struct key *ret)
{
    char next = equals + 1 < text.n ? text.p[equals + 1] : ' ';
    if (next == '=' || next == '>' || next == '~')
        return false;
    size_t to = equals;
    while (to > from && text.p[to - 1] == ' ')
        to--;
    if (to < equals && next != ' ')
        return false; /* "a =b" is text, "a = b" is a pair */
    ret->equals = equals;
    if (to > from + 2 && text.p[to - 1] == '"')
        return quoted_key(text, from, to, is_inside, ret);
    size_t plain_to = before_number(text, from, to), at = plain_to;
    unsigned seen = 0;
    while (at > from && plain_to - at <= PAIRS_NAME_MAX && is_key_char(text.p[at - 1])) {
        seen |= class_of(text.p[--at]);
    }
    while (at < plain_to && (text.p[at] == '-' || text.p[at] == '.'))
        at++;
    size_t before = at;
    while (before > from && (text.p[before - 1] == '-' || text.p[before - 1] == '.'))
        before--;
    if (!(seen & LETTER) || plain_to - at > PAIRS_NAME_MAX ||
        (before > 0 && (before == from ? is_inside : true) &&
         !is_before_key(text.p[before - 1], is_inside)))
        return false;
    *ret = (struct key){before, at, to, equals, plain_to};
    return true;
}

/* The first key whose '=' stands at or after `from`. */
static bool next_key(struct view text, size_t from, bool is_inside, struct key *ret)
{
    for (size_t at = pairs_find(text, from, '='); at < text.n; at = pairs_find(text, at + 1, '='))
        if (key_before(text, from, at, is_inside, ret))
            return true;
    return false;
}

/* ---- quoted values ---- */

static bool is_after_value(struct view text, size_t at)
{
    return at >= text.n || class_of(text.p[at]) & AFTER;
}

/* The closing quote of the value that begins at `from`, or text.n.  A quote is a part of the value
 * when it is doubled or escaped, when nothing follows it that may follow a value, or when it opens
 * or closes a quoted word ("a "quoted" word"). */
static size_t closing_quote(struct view text, size_t from, char quote, bool *ret_has_escapes)
{
    bool is_inner = false;
    /* nearly always the first quote ends the value, and nothing is escaped */
    size_t first = pairs_find(text, from, quote);
    if (pairs_find(pairs_between(text, 0, first), from, '\\') == first &&
        is_after_value(text, first + 1))
        return first;
    for (size_t at = from; at < text.n; at++) {
        char c = text.p[at], next = at + 1 < text.n ? text.p[at + 1] : '\0';
        if (c == '\\' && (next == quote || next == '\\')) {
            *ret_has_escapes = true;
            at++;
        } else if (c != quote) {
            continue;
        } else if (is_inner) {
            is_inner = false;
        } else if (next == quote) {
            *ret_has_escapes = true;
            at++;
        } else if (is_after_value(text, at + 1)) {
            return at;
        } else if (at > from && pairs_is_blank(text.p[at - 1])) {
            is_inner = true;
        }
    }
    return text.n;
}

static struct view unquote(struct pairs_sink *s, struct view written, char quote)
{
    char *to = pairs_scratch(s);
    size_t n = 0;
    for (size_t i = 0; i < written.n; i++) {
        char c = written.p[i], next = i + 1 < written.n ? written.p[i + 1] : '\0';
        bool is_escape = c == '\\' && (next == quote || next == '\\');
        if (is_escape || (c == quote && next == quote))
            i++;
        to[n++] = is_escape ? next : c;
    }
    return pairs_take(s, n);
}

/* Behind the value. */
static size_t quoted_value(struct pairs_sink *s, struct view text, size_t from, struct pair *p)
{
    char quote = text.p[from];
    bool has_escapes = false;
    size_t end = closing_quote(text, from + 1, quote, &has_escapes);
    if (end == text.n && has_escapes) {
        /* "C:\dir\" written by one who knows no escapes */
        const char *q = memchr(text.p + from + 1, quote, text.n - from - 1);
        if (q && q[-1] == '\\' && is_after_value(text, (size_t)(q - text.p) + 1)) {
            end = (size_t)(q - text.p);
            has_escapes = false;
        }
    }
    p->value = pairs_between(text, from + 1, end);
    if (has_escapes && s->fn) {
        p->written = p->value;
        p->value = unquote(s, p->value, quote);
    }
    return MIN(end + 1, text.n);
}

/* ---- values without quotes ---- */

/* Behind the bracket that closes the one at `from`, when a value may end there; else `from`. */
static size_t bracketed(struct view text, size_t from)
{
    char first = text.p[from];
    const char *kind = first == '{' ? "{}" : first == '[' ? "[]" : first == '(' ? "()" : NULL;
    size_t limit = MIN(text.n, from + BRACKET_MAX_BYTES);
    unsigned depth = 0;
    for (size_t at = from; kind && at < limit; at++) {
        depth += text.p[at] == kind[0];
        if (text.p[at] == kind[1] && --depth == 0)
            return is_after_value(text, at + 1) ? at + 1 : from;
    }
    return from;
}

/* Without blanks, delimiters, and brackets that were opened before the value, at its end. */
static struct view strip(struct view v)
{
    static const char closing[] = ")]}", opening[] = "([{";
    int has_open[3] = {-1, -1, -1}; /* looked for once: whatever is stripped opens nothing */
    while (v.n > 0) {
        char last = v.p[v.n - 1];
        const char *kind = last ? strchr(closing, last) : NULL;
        if (kind) {
            size_t k = (size_t)(kind - closing);
            if (has_open[k] < 0)
                has_open[k] = memchr(v.p, opening[k], v.n) != NULL;
            if (has_open[k])
                break;
        } else if (!pairs_is_blank(last) && !is_delimiter(last)) {
            break;
        }
        v.n--;
    }
    return v;
}

/* "DF", "SYN ACK": what netfilter writes between its pairs. */
static bool is_flags(struct view v)
{
    for (size_t i = 0; i < v.n; i++)
        if (!(v.p[i] >= 'A' && v.p[i] <= 'Z') && v.p[i] != ' ')
            return false;
    return true;
}

static void bare_value(struct view region, bool is_body, struct pair *p)
{
    size_t blank = 0;
    while (blank < region.n && !pairs_is_blank(region.p[blank]))
        blank++;
    struct view word = strip(pairs_between(region, 0, blank)), whole = strip(region);
    bool is_short = !is_body || is_flags(pairs_between(region, blank, region.n));
    p->value = is_short ? word : whole;
    if (word.n != whole.n) {
        p->written = is_short ? whole : word;
    } else if (word.n > 1 && word.p[word.n - 1] == '.') { /* the sentence's end, or the value's */
        p->written = word;
        p->value.n--;
    }
}

/* Up to the next key, a tab or the line's end; then *key is the next key, if any. */
static size_t bare_or_bracketed(struct view text, size_t from, bool is_body, struct key *key,
                                bool *ret_has_key, struct pair *p)
{
    size_t end = bracketed(text, from);
    if (end > from) {
        p->value = pairs_between(text, from, end);
        *ret_has_key = next_key(text, end, false, key);
        return end;
    }
    *ret_has_key = next_key(text, from, true, key);
    end = *ret_has_key ? MAX(key->begin, from) : text.n;
    size_t stop = from;
    while (stop < end && (text.p[stop] == ' ' || !pairs_is_blank(text.p[stop])))
        stop++;
    struct view region = pairs_between(text, from, MIN(stop, end));
    bool is_empty = region.n == 0 || (pairs_is_blank(region.p[0]) || is_delimiter(region.p[0]));
    if (is_empty)
        p->value = view_of(text.p + from, 0);
    else
        bare_value(region, is_body, p);
    return end;
}

/* ---- Check Point ---- */

/* name:"value" at `at`: its parts. */
static bool colon_pair(struct pairs_sink *s, struct view text, size_t at, struct pair *p,
                       size_t *ret_end)
{
    size_t from = at;
    while (at < text.n && is_key_char(text.p[at]))
        at++;
    if (at == from || at + 1 >= text.n || text.p[at] != ':' || text.p[at + 1] != '"')
        return false;
    p->name = pairs_between(text, from, at);
    *ret_end = quoted_value(s, text, at + 1, p);
    return true;
}

/* false in *ret_is: the text is none of these. */
static bool colon_pairs(struct pairs_sink *s, struct view text, bool *ret_is)
{
    size_t at = text.n > 0 && text.p[0] == '[' ? 1 : 0;
    *ret_is = false;
    for (;;) {
        struct pair p = {.alias = VIEW_NULL};
        at = pairs_skip_blanks(text, at);
        if (!colon_pair(s, text, at, &p, &at))
            return true;
        *ret_is = true;
        if (!pairs_give(s, p))
            return false;
        at = pairs_skip_blanks(text, at);
        if (at >= text.n || !is_delimiter(text.p[at]))
            return true;
        at++;
    }
}

/* ---- all of it ---- */

static bool is_body_of_pairs(struct view text, const struct key *first)
{
    if (pairs_skip_blanks(text, 0) == first->from || first->from <= 1)
        return true;
    unsigned n = 0;
    for (size_t at = first->equals; at < text.n && n < BODY_PAIRS;
         at = pairs_find(text, at + 1, '='))
        n++;
    return n >= BODY_PAIRS;
}

bool pairs_kv(struct pairs_sink *s, struct view text)
{
    bool is_colon;
    struct key key, next;
    if (!colon_pairs(s, text, &is_colon) || is_colon)
        return true;
    bool has_key = next_key(text, 0, false, &key);
    bool is_body = has_key && is_body_of_pairs(text, &key);
    while (has_key) {
        struct pair p = {.name = pairs_between(text, key.from, key.to)};
        if (key.plain_to < key.to)
            p.alias = pairs_between(text, key.from, key.plain_to);
        size_t at = key.equals + 1;
        while (text.p[key.equals - 1] == ' ' && at < text.n && text.p[at] == ' ')
            at++; /* "a = b" */
        bool has_next;
        if (at < text.n && (text.p[at] == '"' || text.p[at] == '\'')) {
            at = quoted_value(s, text, at, &p);
            has_next = next_key(text, at, false, &next);
        } else if (at < text.n) {
            bare_or_bracketed(text, at, is_body, &next, &has_next, &p);
        } else {
            p.value = view_of(text.p + text.n, 0);
            has_next = false;
        }
        if (!pairs_give(s, p))
            return false;
        has_key = has_next;
        key = next;
    }
    return true;
}
