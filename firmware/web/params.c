/* Query strings. */
#include "web/params.h"

#include <stdarg.h>

#include "base/utf8.h"

#define TIME_MAX_US (253402300800 * US_PER_SECOND - 1) /* 9999-12-31T23:59:59.999999Z */

static void bad(struct params *p, const char *name, const char *fmt, ...) PRINTF(3, 4);

static void bad(struct params *p, const char *name, const char *fmt, ...)
{
    if (p->is_bad)
        return; /* the first one is told */
    char message[400];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(message, sizeof(message), fmt, ap);
    va_end(ap);
    p->is_bad = true;
    (void)err_set_field(&p->err, EINVAL, "bad_value", name, "%s", message);
}

static int hex_digit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    if (c >= 'A' && c <= 'F')
        return c - 'A' + 10;
    return -1;
}

/* Decoded text in the arena, or NULL when it is no percent-encoded UTF-8 text. */
static const char *decode(struct arena *a, struct view in)
{
    char *out = arena_alloc(a, in.n + 1);
    size_t n = 0;
    for (size_t i = 0; i < in.n; i++) {
        if (in.p[i] != '%') {
            out[n++] = (char)(in.p[i] == '+' ? ' ' : in.p[i]);
            continue;
        }
        int high = i + 2 < in.n ? hex_digit(in.p[i + 1]) : -1;
        int low = high >= 0 ? hex_digit(in.p[i + 2]) : -1;
        if (low < 0)
            return NULL;
        out[n++] = (char)(high << 4 | low);
        i += 2;
    }
    out[n] = 0;
    return utf8_is_clean(view_of(out, n)) ? out : NULL; /* clean: without NUL too */
}

static void add(struct params *p, struct arena *a, struct view pair)
{
    const char *equals = memchr(pair.p, '=', pair.n);
    size_t name_n = equals ? (size_t)(equals - pair.p) : pair.n;
    const char *name = decode(a, view_of(pair.p, name_n));
    const char *value = equals ? decode(a, view_of(equals + 1, pair.n - name_n - 1))
                               : arena_strdup(a, VIEW(""));
    if (!name || !value) {
        bad(p, name ? name : "", "%s: not percent-encoded UTF-8 text", name ? name : "a parameter");
        return;
    }
    for (size_t i = 0; i < p->n; i++) {
        if (strcmp(p->list[i].name, name) == 0) {
            bad(p, name, "%.64s: given twice", name);
            return;
        }
    }
    if (p->n == PARAMS_MAX) {
        bad(p, "", "there are more than %d parameters", PARAMS_MAX);
        return;
    }
    p->list[p->n++] = (struct param){name, value, false};
}

void params_parse(struct params *p, struct arena *a, const char *query_string)
{
    *p = (struct params){0};
    const char *at = query_string ? query_string : "";
    while (*at) {
        size_t n = strcspn(at, "&");
        if (n > 0)
            add(p, a, view_of(at, n));
        at += n + (at[n] == '&');
    }
}

static const char *take(struct params *p, const char *name)
{
    for (size_t i = 0; i < p->n; i++) {
        if (strcmp(p->list[i].name, name) == 0) {
            p->list[i].is_used = true;
            return p->list[i].value;
        }
    }
    return NULL;
}

const char *params_text(struct params *p, const char *name, size_t max, const char *absent)
{
    const char *value = take(p, name);
    if (!value)
        return absent;
    size_t n = strlen(value);
    if (n > max) {
        bad(p, name, "%s: it has %zu bytes, more than %zu", name, n, max);
        return absent;
    }
    return value;
}

int64_t params_int(struct params *p, const char *name, int64_t min, int64_t max, int64_t absent)
{
    const char *value = take(p, name);
    uint64_t n = 0;
    if (!value)
        return absent;
    if (view_u64(view_str(value), (uint64_t)max, &n) < 0 || n < (uint64_t)min) {
        bad(p, name, "%s: \"%.64s\" is not a whole number from %lld to %lld", name, value,
            (long long)min, (long long)max);
        return absent;
    }
    return (int64_t)n;
}

/* Digits, a point and an exponent: what strtod() takes beyond that (hexadecimal, "nan") is none. */
static bool is_decimal(const char *text)
{
    size_t n = strspn(text, "0123456789.eE+-");
    return text[n] == 0 && ((text[0] >= '0' && text[0] <= '9') || text[0] == '-');
}

double params_real(struct params *p, const char *name, double min, double max, double absent)
{
    const char *value = take(p, name);
    char *end;
    if (!value)
        return absent;
    double n = strtod(value, &end);
    if (!is_decimal(value) || *end != 0 || !(n >= min && n <= max)) {
        bad(p, name, "%s: \"%.64s\" is not a number from %.15g to %.15g", name, value, min, max);
        return absent;
    }
    return n;
}

int64_t params_time(struct params *p, const char *name, int64_t absent)
{
    const char *value = take(p, name);
    int64_t us;
    if (!value)
        return absent;
    /* "…T12:00:00+09:00" whose plus was not written %2B has become a blank */
    char zoned[RFC3339_MAX];
    snprintf(zoned, sizeof(zoned), "%s", value);
    size_t n = strlen(zoned);
    if (n > 6 && zoned[n - 6] == ' ' && zoned[n - 3] == ':' && strchr(zoned, 'T'))
        zoned[n - 6] = '+';
    if (strlen(value) >= sizeof(zoned) || rfc3339_parse(view_str(zoned), &us) < 0) {
        bad(p, name, "%s: \"%.64s\" is not a time like 2026-03-10T12:00:00Z", name, value);
        return absent;
    }
    if (us < 0 || us > TIME_MAX_US) {
        bad(p, name, "%s: \"%.64s\" is not in the years 1970 to 9999 (UTC)", name, value);
        return absent;
    }
    return us;
}

int params_choice(struct params *p, const char *name, const char *words, int absent)
{
    const char *value = take(p, name);
    if (!value && absent >= 0)
        return absent;
    if (value) {
        int i = 0;
        for (const char *w = words; *w; i++) {
            size_t n = strcspn(w, "|");
            if (view_eq(view_of(w, n), view_str(value)))
                return i;
            w += n + (w[n] == '|');
        }
    }
    bad(p, name, "%s: %s%.64s%s one of %s", name, value ? "\"" : "", value ? value : "it must be",
        value ? "\" is not" : "", words);
    return 0;
}

void params_check_range(struct params *p, int64_t from_us, int64_t to_us)
{
    if (from_us != TIME_NONE && to_us != TIME_NONE && from_us >= to_us)
        bad(p, "from", "from: it must be before to");
}

int params_done(struct params *p, struct err *err)
{
    for (size_t i = 0; i < p->n; i++) {
        if (!p->list[i].is_used)
            bad(p, p->list[i].name, "%.64s: there is no such parameter here", p->list[i].name);
    }
    if (!p->is_bad)
        return 0;
    *err = p->err;
    return -EINVAL;
}
