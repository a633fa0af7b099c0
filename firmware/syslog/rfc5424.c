/* RFC 5424: VERSION SP TIMESTAMP SP HOSTNAME SP APP-NAME SP PROCID SP MSGID SP STRUCTURED-DATA [SP
 * MSG].
 *
 * Lenient: version 1…999 or none, several blanks before the time, tabs for blanks, a time that does
 * not parse (kept as text of `raw`, marked), UTF-8 in header fields, empty fields (null), doubled
 * blanks, structured data missing or malformed (then it is the beginning of the message), a header
 * that ends early. */
#include "base/limits.h"
#include "syslog/tag.h"
#include "syslog/timestamp.h"

#define HEADER_FIELDS 4

/* A header field and the blank (of few senders a tab) after it.  False when it is too long to be
 * one. */
static bool take_field(struct cursor *c, struct view *ret)
{
    size_t limit = MIN(cursor_left(c), (size_t)HEADER_FIELD_MAX_BYTES + 1), n = 0;
    while (n < limit && !is_blank(c->p[n]))
        n++;
    bool blank = n < limit;
    if (!blank && limit > HEADER_FIELD_MAX_BYTES)
        return false;
    bool is_nil = n == 0 || (n == 1 && *c->p == '-');
    *ret = is_nil ? VIEW_NULL : view_of(c->p, n);
    c->p += n + (blank ? 1 : 0);
    return true;
}

/* The four fields; with `skip_doubled`, blanks that follow a blank are not empty fields. */
static bool take_fields(struct cursor *c, bool skip_doubled, struct view fields[HEADER_FIELDS])
{
    for (unsigned i = 0; i < HEADER_FIELDS; i++) {
        if (skip_doubled)
            skip_blanks(c);
        if (!take_field(c, &fields[i]))
            return false;
    }
    if (skip_doubled)
        skip_blanks(c);
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
    if (cursor_at(&at, '-') && (cursor_left(&at) == 1 || is_blank(at.p[1]))) {
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
    if (at.p < at.end && is_blank(*at.p))
        at.p++;
    *c = at;
    return true;
}

/* "1 TIME host app[12]: text": RFC 5424's beginning with RFC 3164's tag after the host. */
static bool take_tagged(struct cursor *c, const struct cursor *header, struct record *r)
{
    struct cursor at = *header;
    struct view host = peek_token(&at);
    struct tag tag;
    at.p += host.n;
    skip_blanks(&at);
    struct view word = peek_token(&at);
    if (word.n < 2 || word.p[word.n - 1] != ':' || host.n == 0 || host.n > HEADER_FIELD_MAX_BYTES ||
        !tag_match_word(word, &tag))
        return false;
    r->hostname = host.n == 1 && *host.p == '-' ? VIEW_NULL : host;
    r->app_name = tag.name;
    r->procid = tag.pid;
    c->p = tag.end;
    if (cursor_at(c, ' '))
        c->p++;
    r->message = cursor_rest(c);
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
        !is_blank(c->p[digits]))
        return false;
    if (!in->has_pri && (digits != 1 || *c->p != '1'))
        return false;
    struct cursor at = {c->p + digits, c->end};
    skip_blanks(&at);
    enum timestamp_result result = timestamp_iso(&at, t);
    if (result != TIMESTAMP_ABSENT && at.p < at.end && !is_blank(*at.p))
        return false;
    struct view token = peek_token(&at);
    if (result == TIMESTAMP_ABSENT && !in->has_pri)
        return false;
    if (result != TIMESTAMP_ABSENT) {
        /* taken */
    } else if ((token.n == 1 && *token.p == '-') || view_eq(token, VIEW("NILVALUE"))) {
        at.p += token.n;
    } else if (token.n >= 10 && is_digit(token.p[0]) && memchr(token.p, '-', token.n) != NULL &&
               memchr(token.p, ':', token.n) != NULL) {
        result = TIMESTAMP_UNUSABLE; /* meant as a time */
        at.p += token.n;
    } else if (token.n > 0) {
        return false;
    }
    if (at.p < at.end && is_blank(*at.p))
        at.p++;
    *ret_result = result;
    *c = at;
    return true;
}

/* Fields and structured data without VERSION, or without TIMESTAMP, or with one of RFC 3164: this
 * form only when all of it is there and sound: four fields, procid a number or nil, and structured
 * data; one more nil, where version and time do not make it certain. */
static bool take_sound_fields(struct cursor *c, bool is_certain, struct view fields[HEADER_FIELDS],
                              struct view *ret_data)
{
    struct cursor at = *c;
    if (!take_fields(&at, false, fields) || !take_structured_data(&at, ret_data))
        return false;
    bool is_nil = view_is_null(fields[2]) || view_is_null(fields[3]);
    if (view_is_null(fields[1]) || (!view_is_null(fields[2]) && !all_digits(fields[2])) ||
        (view_is_null(*ret_data) && !is_nil && !is_certain))
        return false;
    *c = at;
    return true;
}

static void set_fields(struct record *r, struct cursor *c, const struct view fields[HEADER_FIELDS],
                       struct view data)
{
    r->hostname = fields[0];
    r->app_name = fields[1];
    r->procid = fields[2];
    r->msgid = fields[3];
    r->structured_data = data;
    skip_bom(c); /* it says that the message is UTF-8; it is not part of it */
    r->message = cursor_rest(c);
}

bool rfc5424_take_unversioned(struct cursor c, struct record *r)
{
    struct view fields[HEADER_FIELDS], data;
    skip_blanks(&c);
    if (!take_sound_fields(&c, false, fields, &data))
        return false;
    set_fields(r, &c, fields, data);
    return true;
}

bool rfc5424_parse_incomplete(const struct parse *in, struct record *r)
{
    struct cursor c = in->text;
    struct timestamp t;
    struct view fields[HEADER_FIELDS], data;
    skip_blanks(&c);
    if (!in->has_pri || cursor_left(&c) < 20 || !is_digit(*c.p) || !is_blank(c.p[1]))
        return false;
    c.p += 2;
    int64_t epoch_us = TIME_NONE;
    enum timestamp_result result = TIMESTAMP_ABSENT;
    if (!timestamp_epoch(&c, &epoch_us))
        result = timestamp_scan(&c, &in->ctx->cache, &t);
    skip_blanks(&c);
    bool is_certain = result == TIMESTAMP_GOOD || epoch_us != TIME_NONE;
    if (!take_sound_fields(&c, is_certain, fields, &data))
        return false;
    r->reported_at_us = epoch_us;
    timestamp_apply(&t, result, in->ctx, r);
    set_fields(r, &c, fields, data);
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
    if (view_is_null(data) && !has_data && take_tagged(&c, &header, r))
        return true;
    set_fields(r, &c, fields, data);
    return true;
}
