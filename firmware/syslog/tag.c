/* Hosts and tags of RFC 3164's relatives: what a word may be.  See rfc3164.c. */
#include "syslog/tag.h"

#include "base/ip.h"
#include "base/limits.h"
#include "base/record.h"

#define TAG_WORDS_MAX_BYTES 48 /* of a tag of several words */

/* ---- words ---- */

/* What a byte may be part of. */
enum byte_class {
    IN_HOST = 1,
    IN_TAG = 2,
    IS_LETTER = 4,
    IS_DIGIT = 8,
    IS_COMMA = 16,
    IS_COLON = 32,
    IS_DOT = 64
};

/* Not in a host: blanks, controls and the punctuation that only text has.  Not in a tag: = and ",
 * which name=value pairs and JSON have. */
static const uint8_t classes[256] = {
    ['!'] = IN_TAG,
    ['#'] = IN_HOST | IN_TAG,
    ['$'] = IN_HOST | IN_TAG,
    ['%'] = IN_HOST | IN_TAG,
    ['&'] = IN_HOST | IN_TAG,
    ['\''] = IN_TAG,
    ['('] = IN_TAG,
    [')'] = IN_TAG,
    ['*'] = IN_HOST | IN_TAG,
    ['+'] = IN_HOST | IN_TAG,
    [','] = IN_HOST | IN_TAG | IS_COMMA,
    ['-'] = IN_HOST | IN_TAG,
    ['.'] = IN_HOST | IN_TAG | IS_DOT,
    ['/'] = IN_HOST | IN_TAG,
    ['0' ... '9'] = IN_HOST | IN_TAG | IS_DIGIT,
    [':'] = IN_HOST | IN_TAG | IS_COLON,
    [';'] = IN_TAG,
    ['<'] = IN_TAG,
    ['>'] = IN_TAG,
    ['?'] = IN_TAG,
    ['@'] = IN_HOST | IN_TAG,
    ['A' ... 'Z'] = IN_HOST | IN_TAG | IS_LETTER,
    ['['] = IN_TAG,
    ['\\'] = IN_TAG,
    [']'] = IN_TAG,
    ['^'] = IN_HOST | IN_TAG,
    ['_'] = IN_HOST | IN_TAG,
    ['`'] = IN_TAG,
    ['a' ... 'z'] = IN_HOST | IN_TAG | IS_LETTER,
    ['{'] = IN_TAG,
    ['|'] = IN_TAG,
    ['}'] = IN_TAG,
    ['~'] = IN_HOST | IN_TAG,
    [0x80 ... 0xff] = IN_HOST | IN_TAG | IS_LETTER,
};

/* All classes that any byte is of, in the low half, that all bytes are of, in the high half. */
static unsigned classes_of(struct view v)
{
    unsigned any = 0, all = 0xff;
    for (size_t i = 0; i < v.n; i++) {
        any |= classes[(unsigned char)v.p[i]];
        all &= classes[(unsigned char)v.p[i]];
    }
    return any | all << 8;
}

/* The two letters that one of them begins with, which hardly any other word does. */
static bool begins_severity(char first, char second)
{
    switch ((unsigned)(uint8_t)(first | 0x20) << 8 | (uint8_t)(second | 0x20)) {
    case 'e' << 8 | 'm':
    case 'p' << 8 | 'a':
    case 'a' << 8 | 'l':
    case 'c' << 8 | 'r':
    case 'e' << 8 | 'r':
    case 'w' << 8 | 'a':
    case 'n' << 8 | 'o':
    case 'i' << 8 | 'n':
    case 'd' << 8 | 'e':
        return true;
    default:
        return false;
    }
}

bool tag_is_severity_word(struct view v)
{
    if (v.n > 0 && v.p[v.n - 1] == ':')
        v.n--;
    if (v.n < 3 || v.n > 13 || !begins_severity(v.p[0], v.p[1]))
        return false;
    return (classes_of(v) >> 8 & IS_LETTER) && severity_parse(v) >= 0;
}

bool tag_is_ipv6(struct view v)
{
    if (v.n < 2 || v.n >= IP_TEXT_MAX || memchr(v.p, ':', v.n) == NULL)
        return false;
    const char *scope = memchr(v.p, '%', v.n);
    struct ip ip;
    return ip_parse(scope ? view_of(v.p, (size_t)(scope - v.p)) : v, &ip) == 0;
}

bool tag_is_topics(struct view v)
{
    for (const char *p = v.p, *end = v.p + v.n; p < end;) {
        const char *comma = memchr(p, ',', (size_t)(end - p));
        const char *stop = comma ? comma : end;
        struct view topic = view_of(p, (size_t)(stop - p));
        if (p > v.p && (tag_is_severity_word(topic) || view_eq(topic, VIEW("packet"))))
            return true;
        p = stop + 1;
    }
    return false;
}

/* "1,2026/03/10": the first fields of Palo Alto's text. */
static bool is_number_and_date(struct view v)
{
    const char *comma = memchr(v.p, ',', v.n);
    return comma && v.p + v.n - comma == 11 && comma[5] == '/' && comma[8] == '/' &&
           all_digits(view_of(v.p, (size_t)(comma - v.p)));
}

static bool is_host_of(struct view v, unsigned all)
{
    uint8_t first = classes[(unsigned char)v.p[0]];
    return (all >> 8 & IN_HOST) && (all & (IS_LETTER | IS_DIGIT)) &&
           ((first & (IS_LETTER | IS_DIGIT)) || v.p[0] == '_' || v.p[0] == ':') &&
           v.p[v.n - 1] != ':' && !tag_is_severity_word(v) &&
           !((all & IS_COMMA) && (tag_is_topics(v) || is_number_and_date(v)));
}

bool tag_is_host(struct view v)
{
    return v.n > 0 && v.n <= HEADER_FIELD_MAX_BYTES && is_host_of(v, classes_of(v));
}

bool tag_is_plain_host(struct view v)
{
    if (v.n == 0 || v.n > HEADER_FIELD_MAX_BYTES)
        return false;
    unsigned all = classes_of(v);
    return !(all & IS_COLON) && is_host_of(v, all) && !((all & IS_DOT) && tag_is_level(v));
}

bool tag_is_level(struct view v)
{
    const char *dot = memchr(v.p, '.', v.n);
    if (dot == NULL || v.n > 24)
        return false;
    struct view severity = view_of(dot + 1, (size_t)(v.p + v.n - dot) - 1);
    return tag_is_severity_word(severity) && facility_parse(view_of(v.p, (size_t)(dot - v.p))) >= 0;
}

/* ---- tags ---- */

static bool is_tag_name(struct view v)
{
    if (v.n == 0 || v.n > HEADER_FIELD_MAX_BYTES)
        return false;
    unsigned all = classes_of(v);
    if (!(all >> 8 & IN_TAG) || !(all & IS_LETTER))
        return false;
    if (!(classes[(unsigned char)v.p[0]] & (IS_LETTER | IS_DIGIT)) &&
        memchr("{}[](\"'<=-|,;", v.p[0], 13) != NULL)
        return false;
    const char *colon = all & IS_COLON ? memchr(v.p, ':', v.n) : NULL;
    if (colon && (tag_is_ipv6(v) || memmem(colon, (size_t)(v.p + v.n - colon), "://", 3) != NULL))
        return false;
    return !tag_is_severity_word(v) && !view_eq(v, VIEW("CEF")) && !view_eq(v, VIEW("LEEF"));
}

/* A process number without colon after it: decimal, or hexadecimal with 0x. */
static bool is_pid(struct view v)
{
    if (v.n > 2 && v.p[0] == '0' && v.p[1] == 'x')
        v = view_of(v.p + 2, v.n - 2);
    return v.n <= 20 && all_digits(v);
}

bool tag_is_interface(struct view v)
{
    while (v.n > 2 && is_digit(v.p[v.n - 1]))
        v.n--;
    return view_eq(v, VIEW("PP")) || view_eq(v, VIEW("LAN")) || view_eq(v, VIEW("TUNNEL")) ||
           view_eq(v, VIEW("WAN"));
}

/* "name[123]:", as nearly all tags with a process number are. */
static bool match_plain_bracket(struct view word, struct tag *ret)
{
    const char *end = word.p + word.n, *p;
    if (word.n < 5 || end[-1] != ':' || end[-2] != ']')
        return false;
    for (p = end - 3; p > word.p && is_digit(*p);)
        p--;
    if (*p != '[' || p == end - 3)
        return false;
    *ret = (struct tag){view_of(word.p, (size_t)(p - word.p)),
                        view_of(p + 1, (size_t)(end - 2 - (p + 1))), end};
    return true;
}

bool tag_match_bracket(struct view word, struct tag *ret)
{
    if (LIKELY(match_plain_bracket(word, ret))) {
        struct view v = ret->name;
        if (UNLIKELY(*v.p == '(' && v.n > 2 && v.p[v.n - 1] == ')'))
            v = view_of(v.p + 1, v.n - 2); /* "(sd-pam)[12]:" */
        return is_tag_name(v);
    }
    const char *end = word.p + word.n;
    const char *open = memchr(word.p, '[', word.n);
    if (open == NULL)
        return false;
    const char *close = end[-1] == ']' ? end - 1 : NULL;
    for (const char *p = open; (p = memchr(p, ']', (size_t)(end - p))) != NULL; p++) {
        if (p + 1 < end && p[1] == ':') {
            close = p;
            break;
        }
    }
    /* of "app[web][123]:" the last bracket is the process */
    if ((open = memrchr(word.p, '[', (size_t)((close ? close : end) - word.p))) == NULL)
        return false;
    ret->name = view_of(word.p, (size_t)(open - word.p));
    ret->pid = view_of(open + 1, (size_t)((close ? close : end) - open) - 1);
    ret->end = close ? close + 1 : end;
    bool has_colon = ret->end < end && *ret->end == ':';
    if (has_colon)
        ret->end++;
    else if (!is_pid(ret->pid) || tag_is_interface(ret->name))
        return false;
    if (ret->pid.n == 0)
        ret->pid = VIEW_NULL;
    return is_tag_name(ret->name);
}

/* "MODULE/4/MNEMONIC:text": the one tag that needs no blank after its colon. */
static bool match_slashed_tag(struct view word, struct tag *ret)
{
    const char *colon = memchr(word.p, ':', word.n);
    const char *slash = memchr(word.p, '/', word.n);
    if (colon == NULL || slash == NULL || colon - slash < 4 || !is_digit(slash[1]) ||
        slash[2] != '/')
        return false;
    *ret = (struct tag){view_of(word.p, (size_t)(colon - word.p)), VIEW_NULL, colon + 1};
    return is_tag_name(ret->name);
}

bool tag_match_word(struct view word, struct tag *ret)
{
    if (tag_match_bracket(word, ret))
        return true;
    if (word.n > 1 && word.p[word.n - 1] == ':') {
        *ret = (struct tag){view_of(word.p, word.n - 1), VIEW_NULL, word.p + word.n};
        return is_tag_name(ret->name);
    }
    return match_slashed_tag(word, ret);
}

bool tag_match_words(const struct cursor *c, struct tag *ret)
{
    size_t limit = MIN(cursor_left(c), (size_t)TAG_WORDS_MAX_BYTES), words = 1, i = 0;
    bool are_capital = true;
    for (; i < limit && c->p[i] != ':' && c->p[i] != '['; i++) {
        bool is_first = i == 0 || c->p[i - 1] == ' ';
        if (c->p[i] == ' ' ? is_first : !is_letter(c->p[i]) && (is_first || !is_digit(c->p[i])))
            return false;
        words += c->p[i] == ' ';
        are_capital = are_capital && (!is_first || is_upper(c->p[i]));
    }
    if (i == limit || words < 2 || words > 3)
        return false;
    struct tag tag = {view_of(c->p, i), VIEW_NULL, c->p + i + 1};
    if (c->p[i - 1] == ' ') {
        if (c->p[i] != '[' || words != 2)
            return false;
        tag.name.n--; /* "app [12]: …" */
    }
    if (words == 2 && i > 6 && c->p[i] == ':' && memcmp(c->p + i - 6, " Event", 6) == 0) {
        /* "WinFileService Event: …" (Synology): the name of its first value */
        *ret = (struct tag){view_of(c->p, i - 6), VIEW_NULL, c->p + i - 6};
        return true;
    }
    if (c->p[i] == '[') {
        struct cursor at = {c->p + i + 1, c->end};
        struct view rest = peek_token(&at);
        const char *close = memchr(rest.p, ']', rest.n);
        if (close == NULL || close + 1 == c->end || close[1] != ':')
            return false;
        tag.pid = view_of(rest.p, (size_t)(close - rest.p));
        tag.end = close + 2;
        if (!is_pid(tag.pid))
            return false;
    } else if (!are_capital || (tag.end < c->end && *tag.end != ' ')) {
        return false;
    }
    *ret = tag;
    return true;
}
