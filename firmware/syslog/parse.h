/* What the forms of messages share: a cursor over the text and the state of one parse.  Private to
 * firmware/syslog.
 *
 * A form is a function in a file of its own and a row of the table in syslog.c.  It gets the text
 * after the PRI, recognises it or returns false with the record untouched.  To add one: write
 * NAME_parse(), append its FORMAT_ to base/record.h and its row to the table. */
#ifndef AZEKURA_PARSE_H
#define AZEKURA_PARSE_H

#include "syslog/syslog.h"

#ifdef __SSE2__
#include <emmintrin.h>
#endif

struct cursor {
    const char *p, *end;
};

struct parse {
    struct syslog_context *ctx;
    struct cursor text; /* clean UTF-8, after the PRI, without trailers */
    bool has_pri;
};

bool rfc5424_parse(const struct parse *in, struct record *r);
/* What has a version and no time, or RFC 3164's or an epoch, but all the rest. */
bool rfc5424_parse_incomplete(const struct parse *in, struct record *r);
/* The fields after the time of a message without version, when they are RFC 5424's beyond doubt. */
bool rfc5424_take_unversioned(struct cursor c, struct record *r);
bool cisco_parse(const struct parse *in, struct record *r);
/* The same of controllers of access points, which write "#" for "%". */
bool cisco_parse_task(const struct parse *in, struct record *r);
bool rfc3164_parse(const struct parse *in, struct record *r);
bool meraki_parse(const struct parse *in, struct record *r);
/* The same behind a relay's header, whose time and host are then replaced. */
bool meraki_take(struct cursor c, struct record *r);

/* body.c: the format that a message's text shows, of a record that is FORMAT_RFC3164 or FORMAT_RAW,
 * and the time that such a text may have in it where the header has none. */
void body_recognise(const struct parse *in, struct record *r);

static inline size_t cursor_left(const struct cursor *c)
{
    return (size_t)(c->end - c->p);
}

static inline bool cursor_at(const struct cursor *c, char ch)
{
    return c->p < c->end && *c->p == ch;
}

static inline struct view cursor_rest(const struct cursor *c)
{
    return view_of(c->p, cursor_left(c));
}

static inline bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static inline bool is_upper(char c)
{
    return c >= 'A' && c <= 'Z';
}

static inline bool is_letter(char c)
{
    return is_upper((char)(c & ~0x20)) || (unsigned char)c >= 0x80;
}

static inline bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

static inline void skip_blanks(struct cursor *c)
{
    while (c->p < c->end && is_blank(*c->p))
        c->p++;
}

/* Up to the next blank, tab, line end or the end; may be empty.  Does not move. */
static inline struct view peek_token(const struct cursor *c)
{
    const char *p = c->p;
#ifdef __SSE2__
    const __m128i space = _mm_set1_epi8(' ');
    for (; c->end - p >= 16; p += 16) {
        /* all that is not beyond a blank: words have no other control characters, mostly */
        __m128i x = _mm_loadu_si128((const __m128i *)(const void *)p);
        unsigned bits = (unsigned)_mm_movemask_epi8(_mm_cmpeq_epi8(_mm_max_epu8(x, space), space));
        for (; bits != 0; bits &= bits - 1) {
            const char *at = p + __builtin_ctz(bits);
            if (LIKELY(*at == ' ' || *at == '\t' || *at == '\n' || *at == '\r'))
                return view_of(c->p, (size_t)(at - c->p));
        }
    }
#endif
    while (p < c->end && *p != ' ' && *p != '\t' && *p != '\n' && *p != '\r')
        p++;
    return view_of(c->p, (size_t)(p - c->p));
}

static inline void skip_bom(struct cursor *c)
{
    if (cursor_left(c) >= 3 && memcmp(c->p, "\xef\xbb\xbf", 3) == 0)
        c->p += 3;
}

static inline bool cursor_starts(const struct cursor *c, struct view text)
{
    return cursor_left(c) >= text.n && memcmp(c->p, text.p, text.n) == 0;
}

static inline bool all_digits(struct view v)
{
    for (size_t i = 0; i < v.n; i++) {
        if (!is_digit(v.p[i]))
            return false;
    }
    return v.n > 0;
}

#endif
