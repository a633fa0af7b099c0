/* From the bytes of one message to a record: trailers and PRI, then the first form that recognises
 * the rest.  Runs in the receiver's threads, for every message. */
#include "syslog/syslog.h"

#include "base/limits.h"
#include "base/utf8.h"
#include "syslog/charset.h"
#include "syslog/parse.h"

struct form {
    uint8_t format;
    bool begins_with_digit; /* nothing else is tried with it */
    bool (*parse)(const struct parse *in, struct record *r);
};

/* In the order in which they are tried: the strictest first. */
static const struct form forms[] = {
    {FORMAT_MERAKI, true, meraki_parse},
    {FORMAT_RFC5424, true, rfc5424_parse},
    {FORMAT_RFC5424, true, rfc5424_parse_incomplete},
    {FORMAT_CISCO, false, cisco_parse},
    {FORMAT_RFC3164, false, rfc3164_parse},
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
    if (UNLIKELY(cursor_at(&in->text, '\xef')))
        skip_bom(&in->text);
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

/* "host: *task: TIME: #DOT1X-3-NAME: …": a task's name is what RFC 3164's parser leaves. */
static bool begins_with_star(struct view v)
{
    return v.n > 0 && *v.p == '*';
}

static void parse_task(const struct parse *in, struct record *r)
{
    struct record task = *r;
    task.hostname = task.app_name = task.procid = VIEW_NULL;
    task.reported_at_us = TIME_NONE;
    task.flags &= (uint8_t)~RECORD_BAD_TIME;
    if (cisco_parse_task(in, &task)) {
        *r = task;
        r->format = FORMAT_CISCO;
    }
}

/* The text as clean UTF-8: the bytes themselves, or in the scratch buffer.  *ret_flags: what was
 * done to them. */
static struct view clean_text(struct syslog_context *ctx, struct view raw, uint8_t *ret_flags)
{
    struct view text = without_trailers(raw);
    buf_clear(ctx->scratch);
    if (UNLIKELY(ctx->charset != NULL && charset_applies(ctx->charset, text))) {
        size_t undecodable = 0;
        /* with the trailers: of UTF-16 one may be half a character */
        int r = charset_text(ctx->charset, raw, ctx->scratch, &undecodable);
        CHECK(r >= 0);
        if (r > 0) {
            *ret_flags = RECORD_DECODED | (undecodable > 0 ? RECORD_INVALID_UTF8 : 0);
            return without_trailers(buf_view(ctx->scratch));
        }
    }
    if (LIKELY(utf8_is_clean(text)))
        return text;
    const struct charset *marked = charset_by_mark(text);
    if (marked) {
        int bad = charset_decode(marked, raw, ctx->scratch);
        CHECK(bad >= 0);
        *ret_flags = RECORD_DECODED | (bad > 0 ? RECORD_INVALID_UTF8 : 0);
        return without_trailers(buf_view(ctx->scratch));
    }
    /* Before the fields are split: what is split stays valid then. */
    CHECK(utf8_clean(text, ctx->scratch) == 0);
    *ret_flags = RECORD_INVALID_UTF8;
    return buf_view(ctx->scratch);
}

static size_t common_prefix(struct view a, struct view b)
{
    size_t n = MIN(a.n, b.n), i = 0;
    while (i < n && a.p[i] == b.p[i])
        i++;
    return i;
}

/* By the library's memset: of this size compilers make an instruction that is slow to start. */
static void clear(struct record *r)
{
    size_t n = sizeof(*r);
    __asm__("" : "+r"(n)); /* a size that they do not know */
    memset(r, 0, n);
}

void syslog_parse(struct syslog_context *ctx, struct view raw, struct record *ret)
{
    if (view_is_null(raw))
        raw = VIEW("");
    clear(ret);
    ret->received_at_us = ctx->received_at_us;
    ret->reported_at_us = TIME_NONE;
    ret->raw = raw;
    struct view text = clean_text(ctx, raw, &ret->flags);
    bool is_copy = ret->flags != 0;
    struct parse in = {.ctx = ctx, .text = {text.p, text.p + text.n}};
    take_pri(&in, ret);
    struct cursor first = in.text;
    skip_blanks(&first);
    bool has_digit = first.p < first.end && is_digit(*first.p);
    for (size_t i = 0; i < ARRAY_LEN(forms); i++) {
        if (forms[i].begins_with_digit && !has_digit)
            continue;
        if (forms[i].parse(&in, ret)) {
            if (ret->format == FORMAT_RAW)
                ret->format = forms[i].format;
            break;
        }
    }
    if (ret->format == FORMAT_RAW)
        ret->message = text;
    if (UNLIKELY(begins_with_star(ret->message) || begins_with_star(ret->app_name)))
        parse_task(&in, ret);
    if (ret->format == FORMAT_RAW || ret->format == FORMAT_RFC3164)
        body_recognise(&in, ret);
    mark_skew(ret);
    ret->is_clean = true; /* a clean text that is cut at ASCII characters only */
    if (UNLIKELY(is_copy)) {
        size_t unchanged_bytes = common_prefix(text, raw);
        ret->pri_text = to_raw(ret->pri_text, text, raw, unchanged_bytes);
        ret->time_text = to_raw(ret->time_text, text, raw, unchanged_bytes);
        if (view_is_null(ret->time_text))
            ret->time_form = TIME_FORM_NONE;
    }
}
