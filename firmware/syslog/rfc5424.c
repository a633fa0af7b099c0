/* RFC 5424: VERSION SP TIMESTAMP SP HOSTNAME SP APP-NAME SP PROCID SP MSGID SP STRUCTURED-DATA [SP
 * MSG].
 *
 * Lenient: version 1…999, several blanks before the time, a time that does not parse (kept as text
 * of `raw`, marked), UTF-8 in header fields, empty fields (null), doubled blanks, structured data
 * missing or malformed (then it is the beginning of the message), a header that ends early. */
#include "base/limits.h"
#include "syslog/parse.h"
#include "syslog/timestamp.h"

#define HEADER_FIELDS 4

/* A header field and the blank after it.  False when it is too long to be one. */
static bool take_field(struct cursor *c, struct view *ret)
{
    size_t limit = MIN(cursor_left(c), (size_t)HEADER_FIELD_MAX_BYTES + 1);
    const char *blank = memchr(c->p, ' ', limit);
    if (blank == NULL && limit > HEADER_FIELD_MAX_BYTES)
        return false;
    size_t n = blank ? (size_t)(blank - c->p) : limit;
    bool is_nil = n == 0 || (n == 1 && *c->p == '-');
    *ret = is_nil ? VIEW_NULL : view_of(c->p, n);
    c->p += n + (blank ? 1 : 0);
    return true;
}

/* The four fields; with `skip_doubled`, blanks that follow a blank are not empty fields. */
static bool take_fields(struct cursor *c, bool skip_doubled, struct view fields[HEADER_FIELDS])
{
    for (unsigned i = 0; i < HEADER_FIELDS; i++) {
        while (skip_doubled && cursor_at(c, ' '))
            c->p++;
        if (!take_field(c, &fields[i]))
            return false;
    }
    while (skip_doubled && cursor_at(c, ' '))
        c->p++;
    return true;
}

static bool is_name_end(char ch)
{
    return ch == ' ' || ch == '=' || ch == ']' || ch == '"' || (unsigned char)ch < 0x20;
}

static bool skip_name(struct cursor *c)
{
    const char *start = c->p;
    while (c->p < c->end && !is_name_end(*c->p))
        c->p++;
    return c->p > start;
}

/* "value": a quote ends it when a blank or the end of the element follows, so that senders which do
 * not escape quotes lose nothing. */
static bool skip_value(struct cursor *c)
{
    if (!cursor_at(c, '"'))
        return false;
    for (c->p++; c->p < c->end; c->p++) {
        if (*c->p == '\\' && cursor_left(c) > 1 && memchr("\"\\]", c->p[1], 3) != NULL) {
            c->p++;
        } else if (*c->p == '"' && cursor_left(c) > 1 && (c->p[1] == ' ' || c->p[1] == ']')) {
            c->p++;
            return true;
        }
    }
    return false;
}

/* [id name="value" …]; false when it is not one. */
static bool skip_element(struct cursor *c)
{
    c->p++;
    if (!skip_name(c))
        return false;
    for (;;) {
        bool has_blank = cursor_at(c, ' ');
        while (cursor_at(c, ' '))
            c->p++;
        if (cursor_at(c, ']')) {
            c->p++;
            return true;
        }
        if (!has_blank || !skip_name(c) || !cursor_at(c, '='))
            return false;
        c->p++;
        if (!skip_value(c))
            return false;
    }
}

/* Structured data at the cursor: nil, or one element or more.  False: there is none. */
static bool take_structured_data(struct cursor *c, struct view *ret)
{
    struct cursor at = *c;
    if (cursor_at(&at, '-') && (cursor_left(&at) == 1 || at.p[1] == ' ')) {
        at.p++;
        *ret = VIEW_NULL;
    } else {
        if (!cursor_at(&at, '['))
            return false;
        while (cursor_at(&at, '[')) {
            struct cursor element = at;
            if (!skip_element(&element)) {
                if (at.p == c->p)
                    return false;
                break; /* the message begins with a bracket that follows without a blank */
            }
            at = element;
        }
        *ret = view_of(c->p, (size_t)(at.p - c->p));
    }
    if (cursor_at(&at, ' '))
        at.p++;
    *c = at;
    return true;
}

/* VERSION and TIMESTAMP, which decide whether this is RFC 5424 at all.  TIMESTAMP_ABSENT: nil. */
static bool take_version_and_time(struct cursor *c, const struct parse *in, struct timestamp *t,
                                  enum timestamp_result *ret_result)
{
    size_t digits = 0;
    skip_blanks(c);
    while (digits < 4 && digits < cursor_left(c) && is_digit(c->p[digits]))
        digits++;
    if (digits == 0 || digits == 4 || *c->p == '0' || cursor_left(c) == digits ||
        c->p[digits] != ' ')
        return false;
    if (!in->has_pri && (digits != 1 || *c->p != '1'))
        return false;
    struct cursor at = {c->p + digits, c->end};
    while (cursor_at(&at, ' '))
        at.p++;
    enum timestamp_result result = timestamp_iso(&at, t);
    if (result != TIMESTAMP_ABSENT && at.p < at.end && *at.p != ' ')
        return false;
    struct view token = peek_token(&at);
    if (result == TIMESTAMP_ABSENT && !in->has_pri)
        return false;
    if (result != TIMESTAMP_ABSENT) {
        /* taken */
    } else if (token.n == 1 && *token.p == '-') {
        at.p++;
    } else if (token.n >= 10 && is_digit(token.p[0]) && memchr(token.p, '-', token.n) != NULL &&
               memchr(token.p, ':', token.n) != NULL) {
        result = TIMESTAMP_UNUSABLE; /* meant as a time */
        at.p += token.n;
    } else if (token.n > 0) {
        return false;
    }
    if (cursor_at(&at, ' '))
        at.p++;
    *ret_result = result;
    *c = at;
    return true;
}

bool rfc5424_parse(const struct parse *in, struct record *r)
{
    struct cursor c = in->text;
    struct timestamp t;
    enum timestamp_result result;
    if (!take_version_and_time(&c, in, &t, &result))
        return false;
    timestamp_apply(&t, result, in->ctx, r);
    struct view fields[HEADER_FIELDS] = {VIEW_NULL, VIEW_NULL, VIEW_NULL, VIEW_NULL};
    struct view data = VIEW_NULL;
    struct cursor header = c;
    bool has_fields = take_fields(&c, false, fields);
    const char *fields_start = header.p - 1, *fields_end = c.p < c.end ? c.p + 1 : c.p;
    bool has_data = has_fields && take_structured_data(&c, &data);
    /* Doubled blanks mean empty fields, unless only skipping them makes sense of what follows: a
     * nil that is left over in front of the message has been shifted. */
    bool is_shifted = has_fields && (!has_data || (cursor_at(&c, '-') &&
                                                   (cursor_left(&c) == 1 || c.p[1] == ' ')));
    if (is_shifted && memmem(fields_start, (size_t)(fields_end - fields_start), "  ", 2) != NULL) {
        struct view skipped[HEADER_FIELDS];
        struct cursor again = header;
        if (take_fields(&again, true, skipped) && take_structured_data(&again, &data)) {
            memcpy(fields, skipped, sizeof(fields));
            c = again;
        }
    }
    r->hostname = fields[0];
    r->app_name = fields[1];
    r->procid = fields[2];
    r->msgid = fields[3];
    r->structured_data = data;
    if (cursor_left(&c) >= 3 && memcmp(c.p, "\xef\xbb\xbf", 3) == 0)
        c.p += 3; /* the BOM says that the message is UTF-8; it is not part of it */
    r->message = cursor_rest(&c);
    return true;
}
