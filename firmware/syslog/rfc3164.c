/* RFC 3164 and its relatives: [TIME] [HOST] [TAG[[PID]]:] text, as senders really write it.
 *
 *   with time:  the first word is the host, unless it is a tag ("sshd[12]:"), or cannot be a host
 *               ("ID=7", "[x]", "{…"): then there is none
 *   no time:    never a host; a tag only when the first word ends like one
 *   tag:        any length and character; ends at ": " or "]:"; "name[digits]" also without colon
 *
 * A wrong guess hides text from where people look for it, so what is not certain stays in the
 * message. */
#include "base/ip.h"
#include "base/limits.h"
#include "base/record.h"
#include "syslog/parse.h"
#include "syslog/timestamp.h"

#define TAG_WORDS_MAX_BYTES 48 /* of a tag of several words */

struct tag {
    struct view name, pid;
    const char *end; /* after the colon or bracket */
};

/* ---- words ---- */

/* What a byte may be part of. */
enum byte_class { IN_HOST = 1, IN_TAG = 2, IS_LETTER = 4, IS_DIGIT = 8 };

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
    [','] = IN_HOST | IN_TAG,
    ['-'] = IN_HOST | IN_TAG,
    ['.'] = IN_HOST | IN_TAG,
    ['/'] = IN_HOST | IN_TAG,
    ['0' ... '9'] = IN_HOST | IN_TAG | IS_DIGIT,
    [':'] = IN_HOST | IN_TAG,
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

/* "notice", "ERROR:": words that say how grave something is, never who says it. */
static bool is_severity_word(struct view v)
{
    if (v.n > 0 && v.p[v.n - 1] == ':')
        v.n--;
    if (v.n < 3 || v.n > 13 || !begins_severity(v.p[0], v.p[1]))
        return false;
    return (classes_of(v) >> 8 & IS_LETTER) && severity_parse(v) >= 0;
}

static bool is_ipv6(struct view v)
{
    if (v.n < 2 || v.n >= IP_TEXT_MAX || memchr(v.p, ':', v.n) == NULL)
        return false;
    const char *scope = memchr(v.p, '%', v.n);
    struct ip ip;
    return ip_parse(scope ? view_of(v.p, (size_t)(scope - v.p)) : v, &ip) == 0;
}

/* Can the word be a host?  Names, addresses, and what devices put there ("slot1/bigip1",
 * "ap,00:11…"), but no punctuation that only text has. */
static bool is_host(struct view v)
{
    if (v.n == 0 || v.n > HEADER_FIELD_MAX_BYTES)
        return false;
    unsigned all = classes_of(v);
    uint8_t first = classes[(unsigned char)v.p[0]];
    return (all >> 8 & IN_HOST) && (all & (IS_LETTER | IS_DIGIT)) &&
           ((first & (IS_LETTER | IS_DIGIT)) || v.p[0] == '_' || v.p[0] == ':') &&
           v.p[v.n - 1] != ':' && !is_severity_word(v);
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
    const char *colon = memchr(v.p, ':', v.n);
    if (colon && (is_ipv6(v) || memmem(colon, (size_t)(v.p + v.n - colon), "://", 3) != NULL))
        return false;
    return !is_severity_word(v);
}

/* A process number without colon after it: decimal, or hexadecimal with 0x. */
static bool is_pid(struct view v)
{
    if (v.n > 2 && v.p[0] == '0' && v.p[1] == 'x')
        v = view_of(v.p + 2, v.n - 2);
    return v.n <= 20 && all_digits(v);
}

/* "name[pid]:", "name[123]", "name[123" (cut by the sender) in a word. */
static bool match_bracket_tag(struct view word, struct tag *ret)
{
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
    else if (!is_pid(ret->pid))
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

static bool match_word_tag(struct view word, struct tag *ret)
{
    if (match_bracket_tag(word, ret))
        return true;
    if (word.n > 1 && word.p[word.n - 1] == ':') {
        *ret = (struct tag){view_of(word.p, word.n - 1), VIEW_NULL, word.p + word.n};
        return is_tag_name(ret->name);
    }
    return match_slashed_tag(word, ret);
}

/* "Server Administrator: …": two or three words, each with a capital, or any with a process number.
 */
static bool match_words_tag(const struct cursor *c, struct tag *ret)
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
    if (i == limit || words < 2 || words > 3 || c->p[i - 1] == ' ')
        return false;
    struct tag tag = {view_of(c->p, i), VIEW_NULL, c->p + i + 1};
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

/* ---- the message ---- */

static bool is_repeated(const struct cursor *c)
{
    static const char text[] = "last message repeated ";
    return cursor_left(c) >= sizeof(text) - 1 && memcmp(c->p, text, sizeof(text) - 1) == 0;
}

/* "Message forwarded from HOST: " (AIX), then the tag. */
static void skip_forwarded(struct cursor *c)
{
    static const char text[] = "Message forwarded from ";
    if (cursor_left(c) > sizeof(text) - 1 && memcmp(c->p, text, sizeof(text) - 1) == 0)
        c->p += sizeof(text) - 1;
}

/* The word at the cursor is "host:" when "name[123]:" follows, or when it can be nothing else. */
static bool is_host_with_colon(const struct cursor *c, struct view word)
{
    struct view name = view_of(word.p, word.n - 1);
    struct cursor next = {word.p + word.n, c->end};
    struct tag tag;
    skip_blanks(&next);
    return is_host(name) && match_bracket_tag(peek_token(&next), &tag) && !view_is_null(tag.pid) &&
           tag.end[-1] == ':';
}

static void take_host(struct cursor *c, struct record *r)
{
    skip_forwarded(c);
    struct view word = peek_token(c);
    struct tag tag;
    if (word.n == 0 || is_repeated(c))
        return;
    if (word.n == 1 && *word.p == '-') {
        c->p++; /* no host, said with RFC 5424's nil */
        skip_blanks(c);
        return;
    }
    if (!is_ipv6(word)) {
        if (word.p[word.n - 1] == ':' && is_host_with_colon(c, word)) {
            r->hostname = view_of(word.p, word.n - 1);
            c->p += word.n;
            skip_blanks(c);
            return;
        }
        if (match_word_tag(word, &tag) || !is_host(word))
            return;
    }
    r->hostname = word;
    c->p += word.n;
    skip_blanks(c);
    struct view again = peek_token(c);
    if (view_eq(again, word) || view_eq(again, VIEW(":"))) { /* "host host app:", "host : text" */
        c->p += again.n;
        skip_blanks(c);
    }
}

static void take_tag(struct cursor *c, bool may_have_words, struct record *r)
{
    struct view word = peek_token(c);
    struct tag tag;
    if (word.n == 0 || is_repeated(c))
        return;
    if (may_have_words && is_severity_word(word) && word.p[word.n - 1] != ':') {
        /* "host notice tmsh[123]: …": the severity in words, then the tag */
        struct cursor next = {word.p + word.n, c->end};
        skip_blanks(&next);
        struct view after = peek_token(&next);
        if (after.n == 0 || !match_bracket_tag(after, &tag))
            return;
    } else if (!match_word_tag(word, &tag) && !(may_have_words && match_words_tag(c, &tag))) {
        return;
    }
    r->app_name = tag.name;
    r->procid = tag.pid;
    c->p = tag.end;
    if (cursor_at(c, ' '))
        c->p++;
}

static void skip_after_time(struct cursor *c)
{
    if (cursor_at(c, ':'))
        c->p++;
    skip_blanks(c);
}

bool rfc3164_parse(const struct parse *in, struct record *r)
{
    struct cursor c = in->text;
    struct timestamp t;
    skip_blanks(&c);
    enum timestamp_result result = timestamp_scan(&c, &in->ctx->cache, &t);
    if (result == TIMESTAMP_ABSENT && !in->has_pri)
        return false;
    if (result != TIMESTAMP_ABSENT) {
        skip_after_time(&c);
        struct timestamp own;
        enum timestamp_result again = timestamp_scan(&c, &in->ctx->cache, &own);
        if (again != TIMESTAMP_ABSENT) {
            /* a relay put its time in front: the second one is the device's */
            t = own;
            result = again;
            skip_after_time(&c);
        }
        timestamp_apply(&t, result, in->ctx, r);
        take_host(&c, r);
    }
    take_tag(&c, result != TIMESTAMP_ABSENT, r);
    r->message = cursor_rest(&c);
    return true;
}
