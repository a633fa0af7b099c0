/* Writing JSON. */
#include "web/json.h"

#include <math.h>

static void separate(struct json *j)
{
    if (j->needs_comma)
        buf_add_char(j->out, ',');
    j->needs_comma = true;
}

void json_begin(struct json *j, char bracket)
{
    separate(j);
    buf_add_char(j->out, bracket);
    j->needs_comma = false;
}

void json_end(struct json *j, char bracket)
{
    buf_add_char(j->out, bracket);
    j->needs_comma = true;
}

void json_key(struct json *j, const char *key)
{
    separate(j);
    buf_add_char(j->out, '"');
    buf_add_str(j->out, key);
    buf_add(j->out, "\":", 2);
    j->needs_comma = false;
}

static void escape(struct buf *out, unsigned char c)
{
    switch (c) {
    case '"':
        buf_add(out, "\\\"", 2);
        break;
    case '\\':
        buf_add(out, "\\\\", 2);
        break;
    case '\n':
        buf_add(out, "\\n", 2);
        break;
    case '\r':
        buf_add(out, "\\r", 2);
        break;
    case '\t':
        buf_add(out, "\\t", 2);
        break;
    default:
        buf_printf(out, "\\u%04x", c);
        break;
    }
}

void json_view(struct json *j, struct view text)
{
    separate(j);
    if (view_is_null(text)) {
        buf_add(j->out, "null", 4);
        return;
    }
    buf_add_char(j->out, '"');
    size_t begin = 0;
    for (size_t i = 0; i < text.n; i++) {
        unsigned char c = (unsigned char)text.p[i];
        if (LIKELY(c >= ' ' && c != '"' && c != '\\' && c != 0x7f))
            continue;
        buf_add(j->out, text.p + begin, i - begin);
        escape(j->out, c);
        begin = i + 1;
    }
    buf_add(j->out, text.p + begin, text.n - begin);
    buf_add_char(j->out, '"');
}

void json_str(struct json *j, const char *text)
{
    json_view(j, view_str(text));
}

void json_int(struct json *j, int64_t n)
{
    separate(j);
    buf_printf(j->out, "%lld", (long long)n);
}

void json_real(struct json *j, double n)
{
    separate(j);
    if (isfinite(n))
        buf_printf(j->out, "%.9g", n);
    else
        buf_add(j->out, "null", 4);
}

void json_bool(struct json *j, bool b)
{
    separate(j);
    buf_add_str(j->out, b ? "true" : "false");
}

void json_raw(struct json *j, struct view text)
{
    separate(j);
    buf_add_view(j->out, text);
}

void json_time(struct json *j, int64_t us)
{
    separate(j);
    if (us == TIME_NONE) {
        buf_add(j->out, "null", 4);
        return;
    }
    char text[RFC3339_MAX];
    size_t n = rfc3339_format(us, text);
    buf_add_char(j->out, '"');
    buf_add(j->out, text, n);
    buf_add_char(j->out, '"');
}

void json_key_int(struct json *j, const char *key, int64_t n)
{
    json_key(j, key);
    json_int(j, n);
}

void json_key_time(struct json *j, const char *key, int64_t us)
{
    json_key(j, key);
    json_time(j, us);
}
