/* CEF (ArcSight's Common Event Format): seven fields between bars, then key=value with blanks
 * inside values.  In the header \| and \\ are escapes, in the extension \= \\ \n \r.
 *
 *   CEF:0|vendor|product|device version|signature id|name|severity|extension */
#include "query/pairs_internal.h"

/* Behind the bar that ends the field at `at`, with the field in *ret (escapes undone); SIZE_MAX:
 * the text ends first, and *ret is the rest. */
static size_t header_field(struct pairs_sink *s, struct view text, size_t at, struct pair *ret)
{
    size_t from = at;
    bool has_escape = false;
    for (; at < text.n && text.p[at] != '|'; at++)
        if (text.p[at] == '\\' && at + 1 < text.n && strchr("|\\", text.p[at + 1])) {
            has_escape = true;
            at++;
        }
    struct view written = pairs_between(text, from, MIN(at, text.n));
    ret->value = written;
    if (has_escape && s->fn) {
        char *to = pairs_scratch(s);
        size_t n = 0;
        for (size_t i = 0; i < written.n; i++) {
            if (written.p[i] == '\\' && i + 1 < written.n && strchr("|\\", written.p[i + 1]))
                i++;
            to[n++] = written.p[i];
        }
        ret->value = pairs_take(s, n);
        ret->written = written;
    }
    return at < text.n ? at + 1 : SIZE_MAX;
}

/* ---- the extension ---- */

static bool is_key_char(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           (unsigned char)c >= 0x80 || memchr("_.-[]@:/", c, 8) != NULL;
}

/* The key that ends before the '=' at `equals`, behind a blank or at `from`. */
static bool key_before(struct view text, size_t from, size_t equals, size_t *ret)
{
    size_t at = equals;
    while (at > from && is_key_char(text.p[at - 1]))
        at--;
    if (at == equals || (at > from && !pairs_is_blank(text.p[at - 1])))
        return false;
    *ret = at;
    return true;
}

/* The next key=: false at the end of the text. */
static bool next_key(struct view text, size_t from, bool has_escapes, size_t *ret_key,
                     size_t *ret_equals)
{
    for (size_t at = pairs_find(text, from, '='); at < text.n; at = pairs_find(text, at + 1, '=')) {
        bool is_escaped = has_escapes && at > from && text.p[at - 1] == '\\';
        if (!is_escaped && key_before(text, from, at, ret_key)) {
            *ret_equals = at;
            return true;
        }
    }
    return false;
}

static bool unescape(struct view written, struct pairs_sink *s, struct view *ret)
{
    if (s->fn == NULL || written.n == 0 || memchr(written.p, '\\', written.n) == NULL)
        return false;
    char *to = pairs_scratch(s);
    size_t n = 0;
    for (size_t i = 0; i < written.n; i++) {
        char c = written.p[i], next = i + 1 < written.n ? written.p[i + 1] : '\0';
        if (c == '\\' &&
            (next == '=' || next == '\\' || next == '|' || next == 'n' || next == 'r')) {
            c = next == 'n' ? '\n' : next == 'r' ? '\r' : next;
            i++;
        }
        to[n++] = c;
    }
    *ret = pairs_take(s, n);
    return true;
}

/* Of cs1 = x and cs1Label = Rule: the pair Rule = x, too. */
struct labels {
    struct {
        struct view name, value, written;
    } seen[32]; /* cs1…6, cn1…3, cfp1…4, flexString1…2, deviceCustomDate1…2, c6a1…4 at most */
    unsigned n;
};

static bool is_labelled(struct view name)
{
    return name.n > 1 && name.n < 32 && name.p[name.n - 1] >= '0' && name.p[name.n - 1] <= '9';
}

static bool give_labelled(struct pairs_sink *s, const struct labels *l)
{
    for (unsigned i = 0; i < l->n; i++) {
        struct view label = l->seen[i].name;
        if (label.n <= 5 || memcmp(label.p + label.n - 5, "Label", 5) != 0 ||
            l->seen[i].value.n == 0)
            continue;
        label.n -= 5;
        for (unsigned k = 0; k < l->n; k++)
            if (view_eq(l->seen[k].name, label) &&
                !pairs_give(s, (struct pair){.name = l->seen[i].value,
                                             .value = l->seen[k].value,
                                             .written = l->seen[k].written}))
                return false;
    }
    return true;
}

static void note_label(struct labels *l, const struct pair *p)
{
    struct view stem = p->name;
    if (stem.n > 5 && memcmp(stem.p + stem.n - 5, "Label", 5) == 0)
        stem.n -= 5;
    if (!is_labelled(stem) || l->n == ARRAY_LEN(l->seen))
        return;
    l->seen[l->n].name = p->name;
    l->seen[l->n].value = p->value;
    l->seen[l->n].written = p->written;
    l->n++;
}

bool pairs_cef_extension(struct pairs_sink *s, struct view text, bool has_escapes)
{
    struct labels labels = {.n = 0};
    size_t key, equals, next, next_equals;
    bool has = next_key(text, pairs_skip_blanks(text, 0), has_escapes, &key, &equals);
    while (has) {
        has = next_key(text, equals + 1, has_escapes, &next, &next_equals);
        size_t from = equals + 1, end = has ? MAX(next, from) : text.n;
        if (has && end > from)
            end--; /* one blank stands between two pairs; more belong to nobody */
        while (end > from && pairs_is_blank(text.p[end - 1]))
            end--;
        struct pair p = {.name = pairs_between(text, key, equals),
                         .value = pairs_between(text, from, end)};
        struct view plain;
        if (has_escapes && unescape(p.value, s, &plain)) {
            p.written = p.value;
            p.value = plain;
        }
        if (!pairs_give(s, p))
            return false;
        note_label(&labels, &p);
        key = next;
        equals = next_equals;
    }
    return give_labelled(s, &labels);
}

bool pairs_cef(struct pairs_sink *s, struct view text)
{
    static const char *const names[] = {"cef.version",        "cef.vendor",       "cef.product",
                                        "cef.device_version", "cef.signature_id", "cef.name",
                                        "cef.severity"};
    size_t at = 4; /* "CEF:" */
    at = pairs_skip_blanks(text, at);
    if (at >= text.n || text.p[at] < '0' || text.p[at] > '9')
        return true;
    for (size_t i = 0; i < ARRAY_LEN(names); i++) {
        struct pair p = {.name = view_str(names[i]), .alias = view_str(names[i] + 4)};
        at = header_field(s, text, at, &p);
        if (at == SIZE_MAX && i == 0)
            return true; /* no bar at all: not CEF */
        if (!pairs_give(s, p))
            return false;
        if (at == SIZE_MAX)
            return true;
    }
    return pairs_cef_extension(s, pairs_between(text, at, text.n), true);
}
