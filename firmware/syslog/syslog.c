/* From the bytes of one message to a record: trailers and PRI, then the first form that recognises
 * the rest.  Runs in the receiver's threads, for every message. */
#include "syslog/syslog.h"

#include "base/limits.h"
#include "base/utf8.h"
#include "syslog/parse.h"

struct form {
    uint8_t format;
    bool (*parse)(const struct parse *in, struct record *r);
};

/* In the order in which they are tried: the strictest first. */
static const struct form forms[] = {
    {FORMAT_RFC5424, rfc5424_parse},
    {FORMAT_CISCO, cisco_parse},
    {FORMAT_RFC3164, rfc3164_parse},
};

/* LF, CR and NUL at the end are how senders end messages (a UDP datagram of a C string, a line with
 * CRLF); `raw` keeps them. */
static struct view without_trailers(struct view v)
{
    while (v.n > 0 && (v.p[v.n - 1] == '\n' || v.p[v.n - 1] == '\r' || v.p[v.n - 1] == '\0'))
        v.n--;
    return v;
}

/* "<0>" … "<191>" at p, without leading zeros (RFC 3164 §4.1.1).  The number, or -1. */
static int pri_at(const char *p, const char *end, const char **ret_end)
{
    if (end - p < 3 || p[0] != '<' || !is_digit(p[1]))
        return -1;
    int pri = 0;
    const char *q = p + 1;
    for (; q < end && q - p <= 3 && is_digit(*q); q++)
        pri = pri * 10 + (*q - '0');
    if (q == end || *q != '>' || pri > 191 || (p[1] == '0' && q - p > 2))
        return -1;
    *ret_end = q + 1;
    return pri;
}

/* Senders put blanks, a BOM, or by UDP an octet count, before the PRI.  The place of the "<" then,
 * else of the text's begin. */
static const char *skip_to_pri(struct view text)
{
    const char *p = text.p, *end = p + text.n, *after;
    if (text.n == 0 || *p == '<')
        return p;
    if (end - p >= 3 && memcmp(p, "\xef\xbb\xbf", 3) == 0)
        p += 3;
    while (p < end && (is_blank(*p) || *p == '\n' || *p == '\r'))
        p++;
    if (p < end && *p >= '1' && *p <= '9') {
        size_t count = 0;
        const char *q = p;
        while (q < end && q - p < 6 && is_digit(*q))
            count = count * 10 + (size_t)(*q++ - '0');
        if (q < end && *q == ' ' && count == (size_t)(end - q - 1))
            p = q + 1;
    }
    return pri_at(p, end, &after) >= 0 ? p : text.p;
}

static void take_pri(struct parse *in, struct record *r)
{
    struct view text = cursor_rest(&in->text);
    const char *start = skip_to_pri(text), *after;
    int pri = pri_at(start, in->text.end, &after);
    if (pri < 0) {
        r->flags |= RECORD_NO_PRI;
        r->facility = 1;
        r->severity = 5;
        return;
    }
    in->has_pri = true;
    r->facility = (uint8_t)(pri >> 3);
    r->severity = (uint8_t)(pri & 7);
    r->pri_text = view_of(start + 1, (size_t)(after - start) - 2);
    in->text.p = after;
}

/* A view into the cleaned copy → the same bytes of raw, where nothing before them was changed; else
 * null. */
static struct view to_raw(struct view v, struct view cleaned, struct view raw,
                          size_t unchanged_bytes)
{
    if (view_is_null(v))
        return v;
    size_t at = (size_t)(v.p - cleaned.p);
    return at + v.n <= unchanged_bytes ? view_of(raw.p + at, v.n) : VIEW_NULL;
}

/* The device's clock is wrong, or the message was held back long: its time is kept as sent. */
static void mark_skew(struct record *r)
{
    const int64_t limit_us = CLOCK_SKEW_MIN_S * US_PER_SECOND;
    if (r->reported_at_us == TIME_NONE)
        return;
    int64_t skew_us = r->reported_at_us - r->received_at_us;
    if (UNLIKELY(skew_us > limit_us || skew_us < -limit_us))
        r->flags |= RECORD_CLOCK_SKEW;
}

void syslog_parse(struct syslog_context *ctx, struct view raw, struct record *ret)
{
    if (view_is_null(raw))
        raw = VIEW("");
    *ret = (struct record){.received_at_us = ctx->received_at_us, .reported_at_us = TIME_NONE};
    ret->raw = raw;
    struct view text = without_trailers(raw);
    bool is_clean = utf8_is_clean(text);
    size_t unchanged_bytes = 0;
    buf_clear(ctx->scratch);
    if (UNLIKELY(!is_clean)) {
        /* Before the fields are split: what is split stays valid then. */
        unchanged_bytes = utf8_clean_prefix(text);
        CHECK(utf8_clean(text, ctx->scratch) == 0);
        text = buf_view(ctx->scratch);
        ret->flags |= RECORD_INVALID_UTF8;
    }
    struct parse in = {.ctx = ctx, .text = {text.p, text.p + text.n}};
    take_pri(&in, ret);
    for (size_t i = 0; i < ARRAY_LEN(forms); i++) {
        if (forms[i].parse(&in, ret)) {
            ret->format = forms[i].format;
            break;
        }
    }
    if (ret->format == FORMAT_RAW)
        ret->message = text;
    mark_skew(ret);
    ret->is_clean = true; /* a clean text that is cut at ASCII characters only */
    if (UNLIKELY(!is_clean)) {
        ret->pri_text = to_raw(ret->pri_text, text, raw, unchanged_bytes);
        ret->time_text = to_raw(ret->time_text, text, raw, unchanged_bytes);
        if (view_is_null(ret->time_text))
            ret->time_form = TIME_FORM_NONE;
    }
}
